"""What the live tiers do with one random case."""

from collections.abc import Callable

from validation.goldens_reader import StoredCase
from validation.search.checks import CHECKS, IDENTICAL, run_check


def assert_equal(record_parity: Callable[..., None], check: str, case: StoredCase) -> None:
    """Compare a case in one way, record and assert.

    Parameters
    ----------
    record_parity : callable
        The fixture.
    check : str
        A key of `CHECKS` that needs R.
    case : StoredCase
        Drawn, saved or stored.
    """
    finding = run_check(check, case)
    found = finding.agreement
    if found is not None:
        # Rounding of the predictions is no fraction of the curve.
        difference = None if finding.status == "rounding" else found.of_curve
        equal = found.points_equal and found.order != "different"
        identical = finding.identical if check in IDENTICAL else None
        record_parity(CHECKS[check].tier, f"{check} {case.id}", difference, equal, identical)
    assert not finding.mismatch, finding
