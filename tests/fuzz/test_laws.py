"""Laws that hold for every estimator, whatever the black box, the grid and the weights."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from aleplot_py import ale, ice, m_plot, partial_dependence
from tests.fuzz.answers import near

# Fractions of the largest prediction: sums of some dozen predictions, each of them rounded.
ROUNDED = 2.0**-42

ESTIMATORS = {"ale": ale, "pd": partial_dependence, "ice": ice, "m-plot": m_plot}
KINDS = ["x", "c", ("x", "z"), ("c", "x"), ("x", "c"), ("c", "g")]
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=list(ESTIMATORS))
any_kind = st.sampled_from(KINDS)


@st.composite
def tables(draw, most=14):
    """Frame with numeric x, z, w, many ties among them, and categories c, g."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, distinct = draw(st.integers(3, most)), draw(st.sampled_from([2, 3, 9, 60]))
    X = pd.DataFrame({name: rng.integers(0, distinct, n) / 8 for name in ("x", "z", "w")})
    for name in ("c", "g"):
        X[name] = pd.Categorical.from_codes(rng.integers(0, 3, n), list("pqr"))
    assume(X[["x", "z", "c", "g"]].nunique().min() > 1)
    return X


def bumpy(X):
    x, z, w = (X[name].to_numpy(dtype=float) for name in ("x", "z", "w"))
    c, g = X["c"].cat.codes.to_numpy(), X["g"].cat.codes.to_numpy()
    return np.sin(3 * x) * z + x * w * c + (c - 0.3) ** 2 * g + z * g + (x > 0.4) * w


@st.composite
def own_options(draw, X):
    """The caller's own grids, with empty and unequal intervals, and orders of levels."""
    grid = {}
    for name in ("x", "z"):
        low, high = float(X[name].min()), float(X[name].max())
        inner = draw(st.lists(st.integers(-16, 200), max_size=5))
        grid[name] = sorted({low, high, low - 1 / 3, high + 2.0, *(p / 64 for p in inner)})
        grid[name] = [p for p in grid[name] if low - 1 <= p <= high + 3]
    return {"grid": grid, "order": {name: sorted(X[name].unique()) for name in ("c", "g")}}


def parts(effect):
    """Everything in an effect that is computed from the predictions."""
    names = ("f_values", "counts", "constant", "local_mean", "local_std", "main_effects")
    found = [getattr(effect, name, None) for name in (*names, "individual")]
    return [part for part in found if part is not None]


def assert_same_bits(one, other):
    for mine, theirs in zip(parts(one), parts(other), strict=True):
        np.testing.assert_equal(mine, theirs)


def assert_near(one, other, scale=100.0):
    assert [x.tolist() for x in one.x_values] == [x.tolist() for x in other.x_values]
    np.testing.assert_allclose(one.f_values, other.f_values, rtol=0, atol=ROUNDED * scale)


@given(X=tables(), data=st.data(), slope=st.integers(-9, 9), weighted=st.booleans())
def test_a_line_stays_a_line(X, data, slope, weighted):
    """Whatever the grid, its gaps and the rows that have weight."""
    options = data.draw(own_options(X))
    if weighted:
        options["sample_weight"] = np.arange(len(X)) % 2 + (np.arange(len(X)) == 0)
    elif data.draw(st.booleans()):
        options = {"grid": data.draw(st.sampled_from(["aleplot", "iml", "equidistant"]))}
        options["K"] = data.draw(st.integers(1, 10 * len(X)))

    def line(frame):
        return slope * frame["x"] + frame["z"] * frame["w"]

    for gradient in (None, {"x": lambda frame: np.full(len(frame), float(slope))}):
        effect = ale(line, X, "x", gradient=gradient, **options)
        x = effect.x_values[0]
        near(effect.f_values - effect.f_values[0], slope * (x - x[0]), ROUNDED * 100)
    pd_effect = partial_dependence(line, X, "x", grid=x, sample_weight=options.get("sample_weight"))
    near(pd_effect.f_values - pd_effect.f_values[0], slope * (x - x[0]), ROUNDED * 100)


@every_estimator
@given(X=tables(), features=any_kind, data=st.data(), seed=st.integers(0, 99))
def test_weights_of_two_and_zero_are_rows_twice_and_left_out(estimator, features, X, data, seed):
    options = data.draw(own_options(X))
    weights = np.random.default_rng(seed).integers(0, 3, len(X))
    kept = X.loc[X.index.repeat(weights)]
    assume(len(kept) and kept[["c", "g"]].nunique().min() == 3 == X[["c", "g"]].nunique().min())
    if estimator is m_plot:
        options.pop("order")
    short = estimator(bumpy, X, features, sample_weight=weights, **options)
    long = estimator(bumpy, kept, features, **options)
    assert np.array_equal(short.counts, long.counts)
    assert_near(short, long)


@every_estimator
@given(X=tables(), features=any_kind, power=st.integers(-900, 900))
def test_powers_of_two_scale_an_effect_exactly(estimator, features, X, power):
    once = estimator(bumpy, X, features, K=6)
    scaled = estimator(lambda frame: np.ldexp(bumpy(frame), power), X, features, K=6)
    assert np.array_equal(scaled.counts, once.counts)
    np.testing.assert_equal(np.ldexp(scaled.f_values, -power), once.f_values)


@every_estimator
@given(X=tables(), features=any_kind, shift=st.integers(-1000, 1000))
def test_a_constant_moves_means_only(estimator, features, X, shift):
    once = estimator(bumpy, X, features, K=6)
    moved = estimator(lambda frame: bumpy(frame) + shift, X, features, K=6)
    up = 0 if estimator is ale else shift
    near(moved.f_values - up, once.f_values, ROUNDED * (100 + abs(shift)))


@every_estimator
@given(X=tables(), features=any_kind, data=st.data(), seed=st.integers(0, 99))
def test_order_of_rows_batches_and_threads_change_nothing(estimator, features, X, data, seed):
    """ALE has the same bits: its sums are exact."""
    order = np.random.default_rng(seed).permutation(len(X))
    weights = None if seed % 2 else np.random.default_rng(seed).uniform(size=len(X))
    once = estimator(bumpy, X, features, K=6, sample_weight=weights)
    parted = estimator(
        bumpy,
        X.iloc[order],
        features,
        K=6,
        sample_weight=None if weights is None else weights[order],
        batch_rows=data.draw(st.integers(1, len(X))),
        n_jobs=data.draw(st.sampled_from([1, 2])),
    )
    if estimator is ale:
        assert_same_bits(parted, once)
    assert_near(parted, once)


@every_estimator
@given(X=tables(), features=any_kind, names=st.permutations(["", "Ω", 0, ("a", 1), True]))
def test_names_change_nothing(estimator, features, X, names):
    to = dict(zip(X.columns, names, strict=True))
    renamed = X.set_axis(pd.Index(names, tupleize_cols=False), axis=1)
    asked = tuple(to[name] for name in features) if isinstance(features, tuple) else to[features]
    one = estimator(bumpy, X, features, K=6)
    other = estimator(lambda frame: bumpy(frame.set_axis(X.columns, axis=1)), renamed, asked, K=6)
    assert_same_bits(other, one)


@every_estimator
@pytest.mark.parametrize("features", KINDS[2:], ids=str)
@given(X=tables())
def test_a_pair_transposes(estimator, features, X):
    """Empty cells with several nearest ones are R's choice, which depends on the order."""
    one = estimator(bumpy, X, features, K=6)
    other = estimator(bumpy, X, features[::-1], K=6)
    if estimator is ale:
        assume(not one.empty.any())
    near(one.f_values, other.f_values.T, ROUNDED * 100)
    assert np.array_equal(one.counts, other.counts.T)


@given(X=tables(), K=st.integers(1, 30))
def test_main_effects_of_a_sum_add_up_to_it(X, K):
    """At the rows, which lie on the grid points, up to a constant."""

    def added(frame):
        x, z, w = (frame[name].to_numpy(dtype=float) for name in ("x", "z", "w"))
        return np.cos(4 * x) + z**3 - 2 * w + frame["c"].cat.codes.to_numpy() ** 2

    grid = {name: np.unique(X[name]) for name in ("x", "z", "w")}
    features = [name for name in ("x", "z", "w", "c") if len(X[name].unique()) > 1]
    effects = ale(added, X, features, grid=grid)
    total = sum(effects[name].evaluate(X[name].to_numpy()) for name in features)
    left = added(X) - total
    assert np.ptp(left) <= ROUNDED * 100
