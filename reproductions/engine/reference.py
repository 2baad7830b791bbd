"""Comparison of a figure's numbers with R's and with those committed."""

import csv
import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

FOLDER = Path(__file__).parents[1] / "reference"

# The figures' R references were written with 17 significant digits; sums over a few hundred rows
# in another order of addition move values of a few thousand by about 1e-11.
TOLERANCE = 1e-9
# Committed numbers were computed by this code, perhaps with another BLAS or libm.
COMMITTED_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Refits:
    """How near R's numbers are to be where R fitted once, at random, and we fitted many times.

    Parameters
    ----------
    std : str
        Our column of the standard deviation over the refits.
    deviations : float
        Each of R's numbers lies within so many standard deviations of our mean. Three, by chance
        exceeded once in a hundred; the farthest of the chapter's 22 importances is at 2.1.
    rank_correlation : float
        Spearman's correlation of our means with R's numbers is at least this.
    """

    std: str = "std"
    deviations: float = 3.0
    rank_correlation: float = 0.8


@dataclass(frozen=True)
class Reference:
    """R's numbers for one of a figure's tables.

    Parameters
    ----------
    file : str
        Name of a csv file in ``reproductions/reference``.
    values : dict of str to str, optional
        Columns compared with a tolerance, ours to R's. By default our last column against
        R's of the same name, ``.value`` or, for a pair, ``.ale``.
    grid : dict of str to str, optional
        Columns that must be equal bit for bit, ours to R's; rows are matched by them. By default
        the columns of ours that R's file has under the same name. A grid of one text column may
        be in reverse order, because the sign of R's axis of similarity is arbitrary.
    where : dict of str to value
        Rows of R's file that are compared: those with these values.
    tolerance : float
        Largest absolute difference of values.
    of_peak : bool
        Whether `tolerance` is a fraction of the largest absolute value of R's, as for kernel
        densities, which R bins.
    refits : Refits or None
        What is asked instead of `tolerance` of a model that R fitted at random.
    """

    file: str
    values: Mapping[str, str] | None = None
    grid: Mapping[str, str] | None = None
    where: Mapping[str, Any] = field(default_factory=dict)
    tolerance: float = TOLERANCE
    of_peak: bool = False
    refits: Refits | None = None

    def read(self) -> pd.DataFrame:
        """R's table, every bit of each number kept.

        Returns
        -------
        DataFrame
            Rows selected by `where`.
        """
        table = read_csv(FOLDER / self.file)
        for column, value in self.where.items():
            table = table[table[column] == value]
        return table.reset_index(drop=True)

    def digest(self) -> str:
        """SHA-256 of R's file."""
        return hashlib.sha256((FOLDER / self.file).read_bytes()).hexdigest()

    def compare(self, ours: pd.DataFrame, theirs: pd.DataFrame | None = None) -> "Comparison":
        """Compare a table with R's.

        Parameters
        ----------
        ours : DataFrame
            The figure's numbers.
        theirs : DataFrame, optional
            R's, by default as `read` gives them.

        Returns
        -------
        Comparison
            Whether grids are equal, and the largest difference of values.

        Raises
        ------
        ValueError
            If there is no grid: no column of ours is in R's file and none was named.
        """
        theirs = self.read() if theirs is None else theirs
        value_columns, grid_columns = self.columns(ours, theirs)
        if not grid_columns:
            raise ValueError(f"{self.file} has none of the columns {list(ours.columns)} as a grid")
        ours, theirs = _aligned(ours, theirs, grid_columns)
        equal = len(ours) == len(theirs) and all(
            ours[a].tolist() == theirs[b].tolist() for a, b in grid_columns.items()
        )
        scale = max(float(np.abs(theirs[b]).max()) for b in value_columns.values())
        if len(ours) != len(theirs):
            return Comparison(False, math.inf, scale, self)
        difference = max(
            largest_difference(ours[a].to_numpy(float), theirs[b].to_numpy(float))
            for a, b in value_columns.items()
        )
        if self.refits is None:
            return Comparison(equal, difference, scale, self)
        (a, b), *_ = value_columns.items()
        std = ours[self.refits.std].to_numpy(float)
        off = np.abs(ours[a].to_numpy(float) - theirs[b].to_numpy(float))
        within = std > 0
        # Without a spread, or a number, only equality is near.
        deviations = np.where(off == 0, 0.0, math.inf)
        deviations[within] = off[within] / std[within]
        farthest = float(np.where(np.isnan(deviations), math.inf, deviations).max())
        with np.errstate(invalid="ignore"):  # a constant has no ranks to correlate
            ranks = float(ours[a].rank().corr(theirs[b].rank()))
        return Comparison(equal, difference, scale, self, farthest, ranks)

    def columns(
        self, ours: pd.DataFrame, theirs: pd.DataFrame
    ) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """Columns that are compared.

        Parameters
        ----------
        ours, theirs : DataFrame
            The figure's numbers, and R's.

        Returns
        -------
        values, grid : dict of str to str
            Ours to R's: those compared with a tolerance, and those that must be equal.
        """
        last = ours.columns[-1]
        named = next((c for c in (last, ".value", ".ale") if c in theirs.columns), ".value")
        values = self.values or {last: named}
        if self.grid is not None:
            return values, self.grid
        shared = {c: c for c in ours.columns if c in theirs.columns and c not in values}
        return values, shared


@dataclass(frozen=True)
class Comparison:
    """Result of comparing with R.

    Parameters
    ----------
    grid_equal : bool
        Whether grid points, levels and orders are equal.
    difference : float
        Largest absolute difference of values.
    scale : float
        Largest absolute value of R's.
    reference : Reference
        What was compared with.
    deviations : float or None
        Largest difference in standard deviations over our refits, where R's model is one of many.
    rank_correlation : float or None
        Spearman's correlation of the values with R's, where R's model is one of many.
    """

    grid_equal: bool
    difference: float
    scale: float
    reference: Reference
    deviations: float | None = None
    rank_correlation: float | None = None

    @property
    def relative(self) -> float:
        """Largest difference as a fraction of R's largest absolute value."""
        return self.difference / self.scale if self.scale else self.difference

    @property
    def shape_only(self) -> bool:
        """Whether R's numbers are known not to be matched to the last digit."""
        return self.reference.refits is not None

    @property
    def matches(self) -> bool:
        """Whether grids are equal and values as near as the reference asks."""
        if not self.grid_equal:
            return False
        refits = self.reference.refits
        if refits is not None:
            # Comparisons with a missing number are false.
            return (
                self.deviations is not None
                and self.deviations <= refits.deviations
                and self.rank_correlation is not None
                and self.rank_correlation >= refits.rank_correlation
            )
        measured = self.relative if self.reference.of_peak else self.difference
        return measured <= self.reference.tolerance


def read_csv(path: Path) -> pd.DataFrame:
    """Read a table with every bit of each number, whatever the version of pandas.

    Parameters
    ----------
    path : Path
        csv file.

    Returns
    -------
    DataFrame
        Columns of integers, floats (an empty field or NA is NaN) or text.
    """
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    columns = zip(*rows, strict=True) if rows else [()] * len(header)
    return pd.DataFrame(
        {name: _parsed(column) for name, column in zip(header, columns, strict=True)}
    )


def _parsed(fields: Sequence[str]) -> np.ndarray:
    """Integers if all fields are, else floats, else text."""
    for convert, dtype in ((int, np.int64), (_float, np.float64)):
        try:
            return np.array([convert(field) for field in fields], dtype=dtype)
        except ValueError:
            continue
    return np.array(fields, dtype=object)


def _float(field: str) -> float:
    return float("nan") if field in ("", "NA") else float(field)


def largest_difference(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Largest absolute difference; infinite where only one of the two is missing.

    Parameters
    ----------
    ours, theirs : ndarray of shape (n,)
        Values.

    Returns
    -------
    float
        The difference, 0 for no values.
    """
    missing = np.isnan(ours)
    if not np.array_equal(missing, np.isnan(theirs)):
        return math.inf
    return float(np.max(np.abs(ours - theirs)[~missing], initial=0.0))


def difference_from_committed(ours: pd.DataFrame, path: Path) -> str | None:
    """Say how a table differs from the committed one.

    Parameters
    ----------
    ours : DataFrame
        Freshly computed numbers.
    path : Path
        The committed csv file.

    Returns
    -------
    str or None
        What differs, or None if nothing does: numbers are compared to 1e-9 of their column's
        largest, everything else with equality.
    """
    if not path.exists():
        return f"{path.name} is missing"
    try:
        committed = read_csv(path)
    except (OSError, ValueError, csv.Error) as error:
        return f"{path.name} cannot be read: {error}"
    if list(committed.columns) != [str(column) for column in ours.columns]:
        return f"{path.name} has the columns {list(committed.columns)}"
    if len(committed) != len(ours):
        return f"{path.name} has {len(committed)} rows, now {len(ours)}"
    for name, column in ours.items():
        theirs = committed[str(name)]
        if not pd.api.types.is_float_dtype(column.dtype):
            if column.astype(str).tolist() != theirs.astype(str).tolist():
                return f"{path.name}: {name} differs"
            continue
        if not pd.api.types.is_numeric_dtype(theirs.dtype):
            return f"{path.name}: {name} differs"
        old = theirs.to_numpy(float)
        scale = max(1e-12, float(np.nanmax(np.abs(old), initial=0.0)))
        difference = largest_difference(column.to_numpy(float), old) / scale
        if difference > COMMITTED_TOLERANCE:
            return f"{path.name}: {name} differs by {difference:.1e} of its largest value"
    return None


def _aligned(
    ours: pd.DataFrame, theirs: pd.DataFrame, grid: Mapping[str, str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows of R's table in our order: reversed for levels, sorted for a pair."""
    ours = ours.astype({a: object for a in grid if not pd.api.types.is_numeric_dtype(ours[a])})
    if len(grid) > 1:
        ours = ours.sort_values(list(grid), ignore_index=True)
        theirs = theirs.sort_values(list(grid.values()), ignore_index=True)
    elif len(grid) == 1:
        a, b = next(iter(grid.items()))
        turned = theirs[::-1].reset_index(drop=True)
        if ours[a].dtype == object and ours[a].tolist() == turned[b].tolist():
            theirs = turned
    return ours, theirs
