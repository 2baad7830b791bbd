"""Base R live: each primitive of the library against R's own, on generated inputs."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.nonparametric.kde import KDEUnivariate
from statsmodels.stats.anova import anova_lm

from aleplot_py.analysis.association import variance_explained
from aleplot_py.inputs.ordering import level_distances
from aleplot_py.r.random import set_seed
from aleplot_py.steps.bandwidth import bandwidth_nrd0
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
from aleplot_py.steps.scaling import classical_scaling, doubly_centred
from validation import bridge, r_effects

pytestmark = pytest.mark.base_r

# R sums in extended precision, numpy in double: means of at most 60 values differ by a few ulp.
MEANS = 1e-14
# Both are sums of at most 100 differences of fractions, added in another order.
DISTANCES = 1e-14
# The leading eigenvector loses digits as the eigenvalues come close; examples keep a gap of 1e-3.
SCALING = 1e-9
# R inverts the normal distribution by the same rational functions; one ulp near 1 of scale.
NORMAL = 1e-14
# The exponential is a sum of table entries that R rounds to 16 digits.
EXPONENTIAL = 1e-14
# R bins the data linearly onto 512 points before its Fourier transform, statsmodels sums exactly.
DENSITY = 5e-3
# QR decompositions of differently scaled designs with at most 4 columns.
REGRESSION = 1e-9

NUMBERS = st.one_of(
    st.floats(-1e6, 1e6, allow_subnormal=False),
    st.floats(-1, 1, allow_subnormal=False).map(lambda value: 1e-10 * value),
    st.floats(0, 1).map(lambda value: 1e6 + value),
)
LATTICES = st.one_of(
    st.integers(0, 5).map(float), st.integers(-30, 30).map(lambda value: value / 10)
)


def columns(smallest: int = 2, largest: int = 60) -> st.SearchStrategy[np.ndarray]:
    """Numeric columns: of any scale, tied, on a lattice."""
    return st.one_of(
        st.lists(NUMBERS, min_size=smallest, max_size=largest),
        st.lists(LATTICES, min_size=smallest, max_size=largest),
        st.lists(st.one_of(NUMBERS, LATTICES), min_size=smallest, max_size=largest),
    ).map(lambda values: np.array(values, dtype=np.float64))


# Columns of a few hundred rows, drawn by numpy: too long to be generated value by value.
LONG_COLUMNS = st.builds(
    lambda seed, n, digits: np.random.default_rng(seed).normal(size=n).round(digits),
    st.integers(0, 2**32 - 1),
    st.integers(61, 600),
    st.sampled_from([1, 2, 16]),
)
GRID_SIZES = st.integers(1, 60)
SEEDS = st.integers(-(2**31) + 1, 2**31 - 1)


def largest(python: np.ndarray, r: np.ndarray, scale: float | None = None) -> float:
    """Largest difference as a fraction of the scale of R's values."""
    unit = (np.max(np.abs(r), initial=0.0) or 1.0) if scale is None else scale
    return float(np.max(np.abs(np.asarray(python) - r), initial=0.0) / unit)


# --- grids ------------------------------------------------------------------------------------


@given(x=st.one_of(columns(), LONG_COLUMNS), K=GRID_SIZES)
def test_quantile_type_1(record_parity, x, K):
    """Bit for bit, at the probabilities of both grids."""
    for name, p in (("aleplot", aleplot_probabilities(K)), ("iml", iml_probabilities(K))):
        expected = bridge.call("function(x, p) quantile(x, p, type = 1, names = FALSE)", x, p)
        got = quantile_type1(x, p)
        record_parity("base_r", f"quantile type 1, {name}", None, np.array_equal(got, expected))
        assert got.tolist() == expected.tolist()


@given(
    x=st.one_of(columns(1), LONG_COLUMNS),
    p=st.lists(st.floats(0, 1), min_size=1, max_size=30),
    parts=st.integers(1, 100),
)
def test_quantile_type_7(record_parity, x, p, parts):
    """Bit for bit, at any probabilities and at R's ``seq(0, 1, length.out = parts + 1)``."""
    points = np.concatenate([p, np.linspace(0, 1, parts + 1)])
    expected = bridge.call("function(x, p) quantile(x, p, names = FALSE)", x, points)
    got = quantile_type7(x, points)
    record_parity("base_r", "quantile type 7", None, np.array_equal(got, expected))
    assert got.tolist() == expected.tolist()


@given(K=st.integers(1, 1000))
def test_probabilities(record_parity, K):
    """``seq`` of both grids' probabilities, bit for bit."""
    cases = {
        "seq of ALEPlot's probabilities": (
            aleplot_probabilities(K),
            bridge.call("function(K) seq(1/K, 1, length.out = K)", K),
        ),
        "seq of iml's probabilities": (
            iml_probabilities(K),
            bridge.call("function(K) seq(0, 1, length.out = K + 1)", K),
        ),
    }
    for name, (got, expected) in cases.items():
        record_parity("base_r", name, None, np.array_equal(got, expected))
        assert got.tolist() == expected.tolist()


@given(ends=st.tuples(NUMBERS, NUMBERS), points=st.integers(2, 200))
def test_equidistant_grid(record_parity, ends, points):
    """``seq(low, high, length.out)``, bit for bit."""
    low, high = sorted(ends)
    assume(low < high)
    expected = bridge.call("function(a, b, n) seq(a, b, length.out = n)", low, high, points)
    got = equidistant_grid(low, high, points)
    record_parity("base_r", "seq of an equidistant grid", None, np.array_equal(got, expected))
    assert got.tolist() == expected.tolist()


@given(x=st.one_of(columns(), LONG_COLUMNS), K=GRID_SIZES)
def test_bin_codes(record_parity, x, K):
    """``cut(x, z, include.lowest = TRUE)`` on the grid of the column itself."""
    z = quantile_grid(x, K)
    assume(len(z) > 1)
    expected = bridge.call("function(x, z) cut(x, z, include.lowest = TRUE, labels = FALSE)", x, z)
    got = bin_codes(x, z) + 1
    record_parity("base_r", "cut", None, np.array_equal(got, expected))
    assert got.tolist() == expected.tolist()


@given(x=st.one_of(columns(), LONG_COLUMNS), K=GRID_SIZES)
def test_means_per_interval(record_parity, x, K):
    """``tapply(effects, codes, mean)`` and the counts, on local effects that vary within cells."""
    z = quantile_grid(x, K)
    assume(len(z) > 1)
    codes = bin_codes(x, z)
    effects = np.cos(np.arange(len(x))) + x / np.max(np.abs(x))
    expected = bridge.call(
        "function(d, k, K) { k <- factor(k, levels = seq_len(K) - 1);"
        " list(n = as.vector(table(k)), m = as.vector(tapply(d, k, mean))) }",
        effects,
        codes,
        len(z) - 1,
    )
    moments = CellMoments.of(effects, codes, len(z) - 1)
    difference = largest(moments.mean, expected["m"], np.max(np.abs(effects)))
    counts_equal = moments.weight.tolist() == expected["n"].tolist()
    record_parity("base_r", "tapply mean", difference, counts_equal)
    assert counts_equal
    assert difference <= MEANS


# --- order of levels --------------------------------------------------------------------------


@given(data=st.data())
def test_level_distances(record_parity, data):
    """Distances of levels by ``ecdf``, ``quantile`` and ``table``."""
    n_levels = data.draw(st.integers(2, 5), label="levels")
    codes = data.draw(
        st.lists(st.integers(0, n_levels - 1), min_size=n_levels, max_size=40).map(
            lambda drawn: np.array([*range(n_levels), *drawn])
        ),
        label="codes",
    )
    n = len(codes)
    number = pd.Series(data.draw(columns(n, n), label="numeric column"))
    other = pd.Series(
        pd.Categorical.from_codes(
            data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n), label="other codes"),
            ["u", "v", "w"],
        )
    )
    level = pd.Categorical.from_codes(codes, [f"level {k}" for k in range(n_levels)])
    rows = pd.DataFrame({"x": number, "o": other, "level": level})
    expected = r_effects.level_distances(rows, 2)
    got = level_distances([number, other], codes, n_levels)
    difference = largest(got, expected, 1.0)
    record_parity("base_r", "ecdf and table distances", difference)
    assert difference <= DISTANCES


@given(
    points=st.lists(
        st.tuples(st.floats(-10, 10), st.floats(-1, 1), st.floats(-1, 1)), min_size=3, max_size=12
    )
)
def test_classical_scaling(record_parity, points):
    """``cmdscale(D, k = 1)`` up to its arbitrary sign, where the leading axis is distinct."""
    coordinates = np.array(points)
    distances = np.abs(coordinates[:, None, :] - coordinates[None, :, :]).sum(axis=2)
    eigenvalues = np.linalg.eigvalsh(-doubly_centred(distances**2) / 2)
    assume(eigenvalues[-1] > 1e-3)
    assume(eigenvalues[-1] - eigenvalues[-2] > 1e-3 * eigenvalues[-1])
    expected = bridge.call("function(D) cmdscale(as.dist(D), k = 1)[, 1]", distances)
    got = classical_scaling(distances)
    difference = min(largest(got, expected), largest(-got, expected))
    record_parity("base_r", "cmdscale", difference)
    assert difference <= SCALING


# --- random streams ---------------------------------------------------------------------------


@given(seed=SEEDS, n=st.integers(1, 300), size=st.integers(1, 300), replace=st.booleans())
def test_uniform_and_sample_streams(record_parity, seed, n, size, replace):
    """``runif`` and ``sample`` in one stream, bit for bit."""
    count = size if replace else min(n, size)
    expected = bridge.call(
        "function(s, n, m, r) { set.seed(s); list(u = runif(n), i = sample(n, m, r),"
        " p = sample.int(n), v = runif(3, -2, 5)) }",
        seed,
        n,
        count,
        replace,
    )
    rng = set_seed(seed)
    got = {
        "u": rng.runif(n),
        "i": rng.sample(n, count, replace),
        "p": rng.sample_int(n),
        "v": rng.runif(3, -2, 5),
    }
    equal = all(got[name].tolist() == expected[name].tolist() for name in expected)
    record_parity("base_r", "runif and sample", None, equal)
    for name in expected:
        assert got[name].tolist() == expected[name].tolist()


@given(seed=SEEDS, size=st.integers(10_000, 5_000_000))
def test_sample_of_many(record_parity, seed, size):
    """Populations of more than 16 bits take several uniforms for an index."""
    expected = bridge.call("function(s, n) { set.seed(s); sample.int(n, 20) }", seed, size)
    got = set_seed(seed).sample_int(size, 20)
    record_parity("base_r", "sample of many", None, np.array_equal(got, expected))
    assert got.tolist() == expected.tolist()


@given(seed=SEEDS, n=st.integers(1, 200))
def test_normal_and_exponential_streams(record_parity, seed, n):
    """``rnorm`` and ``rexp``, and the stream that goes on after them, bit for bit."""
    expected = bridge.call(
        "function(s, n) { set.seed(s); list(n = rnorm(n, 10, 2), e = rexp(n, 3), u = runif(2)) }",
        seed,
        n,
    )
    rng = set_seed(seed)
    normal, exponential, uniform = rng.rnorm(n, 10, 2), rng.rexp(n, 3), rng.runif(2)
    of_normal = largest(normal, expected["n"])
    of_exponential = largest(exponential, expected["e"])
    in_step = uniform.tolist() == expected["u"].tolist()
    record_parity("base_r", "rnorm", of_normal, in_step)
    record_parity("base_r", "rexp", of_exponential, in_step)
    assert in_step
    assert of_normal <= NORMAL
    assert of_exponential <= EXPONENTIAL


# --- densities and regressions ----------------------------------------------------------------


@given(x=st.one_of(columns(2), LONG_COLUMNS))
def test_bandwidth(record_parity, x):
    """``bw.nrd0``, also of values without a spread or an interquartile range."""
    spread = np.ptp(x)  # beyond, squares vanish or overflow in R, whose answer is then another
    assume(spread == 0 or 1e-140 < spread < 1e140)
    equal = bandwidth_nrd0(x) == bridge.call("bw.nrd0", x)[0]
    record_parity("base_r", "bw.nrd0", None, equal)
    assert equal


@given(x=st.one_of(columns(5), LONG_COLUMNS))
def test_density(record_parity, x):
    """``density`` within half a percent of its peak."""
    spread = np.std(x)
    quartiles = quantile_type7(x, [0.25, 0.75])
    assume(quartiles[1] - quartiles[0] > 1e-3 * spread)
    assume(spread > 1e-6 * np.max(np.abs(x)))
    expected = bridge.call("function(x) density(x, n = 512)[c('x', 'y', 'bw')]", x)
    bandwidth = bandwidth_nrd0(x)
    # R bins onto and interpolates between 512 points; both show where these are too far apart.
    assume(np.ptp(expected["x"]) / 512 < bandwidth / 8)
    estimate = KDEUnivariate(x).fit(kernel="gau", bw=bandwidth, fft=False)
    got = estimate.evaluate(expected["x"])
    difference = largest(got, expected["y"])
    record_parity("density", "density", difference)
    assert difference <= DENSITY


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(12, 200), noise=st.floats(0.01, 10))
def test_regression_and_its_analysis_of_variance(record_parity, seed, n, noise):
    """``lm`` with a number and a factor, and the shares of ``anova``."""
    rng = np.random.default_rng(seed)
    level = np.resize(["a", "b", "c"], n)
    rows = pd.DataFrame({"x": rng.normal(size=n), "level": pd.Categorical(level)})
    rows["y"] = rows["x"] * 2 - 1 + noise * rng.normal(size=n) + (level == "b")
    expected = bridge.call(
        "function(d) { m <- lm(y ~ x + level, d); a <- anova(m);"
        " list(b = unname(coef(m)), s = a[['Sum Sq']] / sum(a[['Sum Sq']])) }",
        rows,
    )
    fitted = sm.OLS.from_formula("y ~ x + level", rows).fit()
    coefficients = fitted.params[["Intercept", "level[T.b]", "level[T.c]", "x"]].to_numpy()
    of_lm = largest(coefficients[[0, 3, 1, 2]], expected["b"])
    record_parity("base_r", "lm", of_lm)
    assert of_lm <= REGRESSION
    table = anova_lm(sm.OLS.from_formula("y ~ x + C(level)", rows).fit())
    shares = (table["sum_sq"] / table["sum_sq"].sum()).to_numpy()
    # R keeps the order of the formula, statsmodels puts categories first: compare each in turn.
    in_r = bridge.call(
        "function(d) { a <- anova(lm(y ~ level + x, d)); a[['Sum Sq']] / sum(a[['Sum Sq']]) }",
        rows,
    )
    of_anova = largest(shares, in_r, 1.0)
    record_parity("base_r", "anova shares", of_anova)
    assert of_anova <= REGRESSION


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(12, 200), noise=st.floats(0.01, 10))
def test_variance_explained(record_parity, seed, n, noise):
    """The library's measure of association is the root of R's ``anova`` share."""
    rng = np.random.default_rng(seed)
    level = pd.Categorical(np.resize(["a", "b", "c"], n))
    number = rng.normal(size=n)
    y = number + level.codes + noise * rng.normal(size=n)
    in_r = "function(y, x) { a <- anova(lm(y ~ x)); sqrt(a[1, 'Sum Sq'] / sum(a[['Sum Sq']])) }"
    for name, x in (("number", number), ("factor", level)):
        difference = abs(variance_explained(y, x) - bridge.call(in_r, y, x)[0])
        record_parity("base_r", f"variance explained by a {name}", difference)
        assert difference <= REGRESSION
