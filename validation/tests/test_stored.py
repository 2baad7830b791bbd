"""Every stored result of R, whatever is on disk: ALEPlot, PDPlot, iml and base R."""

import re

import numpy as np
import pytest

from aleplot_py import ALEPlot, PDPlot, ale, ice, partial_dependence
from aleplot_py.steps.grid import (
    aleplot_probabilities,
    bin_codes,
    iml_probabilities,
    quantile_type1,
    quantile_type7,
)
from aleplot_py.steps.scaling import classical_scaling
from validation import brute_force
from validation.goldens_reader import (
    Comparison,
    aleplot_curve,
    cases,
    compare,
    iml_curve,
    load,
    relative_difference,
)

pytestmark = pytest.mark.stored

# With the levels the other way round, in iml and where exp is called: sums of a few hundred
# predictions in another order differ by some units in the last place.
VALUES = 1e-14
# The one stored result whose long double, rounded to a double, is not the double nearest to the
# exact mean: R rounds twice there.
ROUNDED_TWICE = "pd_numeric-skewed-0-90"
# numpy's exp, sin and tanh differ by a unit in the last place between versions and processors, and
# with them the predictions, from which an effect takes differences.
LAST_PLACE = 2.0**-52
# Eigenvectors of different LAPACK builds agree to rounding of the squared distances.
SCALING = 1e-12

ALE_CASES = cases("ale_*")
PD_CASES = cases("pd_*")
IML_CASES = cases("iml_*")
BASE = load("r_base_statistics")

PROBABILITIES = {"aleplot": aleplot_probabilities, "iml": iml_probabilities}


def named(stored):
    """Parameters of a test, one for each stored case."""
    return [pytest.param(case, id=case.id) for case in stored]


def test_all_files_are_read():
    """A renamed file would silently take its cases out of the tests below."""
    assert len(ALE_CASES) + len(PD_CASES) == 224
    assert len(IML_CASES) == 56


def rounding_of_the_black_box(case, curve):
    """As a fraction of the curve's scale; 0 for sums and products, the same everywhere."""
    scale = np.abs(curve.f_values).max()
    inexact = any(name in case["black_box"] for name in ("np.exp", "np.sin", "np.tanh"))
    if not inexact or scale == 0:
        return 0.0
    return LAST_PLACE * np.abs(case.predict()(case.frame())).max() / scale


@pytest.mark.parametrize("case", named([c for c in [*ALE_CASES, *PD_CASES] if not c.failed_in_r]))
def test_every_bit_is_that_of_r(case, record_parity):
    """`ALEPlot` and `PDPlot`, with the levels in R's order, whose direction is LAPACK's."""
    function = ALEPlot if case in ALE_CASES else PDPlot
    curve = aleplot_curve(case)
    X, pred_fun = case.with_levels_in_order(curve.x_values)
    result = function(X, None, pred_fun, list(case.features), case["K"], plot=False)
    x_values = result.x_values if len(case.features) == 2 else [result.x_values]
    points_equal = [list(points) for points in x_values] == curve.x_values
    identical = np.array_equal(result.f_values, curve.f_values)
    difference = relative_difference(result.f_values, curve.f_values)
    judged = not case.calls_exp and result.arithmetic == "long double"
    record_parity(
        "stored",
        f"{function.__name__}() {case.id}",
        difference,
        points_equal,
        identical if judged else None,
    )
    assert points_equal
    assert identical or not judged
    assert difference <= VALUES + rounding_of_the_black_box(case, curve)


def in_order_of_r(effect, curve):
    """Orders of the levels as R's result has them, for `ale` and its relatives."""
    return {
        name: list(points)
        for name, kind, points in zip(effect.features, effect.kinds, curve.x_values, strict=True)
        if kind == "categorical"
    }


@pytest.mark.parametrize("case", named([c for c in ALE_CASES if not c.failed_in_r]))
def test_ale_equals_aleplot(case, record_parity):
    """Grids, effective K and levels equal; values too where the levels stand in R's order.

    In the reverse order sums begin at the other end, so that their rounding differs.
    """
    predict, X, K = case.table(), case.frame(), case["K"]
    effect = ale(predict, X, case.features, K=K)
    curve = aleplot_curve(case)
    result = compare(effect, curve)
    equal = result.points_equal and list(effect.K) == case["r"]["K"]
    in_order = ale(predict, X, case.features, K=K, order=in_order_of_r(effect, curve))
    identical = np.array_equal(in_order.f_values, curve.f_values)
    judged = not case.calls_exp
    record_parity("stored", case.id, result.difference, equal, identical if judged else None)
    assert equal
    assert identical or not judged
    assert result.difference <= VALUES + rounding_of_the_black_box(case, curve)


@pytest.mark.parametrize("case", named([c for c in ALE_CASES if c.failed_in_r]))
def test_ale_where_aleplot_fails(case, record_parity):
    """One interval on an axis stops ALEPlot; the definition by loops has no trouble with it."""
    X, predict = case.frame(), case.predict()
    effect = ale(predict, X, case.features, K=case["K"])
    grids = [brute_force.quantile_edges(X[name].tolist(), case["K"]) for name in case.features]
    right = brute_force.ale(
        predict, X, case.features, grids, effect.kinds, tied=effect.local_mean
    ).f_values
    equal = [x.tolist() for x in effect.x_values] == grids and 1 in effect.K
    difference = relative_difference(effect.f_values, right)
    record_parity("stored", case.id, difference, equal)
    assert equal
    assert np.isfinite(effect.f_values).all()
    assert difference <= VALUES


@pytest.mark.parametrize("case", named(PD_CASES))
def test_partial_dependence_equals_pdplot(case, record_parity):
    """Grids, levels and values equal, but for the case in which R rounds a mean twice."""
    X, predict = case.frame(), case.table()
    effect = partial_dependence(predict, X, case.features, K=case["K"], centre="pdplot")
    curve = aleplot_curve(case)
    result = compare(effect, curve)
    largest = np.abs(case.predict()(X)).max()
    difference = np.abs(effect.f_values - curve.f_values).max()
    judged = not case.calls_exp and case.id != ROUNDED_TWICE
    identical = difference == 0 if judged else None
    record_parity("stored", case.id, result.difference, result.points_equal, identical)
    assert result.points_equal
    assert difference == 0 or (not judged and difference <= LAST_PLACE * largest)


def iml_comparisons(case):
    """Compare with each kind of row that the stored result has."""
    X, predict, given = case.frame(), case.predict(), case["grid_points"]
    options = {"grid": "iml" if given is None else given, "K": case["grid_size"]}
    if case["method"] == "ale":
        outside = "error" if given is None else "iml"
        effect = ale(predict, X, case.features, outside=outside, **options)
        return [compare(effect, iml_curve(case, "ale"))]
    centre = "none" if case["center_at"] is None else case["center_at"]
    effect = ice(predict, X, case.features, centre=centre, **options)
    results = []
    if "pdp" in case["method"]:
        results.append(compare(effect, iml_curve(case, "pdp"), any_order=True))
    if "ice" in case["method"]:
        curves = iml_curve(case, "ice")
        equal = [x.tolist() for x in effect.x_values] == curves.x_values
        difference = relative_difference(effect.individual, curves.f_values)
        assert difference == 0 or case.calls_exp
        results.append(Comparison(equal, difference))
    return results


@pytest.mark.parametrize("case", named(IML_CASES))
def test_effect_equals_iml(case, record_parity):
    """ALE, partial dependence and individual curves, on iml's grids and on the caller's.

    Individual curves are equal bit for bit. What iml averages it adds in blocks that run on from
    one point to the next, so that its last bits follow no rule that the data know:
    `test_iml_averages_a_constant_differently_at_each_level`.
    """
    results = iml_comparisons(case)
    difference = max(result.difference for result in results)
    equal = all(result.points_equal for result in results)
    record_parity("stored", case.id, difference, equal)
    assert equal
    assert difference <= VALUES


def test_iml_averages_a_constant_differently_at_each_level():
    """The black box does not see the feature, so that all means are of the same predictions."""
    case = next(c for c in IML_CASES if c.id == "iml-pdp-c-correlated-6")
    assert not re.search(r"\bc\b", case["black_box"])
    assert len(set(iml_curve(case, "pdp").f_values.tolist())) > 1
    effect = partial_dependence(case.predict(), case.frame(), "c")
    assert len(set(effect.f_values.tolist())) == 1


def test_rows_outside_an_iml_grid_are_neither_clipped_nor_dropped():
    """Rows below count in the first interval; rows above in none, but at the last point.

    The stored cases with ``grid_points`` show it; this one can be followed by hand.
    """
    case = next(c for c in IML_CASES if c.id == "iml-ale-x3-banana-46")
    X, z = case.frame(), case["grid_points"]
    assert (X["x3"] < z[0]).sum() == 5
    assert (X["x3"] > z[-1]).sum() == 4
    curve = iml_curve(case, "ale").f_values
    clipped = ale(case.predict(), X, "x3", grid=z, outside="clip").f_values
    inside = X[X["x3"].between(z[0], z[-1])]
    dropped = ale(case.predict(), inside, "x3", grid=z).f_values
    assert relative_difference(clipped, curve) > 0.01
    assert relative_difference(dropped, curve) > 0.01


def test_quantiles_of_type_1(record_parity):
    """Without and with ties, bit for bit."""
    x, rounded, p = (np.array(BASE[name]) for name in ("x", "x_rounded", "probs"))
    equal = np.array_equal(quantile_type1(x, p), BASE["quantile"]["type1"])
    equal &= np.array_equal(quantile_type1(rounded, p), BASE["quantile_type1_of_rounded"])
    record_parity("stored", "quantile type 1", None, bool(equal))
    assert equal


def test_quantiles_of_type_7(record_parity):
    """Bit for bit, which numpy's own are not."""
    x, p = np.array(BASE["x"]), np.array(BASE["probs"])
    equal = np.array_equal(quantile_type7(x, p), BASE["quantile"]["type7"])
    record_parity("stored", "quantile type 7", None, equal)
    assert equal


@pytest.mark.parametrize("rule", ["aleplot", "iml"])
@pytest.mark.parametrize("stored", BASE["quantile_type1_index"]["cases"])
def test_grid_probabilities_and_order_statistics(stored, rule, record_parity):
    """The order statistics of 1..n are their own numbers."""
    p = PROBABILITIES[rule](stored["K"])
    ranks = quantile_type1(np.arange(1.0, stored["n"] + 1), p)
    equal = p.tolist() == stored[f"{rule}_probs"]
    equal &= ranks.tolist() == stored[f"type1_index_{rule}"]
    record_parity("stored", f"type 1 index {rule} n={stored['n']} K={stored['K']}", None, equal)
    assert equal


def test_bin_codes_are_those_of_cut(record_parity):
    """Closed on the right, and on the left in the first interval."""
    stored = BASE["cut"]
    codes = bin_codes(stored["x"], stored["breaks"]) + 1
    equal = codes.tolist() == stored["codes_include_lowest"]
    record_parity("stored", "cut", None, equal)
    assert equal


def test_distribution_function_is_ecdf(record_parity):
    """The loops by which the distances of levels are checked count as R's ecdf does."""
    stored = BASE["ecdf"]
    equal = [brute_force.share_up_to(BASE["x"], at) for at in stored["at"]] == stored["value"]
    record_parity("stored", "ecdf", None, equal)
    assert equal


def test_classical_scaling_is_cmdscale_up_to_its_sign(record_parity):
    """The sign of the axis is arbitrary in R too."""
    stored = BASE["cmdscale_k1"]
    right = np.array(stored["points"])
    mine = classical_scaling(np.array(stored["D"], dtype=float))
    difference = min(relative_difference(mine, right), relative_difference(-mine, right))
    record_parity("stored", "cmdscale", difference)
    assert difference <= SCALING
