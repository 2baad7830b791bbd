"""One case in every way that can be compared: what is asked of R, and what this library gives."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py.effects.ale import ale_of
from aleplot_py.effects.partial_dependence import partial_dependence_of
from aleplot_py.inputs.options import Options
from aleplot_py.inputs.problem import problem_of
from aleplot_py.inputs.requests import feature_requests
from aleplot_py.results.effects import AleResult, Effect, PartialDependenceResult
from aleplot_py.steps.sums import EXACT, Arithmetic, R
from validation import bridge, brute_force, r_effects
from validation.agreement import (
    Agreement,
    Watched,
    levels_are_alike,
    measure,
    order_of_levels,
    texts,
)
from validation.goldens_reader import StoredCase, aleplot_curve
from validation.parity_report import PACKAGES
from validation.r_effects import REffect, without_unused_levels

# The loops predict the whole frame once for each point and visit every point for every point.
LARGEST_FOR_LOOPS = 12_000

#: Checks in which every bit is expected to be R's. The others take sums in another order: iml in
#: blocks that run on from one point to the next, the loops and base R as the definition reads.
IDENTICAL = ("ALEPlot", "PDPlot")

#: Statuses that a search must not meet.
MISMATCHES = ("different", "not identical", "R stopped", "Python stopped")


@dataclass(frozen=True)
class Finding:
    """What came of one check of one case.

    Parameters
    ----------
    check : str
        One of `CHECKS`.
    status : str
        "equal"; "rounding" of the predictions; "different"; "not identical" where every bit was
        expected; "both refuse"; "R cannot" (a known
        failure of R: an axis with a single interval, levels that no other column tells apart, for
        iml another category with a single level);
        "R stopped" or "Python stopped" where the other did not; "too large" for the loops.
    agreement : Agreement, optional
        The comparison, where both gave a result.
    detail : str
        Message of an error.
    identical : bool, optional
        Whether every bit is R's with the levels in R's order: in R's arithmetic where the check
        expects identity, else in the exact one.
    exact : bool, optional
        Where the check expects identity: whether every bit is R's in the exact arithmetic too.
    """

    check: str
    status: str
    agreement: Agreement | None = None
    detail: str = ""
    identical: bool | None = None
    exact: bool | None = None

    @property
    def mismatch(self) -> bool:
        """Whether this is what a search looks for."""
        return self.status in MISMATCHES


class _Refused(Exception):  # noqa: N818 - a message in transit, not an error of its own
    """One side stopped; `side` is "R" or "Python"."""

    def __init__(self, side: str, message: str) -> None:
        super().__init__(message)
        self.side = side


@dataclass(frozen=True)
class _Task:
    """A case as the checks need it."""

    predict: Watched
    X: pd.DataFrame
    features: tuple[str, ...]
    K: int

    @property
    def positions(self) -> list[int]:
        return [list(self.X.columns).index(name) for name in self.features]

    @property
    def asked(self) -> Any:
        """Features as the library takes them: one name or a pair."""
        return self.features if len(self.features) > 1 else self.features[0]

    @property
    def points(self) -> int:
        """Points of a partial dependence, few for a pair: R predicts once for each of them."""
        return max(2, min(self.K, 6 if len(self.features) == 2 else 25))


def _task(case: StoredCase) -> _Task:
    predict = Watched(case.predict())
    K = case["K"] if "K" in case.content else case["grid_size"]
    return _Task(predict, case.frame(), case.features, int(K))


def _both(
    ours: Callable[[], Effect], theirs: Callable[[], REffect]
) -> tuple[Effect | _Refused, REffect | _Refused]:
    """Results of both sides, or why one gave none."""
    effect: Effect | _Refused
    expected: REffect | _Refused
    try:
        effect = ours()
    except (ValueError, TypeError) as error:
        effect = _Refused("Python", str(error))
    try:
        expected = theirs()
    except bridge.RCallError as error:
        expected = _Refused("R", str(error))
    return effect, expected


def _refusal(check: str, task: _Task, effect: Any, expected: Any) -> Finding | None:
    """Finding where a side gave no result."""
    if isinstance(effect, _Refused) and isinstance(expected, _Refused):
        return Finding(check, "both refuse", detail=f"Python: {effect} R: {expected}")
    if isinstance(effect, _Refused):
        return Finding(check, "Python stopped", detail=str(effect))
    # iml does not stop where its order of levels is missing: it returns NaN.
    if not isinstance(expected, _Refused) and not np.isnan(expected.f_values).all():
        return None
    known = _r_cannot(check, task, effect) and np.isfinite(effect.f_values).all()
    message = str(expected) if isinstance(expected, _Refused) else "NaN"
    return Finding(check, "R cannot" if known else "R stopped", detail=message)


def _r_cannot(check: str, task: _Task, effect: Effect) -> bool:
    """Whether the case is one of those on which R is known to fail."""
    if not isinstance(effect, AleResult):
        return False
    numeric = [K for K, kind in zip(effect.K, effect.kinds, strict=True) if kind == "numeric"]
    if check == "ALEPlot" and len(effect.K) == 2 and 1 in numeric:
        return True
    if effect.kinds[0] != "categorical":
        return False
    others = [task.X[name] for name in task.X.columns if name != task.features[0]]
    if check == "iml ale" and any(_single_level(other) for other in others):
        return True
    return levels_are_alike(task.X, task.features[0])


def _single_level(column: pd.Series) -> bool:
    return isinstance(column.dtype, pd.CategoricalDtype) and len(column.cat.categories) == 1


def _ale(task: _Task, arithmetic: Arithmetic = EXACT, **options: Any) -> AleResult:
    problem = problem_of(task.predict, task.X, Options(K=task.K, **options))
    requests = feature_requests(task.asked, problem.table)
    return ale_of(problem, requests, arithmetic=arithmetic)[0]


def _partial_dependence(
    task: _Task, arithmetic: Arithmetic = EXACT, *, centre: str = "none", **options: Any
) -> PartialDependenceResult:
    options = {"grid": "equidistant", **options}
    problem = problem_of(task.predict, task.X, Options(K=task.points, **options))
    requests = feature_requests(task.asked, problem.table)
    return partial_dependence_of(problem, requests, centre=centre, arithmetic=arithmetic)[0]


def _judged(
    check: str,
    agreement: Agreement,
    ours: Callable[..., Effect],
    expected: REffect,
    kinds: tuple[str, ...],
    features: tuple[str, ...],
) -> Finding:
    """Finding of a comparison, after a look at every bit with the levels in R's order."""
    if not agreement.points_equal or agreement.order == "different":
        return Finding(check, agreement.status, agreement)
    order = {
        name: list(levels)
        for name, kind, levels in zip(features, kinds, expected.x_values, strict=True)
        if kind == "categorical"
    }

    def same(arithmetic: Arithmetic) -> bool:
        f_values = ours(arithmetic, order=order or None).f_values
        return np.array_equal(f_values, expected.f_values, equal_nan=True)

    exact = same(EXACT)
    if check not in IDENTICAL:
        return Finding(check, agreement.status, agreement, identical=exact)
    identical = same(R)
    status = agreement.status if identical else "not identical"
    return Finding(check, status, agreement, identical=identical, exact=exact)


def _compare_ale(
    check: str, task: _Task, theirs: Callable[[], REffect], *, cells: bool = False, **options: Any
) -> Finding:
    """Compare an ALE result, with R's order among levels that R cannot tell apart either."""

    def ours(arithmetic: Arithmetic = EXACT, **order: Any) -> AleResult:
        return _ale(task, arithmetic, **options, **order)

    effect, expected = _both(ours, theirs)
    refusal = _refusal(check, task, effect, expected)
    if refusal is not None:
        return refusal
    assert isinstance(effect, AleResult)
    assert isinstance(expected, REffect)
    order = "none"
    if effect.kinds[0] == "categorical":
        name, levels = task.features[0], list(expected.x_values[0])
        order = order_of_levels(task.X, name, texts(effect.x_values[0]), levels)
        if order in ("tied", "undetermined") or (cells and order == "reversed"):
            effect = ours(order={name: levels})

    def agreement_of(effect: AleResult, order: str) -> Agreement:
        values = np.where(effect.empty, np.nan, effect.local_mean) if cells else None
        return measure(
            effect,
            expected.x_values,
            expected.f_values,
            order=order,
            predictions=task.predict.largest,
            values=values,
        )

    agreement = agreement_of(effect, order)
    if order == "reversed" and agreement.status == "different" and effect.empty.any():
        # Which of two equally near cells fills an empty one depends on the direction.
        effect = ours(order={task.features[0]: list(expected.x_values[0])})
        agreement = agreement_of(effect, "turned")
    if expected.K is not None and expected.K != effect.K:
        return Finding(check, "different", agreement, f"K {effect.K}, in R {expected.K}")
    if cells:
        return Finding(check, agreement.status, agreement)
    return _judged(check, agreement, ours, expected, effect.kinds, task.features)


def _compare_pd(check: str, task: _Task, theirs: Callable[[], REffect], **options: Any) -> Finding:
    """Compare a partial dependence, whose levels stand in declared order or in any."""

    def ours(arithmetic: Arithmetic = EXACT, **order: Any) -> PartialDependenceResult:
        return _partial_dependence(task, arithmetic, **options, **order)

    effect, expected = _both(ours, theirs)
    refusal = _refusal(check, task, effect, expected)
    if refusal is not None:
        return refusal
    assert isinstance(effect, Effect)
    assert isinstance(expected, REffect)
    order = "none"
    if effect.kinds[0] == "categorical":
        levels, in_r = texts(effect.x_values[0]), list(expected.x_values[0])
        free = check == "iml pdp" and sorted(levels) == sorted(in_r)
        order = "equal" if levels == in_r or free else "different"
    agreement = measure(
        effect,
        expected.x_values,
        expected.f_values,
        order=order,
        predictions=task.predict.largest,
    )
    return _judged(check, agreement, ours, expected, effect.kinds, task.features)


def _tidy(task: _Task) -> _Task:
    return _Task(task.predict, without_unused_levels(task.X), task.features, task.K)


def check_loops(task: _Task) -> Finding:
    """The definition by plain Python loops, the points being the library's."""
    check = "loops"
    effect, _ = _both(lambda: _ale(task), lambda: REffect((), np.empty(0)))
    if isinstance(effect, _Refused):
        return Finding(check, "both refuse", detail=str(effect))
    assert isinstance(effect, AleResult)
    if effect.f_values.size * (len(task.X) + effect.f_values.size / 4) > LARGEST_FOR_LOOPS:
        return Finding(check, "too large")
    expected = brute_force.ale(
        task.predict,
        task.X,
        task.features,
        [list(points) for points in effect.x_values],
        effect.kinds,
        tied=effect.local_mean if len(effect.K) == 2 else None,
    )
    edges = tuple(
        np.array(brute_force.quantile_edges(task.X[name].tolist(), task.K))
        if kind == "numeric"
        else np.array(texts(points), dtype=object)
        for name, kind, points in zip(task.features, effect.kinds, effect.x_values, strict=True)
    )
    order = "equal" if "categorical" in effect.kinds else "none"
    agreement = measure(
        effect, edges, expected.f_values, order=order, predictions=task.predict.largest
    )
    return Finding(check, agreement.status, agreement)


def check_base_r(task: _Task) -> Finding:
    """The definition in base R: a main effect, or the means of a pair's cells."""
    return _compare_ale(
        "base R",
        task,
        lambda: r_effects.definition(task.predict, task.X, task.positions, task.K),
        cells=len(task.features) == 2,
    )


def check_aleplot(task: _Task) -> Finding:
    """R's ``ALEPlot``."""
    return _compare_ale(
        "ALEPlot", task, lambda: r_effects.aleplot(task.predict, task.X, task.positions, task.K)
    )


def check_pdplot(task: _Task) -> Finding:
    """R's ``PDPlot``."""
    return _compare_pd(
        "PDPlot",
        task,
        lambda: r_effects.aleplot(task.predict, task.X, task.positions, task.points, "PDPlot"),
        centre="pdplot",
    )


def check_iml_ale(task: _Task) -> Finding:
    """The package iml, method "ale", without the declared levels that no row has."""
    tidy = _tidy(task)
    return _compare_ale(
        "iml ale",
        tidy,
        lambda: r_effects.iml_effect(tidy.predict, tidy.X, tidy.positions, tidy.K, "ale"),
        grid="iml",
    )


def check_iml_pdp(task: _Task) -> Finding:
    """The package iml, method "pdp", without the declared levels that no row has."""
    tidy = _tidy(task)
    return _compare_pd(
        "iml pdp",
        tidy,
        lambda: r_effects.iml_effect(tidy.predict, tidy.X, tidy.positions, tidy.points, "pdp"),
        grid="iml",
    )


@dataclass(frozen=True)
class Check:
    """A way to compare.

    Parameters
    ----------
    title : str
        What it is called in reports.
    tier : str or None
        Tier of ``parity_report``; None needs no R.
    run : callable
        Compares one task.
    """

    title: str
    tier: str | None
    run: Callable[[_Task], Finding]


CHECKS = {
    "loops": Check("the definition by loops, without R", None, check_loops),
    "base R": Check("the definition in base R", "base_r", check_base_r),
    "ALEPlot": Check("ALEPlot", "aleplot_r", check_aleplot),
    "PDPlot": Check("PDPlot", "aleplot_r", check_pdplot),
    "iml ale": Check("iml, ALE", "iml_r", check_iml_ale),
    "iml pdp": Check("iml, partial dependence", "iml_r", check_iml_pdp),
}


def why_not(check: str) -> str | None:
    """Return why a check cannot run here, or None where it can."""
    tier = CHECKS[check].tier
    return None if tier is None else bridge.why_packages_unavailable(PACKAGES[tier])


def run_check(check: str, case: StoredCase) -> Finding:
    """Compare one case in one way.

    Parameters
    ----------
    check : str
        One of `CHECKS`.
    case : StoredCase
        Drawn, saved or stored.

    Returns
    -------
    Finding
        What came of it.
    """
    with _without_warnings():
        return CHECKS[check].run(_task(case))


def against_saved(case: StoredCase) -> Finding:
    """Compare with ALEPlot's result that is saved in a case, which needs no R.

    Parameters
    ----------
    case : StoredCase
        A case with a result of ``ALEPlot``.

    Returns
    -------
    Finding
        What came of it.
    """
    curve = aleplot_curve(case)
    saved = REffect(
        tuple(
            np.array(points, dtype=object if isinstance(points[0], str) else np.float64)
            for points in curve.x_values
        ),
        curve.f_values,
        tuple(case["r"]["K"]),
    )
    with _without_warnings():
        return _compare_ale("saved R result", _task(case), lambda: saved)


@contextmanager
def _without_warnings() -> Generator[None, None, None]:
    """Silence what the library says about levels that nothing tells apart."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "column .* no other column tells", UserWarning)
        yield
