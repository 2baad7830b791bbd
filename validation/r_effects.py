"""Effects as R computes them: ALEPlot, PDPlot and iml on a Python black box, and base R alone."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from validation import bridge

Array = np.ndarray[Any, Any]
Rows = pd.DataFrame | Array
Predictor = Callable[[Any], Any]

#: What ALEPlot does with a pair of which one axis has a single interval.
FAILS_ON_ONE_INTERVAL = r"subscript out of bounds|incorrect number of dimensions"

#: R code of `curve_of`, `definition` and `levels_by_similarity`; base R is enough for it.
DEFINITION = "\n".join(
    Path(__file__).with_name(name).read_text(encoding="utf-8")
    for name in ("certificate_check.R", "definition.R")
)

_FEATURE_EFFECT = """function(X, f, feature, method, size, center, points) {
  p <- iml::Predictor$new(model = list(), data = X,
                          predict.function = function(model, newdata) f(NULL, newdata))
  e <- iml::FeatureEffect$new(p, feature = feature, method = method, grid.size = size,
                              center.at = center, grid.points = points)
  as.data.frame(e$results)
}"""

_INTERACTION = """function(X, f, feature) {
  p <- iml::Predictor$new(model = list(), data = X,
                          predict.function = function(model, newdata) f(NULL, newdata))
  found <- iml::Interaction$new(p, feature = feature, grid.size = nrow(X))$results
  list(names = as.character(found$.feature), values = found$.interaction)
}"""

_HSTATS = """function(X, f, w) {
  all <- ncol(X)
  h <- hstats::hstats(list(), X = X, pred_fun = function(model, newdata) f(NULL, newdata), w = w,
                      n_max = nrow(X), pairwise_m = all, threeway_m = all, verbose = FALSE)
  found <- list(hstats::h2_overall(h)$M, hstats::h2_pairwise(h)$M, hstats::h2_threeway(h)$M)
  list(names = c("", unlist(lapply(found, rownames))), values = c(hstats::h2(h)$M, unlist(found)))
}"""


@dataclass(frozen=True, eq=False)
class REffect:
    """An effect as R returned it.

    Parameters
    ----------
    x_values : tuple of ndarray
        Grid points (float), or levels as text (object), of each axis.
    f_values : ndarray
        Values, one axis per feature, in units of the prediction; NaN in the cells without rows
        that `definition` leaves open.
    K : tuple of int, or None
        Effective intervals, or levels, of each axis, where R says so.
    """

    x_values: tuple[Array, ...]
    f_values: Array
    K: tuple[int, ...] | None = None


def frame_for_r(X: Rows) -> pd.DataFrame:
    """The rows as R gets them: an array as a frame with columns V1, V2, ..."""
    return X if isinstance(X, pd.DataFrame) else bridge.array_frame(X)


def names_in_r(X: Rows) -> list[str]:
    """Names that the columns have in R: V1, V2, ...

    R code of others (``make.names``, formulas, ``data.table``) changes names like "body mass" and
    evaluates names like "`system`('...')", so that it never gets to see the caller's.
    """
    return [f"V{j + 1}" for j in range(X.shape[1])]


def with_factors(X: Rows) -> pd.DataFrame:
    """The rows with every column of text or booleans as a category, since R explains factors only.

    See `with_own_types` for the way back.
    """
    frame = frame_for_r(X).copy(deep=False)
    for j in range(frame.shape[1]):
        column = frame.iloc[:, j]
        if isinstance(column.dtype, pd.CategoricalDtype):
            continue
        if pd.api.types.infer_dtype(column, skipna=True) in ("string", "boolean"):
            frame.isetitem(j, column.astype("category").array)
    return frame


def with_own_types(predict: Predictor, X: Rows) -> Predictor:
    """A black box of frames like ``with_factors(X)`` from one of frames (arrays) like `X`."""
    own = frame_for_r(X).dtypes.tolist()

    def of_factors(rows: pd.DataFrame) -> Any:
        typed = rows.copy(deep=False)
        for j, dtype in enumerate(own):
            is_factor = isinstance(typed.dtypes.iloc[j], pd.CategoricalDtype)
            if is_factor and not isinstance(dtype, pd.CategoricalDtype):
                typed.isetitem(j, typed.iloc[:, j].astype(dtype).array)
        return predict(typed if isinstance(X, pd.DataFrame) else typed.to_numpy())

    return of_factors


@contextmanager
def _lent(predict: Predictor, X: Rows) -> Generator[tuple[Any, Any], None, None]:
    """The data as R gets them, and the black box, which gets its own names back."""
    frame, names = frame_for_r(X), names_in_r(X)

    def by_position(rows: pd.DataFrame) -> Any:
        named = rows[names].set_axis(frame.columns, axis="columns")
        return predict(named if isinstance(X, pd.DataFrame) else named.to_numpy())

    with bridge.lend_to_r(by_position, frame.set_axis(names, axis="columns")) as lent:
        yield bridge.frame_to_r(frame, names), lent


def without_unused_levels(X: pd.DataFrame) -> pd.DataFrame:
    """Copy of a frame without the declared levels that no row has."""
    tidy = X.copy()
    for j in range(X.shape[1]):
        column = X.iloc[:, j]
        if isinstance(column.dtype, pd.CategoricalDtype):
            tidy.isetitem(j, column.cat.remove_unused_categories().array)
    return tidy


def aleplot(
    predict: Predictor, X: Rows, positions: Sequence[int], K: int, function: str = "ALEPlot"
) -> REffect:
    """Run R's ``ALEPlot`` or ``PDPlot``.

    Parameters
    ----------
    predict : callable
        The black box, which R calls through the bridge.
    X : DataFrame or ndarray of shape (n, d)
        The data.
    positions : sequence of one or two int
        Explained columns, counted from 0.
    K : int
        Intervals, or points, asked for.
    function : {"ALEPlot", "PDPlot"}
        Which of the two.

    Returns
    -------
    REffect
        R's result.

    Raises
    ------
    RCallError
        If R stops with an error; an exception of the black box is raised as it is.
    """
    with _lent(predict, X) as (data, lent):
        result = bridge.call(
            f"ALEPlot::{function}", data, None, lent, [j + 1 for j in positions], K
        )
    axes = result["x.values"] if len(positions) > 1 else [result["x.values"]]
    effective = result.get("K")
    return REffect(
        tuple(_points(axis) for axis in axes),
        np.asarray(result["f.values"], dtype=np.float64),
        None if effective is None else tuple(int(k) for k in np.ravel(effective)),
    )


def iml_table(
    predict: Predictor,
    X: Rows,
    positions: Sequence[int],
    K: int,
    method: str,
    centre: float | None = None,
    *,
    points: Sequence[float] | None = None,
    drop_unused: bool = False,
) -> pd.DataFrame:
    """Run iml's ``FeatureEffect`` and return its table, one row per point and curve.

    Parameters
    ----------
    predict, X, positions, K
        As in `aleplot`; K is iml's ``grid.size``.
    method : {"ale", "pdp", "ice", "pdp+ice"}
        iml's method.
    centre : float, optional
        ``center.at``.
    points : sequence of float, optional
        ``grid.points``, instead of iml's own grid.
    drop_unused : bool, default False
        Whether R gets the data without the declared levels that no row has, which iml takes for
        used ones; the black box gets them back.

    Returns
    -------
    DataFrame
        iml's ``results``.

    Raises
    ------
    RCallError
        If R stops with an error.
    """
    own = dict(zip(names_in_r(X), frame_for_r(X).columns, strict=True))
    table = _iml(predict, X, positions, K, method, centre, points, drop_unused)
    return table.rename(columns=own)


def _iml(
    predict: Predictor,
    X: Rows,
    positions: Sequence[int],
    K: int,
    method: str,
    centre: float | None,
    points: Sequence[float] | None,
    drop_unused: bool,
) -> pd.DataFrame:
    """Table of iml with the features under their names in R."""
    names = names_in_r(X)
    with _lent(predict, X) as (data, lent):
        if drop_unused:
            data = bridge.frame_to_r(without_unused_levels(frame_for_r(X)), names)
        asked = [names[j] for j in positions]
        table = bridge.call(_FEATURE_EFFECT, data, lent, asked, method, K, centre, points)
    return pd.DataFrame(table)


def iml_effect(
    predict: Predictor,
    X: Rows,
    positions: Sequence[int],
    K: int,
    method: str,
    *,
    drop_unused: bool = False,
) -> REffect:
    """Effect of iml's ``FeatureEffect``, method ``"ale"`` or ``"pdp"``; see `iml_table`."""
    table = _iml(predict, X, positions, K, method, None, None, drop_unused)
    names = [names_in_r(X)[j] for j in positions]
    value = ".ale" if ".ale" in table.columns else ".value"
    axes = [list(dict.fromkeys(table[name])) for name in names]
    values = np.full([len(axis) for axis in axes], np.nan)
    where = tuple(
        table[name].map(axis.index).to_numpy(dtype=np.intp)
        for name, axis in zip(names, axes, strict=True)
    )
    values[where] = table[value].to_numpy(dtype=np.float64)
    return REffect(tuple(_points(axis) for axis in axes), values)


def iml_interaction(predict: Predictor, X: Rows, feature: int | None = None) -> dict[Any, float]:
    """Run iml's ``Interaction`` with every row for a grid.

    Parameters
    ----------
    predict, X
        As in `aleplot`.
    feature : int, optional
        Column whose pairs are asked for, counted from 0; by default every column with all others.

    Returns
    -------
    dict of names to float
        H, not squared, by the name of a column, or the set of two names.

    Raises
    ------
    RCallError
        If R stops with an error.
    """
    names = names_in_r(X)
    with _lent(predict, X) as (data, lent):
        found = bridge.call(_INTERACTION, data, lent, None if feature is None else names[feature])
    return _by_names(found, X)


def hstats(predict: Predictor, X: Rows, weights: Sequence[float] | None = None) -> dict[Any, float]:
    """Run R's ``hstats`` on every row, for every feature, pair and triple.

    Returns
    -------
    dict of names to float
        H squared, by the name of a column or the set of names, the empty one for overall.

    Raises
    ------
    RCallError
        If R stops with an error.
    """
    with _lent(predict, X) as (data, lent):
        found = bridge.call(_HSTATS, data, lent, None if weights is None else [*weights])
    return _by_names(found, X)


def _by_names(found: Any, X: Rows) -> dict[Any, float]:
    """Values by the columns that R's names, joined by colons, are of."""
    own = dict(zip(names_in_r(X), frame_for_r(X).columns, strict=True))
    sets = [[own[name] for name in str(joined).split(":") if name] for joined in found["names"]]
    keys = [names[0] if len(names) == 1 else frozenset(names) for names in sets]
    return dict(zip(keys, map(float, found["values"]), strict=True))


def definition(predict: Predictor, X: Rows, positions: Sequence[int], K: int) -> REffect:
    """The definition in base R (``definition.R``): a main effect, or the means of a pair's cells.

    Parameters
    ----------
    predict, X, positions, K
        As in `aleplot`.

    Returns
    -------
    REffect
        Values at the points, or one per cell and NaN in those without rows.

    Raises
    ------
    RCallError
        If R stops with an error.
    """
    with _lent(predict, X) as (data, lent):
        result = bridge.call(
            DEFINITION,
            data,
            lent,
            [j + 1 for j in positions],
            K,
        )
    values = result["f.values"] if len(positions) == 1 else result["means"]
    return REffect(
        tuple(_points(axis) for axis in result["x.values"]),
        np.asarray(values, dtype=np.float64),
    )


def level_distances(X: pd.DataFrame, position: int) -> Array:
    """Distances of levels in base R (``definition.R``).

    Parameters
    ----------
    X : DataFrame of n rows
        A categorical column and others.
    position : int
        Position of the categorical column.

    Returns
    -------
    ndarray of shape (L, L)
        Distances of the levels that rows have.
    """
    data = bridge.frame_to_r(X, names_in_r(X))
    distances = bridge.call(f"{DEFINITION}\nlevel_distances", data, position + 1)
    return np.asarray(distances, dtype=np.float64)


def _points(axis: Any) -> Array:
    """Points of an axis: floats, or levels as text."""
    values = np.asarray(axis)
    if values.dtype.kind in "iuf":
        return values.astype(np.float64)
    return np.array([str(level) for level in values], dtype=object)
