"""R's values bit for bit, from the same local effects: in R's arithmetic, and in the exact one.

Cases whose black box calls exp are left out: numpy's exp, and with it the prediction, differs in
the last place between processors.
"""

import numpy as np
import pytest

from aleplot_py.effects.local_effects import local_effects, predict_moved
from aleplot_py.inputs.axes import interval_axis, level_axis, point_axis
from aleplot_py.inputs.black_box import as_black_box
from aleplot_py.inputs.frames import Table
from aleplot_py.steps.accumulate import accumulate
from aleplot_py.steps.axis import row_counts
from aleplot_py.steps.cells import fill_empty
from aleplot_py.steps.centre import centred_effect, centred_profile
from aleplot_py.steps.sums import EXACT, R
from validation.goldens_reader import aleplot_curve, cases

pytestmark = pytest.mark.stored

# The one stored result whose long double, rounded to a double, is not the double nearest to the
# exact mean: R rounds twice there.
ROUNDED_TWICE = "pd_numeric-skewed-0-90"


def usable(pattern):
    stored = [c for c in cases(pattern) if not c.failed_in_r and not c.calls_exp]
    return [pytest.param(case, id=case.id) for case in stored]


ALE_CASES, PD_CASES = usable("ale_*"), usable("pd_*")


def test_how_many_cases_there_are():
    assert (len(ALE_CASES), len(PD_CASES)) == (128, 49)


def laid(case, numeric_axis):
    """Table, black box, and axes with levels in R's order."""
    table = Table(case.frame())
    axes = [
        level_axis(table, name, order=points, similar=False)
        if isinstance(points[0], str)
        else numeric_axis(table, name, points)
        for name, points in zip(case.features, aleplot_curve(case).x_values, strict=True)
    ]
    return table, as_black_box(case.table(), target=None, response_method="auto"), axes


def ale_values(case, arithmetic):
    table, black_box, axes = laid(
        case, lambda table, name, z: interval_axis(table, name, len(z), np.array(z))
    )
    shape = tuple(axis.n_steps for axis in axes)
    kinds = [axis.kind for axis in axes]
    parts = list(local_effects(black_box, table, axes, slice(None)))[::-1]  # upwards first
    effects, cells = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    mean = arithmetic.cell_means(effects, cells, int(np.prod(shape))).reshape(shape)
    empty = np.bincount(cells, minlength=mean.size).reshape(shape) == 0
    local_mean = fill_empty(mean, empty, [axis.positions for axis in axes])
    counts = row_counts(axes, tuple(axis.n_units for axis in axes), None)
    accumulated = accumulate(local_mean, arithmetic)
    return centred_effect(accumulated, counts, kinds, arithmetic=arithmetic)[0]


def pd_values(case, arithmetic):
    table, black_box, axes = laid(case, lambda table, name, x: point_axis(table, name, 2, x))
    shape = tuple(len(axis.points) for axis in axes)
    numbers = np.indices(shape).reshape(len(shape), -1).T
    columns = [
        predict_moved(black_box, table, axes, [np.full(len(table), k) for k in at])
        for at in numbers
    ]
    average = arithmetic.column_means(np.stack(columns, axis=1)).reshape(shape)
    kinds = [axis.kind for axis in axes]
    return centred_profile(average, row_counts(axes, shape, None), kinds, arithmetic)[0]


in_rs_arithmetic = pytest.mark.skipif(
    R is EXACT, reason="numpy has no long double wider than a double"
)


@in_rs_arithmetic
@pytest.mark.parametrize("case", ALE_CASES)
def test_ale_is_identical_to_aleplot(case):
    assert np.array_equal(ale_values(case, R), aleplot_curve(case).f_values)


@in_rs_arithmetic
@pytest.mark.parametrize("case", PD_CASES)
def test_partial_dependence_is_identical_to_pdplot(case):
    assert np.array_equal(pd_values(case, R), aleplot_curve(case).f_values)


@pytest.mark.parametrize("case", ALE_CASES)
def test_exact_sums_are_those_of_aleplot(case):
    assert np.array_equal(ale_values(case, EXACT), aleplot_curve(case).f_values)


@pytest.mark.parametrize("case", PD_CASES)
def test_exact_sums_are_those_of_pdplot(case):
    values, right = pd_values(case, EXACT), aleplot_curve(case).f_values
    if case.id == ROUNDED_TWICE:
        largest = np.abs(case.predict()(case.frame())).max()
        assert 0 < np.abs(values - right).max() <= np.spacing(largest)
    else:
        assert np.array_equal(values, right)
