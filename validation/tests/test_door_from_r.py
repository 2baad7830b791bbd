"""R scripts that call this package: ``aleplotpy.R`` beside R's own package on its own examples.

The examples are those of the help pages of the installed ALEPlot, read while the test runs.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from aleplot_py.r import r_file
from validation import bridge

ROOT = Path(__file__).parents[2]

# Until every sum is made in R's order; `test_examples_are_identical` asks for none at all.
ROUNDING = 1e-12

pytestmark = [pytest.mark.aleplot_r]

_COMPARE = """
suppressMessages({library(reticulate); library(jsonlite)})
pdf(NULL)
ours <- new.env()
sys.source(commandArgs(TRUE)[1], ours)
seen <- list()
# The direction of an order by similarity is arbitrary: turned, it is the same effect.
first_axis <- function(effect) {
  if (is.list(effect$x.values)) effect$x.values[[1]] else effect$x.values
}
turned <- function(effect) {
  levels <- first_axis(effect)
  if (is.list(effect$x.values)) {
    effect$x.values[[1]] <- rev(levels)
    effect$f.values[] <- effect$f.values[rev(seq_along(levels)), ]
  } else {
    effect$x.values <- rev(levels)
    effect$f.values <- rev(effect$f.values)
  }
  effect
}
record <- function(call, ours, theirs) {
  reversed <- is.character(first_axis(ours)) && !identical(first_axis(ours), first_axis(theirs))
  if (reversed) ours <- turned(ours)
  seen[[length(seen) + 1]] <<- list(
    call = call, identical = reversed || identical(ours, theirs),
    alike = isTRUE(all.equal(ours, theirs, tolerance = as.numeric(commandArgs(TRUE)[2]))),
    points = identical(ours$x.values, theirs$x.values) && identical(ours$K, theirs$K),
    attributes = identical(attributes(ours$f.values), attributes(theirs$f.values)))
  invisible(theirs)
}
ALEPlot <- function(...) {
  record(deparse1(sys.call()), ours$ALEPlot(...), ALEPlot::ALEPlot(...))
}
PDPlot <- function(...) record(deparse1(sys.call()), ours$PDPlot(...), ALEPlot::PDPlot(...))
run <- function(code) eval(parse(text = code), globalenv())
"""

# A network stopped early is a black box as good as another.
_EXAMPLES = """
nnet <- function(..., maxit) nnet::nnet(..., maxit = 20)
page <- utils:::.getHelpFile(help("TOPIC", package = "ALEPlot"))
example <- tempfile()
tools::Rd2ex(page, example, commentDontrun = FALSE)
set.seed(1)
code <- grep("library(ALEPlot)", readLines(example), fixed = TRUE, value = TRUE, invert = TRUE)
capture.output(run(code))
"""

_KINDS = """
set.seed(3)
x <- runif(200)
X <- data.frame(x = x, z = x + rnorm(200, 0, .1), g = factor(sample(letters[1:4], 200, TRUE)),
                k = sample(1:9, 200, TRUE), check.names = FALSE)
names(X)[2] <- "body-mass (g)"
yhat <- function(X.model, newdata) {
  stopifnot(identical(names(newdata), names(X)), is.integer(newdata$k) || is.numeric(newdata$k))
  level <- match(as.character(newdata$g), letters)
  as.numeric(X.model * newdata$x * newdata[["body-mass (g)"]] + level * newdata$k)
}
for (J in list(1, 2, 3, 4, c(1, 2), c(3, 1), c(2, 4))) ALEPlot(X, 2, yhat, J = J, K = 7)
ALEPlot(X, 2, pred.fun = yhat, J = c(1, 2), K = 7, NA.plot = FALSE)
ALEPlot(X, 2, yhat, J = 1)
for (J in list(1, 3, 4, c(1, 2), c(3, 1))) PDPlot(X, 2, yhat, J = J, K = 5)
"""


def r(code, *arguments):
    """Run R code with this Python behind reticulate."""
    environment = {
        **os.environ,
        "RETICULATE_PYTHON": sys.executable,
        "PYTHONPATH": str(ROOT),
    }
    command = ["Rscript", "-e", code, *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def compared(code):
    """What came of every call in some R code."""
    reason = bridge.why_packages_unavailable(["reticulate", "jsonlite", "nnet"])
    if reason:
        pytest.skip(reason)
    done = r(f"{_COMPARE}{code}\ncat(toJSON(seen, auto_unbox = TRUE))", r_file(), ROUNDING)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


# The pairs of PDPlot's page are 24 million predictions.
@pytest.fixture(
    scope="module", params=["ALEPlot", pytest.param("PDPlot", marks=pytest.mark.nightly)]
)
def examples(request):
    """Every call of the examples of a help page."""
    return compared(_EXAMPLES.replace("TOPIC", request.param))


@pytest.fixture(scope="module")
def kinds():
    """Numbers, whole numbers, factors and pairs."""
    return compared(_KINDS)


def calls(seen, what):
    """The calls of which something does not hold."""
    return [call["call"] for call in seen if not call[what]]


def test_examples_give_r_s_lists(examples):
    """Points, numbers of intervals and attributes equal, values to rounding."""
    assert len(examples) >= 15
    for what in ("points", "attributes", "alike"):
        assert calls(examples, what) == []


def test_examples_are_identical(examples):
    """R's ``identical()`` on the whole returned list of every example."""
    assert calls(examples, "identical") == []


def test_all_kinds_give_r_s_lists(kinds):
    """The same for factors, ordered as R orders them, and names that R would change."""
    assert len(kinds) == 14
    for what in ("points", "attributes", "alike"):
        assert calls(kinds, what) == []


def test_all_kinds_are_identical(kinds):
    """R's ``identical()`` for all eight kinds, but for levels in the reverse of R's order."""
    assert calls(kinds, "identical") == []


def refusal(call):
    """The message with which a call ends."""
    reason = bridge.why_packages_unavailable(["reticulate"])
    if reason:
        pytest.skip(reason)
    code = f"pdf(NULL); source(commandArgs(TRUE)[1]); X <- data.frame(x = 1:9 / 2, z = 9:1); {call}"
    done = r(code, r_file())
    assert done.returncode != 0
    return done.stderr


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("ALEPlot(X, NULL, function(m, d) d$x, J = 3)", "J must be one or two columns of X"),
        ("ALEPlot(X, NULL, function(m, d) d$x, J = 1:3)", "J must be one or two columns of X"),
        ("ALEPlot(X, NULL, function(m, d) d$x, J = 'y')", "J must be one or two columns of X"),
        ("ALEPlot(X, NULL, function(m, d) stop('my own'), J = 1)", "my own"),
        ("ALEPlot(X, NULL, function(m, d) 1, J = 1)", "one prediction per row: it returned 1"),
        ("PDPlot(X, NULL, function(m, d) d$x * NA, J = 1, K = 4)", "finite|missing|NaN"),
    ],
)
def test_what_is_refused(call, message):
    """Messages of R's black box and of the library come through."""
    assert re.search(message, refusal(call))


def test_the_line_of_the_head_of_the_file():
    """The documented ``source()`` line finds the file, and the functions answer by name too."""
    reason = bridge.why_packages_unavailable(["reticulate"])
    if reason:
        pytest.skip(reason)
    head = Path(r_file()).read_text(encoding="utf-8").split("\n#\n")
    line = "\n".join(part.lstrip("# ") for part in head[1].splitlines())
    line = line.replace('"python3"', "Sys.getenv('RETICULATE_PYTHON')")
    done = r(
        f"{line}\npdf(NULL); X <- data.frame(x = 1:9 / 2, z = 9:1)\n"
        "f <- function(m, d) m * d$x; a <- ALEPlot(X, 2, f, J = 'x', K = 4); cat(a$x.values)"
    )
    assert done.returncode == 0, done.stderr
    assert [float(point) for point in done.stdout.split()] == [0.5, 1.5, 2.5, 3.5, 4.5]
