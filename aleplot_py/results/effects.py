"""Effects as frozen results: numbers, tables, interpolation, files and a plot."""

from __future__ import annotations

import datetime
import inspect
import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar, Unpack, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from aleplot_py.errors import listing, warn_caller
from aleplot_py.inputs.arrays import as_floats, inexact, with_its_type
from aleplot_py.inputs.checks import check_switches
from aleplot_py.inputs.times import to_numbers, to_times
from aleplot_py.results.base import Result
from aleplot_py.results.codec import Rule, register
from aleplot_py.results.local_effects import LocalEffects
from aleplot_py.steps.axis import RARE, Axis, Collapsed, Times
from aleplot_py.steps.centre import points_to_units, power_of
from aleplot_py.steps.grid import FloatArray

if TYPE_CHECKING:
    from aleplot_py.plots.display import AleDisplay
    from aleplot_py.plots.visuals import EffectPlotOptions
    from aleplot_py.typing import Values


Array = np.ndarray[Any, Any]

#: Effects of a collection in the small picture of a notebook.
MOST_PANELS = 6


CENTRES = ("aleplot", "paper", "none", "rows", "total")
TIMES = (datetime.date, datetime.timedelta, pd.Period)
GRID_RULES = ("aleplot", "iml", "equidistant", "given", "auto")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Effect(Result, stored=False):
    """What every kind of effect has.

    Parameters
    ----------
    axes : tuple of Axis
        Explained features: name, kind, grid points (float) or levels in order (object), the rows'
        values, and their codes: interval or level of each row, from 0; for a partial dependence
        the first point not below it. For dates, durations and periods also `times`, what the
        numbers count, such as days since 1970. Of data that come in parts the rows are not kept.
    f_values : ndarray of shape (P,), (P1, P2) or, of an ALE of more features, (P1, P2, P3, ...)
        Effect at the points, in units of the prediction.
    counts : ndarray
        Rows, or their weight, behind the values; each class says of which shape.
    target : label or None
        Which of several outputs is explained.
    group : label or None
        Which group of the rows it is of, where groups were asked for.
    route : str
        How moved rows were predicted: ``"trees"``, ``"gradient"``, ``"predict"``, or ``"predict:
        why"`` where trees were not walked. It does not change a bit of the effect: files leave it
        out, and effects are equal whatever it is. ``"recursion"``: none were, the rows are those of
        the model's fit.
    """

    name: ClassVar[str] = "Effect"
    _most_features: ClassVar[float] = 2
    _panels: ClassVar[int] = 1
    _later: ClassVar[tuple[str, ...]] = ("group",)

    axes: tuple[Axis, ...]
    f_values: FloatArray
    counts: FloatArray
    target: Hashable | None = None
    group: Hashable | None = None
    route: str = field(default="predict", compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axes", tuple(axis.bare() for axis in self.axes))
        super().__post_init__()

    @property
    def features(self) -> tuple[Hashable, ...]:
        """Names of the explained features; positions where the data were an array."""
        return tuple(axis.name for axis in self.axes)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kind of each feature: "numeric" or "categorical"."""
        return tuple(axis.kind for axis in self.axes)

    @property
    def x_values(self) -> tuple[Array, ...]:
        """Grid points, float of shape (P,), or levels in order, object of shape (L,), of each.

        Those of dates, durations and periods count what ``axes[i].times`` says; `to_frame` has the
        times themselves.
        """
        return tuple(axis.points for axis in self.axes)

    @property
    def observed(self) -> tuple[Array, ...]:
        """Values of the features in the rows used, each of shape (n,), for rugs and scatter.

        Of data that come in parts (a file, Dask) they are not kept: empty. Of more than 65,536 rows
        they are not copied but read from `X` whenever they are asked for: pass a copy of an array
        that is going to be overwritten.

        Raises
        ------
        SourceError
            If they were overwritten there.
        """
        return tuple(axis.observed for axis in self.axes)

    @property
    def grid(self) -> tuple[str, ...]:
        """Rule that laid each axis: "aleplot", "iml", "equidistant", "given", "auto", "levels"."""
        return tuple(axis.grid for axis in self.axes)

    @property
    def collapsed(self) -> dict[Hashable, tuple[Any, ...]]:
        """Levels that ``"(rare)"`` stands for, by feature, where `collapse` put some together."""
        return {
            axis.name: tuple(axis.collapsed.levels)
            for axis in self.axes
            if axis.collapsed is not None
        }

    @property
    def strength(self) -> float:
        """Standard deviation of the effect over the rows, in units of the prediction.

        Every row has the value that `counts` counts it for: of an ALE that of its level, or of the
        middle of its interval (as R centres); otherwise that of its point. It does not depend on
        how the effect is centred. NaN where no value is known.
        """
        values, counts = self._at_counts(), self.counts
        known = np.isfinite(values) & (counts > 0)
        if not known.any():
            return float("nan")
        power = power_of(values[known])  # so that squares neither overflow nor vanish
        values, counts = np.ldexp(values[known], -power), counts[known]
        mean = np.average(values, weights=counts)
        deviation = float(np.sqrt(np.average((values - mean) ** 2, weights=counts)))
        return math.ldexp(deviation, power)

    def _at_counts(self) -> FloatArray:
        """Effect of the rows that each of the `counts` counts, of their shape."""
        return self.f_values

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.features))
        known = self.f_values[np.isfinite(self.f_values)]
        span = f"{known.min():.4g} to {known.max():.4g}" if known.size else "unknown"
        size = " x ".join(map(str, self.f_values.shape))
        rare = "".join(
            f", {RARE} of {name!r} for {len(levels)} levels"
            for name, levels in self.collapsed.items()
        )
        n = self.axes[0].n
        return f"{type(self).__name__}({shown}: {size} points, n={n}, values {span}{rare})"

    def evaluate(
        self,
        x: ArrayLike | Values | pd.DataFrame,
        x2: ArrayLike | Values | None = None,
        *more: ArrayLike | Values,
    ) -> FloatArray:
        """Effect at any values of the features.

        Parameters
        ----------
        x : array_like of shape (m,), or DataFrame with the features as columns
            Values of the (first) feature. Those of a date, duration or period are times of any
            type or text such as ``"2024-05-01"``, in the column's zone where they have none
            (numbers are taken for those of `x_values`).
        x2, *more : array_like of shape (m,), optional
            Values of the second feature, and of those after it.

        Returns
        -------
        ndarray of shape (m,)
            Linear (for a pair bilinear ...) interpolation between the grid points, as R's plots
            draw it; the level's own value for a category, that of ``"(rare)"`` for a collapsed one.
            NaN outside the grid and for missing values. Inside an interval or cell without rows it
            is what these were filled with (`empty`).

        Raises
        ------
        ValueError
            If a category is not a level, a number or time is not one, or the number of coordinates
            is not that of the features.
        """
        x = with_its_type(x)
        if x2 is None and more:
            raise ValueError("evaluate needs the values of the second feature, got x2=None")
        others = () if x2 is None else (x2, *more)
        if isinstance(x, pd.DataFrame):
            if others:
                raise ValueError("evaluate needs a frame, or an array for each feature: got both")
            missing = [name for name in self.features if name not in x.columns]
            if missing:
                raise ValueError(f"evaluate needs column {missing[0]!r}, which the frame has not")
            coordinates: list[Any] = [x[name] for name in self.features]
        else:
            coordinates = [x, *others]
        if len(coordinates) != len(self.features):
            raise ValueError(
                f"evaluate needs one array for each of {self.features}, got {len(coordinates)}"
            )
        places = [
            _between(values, axis) for values, axis in zip(coordinates, self.axes, strict=True)
        ]
        sizes = [(name, len(low)) for name, (low, _) in zip(self.features, places, strict=True)]
        several = [(name, size) for name, size in sizes if size != 1]
        for name, size in several[1:]:
            first, most = several[0]
            if size != most:
                raise ValueError(
                    f"evaluate needs as many values of {first!r} as of {name!r}, got {most} and "
                    f"{size}"
                )
        return _interpolated(self.f_values, places)

    def to_frame(self) -> pd.DataFrame:
        """Long table: one column per feature (levels as an ordered categorical) and the value.

        Dates, durations and periods are of the type and in the zone of the data.

        Returns
        -------
        DataFrame with one row per point
            Columns are the features and the kind of effect (``ale``, ``pd`` or ``m``, with an
            underscore more where a feature has that name).
        """
        points = np.meshgrid(*(np.arange(len(x)) for x in self.x_values), indexing="ij")
        columns: dict[Hashable, Any] = {}
        for axis, at in zip(self.axes, points, strict=True):
            if axis.kind == "categorical":
                dtype = pd.CategoricalDtype(list(axis.points), ordered=True)
                columns[axis.name] = pd.Categorical.from_codes(at.ravel(), dtype=dtype)
            else:
                columns[axis.name] = shown_points(axis).take(at.ravel())
        value = self.name.lower()
        while value in columns:
            value += "_"
        columns[value] = self.f_values.flatten()
        return pd.DataFrame(columns)

    def plot(self, **options: Unpack[EffectPlotOptions]) -> AleDisplay:
        """Draw the effect.

        Parameters
        ----------
        **options
            Those of `aleplot_py.AleDisplay.plot`.

        Returns
        -------
        AleDisplay
            Holds the artists.
        """
        from aleplot_py.plots.display import AleDisplay

        return AleDisplay(self).plot(**options)

    def _rules(self) -> Iterator[Rule]:
        names, shape = self.features, tuple(len(axis.points) for axis in self.axes)
        fits = 1 <= len(names) <= self._most_features
        number = "one or two" if self._most_features == 2 else "one or more"
        yield fits, "axes", f"{number} features", names
        yield len(set(names)) == len(names), "axes", "of different features", names
        sizes = {len(axis.codes) for axis in self.axes}
        yield len(sizes) == 1, "axes", "of as many rows each", sizes
        got = self.f_values.shape
        yield got == shape, "f_values", f"of the points' shape {shape}", got
        shape = self._counts_shape()
        yield self.counts.shape == shape, "counts", f"of shape {shape}", self.counts.shape
        fits = bool(np.isfinite(self.counts).all() and (self.counts >= 0).all())
        yield fits, "counts", "finite and at least 0", self.counts
        for i, axis in enumerate(self.axes):
            beyond = int(axis.codes.max(initial=0)) >= self._codes_of(axis)
            rule = f"below {self._codes_of(axis)}, the number of places for a row"
            yield not beyond, f"axes[{i}].codes", rule, axis.codes.max(initial=0)

    def _counts_shape(self) -> tuple[int, ...]:
        return tuple(len(axis.points) for axis in self.axes)

    def _codes_of(self, axis: Axis) -> int:
        """Number of different codes that a row can have on an axis."""
        return axis.n_units


def check_rows(effect: Effect, what: str) -> None:
    """Refuse what needs the rows of an effect, where they came in parts and were not kept."""
    if effect.axes[0].streamed is not None:
        raise ValueError(
            f"{what} need the rows, which the effect of {effect.features!r} does not keep, since X "
            "came in parts: ask for the effect of a sample of the rows"
        )


def _axis_rules(axis: Axis) -> Iterator[Rule]:
    """What must hold of an axis in a file."""
    points, n = axis.points, axis.codes.size
    yield axis.typed_points is None, "typed_points", "None in a file", axis.typed_points
    yield points.ndim == 1 and points.size > 0, "points", "of one dimension", points.shape
    fits = axis.codes.shape == (n,) and (n > 0) == (axis.streamed is None)
    yield fits, "codes", "of one dimension, empty if streamed", axis.codes.shape
    yield axis.observed.shape == (n,), "observed", f"of shape ({n},)", axis.observed.shape
    yield bool((axis.codes >= 0).all()), "codes", "at least 0", axis.codes.min(initial=0)
    if axis.times is not None:
        known = axis.kind == "numeric" and isinstance(axis.times.origin, TIMES)
        yield known, "times", "of a numeric axis, from a time on", axis.times
        to_times(axis.points[:1], axis.times)  # refuses units that there are not
    if axis.kind == "numeric":
        for name in ("points", "observed"):
            values = getattr(axis, name)
            yield values.dtype == np.float64, name, "an array of float64", values.dtype
            yield bool(np.isfinite(values).all()), name, "finite", values
        yield bool((np.diff(points) > 0).all()), "points", "increasing", points
        yield axis.grid in GRID_RULES, "grid", f"one of {GRID_RULES}", axis.grid
        return
    yield axis.grid == "levels", "grid", "'levels' for a category", axis.grid
    for name in ("points", "observed"):
        values = getattr(axis, name)
        yield values.dtype == object, name, "an array of labels", values.dtype
    yield len(set(points.tolist())) == len(points), "points", "different levels", points
    top = int(axis.codes.max(initial=0))
    yield top < len(points), "codes", f"below {len(points)}, the number of levels", top
    right = points[axis.codes].tolist() == axis.observed.tolist()
    yield right, "observed", "the levels of the codes", axis.observed
    if axis.collapsed is not None:
        apart = RARE in points.tolist() and not set(points) & set(axis.collapsed.levels)
        yield apart, "collapsed", f"other levels than the points, of which {RARE!r} is one", points


def _collapsed_rules(collapsed: Collapsed) -> Iterator[Rule]:
    """What must hold of collapsed levels in a file."""
    levels, rows = collapsed.levels, collapsed.rows
    yield levels.dtype == object and levels.ndim == 1, "levels", "an array of labels", levels
    yield len(set(levels.tolist())) == len(levels) > 0, "levels", "different levels", levels
    yield rows.shape == levels.shape, "rows", f"of shape {levels.shape}", rows.shape
    yield bool((rows > 0).all()), "rows", "more than 0", rows


register(Times)
register(Collapsed, _collapsed_rules)
register(Axis, _axis_rules, later=("times", "streamed", "collapsed"))


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class AleResult(Effect):
    """Accumulated local effect of one feature, of a pair, or of more.

    Parameters
    ----------
    axes, f_values, target, group
        As in `Effect`. ``f_values`` has shape (K + 1,), (L,), (K1 + 1, K2 + 1), (L, K + 1),
        (K + 1, L), (L1, L2), (K1 + 1, K2 + 1, K3 + 1) ...
    counts : ndarray of shape (K,), (L,), (K1, K2), (L, K), (K, L), (L1, L2), (K1, K2, K3) ...
        Rows, or their weight, in each interval, level, or cell.
    empty : ndarray of bool, one entry per step: (K,), (L - 1,), (K1, K2), (L - 1, K) ...
        Cells without rows, which are filled: an interval of a single numeric feature with the
        slope of the nearest one, any other cell with the difference of the nearest.
    local_mean, local_std : ndarray of the same shape as `empty`
        Mean and standard deviation (divisor: the number of rows) of the local effects in each
        cell, in units of the prediction; the mean after filling, the deviation NaN where empty.
    constant : float
        Mean that was subtracted last to centre the values.
    main_effects : tuple of ndarray
        For a pair: the two main effects removed from the accumulated effect, (P1,) and (P2,),
        0 at their first points; for a triple the three that were removed after the effects of
        pairs. Empty for a main effect.
    centre : {"aleplot", "paper", "none", "rows", "total"}
        Centring convention: that of `aleplot_py.ale`; "rows" in a `Decomposition`; "total" for the
        sum of `aleplot_py.total_effect`.
    local_effects : LocalEffects or None
        Local effects of the single rows, where they were asked for.
    """

    name: ClassVar[str] = "ALE"
    _most_features = math.inf

    empty: NDArray[np.bool_]
    local_mean: FloatArray
    local_std: FloatArray
    constant: float
    main_effects: tuple[FloatArray, ...] = ()
    centre: str = "aleplot"
    local_effects: LocalEffects | None = field(default=None, repr=False)
    _mean: float | Callable[[], float] = field(repr=False)

    @property
    def K(self) -> tuple[int, ...]:
        """Effective number of intervals of each numeric feature, of levels of each category.

        Ties leave fewer intervals than asked for.
        """
        return tuple(axis.n_units for axis in self.axes)

    @property
    def centering(self) -> str:
        """Former name of `centre`."""
        warn_caller("centering is now called centre", DeprecationWarning)
        return self.centre

    @property
    def mean_prediction(self) -> float:
        """Mean prediction over the rows, in units of the prediction.

        An effect of numeric features never needs the predictions of the rows themselves, so they
        are made (n rows, once) when this is first asked for or the result is saved. Ask for it
        before the model is fitted again or an array of data is overwritten.
        """
        if callable(self._mean):
            object.__setattr__(self, "_mean", float(self._mean()))
        return float(self._mean)  # type: ignore[arg-type]

    def transpose(self, *features: Hashable) -> AleResult:
        """The same effect with its features in another order.

        .. versionchanged:: 0.2
           `features` is new.

        Parameters
        ----------
        *features : hashable
            All features of the effect, in the order wanted; by default the reverse of theirs.

        Returns
        -------
        AleResult
            Every array transposed, every tuple in the new order.

        Raises
        ------
        ValueError
            If `features` are not those of the effect.
        """
        wanted = features or self.features[::-1]
        if len(wanted) != len(self.features) or set(wanted) != set(self.features):
            raise ValueError(f"features must be {self.features} in some order, got {features}")
        order = [self.features.index(name) for name in wanted]
        local = self.local_effects
        return replace(
            self,
            axes=tuple(self.axes[i] for i in order),
            f_values=self.f_values.transpose(order),
            counts=self.counts.transpose(order),
            empty=self.empty.transpose(order),
            local_mean=self.local_mean.transpose(order),
            local_std=self.local_std.transpose(order),
            main_effects=tuple(self.main_effects[i] for i in order if self.main_effects),
            local_effects=None if local is None else local.transpose(order),
        )

    @property
    def _panels(self) -> int:  # type: ignore[override]
        if len(self.axes) == 3:
            return len(default_slices(self.axes[2], min(MOST_PANELS, len(self.axes[2].points))))
        return 1 if len(self.axes) < 3 else 0

    def _draw_on(self, axes: list[Any]) -> None:
        self.plot(ax=axes, slices=len(axes) if len(self.axes) == 3 else None)

    def _at_counts(self) -> FloatArray:
        values = self.f_values
        for axis, kind in enumerate(self.kinds):
            values = points_to_units(values, axis, kind)
        return values

    def _value(self, name: str) -> Any:
        return self.mean_prediction if name == "_mean" else getattr(self, name)

    def _counts_shape(self) -> tuple[int, ...]:
        return self.K

    def _rules(self) -> Iterator[Rule]:
        yield from super()._rules()
        yield self.centre in CENTRES, "centre", f"one of {CENTRES}", self.centre
        steps = tuple(axis.n_steps for axis in self.axes)
        for name in ("empty", "local_mean", "local_std"):
            got = getattr(self, name).shape
            yield got == steps, name, f"of the steps' shape {steps}", got
        points = [(len(axis.points),) for axis in self.axes]
        shapes = [main.shape for main in self.main_effects]
        fits = shapes == [] or (len(points) > 1 and shapes == points)
        yield fits, "main_effects", f"of the shapes {points}, or none", shapes
        yield callable(self._mean) or np.isfinite(self._mean), "_mean", "finite", self._mean
        local = self.local_effects
        if local is None:
            return
        shape = (len(self.axes[0].codes), len(steps))
        yield local.units.shape == shape, "local_effects.units", f"of shape {shape}", local.units
        low = bool((local.cells < steps).all())
        yield low, "local_effects.cells", f"below {steps}", local.cells.max(axis=0, initial=0)
        low = bool((local.units < self.K).all())
        yield low, "local_effects.units", f"below {self.K}", local.units.max(axis=0, initial=0)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PartialDependenceResult(Effect):
    """Partial dependence of one feature or of a pair, and its individual curves.

    Parameters
    ----------
    axes, target, group
        As in `Effect`.
    f_values : ndarray of shape (P,) or (P1, P2)
        Average prediction at each point, centred as `centre` says, in units of the prediction.
    counts : ndarray of shape (P,) or (P1, P2)
        Rows, or their weight, that stand for each point in R's centring: those at most as large as
        the point and larger than the one before; at a level, its own.
    individual : ndarray of shape (n, P) or (n, P1, P2), or None
        Individual conditional expectation curves, one per row.
    centre : str, value or tuple of values
        "none", "pdplot", or the anchor at which every curve is 0.
    constant : float
        What was subtracted from the average last.
    of_fit : bool
        Whether the average is over the rows that the model was fitted to, as its trees remember
        them (``method="recursion"``), and not over rows moved to each point.
    """

    name: ClassVar[str] = "PD"
    _later: ClassVar[tuple[str, ...]] = (*Effect._later, "of_fit")

    individual: FloatArray | None = None
    centre: Hashable = "none"
    constant: float = 0.0
    of_fit: bool = False
    # A column of the rows behind the individual curves, while the result is not read from a file.
    _column: Callable[[Hashable], pd.Series] | None = field(default=None, compare=False, repr=False)

    def to_frame(self, *, individual: bool = False) -> pd.DataFrame:
        """Long table of the average, or of the individual curves.

        Parameters
        ----------
        individual : bool, default False
            Whether to give the individual curves instead of their mean.

        Returns
        -------
        DataFrame with one row per point, or per row of the data and point
            Columns are the features and ``pd``; with individual curves first ``row``, the
            position of the row, and ``ice`` for the value.

        Raises
        ------
        ValueError
            If the individual curves were not kept.
        """
        check_switches(individual=individual)
        average = super().to_frame()
        if not individual:
            return average
        if self.individual is None:
            raise ValueError("the individual curves were not kept: pass kind='both', or use ice()")
        n, size = len(self.individual), len(average)
        table = average.iloc[np.tile(np.arange(size), n), :-1].reset_index(drop=True)
        table.insert(0, "row", np.repeat(np.arange(n), size))
        table["ice"] = self.individual.reshape(-1)
        return table

    def _value(self, name: str) -> Any:
        return None if name == "_column" else getattr(self, name)

    def _codes_of(self, axis: Axis) -> int:
        return len(axis.points)

    def _rules(self) -> Iterator[Rule]:
        yield from super()._rules()
        if self.individual is not None:
            shape = (len(self.axes[0].codes), *self.f_values.shape)
            got = self.individual.shape
            yield got == shape, "individual", f"of shape {shape}", got


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class MPlotResult(Effect):
    """M-plot (marginal plot): mean prediction of the rows near each point, moved to the point.

    Parameters
    ----------
    axes, f_values, target, group
        As in `Effect`; NaN where no row is near.
    counts : ndarray of shape (P,) or (P1, P2)
        Rows, or their weight, in the neighbourhood of each point.
    centre : str, value or tuple of values
        "none", "pdplot", or the anchor at which the curve is 0.
    constant : float
        What was subtracted last.
    """

    name: ClassVar[str] = "M"

    centre: Hashable = "none"
    constant: float = 0.0


E = TypeVar("E", bound=Effect, covariant=True)

Key = Literal["feature", "group", "target"]
#: What tells the effects of a collection apart, in this order.
KEYS: tuple[Key, ...] = get_args(Key)


@dataclass(frozen=True, eq=False, repr=False)
class EffectCollection(Result, Mapping[Hashable, E], Generic[E]):
    """Several effects by feature, group of rows or output, in the order asked for.

    A mapping: its keys are what was asked for in the plural. ``effects["age"]`` of a list of
    features, ``effects["age", "income"]`` of pairs, ``effects["low"]`` of the outputs or groups of
    one feature, ``effects["age", "low"]`` of both.

    Parameters
    ----------
    effects : sequence of Effect
        Results over the same data.
    by : tuple of "feature", "group" and "target", default ("feature",)
        What tells them apart, and in which order keys name it.
    """

    _later: ClassVar[tuple[str, ...]] = ("by",)

    effects: tuple[E, ...]
    by: tuple[Key, ...] = ("feature",)

    def __post_init__(self) -> None:
        if not self.by or list(self.by) != [word for word in KEYS if word in self.by]:
            raise ValueError(f"by must be some of {KEYS} in this order, got {self.by!r}")
        by_key = {key_of(effect, self.by): effect for effect in self.effects}
        object.__setattr__(self, "effects", tuple(by_key.values()))
        object.__setattr__(self, "_by_key", by_key)

    def __getitem__(self, feature: Hashable) -> E:
        return self._by_key[feature]  # type: ignore[attr-defined, no-any-return]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._by_key)  # type: ignore[attr-defined]

    def __len__(self) -> int:
        return len(self.effects)

    def __repr__(self) -> str:
        by = "" if self.by == ("feature",) else f", by={self.by!r}"
        return f"EffectCollection({list(self)}{by})"

    def sort_by(
        self, by: Literal["strength", "range", "name"] | Callable[[Effect], Any]
    ) -> EffectCollection[E]:
        """The same effects in another order, ties as they stand.

        .. versionadded:: 0.2

        Parameters
        ----------
        by : {"strength", "range", "name"} or callable(effect) -> sortable
            ``"strength"``: the standard deviation of the effect over the rows, in units of the
            prediction, the strongest first; main effects and pairs compare as they are.
            ``"range"``: the largest value less the smallest, the widest first. ``"name"``: the
            keys as text, from A to Z. A callable: its values, the largest first.

        Returns
        -------
        EffectCollection
            Effects of which nothing is known (NaN) come last.

        Raises
        ------
        ValueError
            If `by` is another word.
        """
        if by == "name":
            named = sorted(self, key=lambda key: _texts(key))
            return EffectCollection(tuple(self[key] for key in named), self.by)
        if not callable(by) and by not in ("strength", "range"):
            raise ValueError(
                f"by must be 'strength', 'range', 'name' or a callable(effect), got {by!r}"
            )
        size = by if callable(by) else _strength if by == "strength" else _range
        known = [(size(effect), effect) for effect in self.effects]
        unknown = [effect for value, effect in known if value != value]
        known = [pair for pair in known if pair[0] == pair[0]]
        known.sort(key=lambda pair: pair[0], reverse=True)
        return EffectCollection((*(effect for _, effect in known), *unknown), self.by)

    def top(
        self,
        n: int,
        by: Literal["strength", "range", "name"] | Callable[[Effect], Any] = "strength",
    ) -> EffectCollection[E]:
        """The first `n` effects of `sort_by`; all where there are fewer.

        .. versionadded:: 0.2

        Parameters
        ----------
        n : int
            How many, at least 0.
        by : {"strength", "range", "name"} or callable(effect) -> sortable
            As in `sort_by`.

        Returns
        -------
        EffectCollection
            By default the strongest effects, the strongest first.

        Raises
        ------
        ValueError
            If `n` is not a whole number of at least 0, or `by` is another word.
        """
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
            raise ValueError(f"n must be a whole number of at least 0, got {n!r}")
        return EffectCollection(self.sort_by(by).effects[: int(n)], self.by)

    def to_frame(self) -> pd.DataFrame:
        """One long table of all effects.

        Returns
        -------
        DataFrame
            Columns ``feature``, ``x``, ``feature2``, ``x2`` (missing for main effects), ``value``;
            before these ``group`` and ``target``, where they tell the effects apart. Effects of
            more features have ``feature3``, ``x3`` and so on.
        """
        labels = [word for word in self.by if word != "feature"]
        most = max((len(effect.features) for effect in self.effects), default=2)
        places = [("feature", "x"), *((f"feature{i}", f"x{i}") for i in range(2, max(most, 2) + 1))]
        columns = [*labels, *(name for place in places for name in place), "value"]
        if not self.effects:
            return pd.DataFrame(columns=columns)
        tables = []
        for effect in self.effects:
            table = effect.to_frame()
            own: dict[str, Any] = {word: [getattr(effect, word)] * len(table) for word in labels}
            for i, (feature, x) in enumerate(places):
                there = i < len(effect.features)
                own[feature] = [effect.features[i] if there else None] * len(table)
                own[x] = table.iloc[:, i].astype(object) if there else [None] * len(table)
            tables.append(pd.DataFrame(own | {"value": table.iloc[:, -1]}))
        return pd.concat(tables, ignore_index=True)

    def plot(self, *, panels: bool = False, **options: Unpack[EffectPlotOptions]) -> AleDisplay:
        """Draw all effects on one grid of axes.

        .. versionchanged:: 0.2
           `panels` is new.

        Parameters
        ----------
        panels : bool, default False
            Whether every effect has axes of its own. By default the groups or outputs of a feature
            share theirs, unless it is a pair.
        **options
            Those of `aleplot_py.AleDisplay.plot`, or of `aleplot_py.AleDisplay.overlay` where axes
            are shared.

        Returns
        -------
        AleDisplay
            Holds the artists.

        Raises
        ------
        TypeError
            If an option needs axes of its own for every effect.
        """
        from aleplot_py.plots.display import AleDisplay

        check_switches(panels=panels)
        if self.by == ("feature",):
            return AleDisplay(list(self.effects)).plot(**options)
        if panels or any(len(effect.features) > 1 for effect in self.effects):
            options.setdefault("title", [", ".join(_texts(key)) for key in self])
            return AleDisplay(list(self.effects)).plot(**options)
        for name in options.keys() - inspect.signature(AleDisplay.overlay).parameters.keys():
            raise TypeError(f"{name}= is not for effects that share axes: pass panels=True as well")
        return AleDisplay.overlay(self, **options)  # type: ignore[misc, arg-type]

    @property
    def _small(self) -> list[list[E]]:
        """Effects in the small picture, by the axes that they share."""
        few = tuple(effect for effect in self.effects if len(effect.features) < 3)
        return list(by_axes(EffectCollection(few, self.by)).values()) if few else []

    @property
    def _panels(self) -> int:  # type: ignore[override]
        return min(len(self._small), MOST_PANELS)

    def _draw_on(self, axes: list[Any]) -> None:
        shown = self._small[: len(axes)]
        EffectCollection(tuple(effect for one in shown for effect in one), self.by).plot(ax=axes)


def _texts(key: Any) -> list[str]:
    return [str(part) for part in (key if isinstance(key, tuple) else (key,))]


def _strength(effect: Effect) -> float:
    return effect.strength


def _range(effect: Effect) -> float:
    known = effect.f_values[np.isfinite(effect.f_values)]
    return float(np.ptp(known)) if known.size else float("nan")


def by_axes(effects: EffectCollection[E]) -> dict[Any, list[E]]:
    """Effects of a collection that share axes: main effects whose keys differ in their last part.

    Effects of features, and pairs, have axes of their own.
    """
    together = effects.by[-1] != "feature" and all(len(e.features) == 1 for e in effects.effects)
    words = effects.by[:-1] if together else effects.by
    axes: dict[Any, list[E]] = {}
    for effect in effects.effects:
        axes.setdefault(key_of(effect, words) if words else None, []).append(effect)
    return axes


def key_of(effect: Effect, by: Sequence[str] = ("feature",)) -> Any:
    """Key of an effect in a collection: its feature or pair, group, output, or a tuple of these."""
    feature = effect.features[0] if len(effect.features) == 1 else effect.features
    parts = tuple(feature if word == "feature" else getattr(effect, word) for word in by)
    return parts if len(parts) > 1 else parts[0]


def default_slices(axis: Axis, number: int | None) -> Any:
    """Points of the third feature at which an effect is drawn, evenly from the first to the last.

    By default all levels, or some points of a numeric feature.
    """
    points = shown_points(axis)
    if number is None:
        number = len(points) if axis.kind == "categorical" else MOST_PANELS
    chosen = np.linspace(0, len(points) - 1, min(number, len(points))).round().astype(np.intp)
    return points.take(chosen)


def slice_of(effect: AleResult, value: Any) -> AleResult:
    """The pair that an effect of three features is where the third has a value.

    Behind it are the rows in the third feature's level, or in the intervals that the value lies in
    or between.
    """
    axis = effect.axes[2]
    [low], [share] = _between([value], axis)
    if np.isnan(share):
        ends = shown_points(axis).take([0, -1])
        raise ValueError(f"slices must lie from {ends[0]} to {ends[1]}, got {value!r}")
    f = effect.f_values
    values = _blend(f[..., low], f[..., _next(low, f, 2)], share)
    near = steps = [low - (share == 0), low, low + (share == 1)]  # an edge is of two intervals
    if axis.kind == "categorical":
        near, steps = [low], [low - 1, low]
    near = sorted({unit for unit in near if 0 <= unit < axis.n_units})
    steps = sorted({step for step in steps if 0 <= step < axis.n_steps})
    rows = np.flatnonzero(np.isin(axis.codes, near))
    difference = np.diff(np.diff(values, axis=0), axis=1)
    return replace(
        effect,
        axes=tuple(one.of_rows(rows) for one in effect.axes[:2]),
        f_values=values,
        counts=effect.counts[..., near].sum(axis=-1),
        empty=np.asarray(effect.empty[..., steps].all(axis=-1)),
        local_mean=difference,
        local_std=np.full(difference.shape, np.nan),
        main_effects=(),
        local_effects=None,
    )


def shown_points(axis: Axis) -> Any:
    """Points of an axis (P,) as the caller knows them: times where they count times."""
    return shown_numbers(axis, axis.points)


def shown_numbers(axis: Axis, numbers: FloatArray) -> Any:
    """Numbers on an axis, (m,), as the caller knows them."""
    return numbers if axis.times is None else to_times(numbers, axis.times)


def _between(values: Any, axis: Axis) -> tuple[np.ndarray[Any, Any], FloatArray]:
    """Index of the point at or below each value, and the share of the way to the next."""
    points, name = axis.points, axis.name
    if axis.kind == "categorical":
        asked = _labels(values)
        _check_one_dimensional(asked.shape, name)
        missing = np.array([_is_missing(v) for v in asked], dtype=bool)
        position = {level: i for i, level in enumerate(points)}
        if axis.collapsed is not None:
            position |= dict.fromkeys(axis.collapsed.levels, axis.shared_at)
        unknown = [v for v in asked[~missing] if not isinstance(v, Hashable) or v not in position]
        if unknown:
            raise ValueError(
                f"{unknown[0]!r} is not a level of {name!r}: it has {listing(position)}"
            )
        found = [0 if gone else position[v] for v, gone in zip(asked, missing, strict=True)]
        return np.array(found, dtype=np.intp), np.where(missing, np.nan, 0.0)
    x = _numbers(values, name) if axis.times is None else _counts(values, name, axis.times)
    if len(points) == 1:
        return np.zeros(x.shape, dtype=np.intp), np.where(x == points[0], 0.0, np.nan)
    low = np.clip(np.searchsorted(points, x, side="right") - 1, 0, len(points) - 2)
    share = (x - points[low]) / (points[low + 1] - points[low])
    return low, np.where((x < points[0]) | (x > points[-1]), np.nan, share)


def _numbers(values: Any, name: Hashable) -> FloatArray:
    """Values asked for, (m,), as floats."""
    try:
        x = np.atleast_1d(as_floats(values))
    except (TypeError, ValueError):
        raise ValueError(f"values of {name!r} must be numbers, got {values!r}") from None
    _check_one_dimensional(x.shape, name)
    lost = inexact(values, x)
    if lost is not None:
        raise ValueError(f"values of {name!r} must be numbers that doubles can hold, got {lost}")
    return x


def _counts(values: Any, name: Hashable, times: Times) -> FloatArray:
    """Times asked for, (m,), as numbers on the axis."""
    given = values if pd.api.types.is_list_like(values) else [values]
    if not isinstance(given, (pd.Series, pd.Index)):
        _check_one_dimensional(np.shape(given), name)
    try:
        return to_numbers(given, times)
    except (TypeError, ValueError) as error:
        raise ValueError(f"values of {name!r} {error}") from None


def _check_one_dimensional(shape: tuple[int, ...], name: Hashable) -> None:
    if len(shape) != 1:
        raise ValueError(
            f"values of {name!r} must be of one dimension, got shape {shape}: one value per row"
        )


def _labels(values: Any) -> Array:
    """Levels asked for as an array of objects; levels that are tuples stay whole."""
    values = with_its_type(values)
    if isinstance(values, np.ndarray) and values.dtype.kind in "mM":
        values = pd.Series(values.ravel()).astype(object).to_numpy().reshape(values.shape)
    if not isinstance(values, (list, tuple)):
        return np.atleast_1d(np.asarray(values, dtype=object))
    if any(isinstance(value, (list, np.ndarray)) for value in values):
        return np.asarray([np.asarray(value, dtype=object) for value in values], dtype=object)
    labels = np.empty(len(values), dtype=object)
    labels[:] = values
    return labels


def _is_missing(value: Any) -> bool:
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def _next(low: Array, values: FloatArray, axis: int) -> Array:
    return np.asarray(np.minimum(low + 1, values.shape[axis] - 1))


def _interpolated(
    values: FloatArray,
    places: Sequence[tuple[Array, FloatArray]],
    corner: tuple[Array, ...] = (),
) -> FloatArray:
    """Values (m,) at places on each axis; `corner` has the points on the axes done so far."""
    axis = len(corner)
    if axis == len(places):
        return np.asarray(values[corner])
    low, share = places[axis]
    below = _interpolated(values, places, (*corner, low))
    above = _interpolated(values, places, (*corner, _next(low, values, axis)))
    return _blend(below, above, share)


def _blend(low: FloatArray, high: FloatArray, share: FloatArray) -> FloatArray:
    inner = low + share * (high - low)
    return np.asarray(np.where(share == 0, low, np.where(share == 1, high, inner)))
