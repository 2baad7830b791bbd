"""Errors of effects in a published simulation, for a figure.

After Heiß et al., Analyzing error sources in global feature effect estimation (2026): four normal
features of which the first two have correlation 0.9, a response ``x1 + x2^2 / 2 + x1 x2`` with
normal noise of a fifth of its standard deviation, 1,250 rows, and trees that follow every row. The
settings are those of the source's public code; the data are drawn anew. The numbers are
those behind the figure of the same name: 60 data sets, on each seven models of 1,200 trees,
explained on the data and on three fresh data sets, with both rules for intervals without rows.
``python -m reproductions.figures.effect_errors`` stores them, in some five minutes of one core. All
randomness comes from `SEED`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm

from aleplot_py import ale, effect_error
from aleplot_py.steps.grid import FloatArray

SEED = 20260316
RUNS, REDRAWS = 60, 3
ROWS = 1250
CORRELATION = 0.9
# Variances of the three terms, 1, 1/2 and 1 + CORRELATION^2, and twice the covariance of the last
# two: the only one that is not 0 by symmetry.
SIGNAL = np.sqrt(2.5 + CORRELATION**2 + 2 * CORRELATION)
# The source's ratio of signal to noise is of standard deviations.
NOISE = SIGNAL / 5
FEATURES = (0, 1, 2)
EDGES = norm.ppf(np.linspace(0.0001, 0.9999, 100))
# What an interval without rows adds: nothing, in the source's code, or the nearest one's slope.
RULES = ("nothing", "nearest")
SIMULATED = Path(__file__).with_name("heiss") / "simulated.csv"


def truth(X: FloatArray) -> FloatArray:
    """Mean of the response."""
    return X[:, 0] + X[:, 1] ** 2 / 2 + X[:, 0] * X[:, 1]


def simulate(n: int, random_state: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Draw features (n, 4) and responses (n,)."""
    X = random_state.normal(size=(n, 4))
    X[:, 1] = CORRELATION * X[:, 0] + np.sqrt(1 - CORRELATION**2) * X[:, 1]
    return X, truth(X) + NOISE * random_state.normal(size=n)


def learner(trees: int = 1200) -> Any:
    """Trees that follow every row, unfitted."""
    from xgboost import XGBRegressor

    return XGBRegressor(
        n_estimators=trees, max_depth=16, learning_rate=0.35, min_child_weight=1, reg_lambda=0,
        reg_alpha=0, n_jobs=1, random_state=0,
    )  # fmt: skip


def ale_of_their_code(predict: Any, X: FloatArray, feature: int, edges: FloatArray) -> FloatArray:
    """ALE where rows beyond the edges do not count and intervals without rows add nothing."""
    inside = (X[:, feature] >= edges[0]) & (X[:, feature] <= edges[-1])
    effect = ale(predict, X[inside], feature, grid=edges, centre="none", progress=False)
    return np.append(0.0, np.cumsum(np.where(effect.empty, 0.0, effect.local_mean)))


def errors(
    rule: str,
    *,
    runs: int,
    redraws: int,
    trees: int = 1200,
    reference: int = 1000,
    random_state: int = SEED,
    progress: bool = False,
) -> pd.DataFrame:
    """Errors of the estimated effects with their parts and Monte-Carlo errors.

    Parameters
    ----------
    rule : {"nothing", "nearest"}
        What an interval without rows adds.
    runs, redraws : int
        Number of data sets, and of fresh ones on which the models of each are explained.
    trees : int
        Number of trees.
    reference : int
        Rows in place of the population.
    random_state, progress
        As in `aleplot_py.effect_error`.

    Returns
    -------
    DataFrame
        ``rule`` and the columns of ``EffectError.to_frame()`` but the parts of the bias, which
        take more reference rows, with the standard errors ``variance_error`` and
        ``estimation_variance_error`` over the data sets.
    """
    found = effect_error(
        truth, simulate, learner(trees), list(FEATURES),
        effect=ale_of_their_code if rule == "nothing" else "ale",
        n=ROWS, n_simulations=runs, n_redraws=redraws, n_reference=reference,
        grid=dict.fromkeys(FEATURES, EDGES), random_state=random_state, progress=progress,
    )  # fmt: skip
    table = found.to_frame().drop(columns=["model_bias", "estimation_bias"])
    table.insert(0, "rule", rule)
    table["feature"] = [f"x{feature + 1}" for feature in table["feature"]]
    strategies = [
        (estimates, variances)
        for of_feature in zip(found.estimates, found.redraw_variance, strict=True)
        for estimates, variances in zip(*of_feature, strict=True)
    ]
    table["variance_error"] = [_error_of_variance(estimates) for estimates, _ in strategies]
    table["estimation_variance_error"] = [
        variances.mean(axis=1).std(ddof=1) / np.sqrt(runs) for _, variances in strategies
    ]
    return table


def _error_of_variance(estimates: FloatArray) -> float:
    """Jackknife standard error of the mean over points of the variance of estimates (R, P)."""
    R = len(estimates)
    left_out = [np.delete(estimates, r, axis=0).var(axis=0, ddof=1).mean() for r in range(R)]
    return float(np.sqrt((R - 1) ** 2 / R * np.var(left_out, ddof=1)))


def simulated(runs: int, redraws: int, random_state: int = SEED) -> pd.DataFrame:
    """Errors by both rules for intervals without rows, one below the other.

    Parameters
    ----------
    runs, redraws, random_state
        As in `errors`.

    Returns
    -------
    DataFrame
        As `errors` gives it.
    """
    tables = [
        errors(rule, runs=runs, redraws=redraws, random_state=random_state, progress=True)
        for rule in RULES
    ]
    return pd.concat(tables, ignore_index=True)


def main() -> int:
    """Simulate, and write the table beside the figure's script.

    Returns
    -------
    int
        Exit code.
    """
    table = simulated(RUNS, REDRAWS)
    table.to_csv(SIMULATED, index=False, float_format="%.5g", lineterminator="\n")
    sys.stdout.write(f"{table.to_string()}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
