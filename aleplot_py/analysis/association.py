"""How strongly columns of any kind go together: variance explained, mutual information.

The figure of the chapter (Molnar, Interpretable Machine Learning, 2nd ed., figure 8.12) shows the
square root of the share of variance that one column explains of another; ALE's neighbours are
these columns, because a strongly associated column moves along when the explained one does.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Unpack

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from aleplot_py.errors import ConstantFeatureError, FeatureError
from aleplot_py.inputs.arrays import ExtensionArray, numbers_of
from aleplot_py.inputs.checks import one_of
from aleplot_py.inputs.extras import needed
from aleplot_py.inputs.requests import as_table, categorical_names, column_names
from aleplot_py.results.base import Result
from aleplot_py.results.codec import Rule
from aleplot_py.steps.centre import power_of
from aleplot_py.typing import Columns, FrameLike

if TYPE_CHECKING:
    from aleplot_py.plots.heatmap import HeatmapDisplay
    from aleplot_py.plots.visuals import HeatmapPlotOptions


Measure = Literal["variance_explained", "normalised_mutual_information"]


def variance_explained(y: ArrayLike, x: ArrayLike) -> float:
    """Square root of the share of variance that one column explains of the other.

    - numeric by categorical: the categorical column's share of the sum of squares in the one-way
      analysis of variance, square root (the correlation ratio), fitted by statsmodels;
    - categorical by numeric: the same number. As in the chapter, the numeric column is the one
      modelled, whichever of the two is asked about;
    - numeric by numeric: the same share for a straight line, the absolute value of Pearson's r;
    - categorical by categorical: Cramér's V, the same share between the levels' indicators; for
      two columns with two levels again give the absolute value of r of their 0/1 codes.

    Parameters
    ----------
    y, x : (n,) array-like
        Columns without missing values. Numbers and dates are numeric; text, booleans and
        categories are categorical.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    FeatureError
        If the lengths differ, or a value is missing or not finite.
    ConstantFeatureError
        If a column has a single value, so that there is no variance to explain.

    See Also
    --------
    normalised_mutual_information : The same for dependence of any shape.
    association_matrix : Of all columns of a table.

    Notes
    -----
    Source: Molnar, Interpretable Machine Learning (2nd ed.), figure 8.12; in R
    ``sqrt(a[1, "Sum Sq"] / sum(a[["Sum Sq"]]))`` with ``a <- anova(lm(y ~ x))``.
    """
    first, second = _pair(y, x)
    return _variance_explained(first, second)


def normalised_mutual_information(x: ArrayLike, y: ArrayLike) -> float:
    """Mutual information of two columns over the mean of their entropies.

    Numeric columns are cut into equal bins by Freedman and Diaconis' rule, width
    2 IQR n^(-1/3); where the interquartile range is 0, by Sturges' rule. Categorical columns keep
    their levels. Unlike `variance_explained` this also sees relations that are not a shift of the
    mean, but with few rows per bin it is well above 0 for independent columns.

    Parameters
    ----------
    x, y : (n,) array-like
        Columns without missing values, of any kind.

    Returns
    -------
    float
        Between 0 (independent within the bins) and 1 (each determines the other's bin).

    Raises
    ------
    FeatureError
        If the lengths differ, or a value is missing or not finite.
    ConstantFeatureError
        If a column has a single value.

    See Also
    --------
    variance_explained : Of one column by another.
    association_matrix : Of all columns of a table.

    Notes
    -----
    Source: Freedman and Diaconis (1981) for the bins; the normalisation by the arithmetic mean is
    the default of ``sklearn.metrics.normalized_mutual_info_score``.
    """
    first, second = _pair(x, y)
    return _normalised_mutual_information(first, second)


def association_matrix(
    X: FrameLike,
    *,
    rows: Columns | None = None,
    columns: Columns | None = None,
    measure: Measure = "variance_explained",
    categorical: Columns | None = None,
) -> AssociationResult:
    """Association of every row column with every column of a table.

    Parameters
    ----------
    X : DataFrame or ndarray of shape (n, d)
        The table.
    rows, columns : name or list of names, optional
        Columns down and across the matrix; all columns of X by default. A column may be given by
        0-based position where no column has that name.
    measure : {"variance_explained", "normalised_mutual_information"}
        See the functions of these names.
    categorical : name or list of names, optional
        Numeric columns to treat as categories.

    Returns
    -------
    AssociationResult
        ``matrix`` has shape (len(rows), len(columns)).

    Raises
    ------
    TypeError
        If X is neither a DataFrame nor an array.
    FeatureError
        If a column is unknown, constant, or has missing values.
    ValueError
        If there is no such measure.

    See Also
    --------
    variance_explained : The measure by default.
    normalised_mutual_information : The other measure.

    Notes
    -----
    Takes no `missing`: its columns would be compared over different rows.
    Takes no `sample_weight`: the measures count every row alike, as in their sources.
    Takes no `batch_rows`, `n_jobs`, `progress`: nothing is predicted.
    Takes no `random_state`: nothing is drawn at random.
    """
    table = as_table(X)
    measures: dict[str, Callable[[pd.Series[Any], pd.Series[Any]], float]] = {
        "variance_explained": _variance_explained,
        "normalised_mutual_information": _normalised_mutual_information,
    }
    one_of(measure, tuple(measures), "measure")
    down = column_names(table.names if rows is None else rows, table)
    across = column_names(table.names if columns is None else columns, table)
    as_levels = categorical_names(categorical, table)
    found = {}
    for name in dict.fromkeys([*down, *across]):
        column = table.column(name)
        column = column.astype("category") if name in as_levels else column
        found[name] = _as_column(column, f"column {name!r}")
    matrix = np.array([[measures[measure](found[r], found[c]) for c in across] for r in down])
    return AssociationResult(matrix, tuple(down), tuple(across), measure)


@dataclass(frozen=True, eq=False, repr=False)
class AssociationResult(Result):
    """Association of columns with columns.

    Attributes
    ----------
    matrix : (r, c) array
        Between 0 and 1.
    rows, columns : tuple of hashable
        Names of the columns of the data down and across.
    measure : str
    """

    _panels: ClassVar[int] = 1

    matrix: NDArray[np.float64]
    rows: tuple[Hashable, ...]
    columns: tuple[Hashable, ...]
    measure: Measure

    def __repr__(self) -> str:
        return f"AssociationResult({self.measure}: {len(self.rows)} x {len(self.columns)} columns)"

    def _rules(self) -> Iterator[Rule]:
        shape = (len(self.rows), len(self.columns))
        yield self.matrix.shape == shape, "matrix", f"of shape {shape}", self.matrix.shape

    def to_frame(self) -> pd.DataFrame:
        """Return the matrix as a data frame labelled with the columns' names."""
        return pd.DataFrame(self.matrix.copy(), index=list(self.rows), columns=list(self.columns))

    def plot(self, **options: Unpack[HeatmapPlotOptions]) -> HeatmapDisplay:
        """Draw the matrix as a heat map.

        Parameters
        ----------
        **options
            Those of `aleplot_py.HeatmapDisplay.plot`.

        Returns
        -------
        HeatmapDisplay
            Holds the artists.
        """
        from aleplot_py.plots.heatmap import HeatmapDisplay

        return HeatmapDisplay(
            self.matrix,
            self.rows,
            self.columns,
            self.measure.replace("_", " "),
            limits=(0.0, 1.0),
        ).plot(**options)


def _pair(y: ArrayLike, x: ArrayLike) -> tuple[pd.Series[Any], pd.Series[Any]]:
    names = [getattr(column, "name", None) for column in (y, x)]
    titles = [
        repr(name) if name is not None else argument
        for name, argument in zip(names, ("the first column", "the second column"), strict=True)
    ]
    first, second = _as_column(y, titles[0]), _as_column(x, titles[1])
    if len(first) != len(second):
        raise FeatureError(
            f"both columns must have the same length, got {len(first)} and {len(second)}"
        )
    return first, second


def _as_column(values: ArrayLike, title: str) -> pd.Series[Any]:
    """One column as float (numbers, dates) or category (all else), its index dropped."""
    column = values if isinstance(values, pd.Series) else pd.Series(_one_dimension(values, title))
    column = column.reset_index(drop=True)
    missing = int(column.isna().sum())
    if missing:
        raise FeatureError(f"{title} must have no missing values, got {missing}")
    if column.nunique() < 2:
        raise ConstantFeatureError(
            f"{title} must have at least two different values, got {list(column.unique())}"
        )
    if pd.api.types.is_complex_dtype(column):
        raise FeatureError(f"{title} must be real numbers or categories, got complex numbers")
    numbers = numbers_of(column)
    if numbers is None:
        return column.astype("category").cat.remove_unused_categories()
    if not np.isfinite(numbers).all():
        raise FeatureError(f"{title} must be finite, got infinite values")
    # Associations have no unit: a power of two taken out changes none, and squares stay finite.
    return pd.Series(np.ldexp(numbers, -power_of(numbers)))


def _one_dimension(values: ArrayLike, title: str) -> Any:
    if isinstance(values, (ExtensionArray, pd.Index)):
        return values
    array = np.asarray(values)
    if array.ndim != 1:
        raise FeatureError(f"{title} must have one dimension, got {array.ndim}")
    return array


def _is_categorical(column: pd.Series[Any]) -> bool:
    return isinstance(column.dtype, pd.CategoricalDtype)


def _variance_explained(y: pd.Series[Any], x: pd.Series[Any]) -> float:
    if _is_categorical(y) and _is_categorical(x):
        return _cramers_v(y, x)
    if _is_categorical(y):
        y, x = x, y
    if _is_categorical(x):
        levels = x.cat.codes.to_numpy()[:, None] == np.arange(len(x.cat.categories))
        design = levels.astype(np.float64)
    else:
        design = np.column_stack([np.ones(len(x)), _standardised(x)])
    return _root_of_share(_standardised(y), design)


def _root_of_share(response: NDArray[np.float64], design: NDArray[np.float64]) -> float:
    """Square root of the design's row in the analysis of variance over the total."""
    linear_model = needed("statsmodels.regression.linear_model", "variance_explained")
    fit = linear_model.OLS(response, design).fit()
    # The sum of squares of the fitted values: as a difference of total and residual (fit.ess) a
    # small share would be lost in rounding.
    explained = float(np.square(fit.fittedvalues - response.mean()).sum())
    return min(1.0, float(np.sqrt(explained / fit.centered_tss)))


def _standardised(column: pd.Series[Any]) -> NDArray[np.float64]:
    values = column.to_numpy(dtype=np.float64)
    values = values - values.mean()
    # Twice, because the mean of large numbers is itself rounded.
    values = values / np.abs(values).max()
    values = values - values.mean()
    return np.asarray(values / values.std(), dtype=np.float64)


def _cramers_v(y: pd.Series[Any], x: pd.Series[Any]) -> float:
    from scipy.stats.contingency import association

    table = _contingency(y.cat.codes.to_numpy(), x.cat.codes.to_numpy())
    return min(1.0, float(association(table, method="cramer")))


def _contingency(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.int64]:
    """Counts of the pairs of codes, rows and columns without any count left out."""
    _, rows = np.unique(first, return_inverse=True)
    _, columns = np.unique(second, return_inverse=True)
    counts = np.zeros((rows.max() + 1, columns.max() + 1), dtype=np.int64)
    np.add.at(counts, (rows, columns), 1)
    return counts


def _normalised_mutual_information(x: pd.Series[Any], y: pd.Series[Any]) -> float:
    counts = _contingency(_bin_codes(x), _bin_codes(y))
    shares = counts / counts.sum()
    information = (
        _entropy(shares.sum(axis=1)) + _entropy(shares.sum(axis=0)) - _entropy(shares.ravel())
    )
    mean_entropy = (_entropy(shares.sum(axis=1)) + _entropy(shares.sum(axis=0))) / 2
    return float(np.clip(information / mean_entropy, 0.0, 1.0))


def _entropy(shares: NDArray[np.float64]) -> float:
    """In nats."""
    positive = shares[shares > 0]
    return float(-(positive * np.log(positive)).sum())


def _bin_codes(column: pd.Series[Any]) -> NDArray[np.float64]:
    """Levels of a category, or the bins of a numeric column."""
    if _is_categorical(column):
        return np.asarray(column.cat.codes, dtype=np.float64)
    values = column.to_numpy(dtype=np.float64)
    span = values.max() - values.min()
    lower, upper = np.percentile(values, [25, 75])
    width = 2 * (upper - lower) * len(values) ** (-1 / 3)
    n_bins = np.ceil(span / width) if width > 0 else np.ceil(np.log2(len(values)) + 1)
    # Two bins at least: a column that varies is never turned into a constant. The division comes
    # first so that heavy tails only cost codes, never a table of empty bins.
    n_bins = max(2.0, float(n_bins))
    codes = np.floor((values - values.min()) / span * n_bins)
    return np.asarray(np.minimum(codes, n_bins - 1), dtype=np.float64)
