"""How much the order of levels matters: the curve of one feature in several orders."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np
import pandas as pd

from aleplot_py.effects.ale import ale_of
from aleplot_py.errors import FeatureError, FeatureTypeError
from aleplot_py.inputs.axes import kind_of
from aleplot_py.inputs.checks import one_of
from aleplot_py.inputs.fitting import with_bar
from aleplot_py.inputs.options import Options
from aleplot_py.inputs.ordering import ORDERS
from aleplot_py.inputs.problem import problem_of
from aleplot_py.inputs.requests import Requests, single_feature
from aleplot_py.results.base import Result
from aleplot_py.results.codec import Rule
from aleplot_py.results.effects import AleResult
from aleplot_py.steps.centre import power_of
from aleplot_py.steps.grid import FloatArray
from aleplot_py.typing import (
    Collapse,
    Columns,
    Feature,
    FrameLike,
    Missing,
    Numbers,
    OrderRule,
    Predictor,
    ResponseMethod,
    Values,
)

if TYPE_CHECKING:
    from aleplot_py.plots.sensitivity import OrderSensitivityDisplay
    from aleplot_py.plots.visuals import OrderSensitivityPlotOptions


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OrderSensitivity(Result):
    """Curves of one categorical feature for several orders of its levels.

    .. versionadded:: 0.2

    Parameters
    ----------
    feature : hashable
        Column name or position.
    orders : tuple of M str
        Names of the orders; the others are compared with the first.
    effects : tuple of M AleResult
        The curves, each with its levels in its order.
    differences : ndarray of shape (M, L)
        Curve less the first one, at the levels of the first, in units of the prediction.
    distance : ndarray of shape (M,)
        Root mean square of the difference over the rows, in units of the prediction.
    """

    _panels: ClassVar[int] = 2

    feature: Hashable
    orders: tuple[str, ...]
    effects: tuple[AleResult, ...]
    differences: FloatArray
    distance: FloatArray

    def __repr__(self) -> str:
        farthest = int(np.argmax(self.distance))
        return (
            f"OrderSensitivity({self.feature!r}: {len(self.orders)} orders, up to "
            f"{self.distance[farthest]:.4g} ({self.orders[farthest]!r}) from {self.orders[0]!r})"
        )

    def to_frame(self) -> pd.DataFrame:
        """Table with one row per order.

        Returns
        -------
        DataFrame
            Columns ``order``, ``levels`` (a tuple, in this order), ``strength`` (standard deviation
            of the curve over the rows), ``distance``, ``largest`` (of the differences, in size) and
            ``at`` (the level where it is).
        """
        largest = np.abs(self.differences).argmax(axis=1)
        levels = self.effects[0].x_values[0]
        return pd.DataFrame(
            {
                "order": self.orders,
                "levels": [tuple(effect.x_values[0]) for effect in self.effects],
                "strength": [effect.strength for effect in self.effects],
                "distance": self.distance.copy(),
                "largest": np.abs(self.differences).max(axis=1),
                "at": pd.Series([levels[i] for i in largest], dtype=object),
            }
        )

    def plot(self, **options: Unpack[OrderSensitivityPlotOptions]) -> OrderSensitivityDisplay:
        """Draw the effect of every level in each order, and how far each moves the curve.

        Parameters
        ----------
        **options
            Those of `aleplot_py.OrderSensitivityDisplay.plot`.

        Returns
        -------
        OrderSensitivityDisplay
            Holds the artists.
        """
        from aleplot_py.plots.sensitivity import OrderSensitivityDisplay

        return OrderSensitivityDisplay(self).plot(**options)

    def _draw_on(self, axes: list[Any]) -> None:
        self.plot(ax=axes)

    def _rules(self) -> Iterator[Rule]:
        m = len(self.orders)
        yield m > 1, "orders", "two or more", self.orders
        yield len(self.effects) == m, "effects", f"{m} of them", self.effects
        levels = set(self.effects[0].x_values[0])
        for i, effect in enumerate(self.effects):
            same = effect.kinds == ("categorical",) and set(effect.x_values[0]) == levels
            yield same, f"effects[{i}]", "main effects of the same levels", effect.features
        shape = (m, len(levels))
        got = self.differences.shape
        yield got == shape, "differences", f"of shape {shape}", got
        yield self.distance.shape == (m,), "distance", f"of shape ({m},)", self.distance.shape


def order_sensitivity(
    predict: Predictor,
    X: FrameLike,
    feature: Feature,
    *,
    orders: Sequence[OrderRule] | Mapping[str, OrderRule | Values] = (
        "similarity",
        "declared",
        "frequency",
        "mean_prediction",
    ),
    collapse: Collapse | None = None,
    categorical: Columns | None = None,
    sample_weight: Numbers | None = None,
    target: Hashable | None = None,
    response_method: ResponseMethod = "auto",
    missing: Missing = "error",
    batch_rows: int | None = None,
    n_jobs: int | Executor | None = None,
    progress: bool = True,
) -> OrderSensitivity:
    """Compare the curve of a categorical feature over several orders of its levels.

    Levels without an order of their own must be given one, since a local effect is the difference
    between neighbours, over the rows of these two. Of a model without interactions every order
    gives the same curve. Otherwise the order decides which rows each difference is taken over, and
    neighbours with dissimilar rows bring in predictions for combinations that may not exist: this
    is why R orders levels by similarity. How far other orders move the curve tells how much of what
    it shows is owed to the order.

    .. versionadded:: 0.2

    Parameters
    ----------
    predict, X
        As in `aleplot_py.ale`.
    feature : name or position
        One categorical column, or one of `categorical`.
    orders : list of words, or mapping of name to a word or list of levels
        At least two orders, each at the cost of a curve; see `order` of `aleplot_py.ale`. The
        others are compared with the first.
    collapse, categorical, sample_weight, target, response_method, missing, batch_rows, n_jobs, \
progress
        As in `aleplot_py.ale`.

    Returns
    -------
    OrderSensitivity
        Curves, and how far each is from the first.

    Raises
    ------
    FeatureError, PredictionError, ValueError, TypeError
        With the column or argument, the rule, and the value got; among others for a numeric feature
        and for fewer than two orders.

    Warns
    -----
    UserWarning
        As `aleplot_py.ale`.

    See Also
    --------
    ale : The curve in one order.
    k_sensitivity : The same question about the intervals of a numeric feature.

    Notes
    -----
    Takes no `random_state`: nothing is drawn at random.

    An order and its reverse give the same curve, up to rounding.

    Source: Apley, D. W. and Zhu, J. (2020), JRSS B 82, 1059-1086, on categorical features; Molnar,
    Interpretable Machine Learning, ALE chapter, on the choice of the order. The measures are this
    package's own.

    Examples
    --------
    >>> import pandas as pd
    >>> from aleplot_py import order_sensitivity
    >>> X = pd.DataFrame({"c": list("aabbcc"), "x": [0.0, 1.0, 0.0, 1.0, 2.0, 3.0]})
    >>> orders = {"a to c": ["a", "b", "c"], "c between": ["a", "c", "b"]}
    >>> moved = order_sensitivity(lambda X: X["x"] * (X["c"] == "a"), X, "c", orders=orders)
    >>> moved.to_frame()[["order", "largest", "at"]].to_numpy().tolist()
    [['a to c', 0.0, 'a'], ['c between', 0.6666666666666667, 'a']]
    """
    named = _named_orders(orders)
    options = Options(
        collapse=collapse,
        categorical=categorical,
        sample_weight=sample_weight,
        target=target,
        response_method=response_method,
        missing=missing,
        batch_rows=batch_rows,
        n_jobs=n_jobs,
        progress=progress,
    )
    problem = problem_of(predict, X, options)
    name = single_feature(feature, problem.table)
    if kind_of(problem.table, name, problem.categorical) != "categorical":
        raise FeatureTypeError(
            f"feature must be one categorical column, got {feature!r}, which is numeric: declare "
            "it in categorical="
        )
    each = with_bar(named.values(), len(named), "orders", shown=progress)
    request = Requests([(name,)])
    effects = [ale_of(problem.but(order=order), request)[0] for order in each]
    first = effects[0]
    levels = first.x_values[0]
    if any(effect.collapsed != first.collapsed for effect in effects):
        raise FeatureError(
            f"collapse= leaves the levels of column {name!r} alone where they stand in an order of "
            "their own: leave that out of orders=, or collapse="
        )
    differences = np.array([effect.evaluate(levels) - first.f_values for effect in effects])
    return OrderSensitivity(
        feature=name,
        orders=tuple(named),
        effects=tuple(effects),
        differences=differences,
        distance=np.array([_rms(one, first.counts) for one in differences]),
    )


def _named_orders(orders: Any) -> dict[str, Any]:
    """Orders by name, at least two."""
    if isinstance(orders, Mapping):
        wrong = [name for name in orders if not isinstance(name, str)]
        if wrong:
            raise TypeError(f"orders must be named by text, got {wrong[0]!r}")
        named = dict(orders)
    elif isinstance(orders, (str, set, frozenset)) or not isinstance(orders, Iterable):
        raise TypeError(
            f"orders must be a list of words, or a mapping of name to order, got {orders!r}"
        )
    else:
        named = {one_of(order, ORDERS, "each of orders"): order for order in orders}
    if len(named) < 2:
        raise ValueError(f"orders must hold at least two different orders, got {list(named)}")
    return named


def _rms(values: FloatArray, counts: FloatArray) -> float:
    """Root mean square over the rows of values at the levels (L,)."""
    power = power_of(values)
    mean = np.average(np.ldexp(values, -power) ** 2, weights=counts)
    return float(np.ldexp(np.sqrt(mean), power))
