"""The simulations of the bands: truths in closed form, and the table that was written last."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from validation import coverage

# The mean of the effects of 40 samples lies this many standard errors from the truth at most; of
# some hundred points one in a few thousand tables would have a larger one.
ERRORS = 4.5


@pytest.mark.parametrize(
    "case", coverage.CASES[1:2] + coverage.CASES[6::2], ids=lambda case: case.name
)
def test_effects_are_about_the_truth(case):
    """A bias would be a wrong truth: coverage would then fall as rows grow."""
    errors = []
    for seed in range(40):
        sample = case.draw(np.random.default_rng([1, seed]), 400, 3)
        assert sample.truth.shape == sample.effect.f_values.shape
        errors.append(sample.effect.f_values - sample.truth)
    mean, spread = np.mean(errors, axis=0), np.std(errors, axis=0, ddof=1)
    assert (np.abs(mean) <= ERRORS * spread / np.sqrt(40) + 1e-12).all()


def test_lines_count_what_is_inside():
    """Two samples, each with its own randomness, are counted as shares of two."""
    case = replace(coverage.CASES[1], n_boot=20)
    samples = [coverage.held(case, sample) for sample in range(2)]
    found = list(coverage.lines(case, samples))
    assert [(line["kind"], line["method"]) for line in found] == list(coverage.BANDS)
    for line in found:
        inside = [sample[line["kind"], line["method"]] for sample in samples]
        assert line["coverage"] == pytest.approx(np.mean(inside), abs=1e-4)
        assert line["simulations"] == 2
    again = [coverage.held(case, sample) for sample in range(2)]
    for one, other in zip(samples, again, strict=True):
        for band in coverage.BANDS:
            np.testing.assert_array_equal(one[band], other[band])


def test_the_committed_table_is_that_of_the_cases_and_its_page():
    """Every case has its four lines; the page is made of them."""
    table = pd.read_csv(coverage.FOLDER / "coverage.csv")
    keys = ["case", "n", "K", "n_boot", "simulations"]
    expected = [
        (case.name, case.n, case.K, case.n_boot, case.simulations, *band)
        for case in coverage.CASES
        for band in coverage.BANDS
    ]
    found = table[[*keys, "kind", "method"]].itertuples(index=False, name=None)
    assert list(found) == expected
    page = (coverage.FOLDER / "coverage.md").read_text(encoding="utf-8")
    assert page == coverage.page(table)


def test_the_bands_hold_where_the_readme_promises_it():
    """Rows enough for each interval, level or cell, with the ends taken by default."""
    table = pd.read_csv(coverage.FOLDER / "coverage.csv")
    promised = table[coverage.promised(table)]
    assert set(promised["case"]) == set(table["case"])
    assert promised["holds"].all(), promised[~promised["holds"]]
