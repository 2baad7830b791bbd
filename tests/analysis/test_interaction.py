"""Friedman's H statistics: values of R's packages, definitions, closed forms, options."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import GradientBoostingRegressor

from aleplot_py import decompose, h_statistics, interaction_strength, load
from aleplot_py.errors import ConstantFeatureError, FeatureError, RouteError
from validation import brute_force

# Means rounded once against those of R and of fractions, then differences of a few of them.
ROUNDING = 1e-12
# A fit by least squares in another linear algebra.
FITTED = 1e-9

FOUR = pd.DataFrame(
    {"x1": [1.0, 1.0, 1.0, 2.0], "x2": [0.0, 0.0, 2.0, 1.0], "x3": [2.0, 2.0, 1.0, 4.0]}
)


def of_four(X):
    return X["x1"] + X["x2"] * np.sqrt(X["x3"])


def table(n=40, seed=3):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "x": rng.normal(size=n).round(1),
            "k": rng.integers(0, 4, n),
            "c": rng.choice(["p", "q", "r"], n),
            "d": rng.choice([True, False], n),
        }
    )


def black_box(X):
    code = X["c"].map({"p": 0.0, "q": 1.0, "r": 3.0}).to_numpy(dtype=float)
    return np.sin(X["x"] * code) + X["k"] * X["x"] * X["d"].to_numpy() + code


def by_pd(found, **how):
    return found.to_frame(**how)["pd"]


# --- values -------------------------------------------------------------------------------------


def test_values_of_hstats():
    """From hstats 1.2.2 in R 4.2, which sets what is below 1e-10 to 0, too."""
    share = by_pd(h_statistics(of_four, FOUR, triples="all"))
    expected = [5 / 108, 0, 5 / 108, 5 / 108, 0, 0, 0.078125, 0]
    np.testing.assert_allclose(share, expected, rtol=ROUNDING, atol=0)
    found = h_statistics(of_four, FOUR, sample_weight=[0, 1, 2, 3], triples="all")
    expected = [0.04927282965588211, 0, 0.0492728296558821, 0.04927282965588211, 0, 0]
    expected += [0.10100930079455832, 0]
    np.testing.assert_allclose(by_pd(found), expected, rtol=ROUNDING, atol=0)
    size = by_pd(found, squared=False, normalised=False)[("x2", "x3")]
    assert size == pytest.approx(0.23688874650181058, rel=ROUNDING)


def iris():
    """Rows and predictions of R's ``lm(Sepal.Width ~ . + Sepal.Length:Species, iris)``."""
    data = load_iris(as_frame=True)
    X = data.data.set_axis(["length", "width", "petal_length", "petal_width"], axis=1)
    species = pd.Categorical.from_codes(data.target, data.target_names)
    X = X.assign(species=species)

    def design(X):
        length, code = X["length"].to_numpy(), X["species"].cat.codes.to_numpy()
        columns = [length, X["petal_length"], X["petal_width"], code == 1, code == 2]
        columns += [length * (code == 1), length * (code == 2)]
        return np.column_stack([np.ones(len(X)), *columns]).astype(float)

    fit = np.linalg.lstsq(design(X), X["width"], rcond=None)[0]
    return X.drop(columns="width"), lambda X: design(X) @ fit


def test_values_of_iml_and_hstats_for_iris():
    X, predict = iris()
    found = h_statistics(predict, X, pairs=[("length", "species"), ("petal_width", "species")])
    root = by_pd(found, squared=False)
    assert root[("length", "species")] == pytest.approx(0.262415368598609, rel=FITTED)
    assert root["species"] == pytest.approx(0.463402857638369, rel=FITTED)  # iml
    share = by_pd(found)
    assert share["species"] == pytest.approx(0.214742208467406, rel=FITTED)  # hstats
    assert share[()] == pytest.approx(0.214742208467406, rel=FITTED)
    assert share[("length", "species")] == pytest.approx(0.068861825676744, rel=FITTED)
    size = by_pd(found, squared=False, normalised=False)
    assert size[("length", "species")] == pytest.approx(0.166299612026637, rel=FITTED)
    # Rounding of the linear algebra is no interaction.
    assert share["petal_length"] == share[("petal_width", "species")] == 0


def test_definition_in_loops():
    X, weights = table(9), np.arange(9.0)
    found = h_statistics(black_box, X, triples="all", sample_weight=weights)
    assert [len(names) for names in found.features] == [0] + [1] * 4 + [2] * 6 + [3] * 4
    for names, *sizes in zip(
        found.features, found.interaction[:, 0], found.effect[:, 0], strict=True
    ):
        expected = brute_force.h_statistic(black_box, X, names, weights)
        np.testing.assert_allclose(sizes, expected, rtol=ROUNDING, atol=ROUNDING)


def lattice():
    axes = np.arange(4.0), np.array([0.0, 1.0, 3.0]), np.array([-1.0, 0.5, 2.0])
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    return pd.DataFrame(grid, columns=["a", "b", "c"]), [(a.mean(), a.var()) for a in axes]


def test_a_product_of_independent_features():
    """Interactions of a product are products of variances, its joint effects of squares."""
    X, [(a, va), (b, vb), (c, vc)] = lattice()
    share = by_pd(h_statistics(lambda X: X["a"] * X["b"] + X["c"], X, triples="all"))
    joint = (va + a**2) * (vb + b**2) - (a * b) ** 2
    np.testing.assert_allclose(
        share[[(), "a", "b", ("a", "b")]],
        va * vb / np.array([joint + vc, joint + vc, joint + vc, joint]),
        rtol=ROUNDING,
    )
    assert not share[["c"]].any()
    assert share[("a", "b", "c")] == share[("a", "c")] == 0
    share = by_pd(h_statistics(lambda X: X["a"] * X["b"] * X["c"], X, triples="all"))
    joint = (va + a**2) * (vb + b**2) * (vc + c**2) - (a * b * c) ** 2
    assert share[("a", "b", "c")] == pytest.approx(va * vb * vc / joint, rel=ROUNDING)


def test_partial_dependence_and_ale_of_a_product_of_dependent_features():
    """Of x z, both of mean 0: partial dependence has no main effect, ALE has most of it.

    The share by ALE is (1 - rho^2)^2 / (1 + rho^2) of normal features; 40 intervals of 800 rows.
    """
    half = np.random.default_rng(1).multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], 200)
    flipped = half[:, ::-1]
    X = np.concatenate([half, -half, flipped, -flipped])
    found = h_statistics(lambda X: X[:, 0] * X[:, 1], X, max_rows=None).to_frame()
    np.testing.assert_allclose(found["pd"], 1, rtol=1e-9)
    assert found["ale"].iloc[0] == pytest.approx((1 - 0.64) ** 2 / 1.64, abs=0.04)


def test_the_column_of_ale_is_made_of_the_decomposition():
    X = table()
    found = h_statistics(black_box, X, K=7).to_frame()["ale"]
    strength = interaction_strength(black_box, X, K=7)
    assert found[()] == pytest.approx(strength, rel=ROUNDING)
    parts = decompose(black_box, X, K=7, order=3)
    at, whole = parts.components, np.mean((parts.prediction - parts.constant) ** 2)
    for one, other in parts.pairs:
        both = at[f"f({one}, {other})"]
        joint = both + at[f"f({one})"] + at[f"f({other})"]
        expected = np.mean(both**2) / np.mean(joint**2)
        assert found[(one, other)] == pytest.approx(expected, rel=ROUNDING)
    of_x = at[["f(x, k)", "f(x, c)", "f(x, d)"]].sum(axis=1)
    assert found["x"] == pytest.approx(np.mean(of_x**2) / whole, rel=ROUNDING)
    of_x += at[["f(x, k, c)", "f(x, k, d)", "f(x, c, d)"]].sum(axis=1)
    found = h_statistics(black_box, X, K=7, triples="all").to_frame()["ale"]
    assert found["x"] == pytest.approx(np.mean(of_x**2) / whole, rel=ROUNDING)
    some = h_statistics(black_box, X, K=7, pairs=[("x", "k")], triples=[("x", "k", "c")])
    assert some.features == ((), ("x",), ("k",), ("c",), ("d",), ("x", "k"), ("x", "k", "c"))
    assert some.to_frame()["ale"].isna().tolist() == [False, True, True, True, True, False, False]
    third = at["f(x, k, c)"]
    lower = at[["f(x)", "f(k)", "f(c)", "f(x, k)", "f(x, c)", "f(k, c)"]].sum(axis=1)
    expected = np.mean(third**2) / np.mean((third + lower) ** 2)
    assert some.to_frame()["ale"][("x", "k", "c")] == pytest.approx(expected, rel=ROUNDING)


# --- options ------------------------------------------------------------------------------------


def assert_same(one, other):
    assert one.to_frame().equals(other.to_frame())
    np.testing.assert_array_equal(one.interaction, other.interaction)


def test_order_of_rows_batches_and_threads_change_no_bit():
    X, weights = table(), np.arange(40.0) / 7
    order = {"c": ["q", "p", "r"]}
    one = h_statistics(black_box, X, sample_weight=weights, triples="all", order=order)
    rows = np.random.default_rng(0).permutation(40)
    how = {"triples": "all", "order": order, "batch_rows": 600, "n_jobs": 2}
    other = h_statistics(black_box, X.iloc[rows], sample_weight=weights[rows], **how)
    assert_same(one, other)


def test_trees_are_walked_to_the_same_bits():
    pytest.importorskip("numba", reason="the walk is compiled by numba")
    X = table()[["x", "k"]].assign(z=np.arange(40) % 7)
    model = GradientBoostingRegressor(n_estimators=9, random_state=0)
    model.fit(X, X["x"] * X["k"] + X["z"])
    one, other = (h_statistics(model, X, triples="all", method=m) for m in ("trees", "predict"))
    assert_same(one, other)
    with pytest.raises(RouteError, match="method='recursion' is that of partial_dependence"):
        h_statistics(model, X, method="recursion")


def test_more_rows_than_max_rows_are_a_seeded_sample():
    X, weights = table(), np.where(np.arange(40) % 3, 1.0, 0.0)
    seen = []

    def watching(X):
        seen.append(set(X["n"]))
        return black_box(X)

    numbered = X.assign(n=np.arange(40))
    how = {"features": ["x", "k"], "sample_weight": weights, "max_rows": 20, "random_state": 5}
    found = h_statistics(watching, numbered, **how)
    drawn = sorted(set.union(*seen))
    assert (found.n_rows, len(drawn)) == (20, 20)
    assert weights[drawn].all()
    inside = {"features": ["x", "k"], "sample_weight": weights[drawn]}
    assert_same(found, h_statistics(black_box, X.iloc[drawn], **inside))
    assert_same(found, h_statistics(watching, numbered, **how))
    assert h_statistics(black_box, X, features="x", max_rows=None).n_rows == 40


def test_columns_of_any_kind():
    """Times, text and numbers of arrays: the black box gets their own types."""
    X = table()
    plain = h_statistics(black_box, X)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(X["k"], unit="D")
    dated = h_statistics(lambda X: black_box(X.assign(k=X["k"].dt.day - 1)), X.assign(k=days))
    np.testing.assert_array_equal(by_pd(dated), by_pd(plain))
    numbers = X[["x", "k"]]
    product = h_statistics(lambda X: X["x"] * X["k"], numbers)
    array = h_statistics(lambda X: X[:, 0] * X[:, 1], numbers.to_numpy())
    np.testing.assert_array_equal(array.interaction, product.interaction)
    assert array.features == ((), (0,), (1,), (0, 1))


def test_missing_rows_are_dropped_from_everything():
    X = table()
    holes = X.assign(x=X["x"].where(X.index > 4), other=np.nan)

    def filled(X):
        return black_box(X.fillna({"x": 0.0}))

    with pytest.raises(FeatureError, match="column 'x' has 5 missing"):
        h_statistics(filled, holes)
    how = {"features": ["x", "k", "c"], "triples": [("c", "k", "x")]}
    found = h_statistics(filled, holes, missing="drop", **how)
    assert found.n_rows == 35
    np.testing.assert_array_equal(by_pd(found), by_pd(h_statistics(black_box, X.iloc[5:], **how)))


@pytest.mark.parametrize("scale", [1e-250, 1e150])
def test_any_scale_of_the_prediction(scale):
    X = table()
    plain, scaled = h_statistics(black_box, X), h_statistics(lambda X: black_box(X) * scale, X)
    np.testing.assert_allclose(scaled.to_frame()["pd"], plain.to_frame()["pd"], rtol=ROUNDING)
    np.testing.assert_allclose(scaled.interaction, plain.interaction * scale, rtol=ROUNDING)


def test_nothing_where_nothing_interacts():
    X = table()
    nothing = h_statistics(lambda X: np.full(len(X), 0.1), X, triples="all").to_frame()
    assert not nothing["pd"].any()
    single = h_statistics(lambda X: X["x"] * 0.1, X[["x"]]).to_frame()
    assert single["statistic"].tolist() == ["overall", "feature"]
    assert not single[["pd", "ale"]].to_numpy().any()
    with pytest.warns(UserWarning, match="left out: column 'one' has a single value"):
        found = h_statistics(black_box, X.assign(one=1.0))
    assert found.features == h_statistics(black_box, X).features
    assert not found.to_frame()["ale"].isna().any()


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ({"pairs": "some"}, ValueError, r"pairs must be one of \('all',\), got 'some'"),
        ({"pairs": ("x", "k")}, TypeError, "pairs must be a list of tuples of two names"),
        ({"triples": [("x", "k")]}, FeatureError, "triples must hold tuples of three names, got"),
        (
            {"pairs": [("x", "x")]},
            FeatureError,
            "a pair needs two different features, got 'x' twice",
        ),
        ({"pairs": [("x", "k"), (1, 0)]}, FeatureError, r"names \(1, 0\) more than once"),
        (
            {"features": ["x", "k"], "pairs": [("x", "c")]},
            FeatureError,
            r"pairs must hold names of features=\['x', 'k'\], got \('x', 'c'\)",
        ),
        ({"pairs": [("x", "kk")]}, FeatureError, "'kk' is not a column of X"),
        ({"features": [("x", "k")]}, FeatureError, "features must be single columns"),
        ({"max_rows": 0}, ValueError, "max_rows must be a positive integer, got 0"),
        ({"random_state": "x"}, TypeError, "random_state must be None"),
        ({"target": 3}, ValueError, "target=3"),
    ],
)
def test_wrong_arguments_are_named(how, error, message):
    with pytest.raises(error, match=message):
        h_statistics(black_box, table(), **how)


def test_a_feature_that_the_sample_makes_constant_is_said_to_be_one_of_a_sample():
    X = table().assign(k=[1.0] + [0.0] * 39)
    with pytest.raises(
        ConstantFeatureError, match=r"column 'k' has a single value, 0\.0"
    ) as caught:
        h_statistics(black_box, X, features=["x", "k"], max_rows=5, random_state=0)
    assert caught.value.__notes__ == ["in a sample of max_rows=5 of 40 rows"]
    with pytest.raises(ConstantFeatureError) as caught:
        h_statistics(black_box, X.assign(k=0.0), features=["x", "k"])
    assert not hasattr(caught.value, "__notes__")


def test_squares_beyond_doubles_are_infinite_without_a_warning():
    found = h_statistics(lambda X: 1e200 * black_box(X), table(), features=["x", "k"])
    assert np.isinf(found.to_frame(normalised=False)["pd"]["x"])
    assert np.isfinite(found.to_frame(normalised=False, squared=False)["pd"]["x"])


def test_without_features_there_is_nothing_to_draw():
    with pytest.warns(UserWarning, match="has a single"):
        found = h_statistics(black_box, table().iloc[:1])
    with pytest.raises(ValueError, match="plot draws features and pairs, of which there are none"):
        found.plot()


# --- the result ---------------------------------------------------------------------------------


def test_a_result_is_shown_drawn_and_saved(tmp_path):
    found = h_statistics(black_box, table(), pairs=[("x", "k"), ("c", "d")], triples="all")
    assert repr(found).startswith("HStatistics(overall H² 0.")
    assert repr(found).endswith("by ALE, 4 features, 2 pairs, 4 triples, n=40)")
    assert "statistic" in found.summary()
    found.save(tmp_path / "h.json")
    assert load(tmp_path / "h.json") == found
    for how in ({}, {"by": "ale", "squared": False, "normalised": False}):
        display = found.plot(**how)
        shown = np.asarray(display.values)
        assert display.rows == ["x", "k", "c", "d"]
        column = found.to_frame(**{k: v for k, v in how.items() if k != "by"})[how.get("by", "pd")]
        assert shown[0, 1] == shown[1, 0] == column[("x", "k")]
        np.testing.assert_array_equal(np.diag(shown), column[["x", "k", "c", "d"]])
        others = [
            shown[i, j] for i, j in combinations(range(4), 2) if (i, j) not in [(0, 1), (2, 3)]
        ]
        assert np.isnan(others).all()
    assert display.label == "interaction (ALE)"
    large = h_statistics(lambda X: 1e4 * black_box(X), table(), pairs=[("x", "k")])
    shown = [text.get_text() for text in large.plot(normalised=False, squared=False).texts_]
    assert all(number.isdigit() for number in shown)
    with pytest.raises(ValueError, match=r"by must be one of \('pd', 'ale'\), got 'm'"):
        found.plot(by="m")
