"""Types of what the public functions take, for checkers and for signatures of your own."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypedDict

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pandas.api.extensions import ExtensionArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from narwhals.typing import IntoDataFrame

    from aleplot_py.effects.intervals import Auto
    from aleplot_py.results.bands import Bands
    from aleplot_py.results.effects import AleResult, Effect

# --- data -------------------------------------------------------------------------------------

#: Rows and columns: of pandas, numpy, polars or pyarrow.
FrameLike: TypeAlias = "pd.DataFrame | NDArray[Any] | IntoDataFrame"


class Dataset(Protocol):
    """A dataset of pyarrow."""

    def get_fragments(self) -> Any:
        """Its parts."""


class Plan(Protocol):
    """A lazy frame of polars."""

    def collect_batches(self) -> Any:
        """Frames, one after the other."""


class Collection(Protocol):
    """A DataFrame of Dask."""

    def to_delayed(self) -> Any:
        """Its partitions."""


#: Rows that come in parts: a Parquet file or folder of them, a dataset, a plan, frames that can be
#: read several times.
Parts: TypeAlias = "str | PathLike[str] | Dataset | Plan | Collection | Iterable[pd.DataFrame]"
#: array_like of shape (n,), of numbers or of labels.
Values: TypeAlias = "list[Any] | tuple[Any, ...] | NDArray[Any] | pd.Series[Any] | pd.Index[Any]\
 | ExtensionArray"
#: array_like of shape (n,), of numbers: no text.
Numbers: TypeAlias = "Sequence[float] | Values"
Whole: TypeAlias = int | np.integer[Any]

# --- black boxes and models -------------------------------------------------------------------


class FittedModel(Protocol):
    """A model with a method ``predict``: of scikit-learn, statsmodels ..."""

    @property
    def predict(self) -> Any:
        """callable(rows) -> (n,); that of a pipeline comes from a descriptor."""


class Estimator(Protocol):
    """A model with a method ``fit``."""

    def fit(self, X: Any, y: Any, /) -> Any:
        """Fit to the rows of X and the responses y."""


Predictor: TypeAlias = Callable[[Any], ArrayLike] | FittedModel
#: An estimator, or a callable(X, y) that returns a fitted model.
Fitter: TypeAlias = Estimator | Callable[[Any, Any], Predictor]
#: callable(n, random_state) that draws n rows and responses.
Simulator: TypeAlias = "Callable[[int, np.random.Generator], tuple[FrameLike, Values]]"
#: callable(predict, X, feature, edges) that gives the values of an effect at the edges.
EffectEstimator: TypeAlias = "Callable[[Callable[[Any], NDArray[np.float64]], Any, Any,\
 NDArray[np.float64]], ArrayLike]"
ResponseMethod: TypeAlias = Literal["auto", "predict", "predict_proba", "decision_function"]
RandomState: TypeAlias = int | np.integer[Any] | np.random.Generator | np.random.RandomState | None

# --- features ---------------------------------------------------------------------------------

#: Name of a column, or its 0-based position; as `features` also a tuple of several.
Feature: TypeAlias = Hashable
#: Several of them: what gives a collection of effects.
FeatureList: TypeAlias = "list[Any] | NDArray[Any] | pd.Series[Any] | pd.Index[Any]\
 | ExtensionArray | Mapping[Any, Any]"
#: What is asked for. A checker takes any text but a literal "all" for the name of one.
Features: TypeAlias = "Literal['all'] | Feature | FeatureList"
#: A column, or a list, set or other collection of columns.
Columns: TypeAlias = "Feature | FeatureList | Iterable[Hashable]"
Pairs: TypeAlias = "Literal['all'] | Iterable[tuple[Hashable, Hashable]] | None"
Triples: TypeAlias = "Literal['all'] | Iterable[tuple[Hashable, Hashable, Hashable]] | None"

# --- options ----------------------------------------------------------------------------------

IntervalCount: TypeAlias = "Whole | Literal['auto'] | Auto"
#: Number of intervals, or that of each feature.
IntervalCounts: TypeAlias = "IntervalCount | Mapping[Any, IntervalCount]"
PointCounts: TypeAlias = "Whole | Mapping[Any, Whole]"
GridRule: TypeAlias = Literal["aleplot", "iml", "equidistant"]
#: Edges of the intervals: a rule, the caller's own, or those of each feature.
Grid: TypeAlias = "GridRule | Numbers | Mapping[Any, GridRule | Numbers]"
PointRule: TypeAlias = Literal["equidistant", "iml"]
PointGrid: TypeAlias = "PointRule | Numbers | Mapping[Any, PointRule | Numbers]"
Outside: TypeAlias = Literal["error", "clip", "iml"]
Centre: TypeAlias = Literal["aleplot", "paper", "none"]
RowCentre: TypeAlias = Literal["rows", "aleplot", "paper"]
#: "none", "pdplot", or the value (level, tuple of two) at which a curve is 0.
Anchor: TypeAlias = Hashable
OrderRule: TypeAlias = Literal["similarity", "declared", "frequency", "mean_prediction"]
Order: TypeAlias = "OrderRule | Values | Mapping[Any, OrderRule | Values]"
#: A share of the rows below which levels are rare, the levels, or those of each feature.
Collapse: TypeAlias = "float | Values | Mapping[Any, float | Values]"
Derivative: TypeAlias = Callable[[Any], ArrayLike]
Gradient: TypeAlias = Literal["model"] | Derivative | Mapping[Any, Derivative]
#: A number, a length of time on an axis of times, or those of each feature.
Length: TypeAlias = float | str | datetime.timedelta
Bandwidth: TypeAlias = Length | Mapping[Any, Length]
Missing: TypeAlias = Literal["error", "drop"]
#: A column, or labels of the rows.
Groups: TypeAlias = "Feature | FeatureList"
#: Label of one output, a list of labels, or "all".
Target: TypeAlias = "Hashable | list[Any] | Literal['all']"
#: Where predictions for moved rows come from.
Method: TypeAlias = Literal["auto", "predict", "trees", "recursion"]


class CommonOptions(TypedDict, total=False):
    """Keyword arguments that the estimators of effects share; `aleplot_py.ale` documents them."""

    order: Order | None
    collapse: Collapse | None
    categorical: Columns | None
    sample_weight: Numbers | None
    response_method: ResponseMethod
    missing: Missing
    batch_rows: int | None
    n_jobs: int | Executor | None
    progress: bool


class PartOptions(TypedDict, total=False):
    """Those of them that may ask for several effects of a feature."""

    groups: Groups | None
    target: Target


class SharedAleOptions(CommonOptions, total=False):
    """Keyword arguments of `aleplot_py.ale` without `PartOptions`."""

    K: IntervalCounts
    grid: Grid
    outside: Outside
    centre: Centre
    gradient: Gradient | None
    method: Method
    local_effects: bool


class SharedPartsOptions(TypedDict, total=False):
    """Keyword arguments that estimators share where the rows come in parts."""

    order: Order | None
    categorical: Columns | None
    sample_weight: Hashable | None
    target: Hashable | None
    response_method: ResponseMethod
    missing: Missing
    batch_rows: int | None
    n_jobs: int | Executor | None
    progress: bool
    method: Literal["auto", "predict"]
    checkpoint: str | PathLike[str] | None


class PartsOptions(SharedPartsOptions, total=False):
    """Keyword arguments of `aleplot_py.ale` where the rows come in parts."""

    K: PointCounts
    grid: Grid
    outside: Literal["error", "clip"]
    centre: Centre


class PointPartsOptions(SharedPartsOptions, total=False):
    """Keyword arguments of `aleplot_py.partial_dependence` where the rows come in parts."""

    K: PointCounts
    grid: PointGrid
    centre: Anchor


class AleOptions(SharedAleOptions, PartOptions, total=False):
    """Keyword arguments of `aleplot_py.ale`."""


class SharedIceOptions(CommonOptions, total=False):
    """Keyword arguments of `aleplot_py.ice` without `PartOptions`."""

    K: PointCounts
    grid: PointGrid
    percentiles: tuple[float, float] | None
    centre: Anchor
    method: Method


class IceOptions(SharedIceOptions, PartOptions, total=False):
    """Keyword arguments of `aleplot_py.ice`."""


class SharedPartialDependenceOptions(SharedIceOptions, total=False):
    """Keyword arguments of `aleplot_py.partial_dependence` without `PartOptions`."""

    kind: Literal["average", "individual", "both"]


class PartialDependenceOptions(SharedPartialDependenceOptions, PartOptions, total=False):
    """Keyword arguments of `aleplot_py.partial_dependence`."""


class SharedMPlotOptions(CommonOptions, total=False):
    """Keyword arguments of `aleplot_py.m_plot` without `PartOptions`."""

    K: PointCounts
    grid: Grid
    centre: Anchor
    neighbourhood: Literal["interval", "kernel"]
    bandwidth: Bandwidth | None


class MPlotOptions(SharedMPlotOptions, PartOptions, total=False):
    """Keyword arguments of `aleplot_py.m_plot`."""


class BootstrapOptions(TypedDict, total=False):
    """Keyword arguments of `aleplot_py.bootstrap_bands`."""

    n_boot: int
    level: float
    method: Literal["percentile", "normal"] | None
    simultaneous: bool
    centre_over: Literal["data", "resamples"]
    K: Whole | None
    grid: Literal["fixed", "redrawn"]
    predict: Predictor | None
    refit: Fitter | None
    X: FrameLike | None
    y: Values | None
    sample_weight: Numbers | None
    response_method: ResponseMethod
    batch_rows: int | None
    n_jobs: int | Executor | None
    progress: bool
    keep_curves: bool
    random_state: RandomState


class LearnerOptions(TypedDict, total=False):
    """Keyword arguments of `aleplot_py.learner_bands`."""

    n_refits: int
    resampling: Literal["bootstrap", "subsampling"]
    level: float
    sample_weight: Numbers | None
    response_method: ResponseMethod
    batch_rows: int | None
    n_jobs: int | Executor | None
    progress: bool
    keep_curves: bool
    random_state: RandomState


# --- effects and drawings ---------------------------------------------------------------------

Effects: TypeAlias = "Effect | Iterable[Effect] | Mapping[Any, Effect]"
#: Effects of the ALE kind.
AleEffects: TypeAlias = "AleResult | Iterable[AleResult] | Mapping[Any, AleResult]"
Limits: TypeAlias = "Bands | tuple[Numbers, Numbers]"
AxesLike: TypeAlias = "Axes | Sequence[Axes] | NDArray[Any]"

# --- importance -------------------------------------------------------------------------------


class SparseMatrix(Protocol):
    """A sparse matrix or array of scipy."""

    def tocsr(self) -> Any:
        """The same by rows."""


class Splitter(Protocol):
    """A splitter of scikit-learn."""

    def split(self, X: Any, y: Any, groups: Any, /) -> Any:
        """Rows to fit on and to score on, one pair for each split."""


#: What estimators are fitted to besides frames and arrays.
Table: TypeAlias = "FrameLike | SparseMatrix | Sequence[Sequence[Any]]"
Response: TypeAlias = "Values | pd.DataFrame"
Scoring: TypeAlias = str | Callable[..., Any] | None
CrossValidation: TypeAlias = int | Splitter | Iterable[tuple[Any, Any]]
