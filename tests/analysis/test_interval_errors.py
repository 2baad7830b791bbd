"""Errors of fixed and automatic intervals on the published cases."""

import numpy as np
import pandas as pd
import pytest

from aleplot_py.analysis.sensitivity import interval_errors
from aleplot_py.datasets.interval_cases import INTERVAL_CASES, IntervalCase
from aleplot_py.effects.intervals import Auto

# Sums of a few hundred terms of size 1 in double precision.
ROUNDING = 1e-12


def close(actual, expected, atol=ROUNDING):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=atol)


@pytest.mark.parametrize("name", INTERVAL_CASES)
def test_truth_of_the_cases(name):
    case = INTERVAL_CASES[name]
    X = case.simulate(40_000, 0)
    x, step = X[case.feature].to_numpy(), 1e-6
    up, down = (X.assign(**{case.feature: x + move}) for move in (step, -step))
    numerical = (case.model(up) - case.model(down)) / (2 * step)
    slopes = case.gradient(X)
    # All but the few rows within the step of a kink.
    assert (np.abs(numerical - slopes) > 1e-4).sum() <= 2
    bins = np.digitize(x, np.quantile(x, np.arange(1, 20) / 20))
    away = slopes - case.slope(x)
    spread = case.slope_std(x)
    for k in range(20):
        # Four standard errors of a mean, and of a standard deviation, of 2,000 rows.
        assert abs(away[bins == k].mean()) <= 4 * spread[0] / np.sqrt(2000) + ROUNDING
        assert abs(away[bins == k].std() - spread[0]) <= 4 * spread[0] / np.sqrt(2000) + ROUNDING
    z = np.linspace(x.min(), x.max(), 2001)
    middle = (z[:-1] + z[1:]) / 2
    accumulated = np.append(0, np.cumsum(case.slope(middle) * np.diff(z)))
    # The trapezoids miss up to one step of 1/2000 of the range at each kink.
    close(case.curve(z) - case.curve(z[:1]), accumulated, atol=1e-3)


def means(case, **options):
    table = interval_errors(case, seeds=range(20), **options)
    return table.groupby("rule").mean()


def test_automatic_intervals_find_slopes_and_heterogeneity_better_than_any_fixed_K():
    for case in ("heterogeneous", "interaction"):
        mean = means(case)
        fixed = mean.drop(index=["dynamic", "greedy"])
        for error in ("slope_error", "std_error"):
            assert mean.loc["dynamic", error] < fixed[error].min(), (case, error)
        assert mean.loc["dynamic", "curve_error"] < fixed["curve_error"].min()
    assert means("piecewise", Ks=(5, 10)).loc["dynamic", "effective_K"] == 3


def test_narrow_intervals_are_noisy_and_wide_ones_biased():
    noisy = means("interaction", Ks=(5, 100))
    assert noisy.loc["K=100", "slope_error"] > 3 * noisy.loc["K=5", "slope_error"]
    biased = means("heterogeneous", Ks=(5, 20))
    assert biased.loc["K=5", "curve_error"] > 3 * biased.loc["K=20", "curve_error"]


def test_wide_intervals_leave_the_data_unless_a_derivative_is_used():
    by_difference = means("ood", Ks=(5, 50), autos={})
    by_gradient = means("ood", Ks=(5, 50), autos={}, use_gradient=True)
    assert by_difference.loc["K=5", "curve_error"] > 20 * by_gradient.loc["K=5", "curve_error"]
    ratio = by_difference.loc["K=50", "curve_error"] / by_gradient.loc["K=50", "curve_error"]
    assert 0.8 < ratio < 1.25
    # Fine differences stay with the data, however wide the intervals they are merged into.
    auto = means("ood", Ks=(), autos={"auto": Auto()})
    assert auto.loc["auto", "effective_K"] < 15
    assert auto.loc["auto", "curve_error"] < 0.2


def test_table_of_errors_by_hand():
    case = IntervalCase(
        feature="x",
        simulate=lambda n, seed: pd.DataFrame({"x": np.arange(n) / (n - 1), "s": float(seed)}),
        model=lambda X: X["x"].to_numpy() * (2 + X["s"].to_numpy()),
        gradient=lambda X: 2 + X["s"].to_numpy(),
        curve=lambda x: 2 * x,
        slope=lambda x: np.full(len(x), 2.0),
        slope_std=lambda x: np.zeros(len(x)),
    )
    table = interval_errors(case, Ks=(1, 4), autos={"auto": Auto()}, n=41, seeds=(0, 3))
    assert table["seed"].tolist() == [0, 0, 0, 3, 3, 3]
    assert table["rule"].tolist() == ["K=1", "K=4", "auto"] * 2
    assert table["effective_K"].tolist() == [1, 4, 1] * 2
    close(table["slope_error"], [0, 0, 0, 3, 3, 3])
    spread = 3 * np.std(np.arange(41) / 40)
    close(table["curve_error"], [0, 0, 0, spread, spread, spread])
    close(table["std_error"], 0, atol=1e-7)  # square root of rounding


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("easy",), {}, "case must be one of .*got 'easy'"),
        (("ood",), {"Ks": (), "autos": {}}, "Ks and autos are both empty"),
        (("ood",), {"n": 0}, "n must be a positive integer, got 0"),
        (("ood",), {"Ks": (0,)}, "each of Ks must be a positive integer, got 0"),
    ],
)
def test_errors_of_the_table(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        interval_errors(*arguments, **{"seeds": (0,), **options})
