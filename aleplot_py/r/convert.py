"""Between Python and R: frames, vectors and lists both ways, and calls of R functions.

>>> from aleplot_py.r import convert
>>> convert.call("stats::median", [1.0, 5.0, 2.0])      # doctest: +SKIP
array([2.])
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py.r import session
from aleplot_py.r.session import evaluate

R_INTEGER_NA = -(2**31)
LARGEST_EXACT_INTEGER = 2**53


# --- calling ----------------------------------------------------------------------------------


def call_r(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Call an R function and return its R object.

    Parameters
    ----------
    function : str or R function
        ``"stats::quantile"``, R code of a function, or an R function.
    *args, **kwargs
        Arguments, converted by `to_r`. Names with dots go through ``**{"na.rm": True}``.

    Returns
    -------
    rpy2 object
        The value, not converted.

    Raises
    ------
    RCallError
        If R stops with an error.
    """
    target = evaluate(function) if isinstance(function, str) else function
    converted = [to_r(value) for value in args]
    named = {name: to_r(value) for name, value in kwargs.items()}
    return session.guarded(target, *converted, **named)


def call(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Call an R function and convert its value by `to_python`.

    Parameters
    ----------
    function : str or R function
        ``"stats::quantile"``, R code of a function, or an R function.
    *args, **kwargs
        Arguments, converted by `to_r`.

    Returns
    -------
    object
        Arrays for vectors and matrices, DataFrames for data frames, dicts for named lists.
    """
    return to_python(call_r(function, *args, **kwargs))


# --- Python to R ------------------------------------------------------------------------------


def _numbers(mode: str, values: Any) -> Any:
    """Atomic R vector filled through its memory (rpy2 would copy element by element).

    Its array interface gives the memory to numpy. ``vector.memoryview()`` would too, but takes one
    reference of None with it at each call, until the interpreter dies of it (before Python 3.12).
    """
    vector = evaluate("function(mode, n) vector(mode, n)")(mode, len(values))
    if len(values):
        np.asarray(vector)[:] = values
    return vector


def _strings(values: Iterable[Any]) -> Any:
    rinterface = session.start()
    missing = rinterface.NA_Character
    texts = [missing if value is None or value is pd.NA else value for value in values]
    return rinterface.StrSexpVector(
        [missing if isinstance(value, float) and np.isnan(value) else value for value in texts]
    )


def _integers(values: np.ndarray[Any, Any], mask: np.ndarray[Any, Any], name: object) -> Any:
    """R integers where they fit, else doubles that hold them exactly."""
    known = values[~mask]
    largest = max(abs(int(known.max())), abs(int(known.min()))) if known.size else 0
    if largest < -R_INTEGER_NA:
        return _numbers("integer", np.where(mask, R_INTEGER_NA, values))
    if largest > LARGEST_EXACT_INTEGER:
        raise ValueError(
            f"column {name!r}: R has no integers beyond 2**53 in absolute value, got {largest}"
        )
    numbers = values.astype(np.float64)
    numbers[mask] = np.nan
    return _floats(numbers)


def _floats(values: np.ndarray[Any, Any]) -> Any:
    numbers = np.asarray(values, dtype=np.float64)
    vector = _numbers("numeric", numbers)
    missing = np.isnan(numbers)
    if missing.any():
        np.asarray(vector)[missing] = np.asarray(evaluate("NA_real_"))[0]
    return vector


def _factor(values: pd.Categorical, name: object) -> Any:
    levels = [str(level) for level in values.categories]
    if len(set(levels)) < len(levels):
        raise ValueError(
            f"column {name!r}: levels must differ as text to be levels in R, got {levels}"
        )
    codes = np.asarray(values.codes, dtype=np.int64) + 1
    vector = _numbers("integer", np.where(codes == 0, R_INTEGER_NA, codes))
    return evaluate(
        "function(codes, levels, ordered) structure(codes, levels = levels,"
        " class = if (ordered) c('ordered', 'factor') else 'factor')"
    )(vector, _strings(levels), bool(values.ordered))


def column_to_r(column: pd.Series) -> Any:
    """Convert one column.

    Parameters
    ----------
    column : Series of length n
        Numbers, booleans, text or categories, plain or nullable.

    Returns
    -------
    rpy2 vector of length n
        Doubles, integers, logicals, characters or a factor; missing values are NA.

    Raises
    ------
    TypeError
        If the type has no counterpart in R.
    ValueError
        If integers are too large or levels coincide as text.
    """
    dtype, name = column.dtype, column.name
    kinds = pd.api.types
    if isinstance(dtype, pd.CategoricalDtype):
        return _factor(column.array, name)
    mask = column.isna().to_numpy()
    if kinds.is_bool_dtype(dtype):
        values = column.fillna(False).to_numpy(dtype=np.int64)
        return _numbers("logical", np.where(mask, R_INTEGER_NA, values))
    if kinds.is_integer_dtype(dtype):
        return _integers(column.fillna(0).to_numpy(), mask, name)
    if kinds.is_float_dtype(dtype):
        return _floats(column.to_numpy(dtype=np.float64, na_value=np.nan))
    texts = column.tolist()
    known = [value for value, missing in zip(texts, mask, strict=True) if not missing]
    if all(isinstance(value, str) for value in known):
        return _strings(None if m else value for value, m in zip(texts, mask, strict=True))
    if all(isinstance(value, bool) for value in known):
        return column_to_r(column.astype("boolean"))
    raise TypeError(f"column {name!r}: type {dtype} has no counterpart in R")


def frame_to_r(frame: pd.DataFrame, names: Sequence[str] | None = None) -> Any:
    """Convert a frame to an R data frame.

    Parameters
    ----------
    frame : DataFrame of shape (n, d)
        A default index becomes R's automatic row names, any other unique index its text.
    names : sequence of str of length d, optional
        Names of the columns in R; the frame's own, verbatim, by default.

    Returns
    -------
    rpy2 list of class data.frame
        The data frame.

    Raises
    ------
    TypeError, ValueError
        See `column_to_r`; also if an index is not unique as text.
    """
    rinterface = session.start()
    columns = [column_to_r(frame.iloc[:, j]) for j in range(frame.shape[1])]
    in_r = _strings(str(name) for name in (frame.columns if names is None else names))
    if isinstance(frame.index, pd.RangeIndex) and frame.index.equals(pd.RangeIndex(len(frame))):
        row_names = _numbers("integer", np.array([R_INTEGER_NA, -len(frame)]))
    else:
        texts = [str(label) for label in frame.index]
        if len(set(texts)) < len(texts):
            raise ValueError("the index must be unique to become row names in R")
        row_names = _strings(texts)
    return evaluate(
        "function(columns, names, row_names) structure(columns, names = names,"
        " row.names = row_names, class = 'data.frame')"
    )(rinterface.ListSexpVector(columns), in_r, row_names)


def to_r(value: Any) -> Any:
    """Convert a Python object to an R object.

    Parameters
    ----------
    value : object
        None, a number, text, a boolean, a list of one of them, a 1-D or 2-D array, a Series,
        Categorical or DataFrame, a mapping (a named list), or an R object (returned as it is).

    Returns
    -------
    rpy2 object
        The R object.

    Raises
    ------
    TypeError
        If the type has no counterpart in R.
    """
    rinterface = session.start()
    if value is None:
        return rinterface.NULL
    if hasattr(value, "__sexp__"):
        return value
    if isinstance(value, pd.DataFrame):
        return frame_to_r(value)
    if isinstance(value, pd.Series):
        return column_to_r(value)
    if isinstance(value, pd.api.extensions.ExtensionArray):
        return column_to_r(pd.Series(value))
    if isinstance(value, Mapping):
        content = rinterface.ListSexpVector([to_r(item) for item in value.values()])
        content.names = _strings(str(name) for name in value)
        return content
    if isinstance(value, (str, bool, int, float, np.generic)):
        return column_to_r(pd.Series([value]))
    array = np.asarray(value)
    if array.ndim == 2:
        vector = column_to_r(pd.Series(array.ravel(order="F")))
        return evaluate("function(x, dim) array(x, dim)")(vector, to_r(list(array.shape)))
    if array.ndim == 1:
        return column_to_r(pd.Series(value if array.dtype.kind == "O" else array))
    raise TypeError(f"{type(value).__name__} has no counterpart in R")


# --- R to Python ------------------------------------------------------------------------------


def classes_of(value: Any) -> list[str]:
    """R classes of an R object, the most special one first."""
    return [str(name) for name in value.rclass]


def _memory(vector: Any, dtype: Any) -> np.ndarray[Any, Any]:
    """Copy of an R vector's memory; rpy2 has no view of an empty one."""
    return np.array(vector, dtype=dtype) if len(vector) else np.empty(0, dtype=dtype)


def vector_to_python(vector: Any) -> Any:
    """Convert an atomic R vector.

    Parameters
    ----------
    vector : rpy2 vector of length n
        Doubles, integers, logicals, characters or a factor.

    Returns
    -------
    ndarray or ExtensionArray of shape (n,)
        A plain array, ``Int64`` or ``boolean`` where integers or logicals have NA, an object
        array of text (None for NA), a Categorical for a factor.

    Raises
    ------
    TypeError
        If the R type has no counterpart here.
    """
    rinterface = session.start()
    classes = classes_of(vector)
    if "factor" in classes:
        codes = _memory(vector, np.int64)
        levels: Any = [str(level) for level in vector.do_slot("levels")]
        return pd.Categorical.from_codes(
            np.where(codes == R_INTEGER_NA, -1, codes - 1), levels, ordered="ordered" in classes
        )
    if isinstance(vector, rinterface.StrSexpVector):
        texts = [None if text is rinterface.NA_Character else str(text) for text in vector]
        return np.array(texts, dtype=object)
    if isinstance(vector, rinterface.FloatSexpVector):
        numbers = _memory(vector, np.float64)
        # R's NA is a signalling NaN, which would warn in the next cast.
        numbers[np.isnan(numbers)] = np.nan
        return numbers
    if isinstance(vector, (rinterface.IntSexpVector, rinterface.BoolSexpVector)):
        integers = _memory(vector, np.int64)
        missing = integers == R_INTEGER_NA
        logical = isinstance(vector, rinterface.BoolSexpVector)
        values = integers.astype(bool) if logical else integers
        if not missing.any():
            return values
        masked = pd.arrays.BooleanArray if logical else pd.arrays.IntegerArray
        return masked(values, missing)
    raise TypeError(f"an R object of class {'/'.join(classes)} has no counterpart here")


def _row_names(frame: Any, n: int) -> pd.Index:
    names = frame.do_slot("row.names")
    if isinstance(names, session.start().StrSexpVector):
        return pd.Index([str(name) for name in names], dtype=object)
    return pd.RangeIndex(n)


def _as_column(values: Any, like: pd.Series) -> Any:
    """Give values from R the type of the column they stand for, where it can hold them."""
    dtype = like.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        position = {str(level): code for code, level in enumerate(dtype.categories)}
        texts = values if isinstance(values, pd.Categorical) else pd.Categorical(values)
        codes = np.array([position.get(str(level), -2) for level in texts.categories])
        if (codes == -2).any():
            unknown = [level for level, code in zip(texts.categories, codes, strict=True)
                       if code == -2]  # fmt: skip
            raise ValueError(f"column {like.name!r}: R handed back unknown levels {unknown}")
        found = np.append(codes, -1)[texts.codes]
        return pd.Categorical.from_codes(found, dtype=dtype)
    if isinstance(values, pd.Categorical):
        values = np.asarray(values, dtype=object)
    if values.dtype == dtype:
        return values
    try:
        typed: Any = pd.array(values, dtype=dtype)
    except (TypeError, ValueError):
        return values
    same = np.asarray(pd.Series(typed).eq(pd.Series(values)) | pd.isna(pd.Series(values)))
    return typed if same.all() else values


def frame_from_r(frame: Any, like: pd.DataFrame | None = None) -> pd.DataFrame:
    """Convert an R data frame.

    Parameters
    ----------
    frame : rpy2 list of class data.frame
        The data frame of n rows.
    like : DataFrame, optional
        The frame it descends from: its columns' types, its column names and, where the number of
        rows is the same, its index are restored. A column becomes another type only where its own
        cannot hold the new values (an integer column on a grid between integers). Factors that R
        turned into text become categories again.

    Returns
    -------
    DataFrame of shape (n, d)
        The frame.
    """
    columns = [vector_to_python(column) for column in frame]
    names: list[Hashable] = [str(name) for name in frame.names] if len(frame) else []
    n = len(columns[0]) if columns else 0
    index = _row_names(frame, n)
    if like is not None:
        by_text = {str(name): position for position, name in enumerate(like.columns)}
        for j, name in enumerate(names):
            position = by_text.get(str(name))
            if position is not None:
                columns[j] = _as_column(columns[j], like.iloc[:, position])
                names[j] = like.columns[position]
        index = like.index if len(like) == n else pd.RangeIndex(n)
    # Text in an object column must not be taken for pandas' own type of text.
    series = [
        pd.Series(column, index=index, dtype=object if _holds_objects(like, name) else None)
        for name, column in zip(names, columns, strict=True)
    ]
    content = pd.DataFrame(dict(enumerate(series)), index=index)
    content.columns = pd.Index(names) if like is None else _like_columns(names, like)
    return content


def _holds_objects(like: pd.DataFrame | None, name: Hashable) -> bool:
    return like is not None and name in like.columns and like[name].dtype == object


def _like_columns(names: Sequence[Hashable], like: pd.DataFrame) -> pd.Index:
    return like.columns if list(like.columns) == list(names) else pd.Index(names)


def to_python(value: Any) -> Any:
    """Convert an R object to Python.

    Parameters
    ----------
    value : rpy2 object
        NULL, an atomic vector, a matrix or array, a factor, a data frame or a list of these.

    Returns
    -------
    object
        None, an array of the same shape, a Categorical, a DataFrame, a dict (named list) or list;
        other R objects (functions, environments, S4 objects) as they are.
    """
    rinterface = session.start()
    if value is rinterface.NULL or isinstance(value, type(rinterface.NULL)):
        return None
    if isinstance(value, rinterface.ListSexpVector):
        if "data.frame" in classes_of(value):
            return frame_from_r(value)
        items = [to_python(item) for item in value]
        if isinstance(value.names, rinterface.StrSexpVector):
            return dict(zip([str(name) for name in value.names], items, strict=True))
        return items
    try:
        converted = vector_to_python(value)
    except TypeError:
        return value
    if "dim" in _attributes(value):
        return np.asarray(converted).reshape([int(i) for i in value.do_slot("dim")], order="F")
    return converted


def _attributes(value: Any) -> list[str]:
    return [str(name) for name in evaluate("function(x) as.character(names(attributes(x)))")(value)]


def array_frame(array: np.ndarray[Any, Any]) -> pd.DataFrame:
    """Name the columns of an array as R does.

    Parameters
    ----------
    array : ndarray of shape (n, d)
        Numbers.

    Returns
    -------
    DataFrame of shape (n, d)
        With columns V1, V2, ...
    """
    return pd.DataFrame(array, columns=[f"V{j + 1}" for j in range(array.shape[1])])
