"""Compare your own: R and this library on your model and your data, side by side."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from aleplot_py import ale, partial_dependence
from aleplot_py.inputs.black_box import as_black_box
from aleplot_py.plots import STYLE
from aleplot_py.results.base import Result
from aleplot_py.results.codec import Rule, register
from aleplot_py.results.effects import AleResult, Effect
from aleplot_py.typing import GridRule
from validation import bridge, certify, r_effects
from validation.agreement import (
    EPSILON,
    OF_CURVE,
    Agreement,
    Watched,
    in_order,
    measure,
    order_of_levels,
    texts,
)
from validation.r_effects import REffect

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = np.ndarray[Any, Any]

#: What R can be asked: the function, the R package it needs, and whether it is an ALE.
METHODS = {
    "ALEPlot": ("ALEPlot::ALEPlot", bridge.ALEPLOT_PACKAGES, True),
    "PDPlot": ("ALEPlot::PDPlot", bridge.ALEPLOT_PACKAGES, False),
    "iml": ("iml::FeatureEffect, method ale", bridge.IML_PACKAGES, True),
    "iml-pdp": ("iml::FeatureEffect, method pdp", bridge.IML_PACKAGES, False),
}
SHOWN_POINTS = 8

_VERDICTS = {
    "equal": "EQUAL to R",
    "rounding": "EQUAL to R, to rounding of the predictions",
    "different": "DIFFERENT from R",
}
_ORDERS = {
    "equal": "in R's order",
    "reversed": "in the reverse of R's order (the direction is arbitrary)",
    "turned": "turned into R's direction, on which a tie between empty cells depends",
    "tied": "in R's order up to levels with equal distances to the others",
    "undetermined": "not determined by the distances; R's order was taken over",
    "different": "in another order than R's",
}


register(REffect)
register(Agreement)


@dataclass(frozen=True, eq=False, repr=False)
class RComparison(Result):
    """R's effect beside this library's; ``print(comparison)`` is a small report.

    Parameters
    ----------
    effect : AleResult or PartialDependenceResult
        This library's result.
    r_effect : REffect
        R's result; its levels may stand in another order.
    agreement : Agreement
        How the two differ.
    asked : str
        What R was asked, such as "ALEPlot::ALEPlot".
    K : int
        Intervals asked for.
    n : int
        Number of rows.
    versions : dict of str to str
        R, its packages, Python and numpy.
    """

    effect: Effect
    r_effect: REffect
    agreement: Agreement
    asked: str
    K: int
    n: int
    versions: Mapping[str, str]
    _evidence: Callable[[], certify.Evidence] | None = field(default=None, repr=False)

    def _value(self, name: str) -> Any:
        return None if name == "_evidence" else getattr(self, name)

    @property
    def equal(self) -> bool:
        """Whether grids, levels and values are R's."""
        return self.agreement.status != "different"

    @property
    def r_values(self) -> Array:
        """R's values, with levels in this library's order; the shape of ``effect.f_values``."""
        values = self.r_effect.f_values
        for axis, kind in enumerate(self.effect.kinds):
            ours, theirs = self.effect.x_values[axis], list(self.r_effect.x_values[axis])
            if kind == "categorical" and sorted(texts(ours)) == sorted(theirs):
                values = in_order(values, axis, theirs, texts(ours))
        return values

    def certificate(self, path: str | Path) -> list[Path]:
        """Write a certificate that plain R can check, without Python, your model or ALEPlot.

        Parameters
        ----------
        path : str or Path
            File to write, ``NAME.json``: points and values of both sides in hexadecimal, digests
            of data and predictions, the call, versions, date and verdict. Beside it come
            ``NAME.R`` with the predictions, and the script of
            ``Rscript certificate_check.R NAME.R``. The black box is asked once more.

        Returns
        -------
        list of Path
            The files.

        Raises
        ------
        ValueError
            If R was asked something else than ``ALEPlot`` or ``PDPlot``, the points differ, or
            the comparison was read from a file, which does not keep the black box.
        """
        if self._evidence is None:
            raise ValueError(
                "a certificate needs the black box and the data, which a saved comparison does "
                "not keep: call compare_with_r again"
            )
        return certify.write(self, self._evidence(), path)

    def to_frame(self) -> pd.DataFrame:
        """Both values and their difference at every point.

        Returns
        -------
        DataFrame
            A column per feature, then ``R``, ``Python`` and ``difference``, in units of the
            prediction.

        Raises
        ------
        ValueError
            If the points differ, so that there is nothing to put side by side.
        """
        if self.r_values.shape != self.effect.f_values.shape:
            raise ValueError(
                "the points differ, so their values cannot stand side by side: R has shape "
                f"{self.r_values.shape}, this library {self.effect.f_values.shape}"
            )
        names = [str(name) for name in self.effect.features]
        points = pd.MultiIndex.from_product(
            [list(axis) for axis in self.effect.x_values], names=list(range(len(names)))
        ).to_frame(index=False)
        added = ("R", "Python", "difference")
        points.columns = pd.Index([f"feature {n}" if n in added else n for n in names])
        ours, theirs = self.effect.f_values.ravel(), self.r_values.ravel()
        return points.assign(R=theirs, Python=ours, difference=ours - theirs)

    def __repr__(self) -> str:
        features = " x ".join(repr(name) for name in self.effect.features)
        return f"RComparison({features}: {_VERDICTS[self.agreement.status]}, {self.asked})"

    def summary(self) -> str:
        """The report as text."""
        return str(self)

    def _html_table(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def _rules(self) -> Iterator[Rule]:
        got, axes = self.r_effect.f_values.ndim, len(self.effect.axes)
        yield got == axes, "r_effect.f_values", f"of {axes} dimensions", got
        got = len(self.r_effect.x_values)
        yield got == axes, "r_effect.x_values", f"{axes} of them", got

    def __str__(self) -> str:
        """Report: what was compared, points, values, differences, versions, verdict."""
        found = self.agreement
        features = " x ".join(str(name) for name in self.effect.features)
        lines = [
            f"{self.asked} and aleplot_py on {features}, n = {self.n}, K = {self.K}",
            f"  points       {self._about_points()}",
        ]
        if found.order != "none":
            lines.append(f"  levels       {_ORDERS[found.order]}")
        lines += [
            f"  difference   {found.difference:.3g}, largest value {found.curve:.6g}",
            f"               {found.of_curve:.1e} of the curve (at most {OF_CURVE:.0e}), "
            f"{found.of_predictions:.2g} machine epsilons of the largest prediction",
        ]
        if self.r_values.shape == self.effect.f_values.shape:
            lines += ["", *self._table(), ""]
        lines.append("  versions     " + ", ".join(f"{k} {v}" for k, v in self.versions.items()))
        lines.append(f"  {_VERDICTS[found.status]}")
        return "\n".join(lines)

    def _about_points(self) -> str:
        counts = " x ".join(str(len(axis)) for axis in self.effect.x_values)
        if self.agreement.points_equal:
            numeric = "numeric" in self.effect.kinds
            return f"{counts}, " + ("grid equal bit for bit" if numeric else "all levels equal")
        in_r = " x ".join(str(len(axis)) for axis in self.r_effect.x_values)
        return f"DIFFERENT: {counts} here, {in_r} in R"

    def _table(self) -> list[str]:
        """Some of the points, the largest difference among them."""
        frame = self.to_frame()
        chosen = np.linspace(0, len(frame) - 1, min(SHOWN_POINTS, len(frame))).round().astype(int)
        worst = int(frame["difference"].abs().to_numpy().argmax())
        rows = frame.iloc[sorted({*chosen.tolist(), worst})]
        text = rows.to_string(index=False, formatters={"difference": "{:.1e}".format})
        left = len(frame) - len(rows)
        note = [f"  (and {left} more: comparison.to_frame())"] if left else []
        return ["  " + line for line in text.splitlines()] + note

    def plot(self) -> Figure:
        """Lay R's curve over Python's, and their difference below or beside it.

        Returns
        -------
        Figure
            Two panels for a main effect, three for a pair. Needs matplotlib.

        Raises
        ------
        ValueError
            If the points differ.
        """
        import matplotlib.pyplot as plt

        self.to_frame()  # refuses points that differ
        with plt.style.context(["default", STYLE]):
            if len(self.effect.features) == 2:
                return self._plot_pair()
            figure, (above, below) = plt.subplots(
                2, 1, figsize=(4.6, 4.2), layout="constrained", height_ratios=(3, 1), sharex=True
            )
            self._plot_curves(above)
            self._plot_differences(below)
            figure.suptitle(
                f"{_VERDICTS[self.agreement.status]}: largest difference "
                f"{self.agreement.of_curve:.1e} of the curve"
            )
            return figure

    def _axis(self, axis: int) -> tuple[Array, list[str] | None]:
        """Places of the points on an axis, and their labels for levels."""
        points = self.effect.x_values[axis]
        if self.effect.kinds[axis] == "numeric":
            return points, None
        return np.arange(len(points), dtype=np.float64), texts(points)

    def _plot_curves(self, ax: Axes) -> None:
        """R wide and pale below, Python thin and dark on it: where they part, both are seen."""
        places, levels = self._axis(0)
        r_label, label = f"R ({self.asked.split(':')[0]})", "Python (aleplot_py)"
        if levels is None:
            ax.plot(places, self.r_values, color="C1", lw=5, alpha=0.45, ls="-", label=r_label)
            ax.plot(places, self.effect.f_values, color="C0", lw=1, ls="-", marker=".", label=label)
        else:
            ax.bar(places, self.r_values, width=0.7, color="C1", alpha=0.45, label=r_label)
            ax.bar(places, self.effect.f_values, width=0.3, color="C0", label=label)
        ax.axhline(0, color="0.6", lw=0.5, ls="-", zorder=0)
        ax.set_ylabel("Effect")
        ax.legend()

    def _plot_differences(self, ax: Axes) -> None:
        """Python minus R, in the unit in which rounding is counted."""
        places, levels = self._axis(0)
        unit = EPSILON * max(self.agreement.curve, np.finfo(np.float64).tiny)
        ax.axhspan(-1, 1, color="0.9", zorder=0, label="one machine epsilon (2.2e-16)")
        ax.vlines(places, 0, (self.effect.f_values - self.r_values) / unit, color="C0", lw=1.2)
        ax.axhline(0, color="0.6", lw=0.5, ls="-")
        ax.set_ylabel("Python - R\n(machine epsilons\nof the curve)")
        ax.set_xlabel(str(self.effect.features[0]))
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.1)
        if levels is not None:
            ax.set_xticks(places, levels)

    def _plot_pair(self) -> Figure:
        """Both surfaces on one colour scale, and their difference."""
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(1, 3, figsize=(8.6, 3.0), layout="constrained", sharey=True)
        ours, theirs = self.effect.f_values, self.r_values
        size = float(max(np.abs(ours).max(), np.abs(theirs).max())) or 1.0
        unit = EPSILON * size
        (x, x_levels), (y, y_levels) = self._axis(0), self._axis(1)
        panels = (
            (f"R ({self.asked.split(':')[0]})", theirs, size, ""),
            ("Python (aleplot_py)", ours, size, "effect"),
            ("Python - R", (ours - theirs) / unit, None, "machine epsilons of the surface"),
        )
        for ax, (title, values, limit, label) in zip(axes, panels, strict=True):
            limit = max(float(np.abs(values).max()), 1.0) if limit is None else limit
            mesh = ax.pcolormesh(
                x, y, values.T, shading="nearest", cmap="RdBu_r", vmin=-limit, vmax=limit
            )
            ax.set_title(title)
            ax.set_xlabel(str(self.effect.features[0]))
            if x_levels is not None:
                ax.set_xticks(x, x_levels)
            if label:
                figure.colorbar(mesh, ax=ax, label=label)
        axes[0].set_ylabel(str(self.effect.features[1]))
        if y_levels is not None:
            axes[0].set_yticks(y, y_levels)
        figure.suptitle(
            f"{_VERDICTS[self.agreement.status]}: largest difference "
            f"{self.agreement.of_curve:.1e} of the surface"
        )
        return figure


def compare_with_r(
    predict: Any,
    X: pd.DataFrame | Array,
    features: Any,
    K: int = 40,
    *,
    method: str = "ALEPlot",
    target: Any = None,
    response_method: str = "auto",
    quiet: bool = False,
) -> RComparison:
    """Ask R and this library for the same effect of your model on your data.

    R runs inside this process (rpy2, imported only now) and calls your model itself, so that
    nothing but the estimator is compared.

    Parameters
    ----------
    predict : callable or fitted model
        As `aleplot_py.ale` takes it.
    X : DataFrame or ndarray of shape (n, d)
        The data. R gets columns V1, V2, ..., and text and booleans as factors; your model gets
        its own names and types back.
    features : name or position, or a pair of these
        One or two columns. A number before a category is asked of R the other way round, since R
        knows only that order.
    K : int, default 40
        Intervals, or points of a partial dependence.
    method : {"ALEPlot", "PDPlot", "iml", "iml-pdp"}
        What R is asked. The package iml gets the data without the declared levels that no row
        has, since it takes them for used ones.
    target, response_method
        As in `aleplot_py.ale`.
    quiet : bool, default False
        Whether not to print the report.

    Returns
    -------
    RComparison
        The comparison; its ``str`` is the report, ``plot()`` draws it.

    Raises
    ------
    RUnavailableError
        If R, rpy2 or the R package is missing; the message says which and how to get it.
    RCallError
        If R stops with an error of its own; PARITY.md lists where it does.
    ValueError
        If `method` is unknown, or this library refuses the input.

    Examples
    --------
    >>> from validation import compare_with_r
    >>> comparison = compare_with_r(model, X, "temp")       # doctest: +SKIP
    >>> comparison.plot().savefig("temp.png")               # doctest: +SKIP
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {list(METHODS)}, got {method!r}")
    asked, packages, is_ale = METHODS[method]
    reason = bridge.why_packages_unavailable(packages)
    if reason is not None:
        raise bridge.RUnavailableError(
            f"cannot compare with {asked}: {reason}. `make r` installs R where it may, `make "
            "r-cran` the packages; or pass method= for another package"
        )
    box = Watched(as_black_box(predict, target=target, response_method=response_method))
    in_r = r_effects.with_factors(X)

    def ours(features: Any = features, **options: Any) -> Any:
        if is_ale:
            grid: GridRule = "iml" if method == "iml" else "aleplot"
            return ale(box, X, features, K=K, grid=grid, **options)
        if method == "iml-pdp":
            return partial_dependence(box, X, features, K=K, grid="iml", **options)
        return partial_dependence(box, X, features, K=K, centre="pdplot", **options)

    def evidence() -> certify.Evidence:
        in_r_order = ours(
            names if len(names) == 2 else names[0], order=_order_of_r(effect, r_effect)
        )
        return certify.gather(box, X, in_r_order)

    effect = ours()
    if not isinstance(effect, Effect):
        raise ValueError(f"features must be one column or a pair, got {features!r}")
    swapped = effect.kinds == ("numeric", "categorical")
    names = effect.features[::-1] if swapped else effect.features
    columns: list[Any] = list(X.columns) if isinstance(X, pd.DataFrame) else list(range(X.shape[1]))
    positions = [columns.index(name) for name in names]
    r_effect = _ask(method, r_effects.with_own_types(box, X), in_r, positions, K)
    if swapped:
        r_effect = REffect(
            r_effect.x_values[::-1],
            r_effect.f_values.T,
            None if r_effect.K is None else r_effect.K[::-1],
        )
    order = "none"
    numbered = in_r.set_axis(r_effects.names_in_r(in_r), axis="columns")
    for axis, kind in enumerate(effect.kinds):
        if kind != "categorical":
            continue
        levels, theirs = texts(effect.x_values[axis]), list(r_effect.x_values[axis])
        feature = numbered.columns[columns.index(effect.features[axis])]
        order = order_of_levels(numbered, feature, levels, theirs) if is_ale else "equal"
        if order in ("tied", "undetermined"):
            effect = ours(order=_order_of_r(effect, r_effect))

    def agreement_of(effect: Effect, order: str) -> Agreement:
        return measure(
            effect, r_effect.x_values, r_effect.f_values, order=order, predictions=box.largest
        )

    agreement = agreement_of(effect, order)
    if order == "reversed" and agreement.status == "different" and effect.empty.any():
        effect = ours(order=_order_of_r(effect, r_effect))
        agreement = agreement_of(effect, "turned")
    if isinstance(effect, AleResult) and r_effect.K not in (None, effect.K):
        agreement = Agreement(
            False, order, agreement.difference, agreement.curve, agreement.predictions
        )
    others = {*bridge.MODEL_PACKAGES, *bridge.ALEPLOT_PACKAGES, *bridge.IML_PACKAGES} - {*packages}
    versions = {name: v for name, v in bridge.versions().items() if name not in others}
    comparison = RComparison(effect, r_effect, agreement, asked, K, len(X), versions, evidence)
    if not quiet:
        print(comparison)
    return comparison


def _order_of_r(effect: Effect, r_effect: REffect) -> dict[Any, list[Any]]:
    """R's order of the levels, as this library takes it."""
    orders = {}
    for axis, kind in enumerate(effect.kinds):
        if kind == "categorical":
            levels = effect.x_values[axis]
            by_text = dict(zip(texts(levels), levels, strict=True))
            orders[effect.features[axis]] = [by_text[text] for text in r_effect.x_values[axis]]
    return orders


def _ask(method: str, box: r_effects.Predictor, X: Any, positions: list[int], K: int) -> REffect:
    if method in ("ALEPlot", "PDPlot"):
        return r_effects.aleplot(box, X, positions, K, method)
    name = "ale" if method == "iml" else "pdp"
    return r_effects.iml_effect(box, X, positions, K, name, drop_unused=True)
