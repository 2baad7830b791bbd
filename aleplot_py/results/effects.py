"""Effects as frozen results: numbers, tables, interpolation, files and a plot."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd

from aleplot_py.errors import listing
from aleplot_py.inputs.arrays import as_floats
from aleplot_py.results.codec import FORMAT, encode
from aleplot_py.results.local_effects import LocalEffects
from aleplot_py.steps.grid import FloatArray

if TYPE_CHECKING:
    from aleplot_py.plots.display import AleDisplay


Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Effect:
    """What every kind of effect has.

    Parameters
    ----------
    features : tuple of one or two column names
        Explained features; positions where the data were an array.
    kinds : tuple of {"numeric", "categorical"}
        Kind of each feature.
    x_values : tuple of ndarray
        One per feature: grid points, float of shape (P,), or levels in order, object of shape (L,).
    f_values : ndarray of shape (P,) or (P1, P2)
        Effect at the points, in units of the prediction.
    counts : ndarray
        Rows, or their weight, behind the values; each class says of which shape.
    observed : tuple of ndarray of shape (n,)
        Values of the features in the rows used, for rugs and scatter.
    target : label or None
        Which of several outputs is explained.
    """

    name: ClassVar[str] = "Effect"

    features: tuple[Hashable, ...]
    kinds: tuple[str, ...]
    x_values: tuple[Array, ...]
    f_values: FloatArray
    counts: FloatArray
    observed: tuple[Array, ...]
    target: Hashable | None = None

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.features))
        known = self.f_values[np.isfinite(self.f_values)]
        span = f"{known.min():.4g} to {known.max():.4g}" if known.size else "unknown"
        size = " x ".join(map(str, self.f_values.shape))
        return (
            f"{type(self).__name__}({shown}: {size} points, n={len(self.observed[0])}, "
            f"values {span})"
        )

    def evaluate(self, x: Any, x2: Any = None) -> FloatArray:
        """Effect at any values of the features.

        Parameters
        ----------
        x : array_like of shape (m,), or DataFrame with the features as columns
            Values of the (first) feature.
        x2 : array_like of shape (m,), optional
            Values of the second feature of a pair.

        Returns
        -------
        ndarray of shape (m,)
            Linear (for a pair bilinear) interpolation between the grid points, as R's plots draw
            it; the level's own value for a category. NaN outside the grid and for missing values.

        Raises
        ------
        ValueError
            If a category is not a level, a number is not one, or the number of coordinates is not
            that of the features.
        """
        if isinstance(x, pd.DataFrame):
            missing = [name for name in self.features if name not in x.columns]
            if missing:
                raise ValueError(f"evaluate needs column {missing[0]!r}, which the frame has not")
            coordinates: list[Any] = [x[name] for name in self.features]
        else:
            coordinates = [x] if x2 is None else [x, x2]
        if len(coordinates) != len(self.features):
            raise ValueError(
                f"evaluate needs one array for each of {self.features}, got {len(coordinates)}"
            )
        corners = [
            _between(values, points, kind, name)
            for values, points, kind, name in zip(
                coordinates, self.x_values, self.kinds, self.features, strict=True
            )
        ]
        if len(corners) == 1:
            low, share = corners[0]
            return _blend(self.f_values[low], self.f_values[_next(low, self.f_values, 0)], share)
        (i, s), (j, t) = corners
        if len(i) != len(j) and 1 not in (len(i), len(j)):
            raise ValueError(
                f"evaluate needs as many values of {self.features[0]!r} as of "
                f"{self.features[1]!r}, got {len(i)} and {len(j)}"
            )
        i1, j1 = _next(i, self.f_values, 0), _next(j, self.f_values, 1)
        f = self.f_values
        return _blend(_blend(f[i, j], f[i, j1], t), _blend(f[i1, j], f[i1, j1], t), s)

    def to_frame(self) -> pd.DataFrame:
        """Long table: one column per feature (levels as an ordered categorical) and the value.

        Returns
        -------
        DataFrame with one row per point
            Columns are the features and the kind of effect (``ale``, ``pd`` or ``m``, with an
            underscore more where a feature has that name).
        """
        points = np.meshgrid(*(np.arange(len(x)) for x in self.x_values), indexing="ij")
        columns: dict[Hashable, Any] = {}
        for name, kind, x, at in zip(self.features, self.kinds, self.x_values, points, strict=True):
            if kind == "categorical":
                dtype = pd.CategoricalDtype(list(x), ordered=True)
                columns[name] = pd.Categorical.from_codes(at.ravel(), dtype=dtype)
            else:
                columns[name] = x[at.ravel()]
        value = self.name.lower()
        while value in columns:
            value += "_"
        columns[value] = self.f_values.ravel()
        return pd.DataFrame(columns)

    def plot(self, **options: Any) -> AleDisplay:
        """Draw the effect; options are those of `aleplot_py.AleDisplay.plot`.

        Returns
        -------
        AleDisplay
            Holds the artists.
        """
        from aleplot_py.plots.display import AleDisplay

        return AleDisplay(self).plot(**options)

    def save(self, path: str | Path) -> None:
        """Write the result to a JSON file from which `load` restores it exactly.

        Parameters
        ----------
        path : str or Path
            File to write.
        """
        Path(path).write_text(json.dumps(self._encode(), allow_nan=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a result written by `save`.

        Parameters
        ----------
        path : str or Path
            File to read.

        Returns
        -------
        Effect
            A result of the class that was saved, equal to it bit for bit.

        Raises
        ------
        ValueError
            If the file does not hold a result of this class.
        """
        from aleplot_py.results.storage import load

        effect = load(path)
        if not isinstance(effect, cls):
            raise ValueError(f"{path} holds a {type(effect).__name__}, not a {cls.__name__}")
        return effect

    def _encode(self) -> dict[str, Any]:
        state = {name: encode(value) for name, value in self.__getstate__().items()}
        return {"class": type(self).__name__, "format": FORMAT, **state}

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class AleResult(Effect):
    """Accumulated local effect of one feature or of a pair.

    Parameters
    ----------
    features, kinds, x_values, f_values, observed, target
        As in `Effect`. ``f_values`` has shape (K + 1,), (L,), (K1 + 1, K2 + 1), (L, K + 1),
        (K + 1, L) or (L1, L2).
    K : tuple of int
        Effective number of intervals of each numeric feature (ties leave fewer than asked for),
        number of levels of each categorical one.
    counts : ndarray of shape (K,), (L,), (K1, K2), (L, K), (K, L) or (L1, L2)
        Rows, or their weight, in each interval, level, or cell.
    empty : ndarray of bool, one entry per step: (K,), (L - 1,), (K1, K2), (L - 1, K) ...
        Cells without rows; their local effect is that of the nearest cell.
    local_mean, local_std : ndarray of the same shape as `empty`
        Mean and standard deviation (divisor: the number of rows) of the local effects in each
        cell, in units of the prediction; the mean after filling, the deviation NaN where empty.
    constant : float
        Mean that was subtracted last to centre the values.
    main_effects : tuple of ndarray
        For a pair: the two main effects removed from the accumulated effect, (P1,) and (P2,),
        0 at their first points. Empty for a main effect.
    centering : {"aleplot", "paper", "none"}
        Centring convention.
    grid : tuple of str
        Rule of each axis: "aleplot", "iml", "equidistant", "given"; "levels" for categories.
    local_effects : LocalEffects or None
        Local effects of the single rows, where they were asked for.
    """

    name: ClassVar[str] = "ALE"

    K: tuple[int, ...]
    empty: Array
    local_mean: FloatArray
    local_std: FloatArray
    constant: float
    main_effects: tuple[FloatArray, ...] = ()
    centering: str = "aleplot"
    grid: tuple[str, ...] = ()
    local_effects: LocalEffects | None = field(default=None, repr=False)
    _mean: float | Callable[[], float] = field(repr=False)

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

    def transpose(self) -> AleResult:
        """The same second-order effect with its two features swapped.

        Returns
        -------
        AleResult
            Every array transposed, every tuple reversed.
        """
        turned: dict[str, Any] = {}
        for f in fields(self):
            value = getattr(self, f.name)
            turned[f.name] = value[::-1] if isinstance(value, tuple) else value
            if isinstance(value, np.ndarray):
                turned[f.name] = value.T
        if self.local_effects is not None:
            turned["local_effects"] = self.local_effects.transpose()
        return AleResult(**turned)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_mean": self.mean_prediction}


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PartialDependenceResult(Effect):
    """Partial dependence of one feature or of a pair, and its individual curves.

    Parameters
    ----------
    features, kinds, x_values, observed, target
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
    """

    name: ClassVar[str] = "PD"

    individual: FloatArray | None = None
    centre: Any = "none"
    constant: float = 0.0

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


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class MPlotResult(Effect):
    """M-plot (marginal plot): mean prediction of the rows near each point, moved to the point.

    Parameters
    ----------
    features, kinds, x_values, f_values, observed, target
        As in `Effect`; NaN where no row is near.
    counts : ndarray of shape (P,) or (P1, P2)
        Rows, or their weight, in the neighbourhood of each point.
    centre : str, value or tuple of values
        "none", "pdplot", or the anchor at which the curve is 0.
    constant : float
        What was subtracted last.
    """

    name: ClassVar[str] = "M"

    centre: Any = "none"
    constant: float = 0.0


class EffectCollection(Mapping[Any, Effect]):
    """Several effects by feature name, or by pair of names, in the order asked for.

    Parameters
    ----------
    effects : sequence of Effect
        Results over the same data.
    """

    def __init__(self, effects: Sequence[Effect]) -> None:
        self._effects = {_key(effect): effect for effect in effects}

    def __getitem__(self, feature: Any) -> Effect:
        return self._effects[feature]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._effects)

    def __len__(self) -> int:
        return len(self._effects)

    def __repr__(self) -> str:
        return f"EffectCollection({list(self._effects)})"

    def to_frame(self) -> pd.DataFrame:
        """One long table of all main effects and pairs.

        Returns
        -------
        DataFrame
            Columns ``feature``, ``x``, ``feature2``, ``x2`` (missing for main effects), ``value``.
        """
        tables = []
        for effect in self._effects.values():
            table = effect.to_frame()
            names = [*effect.features, None][:2]
            second = [None] * len(table) if names[1] is None else table.iloc[:, 1].astype(object)
            tables.append(
                pd.DataFrame(
                    {
                        "feature": [names[0]] * len(table),
                        "x": table.iloc[:, 0].astype(object),
                        "feature2": [names[1]] * len(table),
                        "x2": second,
                        "value": table.iloc[:, -1],
                    }
                )
            )
        return pd.concat(tables, ignore_index=True)

    def plot(self, **options: Any) -> AleDisplay:
        """Draw all effects on one grid of axes; options are those of `AleDisplay.plot`."""
        from aleplot_py.plots.display import AleDisplay

        return AleDisplay(list(self._effects.values())).plot(**options)

    def save(self, path: str | Path) -> None:
        """Write all effects to one JSON file, which `aleplot_py.load` restores exactly."""
        state = {
            "class": type(self).__name__,
            "format": FORMAT,
            "effects": [effect._encode() for effect in self._effects.values()],
        }
        Path(path).write_text(json.dumps(state, allow_nan=False) + "\n", encoding="utf-8")


def _key(effect: Effect) -> Any:
    return effect.features[0] if len(effect.features) == 1 else effect.features


def _between(
    values: Any, points: Array, kind: str, name: Hashable
) -> tuple[np.ndarray[Any, Any], FloatArray]:
    """Index of the point at or below each value, and the share of the way to the next."""
    if kind == "categorical":
        asked = np.atleast_1d(np.asarray(values, dtype=object))
        missing = pd.isna(asked)
        position = {level: i for i, level in enumerate(points)}
        unknown = [v for v in asked[~missing] if v not in position]
        if unknown:
            raise ValueError(
                f"{unknown[0]!r} is not a level of {name!r}: it has {listing(position)}"
            )
        found = [position.get(v, 0) for v in asked]
        return np.array(found, dtype=np.intp), np.where(missing, np.nan, 0.0)
    try:
        x = np.atleast_1d(as_floats(values))
    except (TypeError, ValueError):
        raise ValueError(f"values of {name!r} must be numbers, got {values!r}") from None
    if len(points) == 1:
        return np.zeros(x.shape, dtype=np.intp), np.where(x == points[0], 0.0, np.nan)
    low = np.clip(np.searchsorted(points, x, side="right") - 1, 0, len(points) - 2)
    share = (x - points[low]) / (points[low + 1] - points[low])
    return low, np.where((x < points[0]) | (x > points[-1]), np.nan, share)


def _next(low: Array, values: FloatArray, axis: int) -> Array:
    return np.asarray(np.minimum(low + 1, values.shape[axis] - 1))


def _blend(low: FloatArray, high: FloatArray, share: FloatArray) -> FloatArray:
    inner = low + share * (high - low)
    return np.asarray(np.where(share == 0, low, np.where(share == 1, high, inner)))
