"""A second, current R (webr, in Node): the primitives and random streams once more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from aleplot_py.inputs.ordering import level_distances
from aleplot_py.r.random import set_seed
from aleplot_py.steps.grid import (
    aleplot_probabilities,
    bin_codes,
    equidistant_grid,
    iml_probabilities,
    quantile_grid,
    quantile_type1,
    quantile_type7,
)
from aleplot_py.steps.moments import CellMoments
from aleplot_py.steps.scaling import classical_scaling
from validation import second_r, vectors

pytestmark = pytest.mark.webr

CASES = 40

# R sums in extended precision where the machine has it (WebAssembly has not), numpy in double.
MEANS = 1e-14
# Sums of at most 100 differences of fractions, added in another order.
DISTANCES = 1e-14
# Eigenvectors of well separated eigenvalues, by another LAPACK.
SCALING = 1e-9
# The same rational functions for the inverse normal; the logarithm in its tails may differ.
STREAMS = 1e-14


def r_vector(values) -> str:
    """R code of a numeric vector, exact because its numbers are hexadecimal."""
    return "c(" + ",".join(float(value).hex() for value in np.ravel(values)) + ")"


def column(rng: np.random.Generator) -> np.ndarray:
    """Draw a numeric column: continuous, tied, on a lattice, tiny or far from 0."""
    n = int(rng.integers(2, 200))
    kinds = (
        lambda: rng.normal(size=n),
        lambda: rng.normal(size=n).round(1),
        lambda: rng.integers(0, 6, n).astype(float),
        lambda: 1e-10 * rng.uniform(size=n),
        lambda: 1e6 + rng.normal(size=n),
    )
    values = kinds[int(rng.integers(len(kinds)))]()
    values[0] = values.max() + 1  # never constant
    return values


@dataclass(frozen=True)
class Comparison:
    """One value of the library, and R code of the same.

    Parameters
    ----------
    ours : ndarray
        The library's value.
    code : str
        R expression.
    """

    ours: np.ndarray
    code: str


def quantile_1(rng: np.random.Generator) -> Comparison:
    """Draw quantiles of type 1."""
    x, K = column(rng), int(rng.integers(1, 61))
    p = aleplot_probabilities(K) if rng.uniform() < 0.5 else iml_probabilities(K)
    return Comparison(
        quantile_type1(x, p), f"quantile({r_vector(x)}, {r_vector(p)}, type = 1, names = FALSE)"
    )


def quantile_7(rng: np.random.Generator) -> Comparison:
    """Draw quantiles of type 7."""
    x, p = column(rng), np.append(rng.uniform(size=10), np.linspace(0, 1, 21))
    return Comparison(
        quantile_type7(x, p), f"quantile({r_vector(x)}, {r_vector(p)}, names = FALSE)"
    )


def seq(rng: np.random.Generator) -> Comparison:
    """Draw the three sequences that grids are made of."""
    K, low = int(rng.integers(2, 500)), rng.normal()
    high = low + rng.exponential()
    ours = [aleplot_probabilities(K), iml_probabilities(K), equidistant_grid(low, high, K)]
    ends = f"{low.hex()}, {float(high).hex()}"
    return Comparison(
        np.concatenate(ours),
        f"c(seq(1/{K}, 1, length.out = {K}), seq(0, 1, length.out = {K} + 1),"
        f" seq({ends}, length.out = {K}))",
    )


def cut(rng: np.random.Generator) -> Comparison:
    """Draw codes of intervals."""
    x = column(rng)
    z = quantile_grid(x, int(rng.integers(1, 61)))
    return Comparison(
        bin_codes(x, z) + 1,
        f"cut({r_vector(x)}, {r_vector(z)}, include.lowest = TRUE, labels = FALSE)",
    )


def tapply_mean(rng: np.random.Generator) -> Comparison:
    """Draw means per interval."""
    x = column(rng)
    z = quantile_grid(x, int(rng.integers(1, 20)))
    codes, effects = bin_codes(x, z), rng.normal(size=len(x))
    return Comparison(
        CellMoments.of(effects, codes, len(z) - 1).mean[np.unique(codes)],
        f"tapply({r_vector(effects)}, {r_vector(codes)}, mean)",
    )


def distances(rng: np.random.Generator) -> Comparison:
    """Draw distances of two levels in a numeric column, by ecdf and quantile."""
    x = column(rng)
    codes = np.arange(len(x)) % 2
    ours = level_distances([pd.Series(x)], codes, 2)[0, 1]
    return Comparison(
        np.array([ours]),
        f"{{ x <- {r_vector(x)}; k <- {r_vector(codes)};"
        " q <- quantile(x, seq(0, 1, length.out = 100), names = FALSE);"
        " max(abs(ecdf(x[k == 0])(q) - ecdf(x[k == 1])(q))) }",
    )


def cmdscale(rng: np.random.Generator) -> Comparison:
    """Draw scaled coordinates whose leading axis is distinct, with the first one positive."""
    points = rng.uniform(size=(int(rng.integers(3, 10)), 3)) * [10, 1, 1]
    D = np.abs(points[:, None] - points[None]).sum(axis=2)
    ours = classical_scaling(D)
    at = int(np.argmax(np.abs(ours)))
    return Comparison(
        ours * np.sign(ours[at]),
        f"{{ y <- cmdscale(matrix({r_vector(D)}, {len(D)}), k = 1)[, 1]; y * sign(y[{at + 1}]) }}",
    )


def uniform_streams(rng: np.random.Generator) -> Comparison:
    """Draw ``runif`` and ``sample`` in one stream."""
    seed, n = int(rng.integers(-(2**31) + 1, 2**31)), int(rng.integers(1, 300))
    stream = set_seed(seed)
    ours = [
        stream.runif(n),
        stream.sample_int(n),
        stream.sample_int(n, 20, replace=True),
        stream.sample_int(1_000_000, 5),
    ]
    return Comparison(
        np.concatenate(ours),
        f"{{ set.seed({seed}L); c(runif({n}), sample.int({n}), sample.int({n}, 20, TRUE),"
        " sample.int(1000000, 5)) }",
    )


def other_streams(rng: np.random.Generator) -> Comparison:
    """Draw ``rnorm`` and ``rexp`` in one stream."""
    seed, n = int(rng.integers(-(2**31) + 1, 2**31)), int(rng.integers(1, 200))
    stream = set_seed(seed)
    return Comparison(
        np.concatenate([stream.rnorm(n), stream.rexp(n)]),
        f"{{ set.seed({seed}L); c(rnorm({n}), rexp({n})) }}",
    )


# None asks for equality, a number is the largest difference as a fraction of the largest value.
PRIMITIVES: dict[str, tuple[Callable[[np.random.Generator], Comparison], float | None]] = {
    "quantile type 1": (quantile_1, None),
    "quantile type 7": (quantile_7, None),
    "seq": (seq, None),
    "cut": (cut, None),
    "tapply mean": (tapply_mean, MEANS),
    "ecdf distances": (distances, DISTANCES),
    "cmdscale": (cmdscale, SCALING),
    "runif and sample": (uniform_streams, None),
    "rnorm and rexp": (other_streams, STREAMS),
}


def drawn(name: str) -> list[Comparison]:
    """Draw the cases of one primitive, the same ones in every process."""
    draw, _ = PRIMITIVES[name]
    start = list(PRIMITIVES).index(name)
    return [draw(np.random.default_rng([start, case])) for case in range(CASES)]


@pytest.fixture
def run():
    """Versions and R's answers to some lines of code, from one run of Node."""
    reason = second_r.why_no_webr()
    if reason is not None:
        pytest.skip(reason)
    return second_r.run_webr


def test_primitives(record_parity, record_versions, run):
    """Equal, or within the primitive's tolerance, on all of their cases."""
    cases = [(name, case) for name in PRIMITIVES for case in drawn(name)]
    about, values = run([case.code for _, case in cases])
    record_versions({"R in webr": about.split("|")[0]})
    for (name, case), expected in zip(cases, values, strict=True):
        tolerance = PRIMITIVES[name][1]
        assert case.ours.shape == expected.shape, name
        if tolerance is None:
            equal = np.array_equal(case.ours, expected)
            record_parity("webr", name, None, equal)
            assert equal, name
        else:
            difference = np.max(np.abs(case.ours - expected)) / np.max(np.abs(expected), initial=1)
            record_parity("webr", name, difference)
            assert difference <= tolerance, name


def test_whole_curves(record_parity, run):
    """All kinds of ALEPlot and PDPlot by our own base-R lines, bit for bit those that are stored.

    Orders of levels, a question of LAPACK, may be reversed.
    """
    found = second_r.compare(*run(second_r.codes()))
    record_parity("webr", "whole curves", None, found.identical == found.curves)
    kinds = {case.id.split("-")[0] for case in second_r.asked_curves()}
    assert kinds == set(vectors.names("ale_*") + vectors.names("pd_*"))
    assert found.identical == found.curves
    assert set(found.orders) <= {"equal", "reversed", "tied", "undetermined"}
    assert found in second_r.read()
