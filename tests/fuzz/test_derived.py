"""What is made of effects: decompositions, interaction strength and bands, by loops again."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from aleplot_py import ale, bootstrap_bands, decompose, interaction_strength
from aleplot_py.analysis.draws import drawn_counts
from tests.fuzz.answers import near
from tests.fuzz.boxes import OUTPUTS, Hashed
from tests.fuzz.calls import calls
from tests.fuzz.frames import cases
from tests.fuzz.test_effects import slope_overflows
from tests.fuzz.verdict import answered, often, outcome
from validation import brute_force

# Sums over a few rows of predictions and interpolated effects, relative to the largest prediction.
PARTS = 2.0**-44
# Resampled means by plain sums.
CURVES = 2.0**-44


@often
@given(case=cases({"numeric"}, {"numeric"}, most=10), data=st.data())
def test_decomposition(case, data):
    """Rows add up, the effects are those of `ale` with mean 0, and IAS is its formula."""
    call = data.draw(calls(case, outputs=False))
    call.box.power = 0
    K, names = data.draw(st.integers(1, 8)), case.names
    for axis in (0, 1):
        values = case.column(axis)[case.known()].to_numpy(dtype=float, na_value=np.nan)
        if len(set(values)) < 2 or not np.isfinite(values).all():
            call.refusals.append("values")
    pairs = data.draw(st.sampled_from([None, "all"]))
    parts = outcome(
        decompose, call.predict, case.X, features=names, pairs=pairs, K=K, **call.options
    )
    if not answered(parts, call.refusals):
        return
    known = case.known()
    weights = None if call.weights is None else call.weights[known]
    prediction = call.box.values(case.X[known])
    assert np.array_equal(parts.prediction, prediction)
    total = parts.constant + parts.at_rows.sum(axis=1) + parts.remainder
    near(total, prediction, PARTS * 32)
    at_rows = []
    for axis, name in enumerate(names):
        column = [float(v) for v in case.column(axis)[known].tolist()]
        main = parts.mains[name]
        curve = [main.x_values[0].tolist(), main.f_values.tolist()]
        at_rows.append([brute_force.curve_at(*curve, x) for x in column])
        near(parts.at_rows[:, axis], at_rows[-1], PARTS * 32)
        near(np.average(at_rows[-1], weights=weights), 0.0, PARTS * 32)
    if np.ptp(prediction) > 0 and len(set(prediction[slice(None) if weights is None
                                                    else weights > 0])) > 1:  # fmt: skip
        strength = outcome(
            interaction_strength, call.predict, case.X, features=names, K=K, **call.options
        )
        right = brute_force.interaction_strength(prediction, at_rows, weights)
        near(strength, right, PARTS * (1 + right))


@often
@given(
    case=cases({"numeric", "categorical"}, odd=False),
    data=st.data(),
    seed=st.integers(0, 2**32 - 1),
    level=st.sampled_from([0.5, 0.9, 0.95]),
)
def test_bands(case, data, seed, level):
    """A resample over its own rows is the effect with the rows' number of draws as weights."""
    call = data.draw(calls(case, outputs=False))
    box = Hashed(call.box.places, OUTPUTS["array"])
    options = {key: call.options[key] for key in ("batch_rows",) if key in call.options}
    if case.column().nunique() < 2:
        return
    effect = outcome(ale, box, case.X, case.asked, K=5, local_effects=True, **options)
    n_boot, n = data.draw(st.integers(2, 6)), len(case.X)
    bands = outcome(
        bootstrap_bands, effect, n_boot=n_boot, level=level, method="percentile",
        centre_over="resamples", keep_curves=True, random_state=seed,
    )  # fmt: skip
    if effect.kinds == ("numeric",) and slope_overflows(bands, effect.x_values[0].tolist()):
        return
    sorted_rows = np.argsort(effect.axes[0].codes, kind="stable")  # as the resamples number them
    drawn = np.empty((n_boot, n))
    drawn[:, sorted_rows] = np.concatenate(
        list(drawn_counts(n, n_boot, np.random.default_rng(seed)))
    )
    largest = max(np.abs(bands.curves).max(), 32.0 * 5)  # of predictions, or of a slope lent
    for curve, times in zip(bands.curves, drawn, strict=True):
        right = brute_force.ale(
            box, case.X, case.names, [list(x) for x in effect.x_values], effect.kinds,
            weights=times,
        )  # fmt: skip
        if not right.empty.any():
            near(curve, right.f_values, CURVES * largest)
    lower, upper = brute_force.percentiles(bands.curves, level)
    near(bands.lower, lower, CURVES * largest)
    near(bands.upper, upper, CURVES * largest)
