"""One explained feature of either kind, as the estimators see it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from aleplot_py.steps.grid import FloatArray, IntArray
from aleplot_py.steps.sums import cell_totals

Kind = Literal["numeric", "categorical"]

#: A grid no longer than this is scaled by 2**UP before distances on it are taken.
TINY = 2.0**-900
UP = 600

#: Types that codes may be kept in.
UNSIGNED = (np.uint8, np.uint16, np.uint32)

#: Level that stands for those that are collapsed.
RARE = "(rare)"


@dataclass(frozen=True)
class Times:
    """What the numbers on an axis of times count.

    Parameters
    ----------
    origin : Timestamp, Timedelta, Period, date, datetime or timedelta
        The time at 0, of the type, zone and resolution of the column's values.
    unit : str
        What is counted from there: "D", "s", "ms", "us" or "ns"; the frequency of periods.
    """

    origin: Any
    unit: str


@dataclass(frozen=True, eq=False)
class Collapsed:
    """Levels of a feature that share a point of its axis, `RARE`.

    Parameters
    ----------
    levels : ndarray of shape (m,)
        Levels (object), as they are declared, else sorted.
    rows : ndarray of shape (m,)
        Number of rows of each, without weights.
    own : ndarray of int of shape (n,), optional
        Which of them each row has, from 0, and -1 for any other level; None in a result.
    """

    levels: np.ndarray[Any, Any]
    rows: FloatArray
    own: IntArray | None = field(default=None, compare=False, repr=False)


class _Small:
    """A field of whole numbers, kept in the smallest type that holds them and seen in theirs."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, axis: Any, owner: type[Any] | None = None) -> Any:
        return self if axis is None else self.of_rows(axis, slice(None))

    def __set__(self, axis: Any, values: NDArray[np.integer[Any]]) -> None:
        if values.dtype not in UNSIGNED or values.flags.writeable:
            ends = (values.min(initial=0), values.max(initial=0))
            values = values.astype(np.result_type(*map(np.min_scalar_type, ends)))
            values.flags.writeable = False
        axis.__dict__[self.name] = values

    def of_rows(self, axis: Any, rows: slice | IntArray) -> IntArray:
        """The numbers of some of the rows."""
        values: IntArray = axis.__dict__[self.name][rows].astype(np.intp)
        values.flags.writeable = False
        return values


_CODES = _Small("codes")


class _Observed:
    """The field of observed values: an array, what reads it when it is asked for, or the levels."""

    def __get__(self, axis: Any, owner: type[Any] | None = None) -> Any:
        if axis is None:
            return self
        values = axis.kept
        if isinstance(values, np.ndarray):
            return values
        values = axis.points[axis.codes] if values is None else values()
        values.flags.writeable = False
        return values

    def __set__(self, axis: Any, values: Any) -> None:
        axis.__dict__["observed"] = values


@dataclass(frozen=True, eq=False, repr=False)
class Axis:
    """Points, units and steps of one feature (see `aleplot_py.steps.centre` for the three words).

    Parameters
    ----------
    name : hashable
        Column name or position.
    kind : {"numeric", "categorical"}
        Kind of the feature.
    points : ndarray of shape (P,)
        Grid points (float) or levels in order (object).
    typed_points : array of shape (P,), optional
        The same as values of the column's own type, if that is another; None in a result. After
        them come those of the levels that share a point, (P + m,).
    codes : ndarray of int of shape (n,)
        Unit of each row: its interval or the rank of its level, from 0.
    observed : ndarray of shape (n,)
        The column's values. What is given may also be a callable that reads them whenever they are
        asked for, or None for the levels of a category, which the codes tell.
    grid : str
        Rule that laid the points: "aleplot", "iml", "equidistant", "given" or "levels".
    above : ndarray of bool of shape (n,), optional
        Rows above the caller's grid where iml's rule for them was asked for.
    times : Times, optional
        What `points` and `observed` count, if the feature is a date, a duration or a period.
    streamed : int, optional
        Number of rows, where they came in parts and were not kept: `codes` and `observed` are
        empty.
    collapsed : Collapsed, optional
        Levels that share a point.
    """

    name: Hashable
    kind: Kind
    points: np.ndarray[Any, Any]
    typed_points: Any
    codes: IntArray
    observed: np.ndarray[Any, Any]
    grid: str
    above: NDArray[np.bool_] | None = None
    times: Times | None = None
    streamed: int | None = None
    collapsed: Collapsed | None = None

    def __repr__(self) -> str:
        return f"Axis({self.name!r}: {self.kind}, {len(self.points)} points, n={self.n})"

    @property
    def n(self) -> int:
        """Number of rows, kept or not."""
        return len(self.__dict__["codes"]) if self.streamed is None else self.streamed

    @property
    def kept(self) -> Any:
        """What `observed` was given as."""
        return self.__dict__["observed"]

    def __getstate__(self) -> dict[str, Any]:
        kept = None if self.kept is None else self.observed
        return self.__dict__ | {"observed": kept}

    def codes_of(self, rows: slice | IntArray) -> IntArray:
        """Codes of some of the rows."""
        return _CODES.of_rows(self, rows)

    @property
    def own_points(self) -> Any:
        """The points as values of the column's own type, to be written into frames."""
        return self.points if self.typed_points is None else self.typed_points

    def at(self, points: np.ndarray[Any, Any], typed_points: Any) -> Axis:
        """The same feature with other points, none of which any row belongs to."""
        return self._but(points=points, typed_points=typed_points)

    def of_rows(self, chosen: IntArray) -> Axis:
        """The same points with some of the rows."""
        above = None if self.above is None else self.above[chosen]
        collapsed = self.collapsed
        if collapsed is not None and collapsed.own is not None:
            collapsed = replace(collapsed, own=collapsed.own[chosen])
        observed = self.kept if self.kept is None else self.observed[chosen]
        if observed is not None:
            observed.flags.writeable = False
        return self._but(
            codes=self.codes_of(chosen),
            observed=observed,
            above=above,
            collapsed=collapsed,
        )

    @property
    def shared_at(self) -> int:
        """Number of the point that stands for the collapsed levels; -1 where it is none of them."""
        points = () if self.collapsed is None else self.points
        return next((i for i, point in enumerate(points) if point == RARE), -1)

    def standing(self, rows: slice) -> IntArray:
        """Number of the typed point at which each row stands: at its own level, if that is shared.

        Of some of the rows, (rows,).
        """
        codes = self.codes_of(rows)
        if self.collapsed is None or self.collapsed.own is None:
            return codes
        own = self.collapsed.own[rows]
        return np.where(own < 0, codes, len(self.points) + own)

    def label(self, number: int) -> Any:
        """The point of this number, or the level that shares one."""
        beyond = number - len(self.points)
        if self.collapsed is None or beyond < 0:
            return self.points[number]
        return self.collapsed.levels[beyond]

    def bare(self) -> Axis:
        """What a result keeps: without what only the computation needs."""
        collapsed = self.collapsed
        if collapsed is not None and collapsed.own is not None:
            collapsed = replace(collapsed, own=None)
        elif self.typed_points is None and self.above is None:
            return self
        return self._but(typed_points=None, above=None, collapsed=collapsed)

    def _but(self, **changes: Any) -> Axis:
        """The same with other fields, sharing the memory of all that stay."""
        kept = {name: self.__dict__[name] for name in ("codes", "observed")}
        return replace(self, **kept | changes)

    @property
    def n_units(self) -> int:
        """Number of intervals or levels."""
        return len(self.points) - (self.kind == "numeric")

    @property
    def n_steps(self) -> int:
        """Number of steps between neighbouring points."""
        return len(self.points) - 1

    @property
    def offsets(self) -> tuple[int, ...]:
        """Points that a row is moved to, counted from its unit.

        Both edges of its interval; or its own level and the two neighbouring ones.
        """
        return (0, 1) if self.kind == "numeric" else (-1, 0, 1)

    @property
    def positions(self) -> FloatArray:
        """Positions of the steps on an axis of length 1, for the nearest cell, (steps,)."""
        return step_positions(self.points, self.kind)


Axis.codes = _CODES  # type: ignore[assignment]
Axis.observed = _Observed()  # type: ignore[assignment]


def row_counts(
    axes: Sequence[Axis], shape: tuple[int, ...], weights: FloatArray | None
) -> FloatArray:
    """Rows, or their weight rounded once, with each combination of the axes' codes, of `shape`."""
    codes = [axis.codes for axis in axes]
    cells = codes[0] if len(codes) == 1 else np.ravel_multi_index(tuple(codes), shape)
    size = int(np.prod(shape))
    if weights is None:
        return np.bincount(cells, minlength=size).reshape(shape).astype(np.float64)
    return cell_totals(weights, cells, size).reshape(shape)


def step_positions(points: np.ndarray[Any, Any], kind: str) -> FloatArray:
    """Positions of the steps between points (P,) on an axis of length 1, (P - 1,)."""
    if kind == "numeric":
        if points[-1] - points[0] < TINY:  # halves of denormal numbers would lose their digits
            points = np.ldexp(points.astype(np.float64), UP)
        return np.asarray((points[:-1] + points[1:]) / 2 / (points[-1] - points[0]))
    return np.arange(1, len(points)) / (len(points) - 1)
