"""The bridge to R: frames both ways, Python black boxes in R, R models as Python black boxes.

R runs inside this process through rpy2. Only rpy2's low-level interface is used, so that every
conversion is spelled out here and none depends on the versions of pandas or of rpy2.

>>> from validation import bridge
>>> bridge.call("stats::median", [1.0, 5.0, 2.0])      # doctest: +SKIP
array([2.])
"""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

R_INTEGER_NA = -(2**31)
LARGEST_EXACT_INTEGER = 2**53
MODEL_PACKAGES = ("randomForest", "nnet", "party", "gbm", "rpart")
ALEPLOT_PACKAGES = ("ALEPlot", "yaImpute")
IML_PACKAGES = ("iml",)

# What R printed last; kept for error messages instead of cluttering the terminal.
console: deque[str] = deque(maxlen=200)


class RUnavailableError(RuntimeError):
    """R or rpy2 is missing or does not start; the message says which and why."""


class RCallError(RuntimeError):
    """An R function ended in an error; the message is R's."""


# --- starting ---------------------------------------------------------------------------------


@functools.cache
def _start() -> Any:
    """Start R once and return rpy2's low-level interface."""
    try:
        home = subprocess.run(
            ["R", "RHOME"], capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        raise RUnavailableError("R is not installed (no R on the PATH)") from None
    # LD_LIBRARY_PATH cannot be changed in a running process; loading the libraries does the same.
    for library in ("libRblas.so", "libRlapack.so", "libR.so"):
        path = Path(home) / "lib" / library
        if path.exists():
            ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    try:
        import rpy2.rinterface as rinterface
        from rpy2.rinterface_lib import callbacks
    except ImportError as error:
        raise RUnavailableError(f"rpy2 cannot be imported: {error}; run `make r`") from error
    try:
        rinterface.initr()
    except Exception as error:
        raise RUnavailableError(f"R does not start through rpy2: {error}") from error
    callbacks.consolewrite_print = console.append
    callbacks.consolewrite_warnerror = console.append
    # Without a device R would write Rplots.pdf into the working directory.
    rinterface.evalr("grDevices::pdf(NULL)")
    return rinterface


@functools.cache
def why_unavailable() -> str | None:
    """Return why R cannot be used here, or None when it can (R is then running).

    Returns
    -------
    str or None
        The reason, fit for the summary of a test run.
    """
    try:
        _start()
    except RUnavailableError as error:
        return str(error)
    return None


def why_packages_unavailable(names: Iterable[str]) -> str | None:
    """Return why R with these packages cannot be used here, or None when it can.

    Parameters
    ----------
    names : iterable of str
        R packages.

    Returns
    -------
    str or None
        The reason, naming every missing package.
    """
    reason = why_unavailable()
    if reason is None:
        missing = [name for name, version in package_versions(names).items() if version is None]
        if missing:
            plural = "s are" if len(missing) > 1 else " is"
            reason = f"the R package{plural} not installed: {', '.join(missing)}"
    return reason


def package_versions(names: Iterable[str]) -> dict[str, str | None]:
    """Return the installed versions of R packages.

    Parameters
    ----------
    names : iterable of str
        R packages.

    Returns
    -------
    dict
        Version by name, None for a package that is not installed.
    """
    version = r(
        "function(name) if (length(find.package(name, quiet = TRUE)))"
        " as.character(utils::packageVersion(name)) else NA_character_"
    )
    found = {name: call(version, name)[0] for name in names}
    return {name: None if pd.isna(text) else str(text) for name, text in found.items()}


@functools.cache
def versions() -> dict[str, str]:
    """Return the versions of everything that takes part in a comparison.

    Returns
    -------
    dict
        R, its BLAS and LAPACK, its packages that are installed, rpy2, Python and numpy.
    """
    packages = package_versions([*ALEPLOT_PACKAGES, *IML_PACKAGES, *MODEL_PACKAGES])
    return {
        "R": str(call(r("function() as.character(getRversion())"))[0]),
        "R's BLAS": str(call(r("function() basename(extSoftVersion()[['BLAS']])"))[0]),
        "R's LAPACK": str(call(r("function() La_version()"))[0]),
        **{name: version for name, version in packages.items() if version is not None},
        "rpy2": importlib.metadata.version("rpy2-rinterface"),
        "Python": ".".join(map(str, sys.version_info[:3])),
        "numpy": np.__version__,
    }


# --- evaluating -------------------------------------------------------------------------------


@functools.cache
def r(code: str) -> Any:
    """Evaluate R code once and keep the R object: functions, constants.

    Parameters
    ----------
    code : str
        R expressions; the value of the last one is returned.

    Returns
    -------
    rpy2 object
        The R object, not converted.
    """
    return _guarded(_start().evalr, code)


def _guarded(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call into R; an error of R becomes an RCallError with R's own message."""
    from rpy2.rinterface_lib.embedded import RRuntimeError

    try:
        return function(*args, **kwargs)
    except RRuntimeError as error:
        raise RCallError(str(error).strip()) from None


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
    target = r(function) if isinstance(function, str) else function
    converted = [to_r(value) for value in args]
    named = {name: to_r(value) for name, value in kwargs.items()}
    return _guarded(target, *converted, **named)


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
    vector = r("function(mode, n) vector(mode, n)")(mode, len(values))
    if len(values):
        np.asarray(vector)[:] = values
    return vector


def _strings(values: Iterable[Any]) -> Any:
    rinterface = _start()
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
        np.asarray(vector)[missing] = np.asarray(r("NA_real_"))[0]
    return vector


def _factor(values: pd.Categorical, name: object) -> Any:
    levels = [str(level) for level in values.categories]
    if len(set(levels)) < len(levels):
        raise ValueError(
            f"column {name!r}: levels must differ as text to be levels in R, got {levels}"
        )
    codes = np.asarray(values.codes, dtype=np.int64) + 1
    vector = _numbers("integer", np.where(codes == 0, R_INTEGER_NA, codes))
    return r(
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


def frame_to_r(frame: pd.DataFrame) -> Any:
    """Convert a frame to an R data frame.

    Parameters
    ----------
    frame : DataFrame of shape (n, d)
        Its column names are kept verbatim. A default index becomes R's automatic row names, any
        other unique index its text.

    Returns
    -------
    rpy2 list of class data.frame
        The data frame.

    Raises
    ------
    TypeError, ValueError
        See `column_to_r`; also if an index is not unique as text.
    """
    rinterface = _start()
    columns = [column_to_r(frame.iloc[:, j]) for j in range(frame.shape[1])]
    names = _strings(str(name) for name in frame.columns)
    if isinstance(frame.index, pd.RangeIndex) and frame.index.equals(pd.RangeIndex(len(frame))):
        row_names = _numbers("integer", np.array([R_INTEGER_NA, -len(frame)]))
    else:
        texts = [str(label) for label in frame.index]
        if len(set(texts)) < len(texts):
            raise ValueError("the index must be unique to become row names in R")
        row_names = _strings(texts)
    return r(
        "function(columns, names, row_names) structure(columns, names = names,"
        " row.names = row_names, class = 'data.frame')"
    )(rinterface.ListSexpVector(columns), names, row_names)


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
    rinterface = _start()
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
        return r("function(x, dim) array(x, dim)")(vector, to_r(list(array.shape)))
    if array.ndim == 1:
        return column_to_r(pd.Series(value if array.dtype.kind == "O" else array))
    raise TypeError(f"{type(value).__name__} has no counterpart in R")


# --- R to Python ------------------------------------------------------------------------------


def _classes(value: Any) -> list[str]:
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
    rinterface = _start()
    classes = _classes(vector)
    if "factor" in classes:
        codes = _memory(vector, np.int64)
        levels = [str(level) for level in vector.do_slot("levels")]
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
    if isinstance(names, _start().StrSexpVector):
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
        typed = pd.array(values, dtype=dtype)
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
    rinterface = _start()
    if value is rinterface.NULL or isinstance(value, type(rinterface.NULL)):
        return None
    if isinstance(value, rinterface.ListSexpVector):
        if "data.frame" in _classes(value):
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
    return [str(name) for name in r("function(x) as.character(names(attributes(x)))")(value)]


# --- black boxes both ways --------------------------------------------------------------------

_LENT = """function(answer) function(X.model, newdata, ...) {
  value <- answer(newdata)
  if (is.character(value)) stop("the Python black box raised an exception")
  value
}"""


@contextmanager
def lend_to_r(
    predict: Callable[[Any], Any], like: pd.DataFrame | np.ndarray[Any, Any]
) -> Generator[Any, None, None]:
    """Lend a Python black box to R for the calls made inside the ``with`` block.

    An exception inside a callback reaches R as NULL and would show up later as a wrong-length
    error: it is kept, R is stopped at once, and the exception is raised again here. The vectors
    handed to R are kept until the block ends.

    Parameters
    ----------
    predict : callable
        Takes rows like `like`, returns n numbers.
    like : DataFrame or ndarray of shape (n, d)
        The frame (or array) that the black box expects: types, names and index are restored from
        it before every call, whatever R did to them.

    Yields
    ------
    R function
        ``function(X.model, newdata)``, as ALEPlot and PDPlot ask for.
    """
    rinterface = _start()
    kept: list[Any] = []
    raised: list[BaseException] = []
    template = like if isinstance(like, pd.DataFrame) else array_frame(like)

    def answer(newdata: Any) -> Any:
        try:
            frame = frame_from_r(newdata, template)
            rows = frame if isinstance(like, pd.DataFrame) else frame.to_numpy()
            kept.append(_floats(np.asarray(predict(rows), dtype=np.float64).reshape(-1)))
            return kept[-1]
        except BaseException as error:
            raised.append(error)
            kept.append(_strings(["exception"]))
            return kept[-1]

    internal = rinterface.rternalize(answer, signature=False)
    kept.append(internal)
    try:
        yield r(_LENT)(internal)
    except RCallError:
        if raised:
            raise raised[0] from None
        raise
    if raised:
        raise raised[0]


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


# How `predict` of each class is asked for numbers; the first class found decides.
_PREDICT = {
    "glm": ("function(m, d, ...) stats::predict(m, newdata = d, ...)", {"type": "response"}),
    "lm": ("function(m, d, ...) stats::predict(m, newdata = d, ...)", {}),
    "randomForest": (
        "function(m, d, type, ...) stats::predict(m, newdata = d, type ="
        " if (missing(type)) { if (m$type == 'regression') 'response' else 'prob' } else type,"
        " ...)",
        {},
    ),
    "nnet": ("function(m, d, ...) stats::predict(m, newdata = d, ...)", {"type": "raw"}),
    "gbm": (
        "function(m, d, n.trees, ...) stats::predict(m, newdata = d, n.trees ="
        " if (missing(n.trees)) m$n.trees else n.trees, ...)",
        {"type": "link"},
    ),
    "rpart": ("function(m, d, ...) stats::predict(m, newdata = d, ...)", {}),
    "BinaryTree": (
        "function(m, d, ...) do.call(rbind, party::treeresponse(m, newdata = d, ...))",
        {},
    ),
    "RandomForest": (
        "function(m, d, ...) do.call(rbind, party::treeresponse(m, newdata = d, ...))",
        {},
    ),
}
_PACKAGE = {
    "randomForest": "randomForest",
    "nnet": "nnet",
    "gbm": "gbm",
    "rpart": "rpart",
    "BinaryTree": "party",
    "RandomForest": "party",
}


class RModel:
    """A fitted R model as a Python black box.

    Parameters
    ----------
    model : rpy2 object
        A fit of ``lm``, ``glm``, randomForest, ``nnet``, party's ``ctree`` or ``cforest``, ``gbm``
        or ``rpart``.
    target : str, optional
        Class whose probability is wanted from a classifier.
    **arguments
        Further arguments of R's ``predict``, such as ``type="link"`` or ``**{"n.trees": 100}``.

    Raises
    ------
    TypeError
        If the model is of another class.
    """

    def __init__(self, model: Any, *, target: str | None = None, **arguments: Any) -> None:
        classes = _classes(model)
        known = next((name for name in classes if name in _PREDICT), None)
        if known is None:
            raise TypeError(
                f"model must be an R model of class {', '.join(_PREDICT)}, got {'/'.join(classes)}"
            )
        if known in _PACKAGE:
            call_r("loadNamespace", _PACKAGE[known])
        code, defaults = _PREDICT[known]
        self.model = model
        self.target = target
        self._code = code
        self._arguments = {**defaults, **arguments}

    def __call__(self, rows: pd.DataFrame | np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Predict.

        Parameters
        ----------
        rows : DataFrame or ndarray of shape (n, d)
            Rows with the types and levels of the training data.

        Returns
        -------
        ndarray of shape (n,) or (n, k)
            Predictions; one column per class for a classifier without `target`.

        Raises
        ------
        RCallError
            If R's ``predict`` refuses the rows.
        ValueError
            If `target` is not a class of the model.
        """
        frame = rows if isinstance(rows, pd.DataFrame) else array_frame(rows)
        # Row names mean nothing to a prediction, and repeated ones would be refused.
        value = call_r(self._code, self.model, frame.reset_index(drop=True), **self._arguments)
        numbers = np.asarray(to_python(value), dtype=np.float64)
        if self.target is not None:
            names = call(r("function(x) colnames(x)"), value)
            found = [] if names is None else list(names)
            if self.target not in found:
                raise ValueError(f"target must be one of {found}, got {self.target!r}")
            return numbers[:, found.index(self.target)]
        return numbers.reshape(-1) if numbers.ndim > 1 and numbers.shape[1] == 1 else numbers


def fit(
    function: str,
    formula: str,
    data: pd.DataFrame,
    *,
    seed: int | None = None,
    target: str | None = None,
    predict_arguments: Mapping[str, Any] | None = None,
    **arguments: Any,
) -> RModel:
    """Fit an R model and wrap it as a black box.

    Parameters
    ----------
    function : str
        ``"lm"``, ``"randomForest::randomForest"``, ``"party::ctree"``, ...
    formula : str
        R's formula.
    data : DataFrame of shape (n, d)
        The training rows.
    seed : int, optional
        ``set.seed`` just before the fit.
    target : str, optional
        Class whose probability is wanted from a classifier.
    predict_arguments : mapping, optional
        Further arguments of R's ``predict``.
    **arguments
        Further arguments of the R function.

    Returns
    -------
    RModel
        The fitted model.
    """
    if seed is not None:
        call_r("set.seed", seed)
    # The formula must be evaluated in the global environment: some packages look there.
    model = call_r(
        "function(f, formula, data, ...) f(stats::as.formula(formula, globalenv()),"
        " data = data, ...)",
        r(function),
        formula,
        data,
        **arguments,
    )
    return RModel(model, target=target, **dict(predict_arguments or {}))
