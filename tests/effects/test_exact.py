"""Every bit is the same for every order and division of the rows, of effects and what follows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aleplot_py import (
    ale,
    decompose,
    first_order_prediction,
    ice,
    m_plot,
    main_effect_complexity,
    partial_dependence,
    regional_effects,
    total_effect,
)
from aleplot_py.steps.moments import CellMoments

KINDS = ["x", "c", ("x", "z"), ("c", "x"), ("x", "c"), ("c", "g")]
ROWS = st.integers(8, 40)
SEEDS = st.integers(0, 2**32)
# Of each kind and option; together they are many.
some = settings(max_examples=max(12, settings.default.max_examples // 4))


def data(seed, n):
    """Rows with ties and of very different sizes, the columns' levels all there."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "x": rng.normal(size=n) * 10.0 ** rng.integers(-3, 4, n),
            "z": rng.integers(0, 6, n) / 5,
            "c": pd.Categorical(np.resize(["p", "q", "r"], n)),
            "g": pd.Categorical(np.resize(["u", "u", "v"], n)),
        }
    )
    X.loc[:1, "z"] = [0.0, 1.0]
    weight = np.where(rng.uniform(size=n) < 0.2, 0.0, rng.exponential(size=n))
    weight[:3] = 1 / 3
    return X, weight


def predict(X):
    """A black box whose local effects are no round numbers; rows do not depend on each other."""
    x, z = X["x"].to_numpy(), X["z"].to_numpy()
    c, g = X["c"].cat.codes.to_numpy(), X["g"].cat.codes.to_numpy()
    return x * z / 3 + 0.1 * c * x + (c - 0.3) ** 2 * (g + z) + (x > 0.1) / 7


def slopes(X):
    """Derivatives of a black box, one column each for x and z."""
    x, z = X["x"].to_numpy(), X["z"].to_numpy()
    return pd.DataFrame({"x": z / 3 + 0.1, "z": x / 3})


def orders(X):
    """Levels in an order that does not hang on the rows' own."""
    return {"c": ["q", "p", "r"], "g": ["v", "u"]}


def own_grid(X):
    """The caller's grid, with intervals that no row is in."""
    low, high = X["x"].min(), X["x"].max()
    inner = low + (high - low) * np.array([0.1, 0.11, 0.12, 0.5])
    return {"x": [low, *inner, high], "z": [0.0, 0.05, 0.1, 0.7, 1.0]}


OPTIONS = {
    "quantiles": lambda X: {"K": 7},
    "own grid": lambda X: {"grid": own_grid(X)},
    "iml": lambda X: {"grid": "iml", "K": 5, "centre": "paper"},
}


def assert_same(one, other, names=("f_values", "counts", "constant")):
    for name in names:
        got, right = (np.asarray(getattr(effect, name)) for effect in (one, other))
        np.testing.assert_array_equal(got, right, err_msg=name, strict=True)


def assert_same_ale(one, other):
    names = ("f_values", "counts", "local_mean", "local_std", "constant", "mean_prediction")
    assert_same(one, other, names)
    assert len(one.main_effects) == len(other.main_effects)
    for got, right in zip(one.main_effects, other.main_effects, strict=True):
        np.testing.assert_array_equal(got, right, strict=True)


@st.composite
def divisions(draw):
    """An order of the rows, how many go into one call, and how many threads call."""
    seed, n = draw(SEEDS), draw(ROWS)
    X, weight = data(seed, n)
    rows = np.random.default_rng(draw(SEEDS)).permutation(n)
    how = {
        "batch_rows": draw(st.none() | st.integers(1, n + 1)),
        "n_jobs": draw(st.sampled_from([None, 2])),
    }
    return X, weight if draw(st.booleans()) else None, rows, how


def shuffled(X, weight, rows):
    return X.iloc[rows], None if weight is None else weight[rows]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("features", KINDS, ids=str)
@some
@given(division=divisions())
def test_ale(features, options, division):
    X, weight, rows, how = division
    options = {**OPTIONS[options](X), "order": orders(X)}
    one = ale(predict, X, features, sample_weight=weight, **options)
    moved, moved_weight = shuffled(X, weight, rows)
    other = ale(predict, moved, features, sample_weight=moved_weight, **options, **how)
    assert_same_ale(one, other)


@pytest.mark.parametrize(
    "options", [{"K": "auto"}, {"gradient": slopes, "K": 6}], ids=["auto", "gradient"]
)
@given(division=divisions())
def test_ale_on_chosen_intervals_and_from_derivatives(options, division):
    X, weight, rows, how = division
    if isinstance(options["K"], str):
        X, weight = pd.concat([X] * 4, ignore_index=True), None
        rows = np.random.default_rng(len(X)).permutation(len(X))
    one = ale(predict, X, "x", sample_weight=weight, **options)
    moved, moved_weight = shuffled(X, weight, rows)
    other = ale(predict, moved, "x", sample_weight=moved_weight, **options, **how)
    np.testing.assert_array_equal(one.x_values[0], other.x_values[0], strict=True)
    assert_same_ale(one, other)


@pytest.mark.parametrize("centre", ["none", "pdplot", "value"])
@pytest.mark.parametrize("features", KINDS, ids=str)
@some
@given(division=divisions())
def test_partial_dependence(features, centre, division):
    X, weight, rows, how = division
    if centre == "value":
        at = {"x": 0.05, "z": 0.4, "c": "q", "g": "u"}
        centre = tuple(at[name] for name in features) if len(features) == 2 else at[features]
    options = {"K": 5, "centre": centre, "order": orders(X)}
    one = ice(predict, X, features, sample_weight=weight, **options)
    moved, moved_weight = shuffled(X, weight, rows)
    other = ice(predict, moved, features, sample_weight=moved_weight, **options, **how)
    assert_same(one, other)
    np.testing.assert_array_equal(one.individual[rows], other.individual, strict=True)
    average = partial_dependence(predict, moved, features, sample_weight=moved_weight, **options)
    assert_same(one, average)


@pytest.mark.parametrize("neighbourhood", ["interval", "kernel"])
@pytest.mark.parametrize("features", KINDS, ids=str)
@some
@given(division=divisions())
def test_m_plot(features, neighbourhood, division):
    X, weight, rows, how = division
    options = {
        "K": 3,
        "neighbourhood": neighbourhood,
        "bandwidth": {"x": 0.3, "z": 0.2} if neighbourhood == "kernel" else None,
        "order": orders(X),
        "centre": "pdplot",
    }
    one = m_plot(predict, X, features, sample_weight=weight, **options)
    moved, moved_weight = shuffled(X, weight, rows)
    other = m_plot(predict, moved, features, sample_weight=moved_weight, **options, **how)
    assert_same(one, other)


@some
@given(division=divisions())
def test_what_is_derived(division):
    X, weight, rows, how = division
    options = {"K": 4, "order": orders(X), "features": ["x", "z", "c"]}
    moved, moved_weight = shuffled(X, weight, rows)
    one = decompose(predict, X, sample_weight=weight, **options)
    other = decompose(predict, moved, sample_weight=moved_weight, **options, **how)
    for name in ("constant", "interaction_strength", "unexplained"):
        assert getattr(one, name) == getattr(other, name)
    for name in ("at_rows", "remainder"):
        np.testing.assert_array_equal(getattr(one, name)[rows], getattr(other, name))
    totals = [
        total_effect(parts.pairs["x", "z"], parts.mains["x"], parts.mains["z"])
        for parts in (one, other)
    ]
    assert_same(*totals)
    np.testing.assert_array_equal(
        first_order_prediction(one.mains, X), first_order_prediction(other.mains, X)
    )
    assert main_effect_complexity(one.mains) == main_effect_complexity(other.mains)


@given(division=divisions())
def test_regions(division):
    X, weight, rows, how = division
    moved, moved_weight = shuffled(X, weight, rows)
    options = {"K": 4, "min_rows": 2, "max_depth": 2}
    one = regional_effects(predict, X, "x", sample_weight=weight, **options)
    other = regional_effects(predict, moved, "x", sample_weight=moved_weight, **options, **how)
    assert [leaf.rule for leaf in one.leaves] == [leaf.rule for leaf in other.leaves]
    for got, right in zip(one.leaves, other.leaves, strict=True):
        assert got.weight == right.weight
        np.testing.assert_array_equal(got.heterogeneity, right.heterogeneity)
        assert_same_ale(got.effect, right.effect)


@given(
    seed=SEEDS,
    n=st.integers(1, 200),
    cells=st.integers(1, 8),
    parts=st.integers(1, 9),
    weighted=st.booleans(),
)
def test_moments_of_parts_merged_in_any_order(seed, n, cells, parts, weighted):
    rng = np.random.default_rng(seed)
    effects = rng.normal(size=n) * 10.0 ** rng.integers(-9, 10, n)
    codes, part = rng.integers(0, cells, n), rng.integers(0, parts, n)
    weight = rng.exponential(size=n) if weighted else None

    def moments(rows):
        some = None if weight is None else weight[rows]
        return CellMoments.of(effects[rows], codes[rows], cells, some)

    whole = moments(np.arange(n))
    pieces = [moments(np.flatnonzero(part == number)) for number in range(parts)]
    while len(pieces) > 1:
        one = pieces.pop(rng.integers(len(pieces)))
        other = pieces.pop(rng.integers(len(pieces)))
        pieces.append(one.merge(other))
    for name in ("weight", "mean", "squares", "std"):
        np.testing.assert_array_equal(getattr(pieces[0], name), getattr(whole, name), strict=True)
