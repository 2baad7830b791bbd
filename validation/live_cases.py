"""Random cases for the live comparisons: data of many kinds, black boxes and K from one seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from aleplot_py.ordering import classical_scaling, level_distances

KINDS = ("numeric", "categorical", "numeric_numeric", "categorical_numeric")
LEVELS = np.array(["a", "b", "c", "d", "e", "f"], dtype=object)

# Coordinates of levels that mirror each other differ by rounding only; relative to the largest.
TIED_LEVELS = 1e-9

Predictor = Callable[[pd.DataFrame], np.ndarray]


@dataclass(frozen=True)
class LiveCase:
    """One comparison: data, black box, features and K.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    seed : int
        What it was drawn from.
    data : str
        Name of the kind of data.
    X : DataFrame of shape (n, 5)
        Numeric columns x1, x2, x3 and categorical columns c, g.
    black_box : str
        Name of the black box.
    predict : callable
        The black box, a function of a frame like `X`.
    features : tuple of str
        One or two columns.
    K : int
        Intervals asked for.
    """

    kind: str
    seed: int
    data: str
    X: pd.DataFrame
    black_box: str
    predict: Predictor
    features: tuple[str, ...]
    K: int

    @property
    def name(self) -> str:
        """Readable name, enough to draw the case again."""
        return f"{self.kind}/{self.seed} {self.data}, {self.black_box}, K={self.K}"

    @property
    def positions(self) -> list[int]:
        """Positions of the features as R counts them, from 1."""
        return [list(self.X.columns).index(name) + 1 for name in self.features]


def _correlated(rng: np.random.Generator, n: int) -> np.ndarray:
    base = rng.uniform(size=(n, 1))
    return base + rng.normal(0, 0.05, (n, 3))


def _discrete(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.integers(0, [4, 7, 15], (n, 3)).astype(float)


def _lattice(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.integers(0, 12, (n, 3)) / 10


def _skewed(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.lognormal(0, 1.5, (n, 3))


def _zero_inflated(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.where(rng.uniform(size=(n, 3)) < 0.6, 0.0, rng.exponential(size=(n, 3)))


def _offset(rng: np.random.Generator, n: int) -> np.ndarray:
    return 1e6 + rng.normal(size=(n, 3))


def _with_binary(rng: np.random.Generator, n: int) -> np.ndarray:
    values = rng.normal(size=(n, 3))
    values[:, 0] = np.arange(n) % 2
    return values


def _rounded(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.normal(size=(n, 3)).round(1)


DATA: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "correlated": _correlated,
    "discrete": _discrete,
    "lattice": _lattice,
    "skewed": _skewed,
    "zero-inflated": _zero_inflated,
    "offset": _offset,
    "binary": _with_binary,
    "rounded": _rounded,
}


def level_codes(column: pd.Series) -> np.ndarray:
    """0-based codes of a categorical column in its declared levels, (n,)."""
    return column.cat.codes.to_numpy().astype(np.float64)


BLACK_BOXES: dict[str, Predictor] = {
    "smooth": lambda d: (d["x1"] ** 2 * d["x2"] + np.sin(3 * d["x1"]) * d["x3"]).to_numpy(),
    "step": lambda d: np.where((d["x1"] > 0.7) & (d["x2"] < 0.3), 2.0, d["x1"] + d["x2"]),
    "by level": lambda d: (
        np.cos(level_codes(d["c"])) * d["x2"].to_numpy()
        + level_codes(d["g"]) * d["x1"].to_numpy()
        + (level_codes(d["c"]) == 1) * d["x3"].to_numpy()
    ),
    "bumps": lambda d: (
        np.exp(-((d["x2"] - d["x1"]) ** 2)).to_numpy() * (1 + level_codes(d["c"]))
        + np.abs(d["x3"].to_numpy())
    ),
}


def draw_case(kind: str, seed: int) -> LiveCase:
    """Draw one case; the same seed gives the same case.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    seed : int
        Not negative.

    Returns
    -------
    LiveCase
        The case. Its features have at least two values or levels each.
    """
    rng = np.random.default_rng([KINDS.index(kind), seed])
    data = list(DATA)[seed % len(DATA)]
    n = int(rng.choice([12, 40, 150, 400]))
    numbers = DATA[data](rng, n)
    for column in numbers.T:
        if np.ptp(column) == 0:
            column[0] += 1
    used = int(rng.integers(2, 7))
    shares = rng.dirichlet(np.full(used, 0.7))
    codes = rng.choice(used, n, p=shares)
    codes[:2] = 0, 1
    # Levels follow a numeric column in half of the cases, so that similarity has meaning.
    if rng.uniform() < 0.5:
        codes = np.sort(codes)[np.argsort(np.argsort(numbers[:, 1], kind="stable"))]
    X = pd.DataFrame(numbers, columns=["x1", "x2", "x3"])
    X["c"] = pd.Categorical.from_codes(rng.permutation(6)[codes], LEVELS)
    X["g"] = pd.Categorical.from_codes(rng.integers(0, 3, n), ["low", "mid", "high"])
    features = {
        "numeric": ("x1",) if rng.uniform() < 0.5 else ("x2",),
        "categorical": ("c",),
        "numeric_numeric": ("x1", "x2") if rng.uniform() < 0.5 else ("x2", "x1"),
        "categorical_numeric": ("c", "x2"),
    }[kind]
    black_box = list(BLACK_BOXES)[int(rng.integers(len(BLACK_BOXES)))]
    K = int(rng.choice([1, 2, 5, 12, 40, 100])) if kind == "numeric" else int(rng.integers(2, 25))
    return LiveCase(kind, seed, data, X, black_box, BLACK_BOXES[black_box], features, K)


def align_levels(
    values: np.ndarray, levels: list[str], reference: list[str]
) -> tuple[np.ndarray, bool]:
    """Put a categorical first axis into the order of `reference`.

    Parameters
    ----------
    values : ndarray of shape (L, ...)
        Values per level.
    levels, reference : list of str of length L
        Order of the values and order wanted.

    Returns
    -------
    tuple
        The values in the reference's order, and whether the two orders are equal or the reverse
        of each other (the direction of the scaling axis is arbitrary).
    """
    same = levels in (reference, reference[::-1])
    if sorted(levels) != sorted(reference):
        return values, False
    return values[[levels.index(level) for level in reference]], same


def order_is_r_order(X: pd.DataFrame, feature: str, r_levels: list[str]) -> bool:
    """Tell whether R's order follows the scaling axis of this library.

    The direction of the axis and the order among levels with equal coordinates depend on the
    LAPACK build in R too, so both are free.

    Parameters
    ----------
    X : DataFrame of shape (n, d)
        The data.
    feature : str
        The categorical column.
    r_levels : list of str
        R's order of the used levels.

    Returns
    -------
    bool
        True if the coordinates do not fall, or do not rise, along R's order.
    """
    column = X[feature].cat.remove_unused_categories()
    levels = [str(level) for level in column.cat.categories]
    if sorted(levels) != sorted(r_levels):
        return False
    others = [X[name] for name in X.columns if name != feature]
    codes = column.cat.codes.to_numpy().astype(np.intp)
    coordinates = classical_scaling(level_distances(others, codes, len(levels)))
    steps = np.diff(coordinates[[levels.index(level) for level in r_levels]])
    slack = TIED_LEVELS * np.max(np.abs(coordinates))
    return bool((steps >= -slack).all() or (steps <= slack).all())


def without_unused_levels(case: LiveCase) -> LiveCase:
    """The same case with the declared levels that no row has left out."""
    X = case.X.copy()
    X["c"] = X["c"].cat.remove_unused_categories()
    return replace(case, X=X)


def scale_of(case: LiveCase, values: np.ndarray) -> float:
    """Scale of a curve: its largest value, or the spread of the predictions if that is larger.

    An additive black box has a second-order effect of rounding errors only, whose own largest
    value is no scale.

    Parameters
    ----------
    case : LiveCase
        The case.
    values : ndarray
        R's values.

    Returns
    -------
    float
        Units of the prediction.
    """
    return float(max(np.max(np.abs(values)), np.std(case.predict(case.X))))
