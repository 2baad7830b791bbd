"""What the bands of `bootstrap_bands` cover: ``python -m validation.coverage`` writes the table.

Samples are drawn from populations whose effect on any grid is known in closed form; each gets its
effect, with the intervals laid by its own rows, and its bands. Counted is how often the effect of
the population on these intervals lies inside: pointwise at the mean of the points and at the worst
one, simultaneously at all points at once. What the effect of intervals differs from that of ever
narrower ones (the bias of K) is no matter of the rows and not in a band.

All randomness comes from `SEED`. The table is written anew by hand where bands change; it takes
some ten minutes of one core.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from tqdm import tqdm

from aleplot_py import ale, bootstrap_bands, partial_dependence
from aleplot_py.analysis.limits import band_limits
from aleplot_py.results.effects import AleResult, PartialDependenceResult
from aleplot_py.steps.accumulate import accumulate
from aleplot_py.steps.centre import centred_effect
from aleplot_py.steps.grid import FloatArray
from reproductions.engine import files

SEED = 20261201
LEVEL = 0.95
# Coverages that the table counts as holding the level.
HOLDS = (0.92, 0.98)
FOLDER = Path(__file__).parents[1] / "paper_figures" / "validation"
# Ends of every sample's bands: kind, and method.
BANDS = (
    ("pointwise", "percentile"),
    ("pointwise", "normal"),
    ("simultaneous", "normal"),
    ("simultaneous", "percentile"),
)
# Rounding of both the effect and the truth, as a share of the largest value.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Sample:
    """One sample's effect and what it estimates.

    Parameters
    ----------
    effect : AleResult or PartialDependenceResult
        Estimated from the rows.
    truth : ndarray of the shape of ``effect.f_values``
        The same of the population, in units of the prediction.
    options : dict
        What `bootstrap_bands` needs beside the effect.
    """

    effect: AleResult | PartialDependenceResult
    truth: FloatArray
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One line of the table for each kind of band.

    Parameters
    ----------
    number : int
        Where its randomness starts from, its own for each case.
    name : str
        What is estimated.
    draw : callable(rng, n, K) -> Sample
        The simulation.
    n, K : int
        Rows of a sample, and intervals (of each feature).
    simulations, n_boot : int
        Samples, and resamples of each.
    """

    number: int
    name: str
    draw: Callable[[np.random.Generator, int, int], Sample]
    n: int
    K: int
    simulations: int
    n_boot: int


def _truth(effect: AleResult, local_mean: FloatArray) -> FloatArray:
    """Effect of the population's mean local effects, centred over the rows of the sample."""
    accumulated = accumulate(local_mean)
    return centred_effect(accumulated, effect.counts, effect.kinds, effect.centre)[0]


def numeric(rng: np.random.Generator, n: int, K: int) -> Sample:
    """``f = a (1 + z)``, a and z standard normal with correlation 0.5: E(z | a) = a / 2."""
    a, noise = rng.normal(size=(2, n))
    X = pd.DataFrame({"a": a, "z": a / 2 + np.sqrt(0.75) * noise})
    effect = ale(lambda F: F["a"] * (1 + F["z"]), X, "a", K=K, local_effects=True)
    edges = effect.x_values[0]
    mean_a = -np.diff(stats.norm.pdf(edges)) / np.diff(stats.norm.cdf(edges))
    return Sample(effect, _truth(effect, np.diff(edges) * (1 + mean_a / 2)))


def pair(rng: np.random.Generator, n: int, K: int) -> Sample:
    """``f = a b (1 + 2 z)`` of three independent uniform features: slopes of mean 2."""
    X = pd.DataFrame(rng.uniform(size=(n, 3)), columns=list("abz"))
    effect = ale(
        lambda F: F["a"] * F["b"] * (1 + 2 * F["z"]), X, ("a", "b"), K=K, local_effects=True
    )
    areas = np.multiply.outer(*(np.diff(edges) for edges in effect.x_values))
    return Sample(effect, _truth(effect, 2 * areas))


def category(rng: np.random.Generator, n: int, _: int) -> Sample:
    """``f = code(c) z``, z normal with mean 1 and independent of the level: steps of the codes."""
    codes = {"u": 0.0, "v": 1.0, "w": -1.0, "x": 2.0}
    levels = rng.permutation(np.repeat(list(codes), [n * s // 10 for s in (4, 3, 2, 1)]))
    X = pd.DataFrame({"c": levels, "z": rng.normal(1, 1, size=len(levels))})
    effect = ale(
        lambda F: F["c"].map(codes) * F["z"], X, "c", order=list(codes), local_effects=True
    )
    return Sample(effect, _truth(effect, np.diff(list(codes.values()))))


def profile(rng: np.random.Generator, n: int, K: int) -> Sample:
    """Partial dependence of ``f = a (1 + z) + z``, standard normal: the line through 0."""
    X = pd.DataFrame(rng.normal(size=(n, 2)), columns=list("az"))
    effect = partial_dependence(
        lambda F: F["a"] * (1 + F["z"]) + F["z"], X, "a", K=K, kind="both", centre="none"
    )
    return Sample(effect, np.asarray(effect.x_values[0]))


def refit(rng: np.random.Generator, n: int, K: int) -> Sample:
    """Least squares of all terms up to degree 2 on ``a + a b`` and noise: slopes of mean 1."""
    X = pd.DataFrame(rng.normal(size=(n, 2)), columns=list("ab"))
    y = (X["a"] * (1 + X["b"]) + rng.normal(size=n)).to_numpy()

    def design(F: pd.DataFrame) -> FloatArray:
        a, b = F.to_numpy().T
        return np.column_stack([np.ones(len(F)), a, b, a * b, a**2, b**2])

    def fit(F: pd.DataFrame, y: Any) -> Callable[[pd.DataFrame], FloatArray]:
        coefficients = np.linalg.lstsq(design(F), y, rcond=None)[0]
        return lambda F: np.asarray(design(F) @ coefficients)

    effect = ale(fit(X, y), X, "a", K=K)
    truth = _truth(effect, np.diff(effect.x_values[0]))
    return Sample(effect, truth, {"refit": fit, "X": X, "y": y})


CASES = (
    Case(0, "numeric", numeric, 100, 5, 500, 400),
    Case(1, "numeric", numeric, 100, 10, 500, 400),
    Case(2, "numeric", numeric, 100, 40, 500, 400),
    Case(3, "numeric", numeric, 300, 10, 500, 400),
    Case(4, "numeric", numeric, 1000, 10, 500, 400),
    Case(6, "numeric", numeric, 3000, 40, 500, 400),
    Case(7, "pair", pair, 600, 5, 120, 400),
    Case(8, "pair", pair, 600, 10, 200, 400),
    Case(10, "category", category, 100, 4, 300, 400),
    Case(11, "category", category, 1000, 4, 200, 400),
    Case(12, "partial dependence", profile, 100, 10, 1000, 400),
    Case(13, "partial dependence", profile, 1000, 10, 500, 400),
    Case(14, "refit", refit, 100, 10, 200, 200),
    Case(15, "refit", refit, 200, 10, 100, 200),
)


def held(case: Case, sample: int) -> dict[tuple[str, str], Any]:
    """Which points of one sample each of its bands holds.

    Parameters
    ----------
    case : Case
        The simulation.
    sample : int
        Which sample, from 0.

    Returns
    -------
    dict of (kind, method) to ndarray of bool of shape (points,), or bool
        Points held; for a simultaneous band whether all are.
    """
    rng = np.random.default_rng([SEED, case.number, sample])
    drawn = case.draw(rng, case.n, case.K)
    bands = bootstrap_bands(
        drawn.effect, n_boot=case.n_boot, random_state=rng, keep_curves=True, **drawn.options
    )
    curves: Any = bands.curves
    f_values = drawn.effect.f_values
    rounding = ROUNDING * np.abs(f_values).max()
    found: dict[tuple[str, str], Any] = {}
    for kind, method in BANDS:
        lower, upper, _ = band_limits(
            curves, f_values, LEVEL, method, simultaneous=kind == "simultaneous"
        )
        inside = (lower - rounding <= drawn.truth) & (drawn.truth <= upper + rounding)
        found[kind, method] = inside.all() if kind == "simultaneous" else inside.ravel()
    return found


def lines(case: Case, samples: list[dict[tuple[str, str], Any]]) -> Iterator[dict[str, Any]]:
    """Lines of the table for one case.

    Parameters
    ----------
    case : Case
        The simulation.
    samples : list of dict
        What `held` gave for each sample.

    Yields
    ------
    dict
        Share of the samples whose band holds the truth, for each kind of band.
    """
    for kind, method in BANDS:
        inside = [sample[kind, method] for sample in samples]
        by_point = np.mean(inside, axis=0)
        coverage = float(np.mean(by_point))
        yield {
            "case": case.name,
            "n": case.n,
            "K": case.K,
            "kind": kind,
            "method": method,
            "n_boot": case.n_boot,
            "simulations": len(inside),
            "coverage": round(coverage, 4),
            "worst_point": round(float(np.min(by_point)), 4) if kind == "pointwise" else np.nan,
            "holds": HOLDS[0] <= coverage <= HOLDS[1],
        }


def promised(table: pd.DataFrame) -> pd.Series[bool]:
    """Which lines README promises the level for.

    Parameters
    ----------
    table : DataFrame
        As `lines` yields them.

    Returns
    -------
    Series of bool
        Those of the ends that `bootstrap_bands` takes by default, with ten rows or more for
        each interval, or five for each cell of a pair.
    """
    by_default = {("pointwise", "percentile"), ("simultaneous", "normal")}
    default = [band in by_default for band in zip(table["kind"], table["method"], strict=True)]
    pairs = table["case"] == "pair"
    enough = np.where(pairs, table["n"] >= 5 * table["K"] ** 2, table["n"] >= 10 * table["K"])
    return pd.Series(default & enough, index=table.index)


def main() -> int:
    """Run all cases and write ``coverage.csv`` and ``coverage.md``.

    Returns
    -------
    int
        0.
    """
    start = time.process_time()
    found: list[dict[str, Any]] = []
    for case in tqdm(CASES, desc="cases"):
        found += lines(case, [held(case, sample) for sample in range(case.simulations)])
    table = pd.DataFrame(found)
    minutes = (time.process_time() - start) / 60
    files.write(FOLDER / "coverage.csv", table.to_csv(index=False).encode())
    files.write(FOLDER / "coverage.md", page(table).encode())
    print(f"{sum(case.simulations for case in CASES)} samples, {minutes:.1f} minutes")
    return 0


def page(table: pd.DataFrame) -> str:
    """The table as Markdown, with what it counts.

    Parameters
    ----------
    table : DataFrame
        As `covered` yields its lines.

    Returns
    -------
    str
        The page.
    """
    head = (
        "# What the bands cover\n\n"
        f"Bands of nominal {LEVEL:.0%}, seed {SEED}, by `python -m validation.coverage`, whose "
        "docstring and\nfunctions tell the simulations. Bold: outside "
        f"{HOLDS[0]:.0%} to {HOLDS[1]:.0%}. K is the number of intervals (of each\nfeature of a "
        "pair; levels of a category), the worst point that of a pointwise band;\n± one standard "
        "error of a share of the samples.\n\n"
        "| case | n | K | band | ends | resamples | samples | coverage | worst point |\n"
        "|---|---:|---:|---|---|---:|---:|---:|---:|\n"
    )
    rows = []
    records: Any = table.to_dict("records")
    for line in records:
        coverage, worst = line["coverage"], line["worst_point"]
        error = np.sqrt(coverage * (1 - coverage) / line["simulations"])
        share = f"{coverage:.1%} ± {error:.1%}"
        rows.append(
            f"| {line['case']} | {line['n']} | {line['K']} | {line['kind']} | {line['method']} "
            f"| {line['n_boot']} | {line['simulations']} "
            f"| {share if line['holds'] else f'**{share}**'} "
            f"| {'' if np.isnan(worst) else f'{worst:.1%}'} |"
        )
    return head + "\n".join(rows) + "\n"


if __name__ == "__main__":
    sys.exit(main())
