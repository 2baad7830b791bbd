"""ALE statistics against the formulas of their source, running live in base R."""

import numpy as np
import pytest

from aleplot_py import ale_statistics
from aleplot_py.analysis.statistics import normalised_effect
from validation import bridge

pytestmark = pytest.mark.base_r

# The mean of a few dozen terms of size 10, in another order: rounding only.
EXACT = 1e-12
CASES = 500

# The vignette's definitions: the response is centred at its median, which both distribution
# functions count; an effect up to the nearest other response (the median itself, where there is
# none) is 0. ALED and NALED weigh the values of the levels with their rows.
FORMULAS = """
function(effect, rows, y) {
  y <- y - median(y)
  upper <- ecdf(y[y >= 0])
  lower <- ecdf(-y[y <= 0])
  nearest_above <- min(y[y > 0], if (any(y > 0)) Inf else 0)
  nearest_below <- max(y[y < 0], if (any(y < 0)) -Inf else 0)
  points <- ifelse(effect >= nearest_below & effect <= nearest_above, 0,
                   ifelse(effect < 0, -50 * lower(-effect), 50 * upper(effect)))
  c(weighted.mean(abs(effect), rows), range(effect),
    weighted.mean(abs(points), rows), range(points), points)
}
"""

RESPONSES = {
    "real": lambda rng, n: rng.normal(size=n),
    "ties": lambda rng, n: rng.integers(-3, 4, size=n) / 2,
    "binary": lambda rng, n: rng.integers(0, 2, size=n),
    "rare event": lambda rng, n: (rng.uniform(size=n) < 0.1) * 1,
    "counts": lambda rng, n: rng.poisson(1.5, size=n),
    "constant": lambda rng, n: np.full(n, 2.5),
    "skewed": lambda rng, n: np.exp(rng.normal(size=n)),
}


def test_statistics_are_those_of_the_formulas():
    """All six numbers, and the normalised effect at every point."""
    seen = set()
    for case in range(CASES):
        rng = np.random.default_rng(case)
        kind = list(RESPONSES)[case % len(RESPONSES)]
        y = np.asarray(RESPONSES[kind](rng, int(rng.integers(1, 40))), dtype=float)
        # Effects at, just beyond and away from the differences of the response to its median.
        pool = np.concatenate([y - np.median(y), rng.normal(size=6), [0.0, 0.5, -0.5, 1.0, -1.0]])
        effect = rng.choice(pool, size=int(rng.integers(2, 12)))
        rows = rng.integers(1, 9, size=len(effect)).astype(float)
        theirs = np.asarray(bridge.call(FORMULAS, effect, rows, y), dtype=float)
        ours = ale_statistics(effect, y, counts=rows, kind="categorical").to_series().to_numpy()
        message = f"{kind}, seed {case}"
        np.testing.assert_allclose(ours, theirs[:6], rtol=0, atol=EXACT, err_msg=message)
        np.testing.assert_allclose(
            normalised_effect(effect, y), theirs[6:], rtol=0, atol=EXACT, err_msg=message
        )
        seen |= {(kind, value != 0) for value in theirs[6:]}
    # Every kind of response has effects that reach it and effects that do not.
    assert seen == {(kind, reached) for kind in RESPONSES for reached in (True, False)}
