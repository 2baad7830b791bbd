"""Effects of three features and more: the definition, closed forms, laws, and what uses them."""

from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from numpy.polynomial.hermite_e import hermegauss
from sklearn.ensemble import RandomForestRegressor

from aleplot_py import (
    ale,
    bootstrap_bands,
    cell_table,
    decompose,
    ice,
    m_plot,
    partial_dependence,
    total_effect,
)
from aleplot_py.errors import FeatureError, GridError, RouteError
from aleplot_py.steps.centre import points_to_units, units_to_steps
from validation import brute_force

# Sums of some hundred numbers of size 1, in another order or rounded elsewhere.
ROUNDING = 1e-12
# The promise of the issue for 100,000 rows and 10 intervals; 0.0016 was measured.
UNIFORM = 0.01
# Of the effect's standard deviation, over N rows: on intervals of equal width the effect is linear
# in each cell, so that the error falls with the width. 0.174 was measured for 20, 0.080 for 40.
N, NORMAL = 30_000, {20: 0.2, 40: 0.1}


def uniform(n, seed=1):
    return pd.DataFrame(np.random.default_rng(seed).uniform(size=(n, 3)), columns=list("abc"))


def f(X):
    return (X["a"] * X["b"] * X["c"] + X["a"] * X["b"] + X["c"] ** 2).to_numpy()


def mixed(n=60, seed=3):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["x", "y", "z"])
    X["y"] += X["x"]
    for name, levels in (("c", "pqr"), ("d", "uv"), ("e", "ghij")):
        X[name] = pd.Categorical(rng.choice(list(levels), n), ordered=True)
    return X


def bumpy(X):
    c, d, e = (X[name].cat.codes.to_numpy() for name in ("c", "d", "e"))
    x, y, z = (X[name].to_numpy() for name in ("x", "y", "z"))
    return np.sin(x * y + z) + c * x * np.abs(y - d) + e * np.cos(z + c) * (d + x)


def on_grid(effect):
    return np.meshgrid(*effect.x_values, indexing="ij")


def at_rows(values, effect):
    """Values at the units of the rows."""
    for axis, kind in enumerate(effect.kinds):
        values = points_to_units(values, axis, kind)
    return values


# --- the definition ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("features", "options"),
    [
        (("x", "y", "z"), {}),
        (("x", "y", "z"), {"centre": "paper", "weights": True}),
        (("c", "x", "y"), {"weights": True}),
        (("x", "c", "z"), {}),
        (("e", "y", "d"), {"centre": "none"}),
        (("c", "d", "e"), {}),
        (("x", "d", "y", "z"), {}),
    ],
    ids=str,
)
def test_effects_are_their_definition(features, options):
    X = mixed()
    centre = options.get("centre", "aleplot")
    weights = np.random.default_rng(1).integers(0, 4, len(X)) if "weights" in options else None
    effect = ale(bumpy, X, features, K=3, centre=centre, sample_weight=weights)
    points = [list(points) for points in effect.x_values]
    right = brute_force.ale(
        bumpy,
        X,
        effect.features,
        points,
        effect.kinds,
        weights=weights,
        centre=centre,
        tied=effect.local_mean,
    )
    assert np.array_equal(effect.empty, right.empty)
    assert np.array_equal(effect.counts, right.counts)
    assert len(effect.main_effects) == len(features)
    for mine, theirs in [
        (effect.f_values, right.f_values),
        (effect.local_mean, right.local_mean),
        (effect.local_std, right.local_std),
        (effect.constant, right.constant),
        *zip(effect.main_effects, right.main_effects, strict=True),
    ]:
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("features", [("x", "y", "z"), ("c", "x", "y"), ("x", "c", "d", "y")])
def test_nothing_of_lower_order_is_left(features):
    effect = ale(bumpy, mixed(), features, K=3)
    size = len(features)
    for order in range(size):
        for axes in combinations(range(size), order):
            rise, weight = effect.f_values, effect.counts
            for axis in range(size):
                if axis in axes:
                    rise = np.diff(rise, axis=axis)
                    weight = units_to_steps(weight, axis, effect.kinds[axis])
                else:
                    rise = points_to_units(rise, axis, effect.kinds[axis])
            others = tuple(axis for axis in range(size) if axis not in axes)
            assert np.abs((weight * rise).sum(axis=others)).max() < 100 * ROUNDING


def test_fewer_features_have_no_effect_of_more():
    X = uniform(300)
    for black_box in (
        lambda X: np.exp(X["a"] * X["b"]),
        lambda X: np.sin(9 * X["a"]) + X["b"] / X["c"],
    ):
        effect = ale(black_box, X, ("a", "b", "c"), K=5)
        assert np.abs(effect.f_values).max() < ROUNDING * black_box(X).abs().max()


# --- closed forms -----------------------------------------------------------------------------


def test_independent_uniforms():
    effect = ale(f, uniform(100_000), ("a", "b", "c"), K=10)
    a, b, c = on_grid(effect)
    assert np.abs(effect.f_values - (a - 0.5) * (b - 0.5) * (c - 0.5)).max() < UNIFORM


def test_four_independent_uniforms():
    X = uniform(20_000)
    X["d"] = np.random.default_rng(2).uniform(size=len(X))
    effect = ale(lambda X: f(X) * X["d"].to_numpy(), X, ("a", "b", "c", "d"), K=4)
    right = np.prod([x - 0.5 for x in on_grid(effect)], axis=0)
    assert np.abs(effect.f_values - right).max() < UNIFORM


class NormalProduct:
    """``f = x1 x2 x3`` of standard normal features with correlations R: its third-order effect.

    From x1 x2 x3 its second-order effects are taken off: of features i and j, whose mixed
    derivative is x_k, with conditional mean ``a x_i + b x_j``, the accumulated effect
    ``a x_i^2 x_j / 2 + b x_i x_j^2 / 2``. What is left has the derivative in x_j whose conditional
    mean is ``q x_j^2 + p``, with accumulated effect ``q x_j^3 / 3 + p x_j``. Its mean is 0.
    """

    def __init__(self, R):
        self.R = R
        self.pairs = {}
        for k in range(3):
            i, j = (axis for axis in range(3) if axis != k)
            self.pairs[i, j] = np.linalg.solve(R[np.ix_([i, j], [i, j])], R[[i, j], k])
        self.mains = [self.main(j) for j in range(3)]

    def main(self, j):
        """q and p of feature j."""

        def product_given(u, v):
            """Coefficients of x_j^2 and 1 in the conditional mean of x_u x_v."""
            squared = self.R[u, j] * self.R[v, j]
            return np.array([squared, self.R[u, v] - squared])

        others = [axis for axis in range(3) if axis != j]
        total = product_given(*others)
        for (i, k), (a, b) in self.pairs.items():
            if j == i:
                total = total - a * product_given(i, k) - b / 2 * product_given(k, k)
            elif j == k:
                total = total - a / 2 * product_given(i, i) - b * product_given(i, k)
        return total

    def __call__(self, *x):
        value = x[0] * x[1] * x[2]
        for (i, j), (a, b) in self.pairs.items():
            value = value - a * x[i] ** 2 * x[j] / 2 - b * x[i] * x[j] ** 2 / 2
        for j, (q, p) in enumerate(self.mains):
            value = value - q * x[j] ** 3 / 3 - p * x[j]
        return value

    def slope(self, x, *axes, h=0.5):
        """Derivative in some of the features; central differences of cubics at h and 2 h."""
        if not axes:
            return self(*x)
        first, *rest = axes
        sides = []
        for step in (h, 2 * h):
            high, low = (
                [v + sign * step if i == first else v for i, v in enumerate(x)] for sign in (1, -1)
            )
            sides.append((self.slope(high, *rest) - self.slope(low, *rest)) / (2 * step))
        return (4 * sides[0] - sides[1]) / 3


CORRELATED = np.array([[1, 0.6, 0.3], [0.6, 1, -0.4], [0.3, -0.4, 1]])


def test_the_closed_form_is_the_recursion():
    right = NormalProduct(CORRELATED)
    nodes, weights = hermegauss(8)
    weights = weights / weights.sum()

    def mean_given(known, function):
        """Mean of a function of the features, of which some are known, by quadrature."""
        unknown = [axis for axis in range(3) if axis not in known]
        own = list(known)
        slope = CORRELATED[np.ix_(unknown, own)] @ np.linalg.inv(CORRELATED[np.ix_(own, own)])
        spread = CORRELATED[np.ix_(unknown, unknown)] - slope @ CORRELATED[np.ix_(own, unknown)]
        z = np.stack(np.meshgrid(*[nodes] * len(unknown), indexing="ij"), axis=-1)
        w = np.prod(np.stack(np.meshgrid(*[weights] * len(unknown), indexing="ij")), axis=0)
        drawn = z @ np.linalg.cholesky(spread).T + slope @ np.array(list(known.values()))
        x = [known[axis] if axis in known else drawn[..., unknown.index(axis)] for axis in range(3)]
        return float((w * function(x)).sum())

    assert right.slope([0.3, -1.0, 2.0], 0, 1, 2) == pytest.approx(1, abs=ROUNDING)
    for i, j in combinations(range(3), 2):
        mean = mean_given({i: 0.7, j: -1.3}, lambda x, at=(i, j): right.slope(x, *at))
        assert mean == pytest.approx(0, abs=ROUNDING)
    for j in range(3):
        mean = mean_given({j: 1.7}, lambda x, at=j: right.slope(x, at))
        assert mean == pytest.approx(0, abs=ROUNDING)
    assert mean_given({}, lambda x: right(*x)) == pytest.approx(0, abs=ROUNDING)


@pytest.mark.parametrize("K", NORMAL)
def test_correlated_normals(K):
    drawn = np.random.default_rng(1).multivariate_normal(np.zeros(3), CORRELATED, N)
    X = pd.DataFrame(drawn, columns=list("abc"))
    effect = ale(lambda X: X.prod(axis=1), X, ("a", "b", "c"), K=K, grid="equidistant")
    right = at_rows(NormalProduct(CORRELATED)(*on_grid(effect)), effect)
    squares = effect.counts * (at_rows(effect.f_values, effect) - right) ** 2
    assert np.sqrt(squares.sum() / (effect.counts * right**2).sum()) < NORMAL[K]


# --- laws -------------------------------------------------------------------------------------


@pytest.mark.parametrize("features", [("x", "y", "z"), ("c", "x", "d")])
def test_the_order_of_the_features_turns_the_axes(features):
    X = mixed(200)
    effect = ale(bumpy, X, features, K=3, local_effects=True)
    for turned in permutations(features):
        other, same = ale(bumpy, X, turned, K=3), effect.transpose(*turned)
        assert same.features == turned
        np.testing.assert_allclose(other.f_values, same.f_values, rtol=0, atol=ROUNDING)
        np.testing.assert_array_equal(other.counts, same.counts)
        np.testing.assert_array_equal(other.empty, same.empty)
        for mine, theirs in zip(other.main_effects, same.main_effects, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=0, atol=ROUNDING)
        np.testing.assert_allclose(same.evaluate(X), effect.evaluate(X), rtol=0, atol=ROUNDING)
        back = same.transpose(*features)
        assert back == effect
        assert back.local_effects == effect.local_effects
    assert effect.transpose().features == features[::-1]
    with pytest.raises(
        ValueError, match=r"features must be \(.*\) in some order, got \('x', 'y'\)"
    ):
        effect.transpose("x", "y")


def test_whole_weights_are_repeated_rows():
    X = mixed()
    weights = np.random.default_rng(2).integers(0, 4, len(X))
    grid = {name: ale(bumpy, X, name, K=3).x_values[0] for name in ("x", "y")}
    options = {"grid": grid, "order": {"c": list("pqr")}}
    weighted = ale(bumpy, X, ("x", "c", "y"), sample_weight=weights, **options)
    repeated = ale(bumpy, X.loc[X.index.repeat(weights)], ("x", "c", "y"), **options)
    np.testing.assert_array_equal(weighted.counts, repeated.counts)
    np.testing.assert_array_equal(weighted.local_mean, repeated.local_mean)
    np.testing.assert_array_equal(weighted.f_values, repeated.f_values)


def test_empty_cells_take_the_nearest_difference_in_all_three_dimensions():
    X = pd.DataFrame({"a": [0.0, 1, 2, 2, 2], "b": [0.0, 1, 2, 0, 2], "c": [0.0, 1, 2, 2, 0]})
    effect = ale(f, X, ("a", "b", "c"), grid=[0.0, 1.0, 2.0])
    a, b, c = np.nonzero(~effect.empty)
    known = list(zip(a.tolist(), b.tolist(), c.tolist(), strict=True))
    assert known == [(0, 0, 0), (1, 0, 1), (1, 1, 0), (1, 1, 1)]
    for cell in np.argwhere(effect.empty).tolist():
        distances = [np.square(np.subtract(cell, other)).sum() for other in known]
        near = [other for other, d in zip(known, distances, strict=True) if d == min(distances)]
        assert effect.local_mean[tuple(cell)] in [effect.local_mean[other] for other in near]


# --- what uses them ---------------------------------------------------------------------------


def test_cost_options_and_tables():
    X = mixed(80)
    rows = []

    def counting(X):
        rows.append(len(X))
        return bumpy(X)

    effect = ale(counting, X, ("x", "y", "z"), K=3, local_effects=True)
    assert sum(rows) == 8 * len(X)
    assert repr(effect).startswith("AleResult('x', 'y', 'z': 4 x 4 x 4 points, n=80, values ")
    table = effect.to_frame()
    assert table.columns.tolist() == ["x", "y", "z", "ale"]
    np.testing.assert_array_equal(effect.evaluate(table), effect.f_values.ravel())
    middle = effect.evaluate(*(x[:2].mean() for x in effect.x_values))
    assert middle[0] == pytest.approx(effect.f_values[:2, :2, :2].mean(), abs=ROUNDING)
    assert cell_table(effect)["count"].sum() == len(X)
    assert effect.local_effects.to_frame().columns.tolist() == [
        *("row", "cell", "cell2", "cell3", "effect")
    ]
    several = ale(bumpy, X, ["x", ("x", "c"), ("x", "c", "y")], K=2).to_frame()
    assert several.columns.tolist() == [
        *("feature", "x", "feature2", "x2", "feature3", "x3", "value")
    ]
    assert several["feature3"].isna().sum() == 3 + 9
    groups = ale(bumpy, X, ("x", "y", "z"), K=2, groups="d")
    assert [effect.counts.sum() for effect in groups.values()] == [
        *(X["d"].value_counts().loc[list(groups)])
    ]
    both = ale(
        lambda X: np.stack([bumpy(X), X["x"]], axis=1), X, ("x", "y", "c"), K=2, target="all"
    )
    assert np.array_equal(both[0].f_values, ale(bumpy, X, ("x", "y", "c"), K=2).f_values)
    assert np.abs(both[1].f_values).max() < ROUNDING


def test_rows_in_parts_missing_values_times_and_single_intervals():
    X = mixed(90)
    X["t"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(90) % 7, unit="D")
    X["one"] = (X["z"] > 0).astype(float)

    def black_box(X):
        return bumpy(X) * X["t"].dt.day.to_numpy() + X["one"].to_numpy() * X["x"] * X["c"].cat.codes

    whole = ale(black_box, X, ("x", "c", "one"), K=3)
    assert whole.K == (3, 3, 1)
    parts = ale(black_box, [X[:40], X[40:]], ("x", "c", "one"), K=3)
    assert np.array_equal(parts.f_values, whole.f_values)
    dated = ale(black_box, X, ("t", "x", "c"), K=2)
    assert dated.to_frame()["t"].iloc[0] == pd.Timestamp("2024-01-01")
    holes = X.assign(x=X["x"].where(X.index != 5), z=X["z"].where(X.index != 6))
    with pytest.raises(FeatureError, match="column 'x' has 1 missing value"):
        ale(bumpy, holes, ("x", "y", "c"))
    dropped = ale(bumpy, holes.assign(z=0.0), ("x", "y", "c"), K=3, missing="drop")
    assert dropped == ale(bumpy, X.assign(z=0.0).drop(5), ("x", "y", "c"), K=3)


def test_what_three_features_do_not_have_is_refused():
    X = uniform(50)
    with pytest.raises(ValueError, match=r"not for the triple \('a', 'b', 'c'\)"):
        ale(f, X, ("a", "b", "c"), K="auto")
    with pytest.raises(ValueError, match=r"main effects, not the triple \('a', 'b', 'c'\)"):
        ale(f, X, ("a", "b", "c"), gradient=lambda X: X)
    wide = pd.DataFrame({name: np.arange(300.0) for name in "abc"})
    with pytest.raises(GridError, match="at most 10,000,000 points, got 300 x 300 x 300 for"):
        ale(f, wide, ("a", "b", "c"), K=299)
    for door in (partial_dependence, ice, m_plot):
        with pytest.raises(FeatureError, match="an effect has one or two features, got"):
            door(f, X, ("a", "b", "c"))
    forest = RandomForestRegressor(2, random_state=1).fit(X, f(X))
    with pytest.raises(RouteError, match="an effect of more than two features is asked for"):
        ale(forest, X, ("a", "b", "c"), method="trees")
    assert ale(forest, X, ("a", "b", "c"), K=2).route.startswith("predict")


def test_bands_of_a_triple():
    X = mixed(80)
    effect = ale(bumpy, X, ("x", "c", "y"), K=2, local_effects=True)
    for options in ({}, {"grid": "redrawn", "predict": bumpy, "X": X}):
        bands = bootstrap_bands(effect, n_boot=20, random_state=1, **options)
        assert bands.lower.shape == effect.f_values.shape
        assert (bands.lower < bands.upper).any()
    flat = ale(lambda X: f(X), uniform(50), ("a", "b", "c"), K=1, local_effects=True)
    assert flat.f_values.shape == (2, 2, 2)
    bands = bootstrap_bands(flat, n_boot=5, random_state=1)
    np.testing.assert_allclose(bands.lower, flat.f_values, rtol=0, atol=ROUNDING)


def test_total_effect_of_a_triple():
    X = uniform(500)
    parts = decompose(f, X, K=5, order=3, centre="aleplot")
    pairs = [pair.transpose() if i == 1 else pair for i, pair in enumerate(parts.pairs.values())]
    triple = parts.triples["a", "b", "c"]
    total = total_effect(triple, *pairs, *parts.mains.values())
    a, b, c = on_grid(total)
    # c^2 is a curve between the points, which the means of its middles see: 1 / 4 K^2 each.
    assert np.abs(total.f_values - (a * b * c + a * b + c**2)).max() < 0.02
    assert total.centre == "total"
    with pytest.raises(ValueError, match=r"all effects of lower order of \('a', 'b', 'c'\) are"):
        total_effect(triple, *pairs)
    with pytest.raises(TypeError, match=r"others\[0\] must be an AleResult, got str"):
        total_effect(triple, *pairs[:2], "c")
    far = ale(f, X, "c", grid=[X["c"].min(), 0.5], outside="clip")
    with pytest.raises(ValueError, match=r"main effect of 'c' does not reach"):
        total_effect(triple, *pairs, parts.mains["a"], parts.mains["b"], far)
    near = ale(f, X, ("b", "c"), grid={"c": [X["c"].min(), 0.5]}, outside="clip", K=5)
    with pytest.raises(ValueError, match=r"the effect of 'b', 'c' does not reach"):
        total_effect(triple, pairs[0], pairs[1], near, *parts.mains.values())


def test_decomposition_of_third_order():
    edges = np.arange(6) / 5
    middles = (edges[:-1] + edges[1:]) / 2  # where an effect that is linear in each cell is exact
    X = pd.DataFrame(np.stack(np.meshgrid(middles, middles, middles), axis=-1).reshape(-1, 3))
    X.columns = list("abc")
    second, third = (decompose(f, X, grid=edges, order=order) for order in (2, 3))
    assert list(third.triples) == [("a", "b", "c")]
    assert list(third.components)[-1] == "f(a, b, c)"
    assert "3 pairs, 1 triples, n=125" in repr(third)
    assert second == decompose(f, X, grid=edges)
    assert second.unexplained > 0.001
    assert third.unexplained < ROUNDING
    assert np.abs(third.remainder).max() < ROUNDING
    np.testing.assert_allclose(third.predict(X), f(X), rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(third.predict(X, order=2), second.predict(X), rtol=0, atol=ROUNDING)
    assert decompose(f, X, grid=edges, order=1) == decompose(f, X, grid=edges, pairs=None)
    listed = decompose(f, X, grid=edges, pairs=None, triples=[("c", "a", "b")])
    assert list(listed.triples) == [("c", "a", "b")]
    assert not listed.pairs
    np.testing.assert_allclose(listed.at_rows[:, -1], third.at_rows[:, -1], rtol=0, atol=ROUNDING)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"order": 4}, ValueError, "order must be 1, 2 or 3, got 4"),
        ({"order": 3, "pairs": None}, ValueError, "order=3 asks for all effects up to that order"),
        ({"triples": "some"}, ValueError, r"triples must be one of \('all',\), got 'some'"),
        ({"triples": [("a", "b")]}, FeatureError, r"tuples of three names, got \('a', 'b'\)"),
        (
            {"triples": [("a", "b", "c"), ("b", "c", "a")]},
            FeatureError,
            r"triples names \('b', 'c', 'a'\) more than once",
        ),
    ],
    ids=str,
)
def test_wrong_orders_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        decompose(f, uniform(20), **options)
