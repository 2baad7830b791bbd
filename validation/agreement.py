"""When an effect equals R's: points, order of levels, values, and on what scale.

Points are equal bit for bit. Levels are in R's order or its reverse, since the direction of the
scaling axis is arbitrary; where levels have the same coordinate on it, or the axis itself is not
determined, their order is rounding in R too, and R's is taken over before values are compared. It
is also taken over where the direction decides between two cells that are equally near to an empty
one: then the surface of a pair depends on the direction, in R as here.

A difference of values is measured on the scale of the curve, its largest absolute value in R, and
must be below 1e-12 of it; that is asked for whatever R is. With ALEPlot and PDPlot every bit is
asked for besides: values in R's arithmetic, with the levels in R's own order, are identical. One
kind of effect cannot be asked for that: where the effect is small
beside the predictions (an offset of a million, a pair without an interaction), it is a difference
of nearly equal numbers and its own last digits are rounding errors of the predictions, in R as
here. Such a difference counts as rounding while it is below 16 machine epsilons of the largest
prediction, and reports count these cases separately.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py.inputs.ordering import level_distances
from aleplot_py.results.effects import Effect
from aleplot_py.steps.scaling import classical_scaling, doubly_centred

EPSILON = float(np.finfo(np.float64).eps)

#: Largest difference, as a fraction of R's curve.
OF_CURVE = 1e-12
#: Largest difference that is rounding of the predictions, in machine epsilons of the largest one.
OF_PREDICTIONS = 16.0
# Coordinates of levels that mirror each other differ by rounding only; relative to the largest.
TIED_LEVELS = 1e-9
# Eigenvalues this close, relative to the largest, leave the axis of the levels undetermined.
SAME_EIGENVALUE = 1e-9

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Agreement:
    """How an effect differs from R's.

    Parameters
    ----------
    points_equal : bool
        Whether the numeric grids, and the effective K where R gives it, are equal.
    order : {"none", "equal", "reversed", "turned", "tied", "undetermined", "different"}
        Order of the levels against R's; "none" for numeric features, "turned" where it is the
        reverse and values were compared in R's direction.
    difference : float
        Largest absolute difference of the values, in units of the prediction.
    curve : float
        Largest absolute value in R.
    predictions : float
        Largest absolute prediction.
    """

    points_equal: bool
    order: str
    difference: float
    curve: float
    predictions: float

    @property
    def of_curve(self) -> float:
        """The difference as a fraction of R's curve."""
        return _fraction(self.difference, self.curve)

    @property
    def of_predictions(self) -> float:
        """The difference in machine epsilons of the largest prediction."""
        return _fraction(self.difference, EPSILON * self.predictions)

    @property
    def status(self) -> str:
        """One of "equal", "rounding" (of the predictions) and "different"."""
        if not self.points_equal or self.order == "different":
            return "different"
        if self.of_curve <= OF_CURVE:
            return "equal"
        return "rounding" if self.of_predictions <= OF_PREDICTIONS else "different"


def _fraction(difference: float, scale: float) -> float:
    if difference == 0:
        return 0.0
    return difference / scale if scale > 0 else float("inf")


class Watched:
    """A black box that remembers its largest absolute prediction.

    Parameters
    ----------
    predict : callable
        The black box.
    """

    def __init__(self, predict: Any) -> None:
        self.predict = predict
        self.largest = 0.0

    def __call__(self, rows: Any) -> Any:
        """Predict, and look at the largest value."""
        values = self.predict(rows)
        self.largest = max(self.largest, float(np.max(np.abs(np.asarray(values)), initial=0.0)))
        return values


def order_of_levels(
    X: pd.DataFrame, feature: Any, ours: Sequence[str], theirs: Sequence[str]
) -> str:
    """Compare two orders of levels.

    Parameters
    ----------
    X : DataFrame of shape (n, d)
        The data.
    feature : column name
        The categorical column.
    ours, theirs : sequence of str
        Levels in this library's order and in R's.

    Returns
    -------
    str
        "equal", "reversed", "tied" (R's follows the scaling axis up to equal coordinates),
        "undetermined" (several axes are equally long) or "different".
    """
    ours, theirs = list(ours), list(theirs)
    if ours == theirs:
        return "equal"
    if ours == theirs[::-1]:
        return "reversed"
    if sorted(ours) != sorted(theirs):
        return "different"
    distances, levels = _distances(X, feature)
    coordinates = classical_scaling(distances)[[levels.index(level) for level in theirs]]
    steps, slack = np.diff(coordinates), TIED_LEVELS * np.max(np.abs(coordinates))
    if (steps >= -slack).all() or (steps <= slack).all():
        return "tied"
    return "different" if _axis_is_determined(distances) else "undetermined"


def _distances(X: pd.DataFrame, feature: Any) -> tuple[Array, list[str]]:
    levels, codes = np.unique(X[feature].astype(str).to_numpy(dtype=object), return_inverse=True)
    others = [X[name] for name in X.columns if name != feature]
    return level_distances(others, codes, len(levels)), levels.tolist()


def levels_are_alike(X: pd.DataFrame, feature: Any) -> bool:
    """Whether no other column tells the levels of a feature apart: all their distances are 0."""
    return not _distances(X, feature)[0].any()


def _axis_is_determined(distances: Array) -> bool:
    eigenvalues = np.linalg.eigvalsh(-doubly_centred(distances**2) / 2)
    return bool(eigenvalues[-1] - eigenvalues[-2] > SAME_EIGENVALUE * eigenvalues[-1])


def texts(levels: Any) -> list[str]:
    """Levels as text, as R knows them."""
    return [str(level) for level in levels]


def in_order(values: Array, axis: int, levels: list[str], wanted: list[str]) -> Array:
    """Values with the levels of one axis put into another order."""
    return np.take(values, [levels.index(level) for level in wanted], axis=axis)


def measure(
    effect: Effect,
    x_values: Sequence[Array],
    f_values: Array,
    *,
    order: str,
    predictions: float,
    values: Array | None = None,
) -> Agreement:
    """Compare an effect with R's, levels matched by name.

    Parameters
    ----------
    effect : Effect
        Result of this library.
    x_values, f_values : arrays
        Points and values of R.
    order : str
        Verdict of `order_of_levels`, or "none".
    predictions : float
        Largest absolute prediction.
    values : ndarray, optional
        Compared instead of the effect's values.

    Returns
    -------
    Agreement
        An infinite difference where the shapes differ.
    """
    ours = effect.f_values if values is None else values
    equal = True
    for axis, (kind, mine, theirs) in enumerate(
        zip(effect.kinds, effect.x_values, x_values, strict=True)
    ):
        if kind == "numeric":
            equal = equal and np.array_equal(mine, theirs)
        elif sorted(texts(mine)) == sorted(theirs):
            if values is None:
                ours = in_order(ours, axis, texts(mine), list(theirs))
        else:
            order = "different"
    if ours.shape != f_values.shape:
        return Agreement(False, order, float("inf"), float("nan"), predictions)
    # NaN counts as a difference, except where both have none to give.
    both_open = np.isnan(ours) & np.isnan(f_values)
    differences = np.abs(ours - f_values)[~both_open]
    largest = float(np.max(differences, initial=0.0))
    curve = float(np.max(np.abs(f_values[~np.isnan(f_values)]), initial=0.0))
    return Agreement(
        equal, order, float("inf") if np.isnan(largest) else largest, curve, predictions
    )
