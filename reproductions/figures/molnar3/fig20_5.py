"""Partial dependence averages over a region without data; accumulated local effects do not.

Effects of the two features of the model of figure 20.4: partial dependence (above), 20 points
equally spaced, takes the odd corner in and jumps; ALE (below), 20 quantile intervals, finds the
slope 1 of both features. Strokes mark the 25 points. After figure 20.5 of Molnar, Interpretable
Machine Learning, 3rd edition (8.10 in the 2nd).
"""

from functools import partial

import numpy as np

from aleplot_py import Effect, ale, partial_dependence
from aleplot_py.datasets.simulations import book_extrapolation_model, simulate_book_points
from aleplot_py.plots.display import AleDisplay
from reproductions.engine.figure import Claim, decide
from reproductions.engine.reference import Reference

IDS = ("molnar3/20.5", "molnar2/8.10")
SEED = 1
SIZE = (5.6, 4.2)

REFERENCE = {
    f"{kind}_{name}": Reference(f"fig20_5_{kind}_{name}.csv")
    for kind in ("pdp", "ale")
    for name in ("x1", "x2")
}


def compute(n=25, sd=0.1, seed=SEED, K=20, x1_above=0.7, x2_below=0.3):
    """Partial dependence and ALE of both features, with iml's defaults."""
    points = simulate_book_points(n, sd=sd, seed=seed)
    f = partial(book_extrapolation_model, x1_above=x1_above, x2_below=x2_below)
    numbers: dict[str, Effect] = {}
    for name in ("x1", "x2"):
        numbers[f"pdp_{name}"] = partial_dependence(f, points, name, grid="iml", K=K)
        numbers[f"ale_{name}"] = ale(f, points, name, grid="iml", K=K)
    return numbers


def draw(numbers, figure, text):
    """Draw one row for each method, each with its own scale for both features."""
    axes = figure.subplots(2, 2, sharex="col", sharey="row")
    for row, kind in zip(axes, ("pdp", "ale"), strict=True):
        effects = [numbers[f"{kind}_{name}"] for name in ("x1", "x2")]
        AleDisplay(effects).plot(
            ax=row,
            labels={name: text(f"label.{name}") for name in ("x1", "x2")},
            ylabel=text(kind),
            visuals={"line": {"marker": "o"}},
        )
        row[1].set_ylabel("")
    for ax in axes[0]:
        ax.set_xlabel("")


def ale_has_slope_one(numbers):
    """Compare slopes between neighbouring grid points with 1."""
    off = max(np.abs(_slopes(numbers[f"ale_{name}"]) - 1).max() for name in ("x1", "x2"))
    return decide(off < 1e-9, off=off)


def pd_jumps(numbers):
    """Find the steepest slopes between neighbouring points."""
    up, down = _slopes(numbers["pdp_x1"]).max(), _slopes(numbers["pdp_x2"]).min()
    return decide(up > 2 and down < 0, partly=up > 2 or down < 0, up=up, down=down)


def pd_is_dearer(_numbers):
    """Count the rows of 20 points and of an interval for every row, in which the model predicts."""
    points = simulate_book_points(25, seed=SEED)
    rows = []

    def counted(X):
        rows.append(len(X))
        return book_extrapolation_model(X)

    partial_dependence(counted, points, "x1", grid="iml", K=20)
    pd_rows = sum(rows)
    rows.clear()
    ale(counted, points, "x1", grid="iml", K=len(points))
    ratio = pd_rows / sum(rows)
    return decide(
        ratio == 20, partly=ratio > 1, n=len(points), pd=pd_rows, ale=sum(rows), ratio=ratio
    )


def _slopes(effect):
    return np.diff(effect.f_values) / np.diff(effect.x_values[0])


CLAIMS = (
    Claim(
        "ale slope",
        "ALE finds the linear relationship between each feature and the prediction.",
        "The slope differs from 1 by at most {off:.1e}.",
        ale_has_slope_one,
    ),
    Claim(
        "pd jumps",
        "Partial dependence jumps where it takes the odd corner in.",
        "Between neighbouring points the slope reaches {up:.1f} for x1 and {down:.1f} for x2.",
        pd_jumps,
    ),
    Claim(
        "cost",
        "With 20 grid points partial dependence needs 20 times as many predictions as ALE in its "
        "worst case, an interval for every instance.",
        "For the {n:d} points partial dependence needs {pd:d} predictions and ALE with an interval "
        "for each {ale:d}: {ratio:.0f} times as many.",
        pd_is_dearer,
    ),
)
