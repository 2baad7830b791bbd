"""Results of every class, with and without what is optional."""

from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from aleplot_py import (
    AleResult,
    EffectCollection,
    ale,
    ale_statistics,
    association_matrix,
    bootstrap_bands,
    decompose,
    effect_error,
    effect_panel,
    h_statistics,
    ice,
    intervals,
    k_sensitivity,
    learner_bands,
    leave_two_out_importance,
    lofo_importance,
    m_plot,
    main_effect_complexity,
    order_sensitivity,
    partial_dependence,
    random_variable_null,
    regional_effects,
    sequential_elimination,
)
from aleplot_py.steps.axis import Axis
from validation.agreement import measure
from validation.compare import RComparison
from validation.r_effects import REffect


def table():
    rng = np.random.default_rng(11)
    n = 40
    return pd.DataFrame(
        {
            "x": rng.normal(size=n) / 3,
            "z": rng.integers(0, 6, n),
            "c": pd.Categorical(
                rng.choice(["p", "ü - no!", "r"], n), categories=["r", "p", "ü - no!"]
            ),
            "flag": rng.uniform(size=n) < 0.5,
            "when": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 3, n), unit="D"),
            "bins": pd.cut(rng.normal(size=n), 3),
        }
    )


def black_box(X):
    code = X["c"].cat.codes.to_numpy()
    return np.exp(X["x"]) * (1 + code) + X["z"] * X["x"] + X["flag"] * X["z"] / 7


def effects():
    X = table()
    return {
        "ale x": ale(black_box, X, "x", K=7),
        "ale c": ale(black_box, X, "c"),
        "ale flag": ale(black_box, X, "flag"),
        "ale pair": ale(black_box, X, ("x", "z"), K=5),
        "ale c pair": ale(black_box, X, ("x", "c"), K=5),
        "ale triple": ale(black_box, X, ("x", "c", "z"), K=3, local_effects=True),
        "ale levels": ale(black_box, X, ("flag", "c"), centre="none"),
        "ale times": ale(black_box, X, "when", categorical="when"),
        "ale bins": ale(black_box, X, "bins"),
        "ale target": ale(lambda X: X[["x", "z"]].to_numpy(), X, "x", K=3, target=1),
        "ale weights": ale(black_box, X, "x", K=3, sample_weight=np.arange(40) / 7),
        "pd": partial_dependence(black_box, X, "x", K=7, centre="pdplot"),
        "pd pair": partial_dependence(black_box, X, ("c", "x"), K=4, centre=("p", 0.1)),
        "ice": ice(black_box, X, "x", K=3, centre=0.0),
        "m": m_plot(black_box, X, "x", K=7),
        "m gap": m_plot(black_box, X, "x", grid=[-3, -2.5, -2, 0, 3]),
        "m pair": m_plot(black_box, X, ("c", "z"), K=3),
        "array": ale(lambda a: a[:, 0] * a[:, 1], X[["x", "z"]].to_numpy(), (1, 0), K=4),
    }


EFFECTS = effects()
each = pytest.mark.parametrize("effect", EFFECTS.values(), ids=EFFECTS)


def check_identical(one, other):
    assert type(one) is type(other)
    if isinstance(one, tuple):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            check_identical(a, b)
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        if one.dtype == object:
            assert one.tolist() == other.tolist()
            assert [type(v) for v in one.flat] == [type(v) for v in other.flat]
        else:
            assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    elif isinstance(one, Axis):
        for field in fields(one):
            check_identical(getattr(one, field.name), getattr(other, field.name))
    else:
        assert one == other


def check_same_effect(one, other):
    assert type(one) is type(other)
    for field in fields(one):
        if field.name not in ("_mean", "_column"):  # how to ask the rows, not what they answer
            check_identical(getattr(one, field.name), getattr(other, field.name))
    if isinstance(one, AleResult):
        assert one.mean_prediction == other.mean_prediction


def numbers():
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "<b>c</b>"])
    return X, (X["a"] + 2 * X["b"] + X["a"] * X["b"]).to_numpy()


def product(X):
    return (X["a"] * np.sign(X["b"]) + X["b"]).to_numpy()


def simulated(n, rng):
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "<b>c</b>"])
    return X, product(X)


def one_of_each():
    """Several results of every class, with and without what is optional."""
    X, y = numbers()
    effect = ale(product, X, "a", K=4, local_effects=True)
    curves = ice(product, X, "b", K=3, centre="pdplot")
    mains = ale(product, X, "all", K=4)
    cv = {"scoring": "r2", "cv": 2, "random_state": 1}
    regions = regional_effects(product, X, "a", min_rows=5)
    assert len(regions.leaves) > 1
    in_r = REffect(effect.x_values, effect.f_values + 0.5, effect.K)
    agreement = measure(effect, in_r.x_values, in_r.f_values, order="none", predictions=3.0)
    dated = X.set_axis(pd.date_range("2024-03-30", periods=60, freq="h", tz="Europe/Paris"))
    found = [
        *EFFECTS.values(),
        effect,
        effect.local_effects,
        ale(product, X, ("a", "b"), K=3, local_effects=True, sample_weight=np.ones(60)).transpose(),
        mains,
        ale(black_box, table(), ["x", ("x", "c"), "c"], K=4),
        EffectCollection(()),
        ale(lambda X: X[["x", "z"]].to_numpy(), table(), "x", K=3, target="all", groups="flag"),
        bootstrap_bands(effect, n_boot=5, keep_curves=True, random_state=1),
        bootstrap_bands(curves, n_boot=5, simultaneous=True, method="normal", random_state=1),
        learner_bands(
            effect, LinearRegression(), X, y, n_refits=2, keep_curves=True, random_state=1
        ),
        effect_error(
            product,
            simulated,
            LinearRegression(),
            ["a", "<b>c</b>"],
            n=10,
            n_simulations=2,
            n_redraws=2,
            n_reference=20,
            K=3,
            random_state=1,
        ),
        regions,
        regions.leaves[0],
        decompose(product, X, K=3, sample_weight=np.arange(60) / 7),
        decompose(product, dated, K=3, pairs=None),
        h_statistics(product, X, K=3, triples="all"),
        h_statistics(product, X, K=3, pairs=None, max_rows=9, random_state=0),
        decompose(product, X, K=2, order=3),
        k_sensitivity(product, X, "a", Ks=(2, 4)),
        order_sensitivity(black_box, table(), "c", collapse=["r", "p"]),
        ale(black_box, table(), "c", collapse=["r", "p"], order="frequency"),
        effect_panel(product, X, y, ["a", "b"], K=3),
        effect_panel(black_box, table(), np.arange(40.0), "c", sample_weight=np.arange(40.0)),
        main_effect_complexity(mains),
        *main_effect_complexity(mains).pieces,
        *main_effect_complexity(ale(black_box, table(), "c")).pieces,
        ale_statistics(effect),
        ale_statistics(effect, y),
        random_variable_null(LinearRegression(), X, y, n=3, random_state=1),
        intervals.fit(product, X, "a", min_rows=5),
        lofo_importance(LinearRegression(), X, y, **cv),
        leave_two_out_importance(LinearRegression(), X, y, **cv),
        sequential_elimination(LinearRegression(), X, y, **cv),
        association_matrix(X, rows="a"),
        RComparison(effect, in_r, agreement, "ALEPlot::ALEPlot", 4, 60, {"R": "0.0.0"}),
    ]
    return {f"{i} {type(result).__name__}": result for i, result in enumerate(found)}


RESULTS = one_of_each()
each_result = pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
each_class = pytest.mark.parametrize(
    "result", {type(result): result for result in RESULTS.values()}.values(), ids=lambda r: type(r)
)
