"""Which effects of which rows the caller asks for."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from aleplot_py.errors import FeatureError, listing
from aleplot_py.inputs import native
from aleplot_py.inputs.arrays import ExtensionArray
from aleplot_py.inputs.columns import column_name
from aleplot_py.inputs.frames import Table


def as_table(X: Any, argument: str = "X", *, to_fit: bool = False) -> Table:
    """Wrap the caller's frame or array; refuse other types, no rows, and MultiIndex columns.

    With ``to_fit`` also what estimators are fitted to besides: sparse matrices, rows in a list, and
    frames whose columns have tuples for names, though none twice.
    """
    frame = native.frame_of(X)
    if frame is not None:
        X = frame.clone().to_native()  # columns that the caller replaces later are not ours
    elif to_fit and sparse.issparse(X):
        X = X.tocsr()
    elif to_fit and isinstance(X, Sequence):
        X = np.asarray(X)
    elif not isinstance(X, (pd.DataFrame, np.ndarray)):
        raise TypeError(
            f"{argument} must be a DataFrame or a two-dimensional array, got {_kind(X)}"
        )
    if isinstance(X, (np.matrix, np.ma.MaskedArray)):
        raise TypeError(
            f"{argument} must be a DataFrame or a plain array, got {type(X).__name__}: pass "
            "np.asarray(X), masked entries as NaN"
        )
    if isinstance(X, np.ndarray) and X.dtype.names is not None:
        raise TypeError(
            f"{argument} must be a DataFrame or a plain array, got one with the fields "
            f"{listing(X.dtype.names)}: pass pd.DataFrame({argument})"
        )
    if len(X.shape) != 2:
        raise ValueError(f"{argument} must be two-dimensional, got shape {X.shape}")
    if X.shape[0] == 0 or X.shape[1] == 0:
        raise ValueError(f"{argument} must have rows and columns, got shape {X.shape}")
    if isinstance(X, pd.DataFrame):
        if isinstance(X.columns, pd.MultiIndex) and not to_fit:
            raise TypeError(f"{argument} must have plain column names, got a MultiIndex")
        if to_fit and not X.columns.is_unique:
            twice = X.columns[X.columns.duplicated()].unique().tolist()
            raise FeatureError(f"column names of {argument} must be unique, got {twice} repeated")
        X = X.copy(deep=False)  # nor here
    return Table(X, frame)


def in_parts(X: Any) -> bool:
    """Whether the rows come in parts: a file, a plan of another library, frames one by one."""
    if isinstance(X, (str, PathLike)) or is_dataset(X) or reads_itself(X):
        return True
    if is_of(X, "dask", "DataFrame") or is_of(X, "polars", "LazyFrame"):
        return True
    if isinstance(X, (pd.DataFrame, pd.Series, np.ndarray, Mapping)):
        return False
    try:
        return isinstance(next(iter(X), None), pd.DataFrame)
    except TypeError:
        return False


def reads_itself(X: Any) -> bool:
    """Whether an object does the passes over its rows itself, as a `scale.reading.Reader`."""
    # Looked for in the class: a table may have columns of these names, or work to do for them.
    return all(callable(getattr(type(X), name, None)) for name in ("parts", "read"))


def is_dataset(X: Any) -> bool:
    """Whether an object is a dataset of pyarrow."""
    return is_of(X, "pyarrow") and hasattr(X, "get_fragments")


def is_of(X: Any, library: str, name: str | None = None) -> bool:
    """Whether an object is of a library, which need not be there."""
    kind = type(X)
    return kind.__module__.partition(".")[0] == library and name in (None, kind.__name__)


# Methods that make a frame of pandas of a frame of another library.
TO_PANDAS = ("to_pandas", "toPandas", "to_dataframe", "compute")


def _kind(X: Any) -> str:
    """Type of an object with its library, and how to make a frame of it where it can be one."""
    library = type(X).__module__.partition(".")[0]
    known = library in ("builtins", "numpy", "pandas")
    name = type(X).__name__ if known else f"{type(X).__name__} of {library}"
    method = next((m for m in TO_PANDAS if callable(getattr(X, m, None))), None)
    return name if method is None else f"{name}: call its .{method}() first"


@dataclass(frozen=True)
class Requests:
    """Effects that the caller asks for.

    Parameters
    ----------
    names : list of tuples of column names
        What to compute.
    several : bool
        Whether that is a collection rather than one effect.
    everything : bool
        Whether it was "all", where columns that have no effect are left out with a warning.
    """

    names: list[tuple[Hashable, ...]]
    several: bool = False
    everything: bool = False


def _unwrapped(given: Any) -> Any:
    """The one name in an array without dimensions; anything else as it is."""
    return given.item() if isinstance(given, np.ndarray) and given.ndim == 0 else given


def is_listing(given: Any) -> bool:
    """Whether an argument is a list of things rather than one; a tuple may be either."""
    given = native.as_pandas(given)
    return isinstance(given, (list, np.ndarray, pd.Index, pd.Series, ExtensionArray))


def feature_requests(features: Any, table: Table, most: int | None = 2) -> Requests:
    """Translate `features` into tuples of column names: at most so many, None for any number."""
    features = _unwrapped(features)
    if isinstance(features, str) and features == "all":
        return Requests([(column_name(name, table),) for name in table.names], True, True)
    if not is_listing(features):
        return Requests([_request(features, table, most)])
    if len(features) == 0:
        raise FeatureError("features must name at least one column, got an empty list")
    requests = [_request(feature, table, most) for feature in features]
    repeated = [r for i, r in enumerate(requests) if r in requests[:i]]
    if repeated:
        raise FeatureError(f"features names {_label(repeated[0])} more than once")
    return Requests(requests, True)


def without(requests: Requests, name: Hashable) -> Requests:
    """The requests without a column that parts the rows, which is no feature within a part.

    Raises
    ------
    FeatureError
        If it was asked for by name.
    """
    if any(name in names for names in requests.names) and not requests.everything:
        raise FeatureError(
            f"groups names column {name!r}, which has one value in each group: it has no effect "
            "there, leave it out of features"
        )
    return replace(requests, names=[names for names in requests.names if name not in names])


def single_feature(feature: Any, table: Table) -> Hashable:
    """Name of the one column that an argument must give."""
    requests = feature_requests(feature, table)
    if requests.several or len(requests.names[0]) != 1:
        raise FeatureError(f"feature must be a single column of X, got {feature!r}")
    return requests.names[0][0]


def _label(request: tuple[Hashable, ...]) -> str:
    return repr(request[0] if len(request) == 1 else request)


def _is_name(feature: tuple[Any, ...], table: Table) -> bool:
    """Whether a tuple is itself the name of a column."""
    return any(isinstance(name, tuple) and name == feature for name in table.names)


def _request(feature: Any, table: Table, most: int | None) -> tuple[Hashable, ...]:
    if not isinstance(feature, tuple) or _is_name(feature, table):
        return (column_name(feature, table),)
    if not feature or (most is not None and len(feature) > most):
        number = "one or two features" if most == 2 else "one feature or more"
        raise FeatureError(f"an effect has {number}, got {feature!r}")
    names = tuple(column_name(name, table) for name in feature)
    repeated = [name for i, name in enumerate(names) if name in names[:i]]
    if repeated:
        number = {2: "two", 3: "three"}.get(len(names), str(len(names)))
        raise FeatureError(
            f"a {order_of(names)} needs {number} different features, got {repeated[0]!r} twice"
        )
    return names


def order_of(names: Sequence[Hashable]) -> str:
    """What an effect of several features is called."""
    return {2: "pair", 3: "triple"}.get(len(names), f"set of {len(names)} features")


def named(names: Sequence[Hashable]) -> str:
    """An effect of several features with its name."""
    return f"{order_of(names)} {tuple(names)!r}"


def column_names(given: Any, table: Table) -> list[Hashable]:
    """Names of one column, or of the columns in a list, set or other collection."""
    given = _unwrapped(given)
    single = isinstance(given, (str, bytes)) or not isinstance(given, Iterable)
    if isinstance(given, tuple):
        single = _is_name(given, table)
    return [column_name(name, table) for name in ([given] if single else given)]


def categorical_names(categorical: Any, table: Table) -> frozenset[Hashable]:
    """Columns that the caller declares categorical."""
    return frozenset(() if categorical is None else column_names(categorical, table))


def option_for(name: Hashable, option: Any, table: Table, default: Any) -> Any:
    """Value of an option for one feature, where it may be a dict of feature to value."""
    if not isinstance(option, Mapping):
        return option
    return by_column(option, table).get(name, default)


def by_column(option: Mapping[Any, Any], table: Table) -> dict[Hashable, Any]:
    """Values of an option by name of the column, however its keys give the columns."""
    named: dict[Hashable, Any] = {}
    for key, value in option.items():
        name = column_name(key, table)
        if name in named:
            raise FeatureError(f"column {name!r} is given twice, by name and by position {key!r}")
        named[name] = value
    return named
