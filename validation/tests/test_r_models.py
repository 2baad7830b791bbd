"""The exported R models refitted in live R: their predictions against the exports'.

With the versions of R and its packages that the exports were made with, the predictions must be
equal. Other versions may draw other random numbers or stop elsewhere in an optimisation: the
difference is then recorded under both versions, and only the rough size is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from aleplot_py.datasets.files import DataNotFoundError
from aleplot_py.datasets.loaders import load_adult, load_bike, load_cervical, load_penguins
from reproductions.engine import r_models
from validation import bridge

EXPORTED = {
    "R": "4.2.2",
    "randomForest": "4.7.1.1",
    "party": "1.3.11",
    "nnet": "7.3.18",
    "gbm": "2.1.8.1",
}

# Same versions: the same model, evaluated by sums in another order (gbm, nnet) or the same one.
SAME_VERSIONS = 1e-13
# Other versions: root mean square of the difference, of the predictions' standard deviation;
# forests with other bootstrap samples reach .1.
OTHER_VERSIONS = 0.25

# Refitting all 6,000 takes minutes; trees are grown one after the other, so the first ones tell.
BOOSTED_TREES = 200


def data(load: Callable[..., pd.DataFrame], *arguments: Any) -> pd.DataFrame:
    """Load a data set, or skip the test with the reason where its file cannot be had."""
    try:
        return load(*arguments)
    except DataNotFoundError as error:
        pytest.skip(str(error))


def check(
    record_parity: Callable[..., None],
    model: str,
    package: str,
    live: np.ndarray,
    exported: np.ndarray,
) -> None:
    """Record the difference and assert what the versions promise.

    Parameters
    ----------
    record_parity : callable
        The fixture.
    model : str
        Name of the model.
    package : str
        R package that fitted it.
    live, exported : ndarray of shape (n,)
        Predictions of the model refitted in R and of the export evaluated in Python.
    """
    versions = bridge.versions()
    names = ("R", package)
    here = " ".join(f"{name} {versions[name]}" for name in names)
    there = " ".join(f"{name} {EXPORTED[name]}" for name in names)
    difference = np.max(np.abs(live - exported)) / np.max(np.abs(exported))
    case = f"{model} ({here})" if here == there else f"{model} ({here}; export by {there})"
    record_parity("r_models", case, difference)
    if here == there:
        assert difference <= SAME_VERSIONS
    else:
        assert np.sqrt(np.mean((live - exported) ** 2)) <= OTHER_VERSIONS * np.std(exported)


_FOREST = """function(d, seed, train, response) {
  set.seed(seed)
  rows <- if (train > 0) sample(seq_len(nrow(d)), train) else seq_len(nrow(d))
  formula <- stats::as.formula(paste(response, '~ .'))
  m <- randomForest::randomForest(formula, data = d[rows, ])
  if (m$type == 'regression') predict(m, d) else predict(m, d, type = 'prob')[, 1]
}"""


@pytest.mark.r_models("randomForest")
@pytest.mark.parametrize(
    ("name", "load", "seed", "train", "response", "exported"),
    [
        ("bike forest, 3rd ed.", load_bike, 42, 485, "cnt", r_models.book3_bike_forest),
        ("penguin forest", load_penguins, 2, 222, "sex", r_models.book3_penguin_forest),
        ("cervical forest", load_cervical, 42, 0, "Biopsy", r_models.book2_cervical_forest),
    ],
)
def test_forests(record_parity, name, load, seed, train, response, exported):
    """Split, bootstrap and trees follow from one seed."""
    rows = data(load)
    # The forest's code is found through its namespace, which registers `predict`.
    bridge.call_r("loadNamespace", "randomForest")
    live = bridge.call(_FOREST, rows, seed, train, response)
    check(record_parity, name, "randomForest", live, exported()(rows))


@pytest.mark.r_models("party")
def test_conditional_inference_tree(record_parity):
    """The tree has no randomness."""
    rows = data(load_bike, 2)
    live = bridge.fit("party::ctree", "cnt ~ .", rows)(rows)
    check(record_parity, "bike tree, 2nd ed.", "party", live, r_models.book2_bike_tree()(rows))


# The last bit of the response decides which optimum the network of 41 or 49 weights ends in, so
# the response is computed in R, in the order of operations of the exports.
_NETWORK = """function(interaction, hidden) {
  set.seed(1)
  n <- 5000
  x1 <- runif(n); x2 <- runif(n); x3 <- runif(n); x4 <- runif(n)
  mean <- 4 * x1 + 3.87 * x2^2 + 2.97 * (exp(-5 + 10 * x3) / (1 + exp(-5 + 10 * x3)))
  if (interaction) mean <- mean + 13.86 * (x1 - .5) * (x2 - .5)
  d <- data.frame(y = mean + rnorm(n), x1, x2, x3, x4)
  m <- nnet::nnet(y ~ ., data = d, linout = TRUE, size = hidden, decay = .1, maxit = 1000,
                  trace = FALSE)
  list(rows = d, live = as.vector(predict(m, d)))
}"""

_NETWORK_OF_DEPENDENT_INPUTS = """function(seed) {
  set.seed(seed)
  n <- 200
  u <- runif(n)
  x1 <- u + rnorm(n, 0, .05)
  x2 <- u + rnorm(n, 0, .05)
  d <- data.frame(y = x1 + x2^2 + rnorm(n, 0, .1), x1, x2)
  m <- nnet::nnet(y ~ ., data = d, linout = TRUE, size = 10, decay = 1e-4, maxit = 1000,
                  trace = FALSE)
  list(rows = d, live = as.vector(predict(m, d)))
}"""


@pytest.mark.r_models("nnet")
@pytest.mark.parametrize(
    ("example", "interaction", "hidden"), [("ex1", False, 8), ("ex2", True, 6)]
)
def test_vignette_networks(record_parity, example, interaction, hidden):
    """Networks of the vignette's examples 1 and 2, data and weights from one seed."""
    bridge.call_r("loadNamespace", "nnet")
    fitted = bridge.call(_NETWORK, interaction, hidden)
    exported = r_models.vignette_network(example)(fitted["rows"])
    check(record_parity, f"vignette network {example}", "nnet", fitted["live"], exported)


@pytest.mark.r_models("nnet")
@pytest.mark.parametrize("seed", range(1, 51))
def test_vignette_networks_of_dependent_inputs(record_parity, seed):
    """The 50 networks of the vignette's example 4."""
    bridge.call_r("loadNamespace", "nnet")
    fitted = bridge.call(_NETWORK_OF_DEPENDENT_INPUTS, seed)
    exported = r_models.vignette_networks_ex4()[seed](fitted["rows"])
    check(record_parity, f"vignette network ex4 seed {seed}", "nnet", fitted["live"], exported)


def first_trees(model: r_models.BoostedTrees, count: int) -> r_models.BoostedTrees:
    """Keep the first trees of a boosted model."""
    trees = model.trees
    end = int(trees.roots[count])
    kept = replace(
        trees,
        roots=trees.roots[:count],
        **{
            name: getattr(trees, name)[:end]
            for name in ("variable", "threshold", "levels_left", "left", "right", "value")
        },
    )
    return replace(model, trees=kept)


@pytest.mark.r_models("gbm")
def test_boosted_trees(record_parity):
    """The first trees of the vignette's example 3, grown on the complete data."""
    rows = data(load_adult)
    model = bridge.fit(
        "gbm::gbm",
        "income ~ .",
        rows,
        seed=1,
        **{
            "distribution": "bernoulli",
            "n.trees": BOOSTED_TREES,
            "shrinkage": 0.02,
            "interaction.depth": 3,
        },
    )
    exported = first_trees(r_models.adult_boosted_trees(), BOOSTED_TREES)(rows)
    check(record_parity, f"first {BOOSTED_TREES} boosted trees", "gbm", model(rows), exported)
