"""Evaluators for the exported R models: the black boxes behind the figures.

The models were fitted in R 4.2.2 (randomForest 4.7-1.1, party 1.3-11, gbm 2.1.8.1, nnet 7.3-18),
exported with full precision to ``reproductions/models`` and are evaluated here without R. The
forests and the tree give R's predictions exactly, boosted trees and networks to rounding.

Every evaluator is called with a DataFrame of n rows and returns an array of shape (n,). It takes
its columns by name, whatever their order, and ignores the others. Text and categorical columns
are matched to the levels R knew.

>>> from aleplot_py.datasets import load_penguins
>>> book3_penguin_forest()(load_penguins().head(3)).tolist()  # probability of female
[0.072, 0.75, 0.95]
"""

import csv
import functools
import gzip
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from aleplot_py.errors import FeatureError
from aleplot_py.trees import FlatTrees

try:
    import numba
except ImportError:
    numba = None  # type: ignore[assignment]

__all__ = [
    "BoostedTrees",
    "ClassificationForest",
    "ConditionalInferenceTree",
    "Network",
    "RegressionForest",
    "adult_boosted_trees",
    "book2_bike_tree",
    "book2_cervical_forest",
    "book3_bike_forest",
    "book3_penguin_forest",
    "vignette_network",
    "vignette_networks_ex4",
]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int32]

_MODELS = Path(__file__).parents[1] / "models"

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_BIKE3_INPUTS: dict[str, tuple[str, ...] | None] = {
    "season": ("WINTER", "SPRING", "SUMMER", "FALL"),
    "holiday": ("N", "Y"),
    "workday": ("N", "Y"),
    "weather": ("GOOD", "MISTY", "BAD"),
    "temp": None,
    "hum": None,
    "windspeed": None,
    "cnt_2d_bfr": None,
}
_PENGUIN_INPUTS: dict[str, tuple[str, ...] | None] = {
    "species": ("Adelie", "Chinstrap", "Gentoo"),
    "bill_depth_mm": None,
    "bill_length_mm": None,
    "flipper_length_mm": None,
    "body_mass_g": None,
}
_BIKE2_INPUTS: dict[str, tuple[str, ...] | None] = {
    "season": ("WINTER", "SPRING", "SUMMER", "FALL"),
    "yr": ("2011", "2012"),
    "mnth": _MONTHS,
    "holiday": ("NO HOLIDAY", "HOLIDAY"),
    "weekday": ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"),
    "workingday": ("NO WORKING DAY", "WORKING DAY"),
    "weathersit": ("GOOD", "MISTY", "RAIN/SNOW/STORM"),
    "temp": None,
    "hum": None,
    "windspeed": None,
    "days_since_2011": None,
}
_CERVICAL_INPUTS: dict[str, tuple[str, ...] | None] = dict.fromkeys(
    (
        "Age",
        "Number.of.sexual.partners",
        "First.sexual.intercourse",
        "Num.of.pregnancies",
        "Smokes",
        "Smokes..years.",
        "Hormonal.Contraceptives",
        "Hormonal.Contraceptives..years.",
        "IUD",
        "IUD..years.",
        "STDs",
        "STDs..number.",
        "STDs..Number.of.diagnosis",
        "STDs..Time.since.first.diagnosis",
        "STDs..Time.since.last.diagnosis",
    )
)

# nnet's logistic unit does not evaluate the exponential beyond this argument.
_SATURATION = 15.0

# One block of one column fits the processor's first cache beside a small tree's workspace.
_BLOCK_ROWS = 256
# Below this size choosing between whole blocks is faster than walking row by row.
_SMALL_TREE_NODES = 15


@dataclass(frozen=True)
class Inputs:
    """The columns a model reads, in the model's order.

    Attributes
    ----------
    levels : mapping of str to tuple of str or None
        Column name to the levels in R's order, or to None for a numeric column.
    """

    levels: Mapping[str, tuple[str, ...] | None]

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in the model's order."""
        return tuple(self.levels)

    @property
    def categorical(self) -> npt.NDArray[np.bool_]:
        """Which inputs are categorical, shape (p,)."""
        return np.array([levels is not None for levels in self.levels.values()], dtype=np.bool_)

    def matrix(self, frame: pd.DataFrame) -> FloatArray:
        """Take the model's columns from a frame.

        Parameters
        ----------
        frame : DataFrame of n rows
            Data with at least the model's columns.

        Returns
        -------
        ndarray of shape (p, n)
            One row per input: numbers, or 0-based level codes.

        Raises
        ------
        TypeError
            If `frame` is not a DataFrame.
        FeatureError
            If a column is missing, repeated, not numeric where the model needs numbers, has
            missing values, or a value that is not one of the model's levels.
        """
        if not isinstance(frame, pd.DataFrame):
            raise TypeError(f"frame must be a pandas DataFrame, got {type(frame).__name__}")
        matrix = np.empty((len(self.levels), len(frame)))
        for row, (name, levels) in enumerate(self.levels.items()):
            found = int(np.sum(frame.columns == name))
            if found != 1:
                raise FeatureError(
                    f"the model needs exactly one column {name!r}, got {found} in a frame with "
                    f"columns {list(frame.columns)}"
                )
            column = frame[name]
            matrix[row] = _numbers(column) if levels is None else _codes(column, levels)
        return matrix


@dataclass(frozen=True)
class Trees:
    """Binary trees flattened into one table of nodes, a parent always before its children.

    Attributes
    ----------
    roots : ndarray of int32, shape (trees,)
        Position of each tree's first node; its nodes end where the next tree begins.
    variable : ndarray of int32, shape (nodes,)
        0-based input that splits the node, -1 at a leaf.
    threshold : ndarray of shape (nodes,)
        Numeric split: rows with a value <= threshold go left.
    levels_left : ndarray of uint64, shape (nodes,)
        Categorical split: rows whose level code is the number of a set bit go left.
    left, right : ndarray of int32, shape (nodes,)
        Positions of the children, -1 at a leaf.
    value : ndarray of shape (nodes,)
        Value of a leaf, 0 elsewhere.
    """

    roots: IntArray
    variable: IntArray
    threshold: FloatArray
    levels_left: npt.NDArray[np.uint64]
    left: IntArray
    right: IntArray
    value: FloatArray

    @property
    def largest(self) -> int:
        """Number of nodes of the largest tree."""
        return int(np.diff(self.roots, append=self.variable.size).max())


@dataclass(frozen=True)
class RegressionForest:
    """A regression forest of R's randomForest: the mean over its trees.

    Attributes
    ----------
    inputs : Inputs
        The model's columns.
    trees : Trees
        The trees; leaves hold predictions.
    compiled : bool
        Whether numba evaluates the trees; the numbers are the same without.
    """

    inputs: Inputs
    trees: Trees
    compiled: bool = numba is not None

    def __call__(self, frame: pd.DataFrame) -> FloatArray:
        """Predict each row.

        Parameters
        ----------
        frame : DataFrame of n rows
            Data with at least the model's columns.

        Returns
        -------
        ndarray of shape (n,)
            Predictions, in units of the response.

        Raises
        ------
        TypeError, FeatureError
            As `Inputs.matrix`.
        """
        # R adds tree after tree and divides once: any other order of addition rounds differently.
        total = sum_of_leaves(self.trees, self.inputs, frame, start=0.0, compiled=self.compiled)
        return total / self.trees.roots.size

    def flat_trees(self) -> FlatTrees:
        """The trees as `aleplot_py.ale` walks them."""
        return _walkable(self.trees, self.inputs, divisor=self.trees.roots.size)


@dataclass(frozen=True)
class ClassificationForest:
    """A classification forest of R's randomForest: the share of trees voting for one class.

    Attributes
    ----------
    inputs : Inputs
        The model's columns.
    trees : Trees
        The trees; a leaf is 1 where it votes for the class and 0 elsewhere.
    target : str
        The class whose probability is predicted.
    compiled : bool
        Whether numba evaluates the trees; the numbers are the same without.
    """

    inputs: Inputs
    trees: Trees
    target: str
    compiled: bool = numba is not None

    def __call__(self, frame: pd.DataFrame) -> FloatArray:
        """Predict the probability of the class for each row.

        Parameters
        ----------
        frame : DataFrame of n rows
            Data with at least the model's columns.

        Returns
        -------
        ndarray of shape (n,)
            Shares of votes, between 0 and 1.

        Raises
        ------
        TypeError, FeatureError
            As `Inputs.matrix`.
        """
        votes = sum_of_leaves(self.trees, self.inputs, frame, start=0.0, compiled=self.compiled)
        return votes / self.trees.roots.size

    def flat_trees(self) -> FlatTrees:
        """The trees as `aleplot_py.ale` walks them."""
        return _walkable(self.trees, self.inputs, divisor=self.trees.roots.size)


@dataclass(frozen=True)
class BoostedTrees:
    """Boosted trees of R's gbm on the scale of the link: initial value plus one leaf per tree.

    Attributes
    ----------
    inputs : Inputs
        The model's columns.
    trees : Trees
        The trees; leaves hold shrunken contributions.
    initial : float
        The initial value.
    compiled : bool
        Whether numba evaluates the trees; the numbers are the same without.
    """

    inputs: Inputs
    trees: Trees
    initial: float
    compiled: bool = numba is not None

    def __call__(self, frame: pd.DataFrame) -> FloatArray:
        """Predict each row on the scale of the link.

        Parameters
        ----------
        frame : DataFrame of n rows
            Data with at least the model's columns.

        Returns
        -------
        ndarray of shape (n,)
            Predictions (log-odds for a Bernoulli model).

        Raises
        ------
        TypeError, FeatureError
            As `Inputs.matrix`.
        """
        return sum_of_leaves(
            self.trees, self.inputs, frame, start=self.initial, compiled=self.compiled
        )

    def flat_trees(self) -> FlatTrees:
        """The trees as `aleplot_py.ale` walks them."""
        return _walkable(self.trees, self.inputs, start=self.initial)


@dataclass(frozen=True)
class ConditionalInferenceTree:
    """One conditional inference tree of R's party.

    Attributes
    ----------
    inputs : Inputs
        The model's columns.
    trees : Trees
        The single tree; leaves hold predictions.
    compiled : bool
        Whether numba evaluates the tree; the numbers are the same without.
    """

    inputs: Inputs
    trees: Trees
    compiled: bool = numba is not None

    def __call__(self, frame: pd.DataFrame) -> FloatArray:
        """Predict each row.

        Parameters
        ----------
        frame : DataFrame of n rows
            Data with at least the model's columns.

        Returns
        -------
        ndarray of shape (n,)
            Predictions, in units of the response.

        Raises
        ------
        TypeError, FeatureError
            As `Inputs.matrix`.
        """
        return sum_of_leaves(self.trees, self.inputs, frame, start=0.0, compiled=self.compiled)

    def flat_trees(self) -> FlatTrees:
        """The trees as `aleplot_py.ale` walks them."""
        return _walkable(self.trees, self.inputs)


@dataclass(frozen=True)
class Network:
    """A network of R's nnet: one layer of h logistic units, linear output.

    A hidden unit is exactly 0 below -15 and exactly 1 above 15, as nnet computes it.

    Attributes
    ----------
    inputs : Inputs
        The model's p numeric columns.
    hidden : ndarray of shape (h, p + 1)
        Per hidden unit the bias and the weights of the inputs.
    output : ndarray of shape (h + 1,)
        The output's bias and the weights of the hidden units.
    """

    inputs: Inputs
    hidden: FloatArray
    output: FloatArray

    def __call__(self, frame: pd.DataFrame) -> FloatArray:
        """Predict each row.

        Parameters
        ----------
        frame : DataFrame of n rows
            Data with at least the model's columns.

        Returns
        -------
        ndarray of shape (n,)
            Predictions, in units of the response.

        Raises
        ------
        TypeError, FeatureError
            As `Inputs.matrix`.
        """
        columns = self.inputs.matrix(frame)
        prediction = np.full(len(frame), self.output[0])
        # Summed input by input: a matrix product may round a row by where it stands in a batch.
        for (bias, *weights), weight in zip(self.hidden, self.output[1:], strict=True):
            unit = np.full(len(frame), bias)
            for input_weight, column in zip(weights, columns, strict=True):
                unit += input_weight * column
            prediction += weight * _logistic(unit)
        return prediction


@functools.cache
def book3_bike_forest() -> RegressionForest:
    """Bike rentals a day by weather and season: the forest of the book's third edition.

    Fitted by randomForest 4.7-1.1 in R 4.2.2 (500 trees) on the train rows of
    `aleplot_py.datasets.bike_split`.

    Returns
    -------
    RegressionForest
        Predicts rentals a day for the frame of ``load_bike(edition=3)``.
    """
    inputs = Inputs(_BIKE3_INPUTS)
    return RegressionForest(inputs, _read_forest("book3_bike_rf.csv.gz", inputs))


@functools.cache
def book3_penguin_forest() -> ClassificationForest:
    """Sex of a penguin by its measures: the forest of the book's third edition.

    Fitted by randomForest 4.7-1.1 in R 4.2.2 (500 trees) on the train rows of
    `aleplot_py.datasets.penguin_split`.

    Returns
    -------
    ClassificationForest
        Predicts the probability of female for the frame of ``load_penguins()``.
    """
    inputs = Inputs(_PENGUIN_INPUTS)
    trees = _read_forest("book3_penguin_rf.csv.gz", inputs, voted_class=1)
    return ClassificationForest(inputs, trees, target="female")


@functools.cache
def book2_bike_tree() -> ConditionalInferenceTree:
    """Bike rentals a day by weather and calendar: the tree of the book's second edition.

    Fitted by party 1.3-11 (``ctree``, 31 leaves) in R 4.2.2 on all 731 days.

    Returns
    -------
    ConditionalInferenceTree
        Predicts rentals a day for the frame of ``load_bike(edition=2)``.
    """
    inputs = Inputs(_BIKE2_INPUTS)
    text = (_MODELS / "book2_bike_ctree.json").read_text(encoding="utf-8")
    return ConditionalInferenceTree(inputs, _nested_tree(json.loads(text), inputs))


@functools.cache
def book2_cervical_forest() -> ClassificationForest:
    """Cervical cancer by risk factors: the forest of the book's second edition.

    Fitted by randomForest 4.7-1.1 in R 4.2.2 (500 trees) on all 858 patients.

    Returns
    -------
    ClassificationForest
        Predicts the probability of cancer for the frame of ``load_cervical()``.
    """
    inputs = Inputs(_CERVICAL_INPUTS)
    trees = _read_forest("book2_cervical_rf.csv.gz", inputs, voted_class=1)
    return ClassificationForest(inputs, trees, target="Cancer")


@functools.cache
def adult_boosted_trees() -> BoostedTrees:
    """Income over 50,000 dollars by census answers: the boosted trees of ALEPlot's vignette.

    Fitted by gbm 2.1.8.1 (6,000 trees of three splits, shrinkage .02, Bernoulli) in R 4.2.2 on
    the 30,162 complete rows.

    Returns
    -------
    BoostedTrees
        Predicts log-odds for the frame of ``load_adult()``.
    """
    text = (_MODELS / "vignette_ex3_adult_gbm_meta.json").read_text(encoding="utf-8")
    meta = json.loads(text)
    # gbm lists deciles in place of levels for a numeric column.
    inputs = Inputs(
        {
            name: tuple(levels) if isinstance(levels[0], str) else None
            for name, levels in zip(meta["var.names"], meta["var.levels"], strict=True)
        }
    )
    trees = _read_boosted_trees("vignette_ex3_adult_gbm.csv.gz", inputs, meta["c.splits"])
    return BoostedTrees(inputs, trees, initial=float(meta["initF"]))


@functools.cache
def vignette_network(example: str) -> Network:
    """Network of the first or second example of ALEPlot's vignette.

    Fitted by nnet 7.3-18 in R 4.2.2 (4 inputs; 8 hidden units in example 1, 6 in example 2;
    decay .1) on the data of `aleplot_py.datasets`' simulations of the same examples.

    Parameters
    ----------
    example : {"ex1", "ex2"}
        The example.

    Returns
    -------
    Network
        Predicts the response from the columns x1, x2, x3, x4.

    Raises
    ------
    ValueError
        If `example` is another value.
    """
    files = {
        "ex1": ("vignette_ex1_nnet_4-8-1.csv", 8),
        "ex2": ("vignette_ex2_nnet_4-6-1.csv", 6),
    }
    if example not in files:
        raise ValueError(f"example must be 'ex1' or 'ex2', got {example!r}")
    name, units = files[example]
    weights = np.loadtxt(_MODELS / name, skiprows=1)
    return _network(("x1", "x2", "x3", "x4"), units, weights)


def vignette_networks_ex4() -> dict[int, Network]:
    """Networks of the fourth example of ALEPlot's vignette, one per simulated data set.

    Fitted by nnet 7.3-18 in R 4.2.2 (2 inputs, 10 hidden units, decay 1e-4) on 50 data sets.

    Returns
    -------
    dict of int to Network
        Seed (1 to 50) to network; each predicts the response from the columns x1, x2.
    """
    path = _MODELS / "vignette_ex4_nnet_2-10-1_seeds1-50.csv"
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    return {
        int(seed): _network(("x1", "x2"), 10, table[table[:, 0] == seed, 2])
        for seed in np.unique(table[:, 0])
    }


def sum_of_leaves(
    trees: Trees, inputs: Inputs, frame: pd.DataFrame, *, start: float, compiled: bool
) -> FloatArray:
    """Add to `start` the value of the leaf each row falls into, tree after tree.

    Parameters
    ----------
    trees : Trees
        The trees.
    inputs : Inputs
        The columns their variables number.
    frame : DataFrame of n rows
        Data with at least the model's columns.
    start : float
        Where the sum starts.
    compiled : bool
        Whether to use numba.

    Returns
    -------
    ndarray of shape (n,)
        Sums, rounded as if added one tree at a time.

    Raises
    ------
    TypeError, FeatureError
        As `Inputs.matrix`.
    ImportError
        If `compiled` is true and numba is not installed.
    """
    columns = inputs.matrix(frame)
    codes = np.zeros(columns.shape, dtype=np.uint64)
    codes[inputs.categorical] = columns[inputs.categorical].astype(np.uint64)
    total = np.full(len(frame), start)
    if not compiled:
        _add_leaves_numpy(trees, inputs.categorical, columns, codes, total)
        return total
    if numba is None:
        raise ImportError("compiled trees need numba: install it or pass compiled=False")
    add_leaves = _add_leaves_of_small_trees if trees.largest <= _SMALL_TREE_NODES else _add_leaves
    add_leaves(
        trees.roots,
        trees.variable,
        trees.threshold,
        trees.levels_left,
        trees.left,
        trees.right,
        trees.value,
        inputs.categorical,
        columns,
        codes,
        total,
    )
    return total


def _walkable(
    trees: Trees, inputs: Inputs, *, start: float = 0.0, divisor: float = 1.0
) -> FlatTrees:
    """Trees with the sets of levels in a table, and the columns they read."""
    on_levels = (trees.variable >= 0) & inputs.categorical[trees.variable]
    sets, number = np.unique(trees.levels_left[on_levels], return_inverse=True)
    level_set = np.full(trees.variable.size, -1)
    level_set[on_levels] = number
    bits = np.ascontiguousarray(sets, dtype="<u8").view(np.uint8).reshape(-1, 8)
    return FlatTrees(
        roots=trees.roots,
        left=trees.left,
        right=trees.right,
        feature=trees.variable,
        threshold=trees.threshold,
        value=trees.value,
        level_set=level_set,
        left_levels=np.unpackbits(bits, axis=1, bitorder="little"),
        start=start,
        divisor=divisor,
        encode=lambda frame: inputs.matrix(frame).T,
        sources=inputs.names,
    )


def _numbers(column: pd.Series) -> FloatArray:
    """Values of a numeric column as floats, none missing."""
    if not pd.api.types.is_numeric_dtype(column.dtype):
        raise FeatureError(
            f"column {column.name!r} must be numeric for this model, got dtype {column.dtype} "
            f"with the value {column.iloc[0]!r}"
            if len(column)
            else f"column {column.name!r} must be numeric for this model, got {column.dtype}"
        )
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    missing = int(np.isnan(numbers).sum())
    if missing:
        raise FeatureError(
            f"column {column.name!r} must have no missing values for this model, got {missing}"
        )
    return numbers


def _codes(column: pd.Series, levels: tuple[str, ...]) -> npt.NDArray[np.intp]:
    """0-based positions of a column's values among the model's levels."""
    known = pd.Index(levels, dtype=object)
    if isinstance(column.dtype, pd.CategoricalDtype):
        of_category = known.get_indexer(column.cat.categories.astype(object))
        # The appended -1 is what a missing value's code, also -1, finds.
        codes = np.append(of_category, -1)[column.cat.codes.to_numpy()]
    else:
        codes = known.get_indexer(pd.Index(column.to_numpy(dtype=object), dtype=object))
    unknown = np.flatnonzero(codes < 0)
    if unknown.size:
        raise FeatureError(
            f"column {column.name!r} has the value {column.iloc[unknown[0]]!r} at row position "
            f"{unknown[0]}, which is not one of the model's levels {list(levels)}"
        )
    return codes


def _logistic(x: FloatArray) -> FloatArray:
    """Logistic function, exactly 0 below -15 and exactly 1 above 15 as in nnet."""
    inside = 1.0 / (1.0 + np.exp(-np.clip(x, -_SATURATION, _SATURATION)))
    return np.where(x < -_SATURATION, 0.0, np.where(x > _SATURATION, 1.0, inside))


def _network(names: tuple[str, ...], units: int, weights: FloatArray) -> Network:
    """Arrange nnet's weight vector: each hidden unit's bias and inputs, then the output's."""
    size = units * (len(names) + 1)
    return Network(
        inputs=Inputs(dict.fromkeys(names)),
        hidden=_frozen(weights[:size].reshape(units, len(names) + 1)),
        output=_frozen(weights[size:]),
    )


def _read_forest(name: str, inputs: Inputs, voted_class: int | None = None) -> Trees:
    """Read a randomForest export; with `voted_class` a leaf is 1 where it votes for it."""
    table = _read_table(name)
    leaf = table["status"] == -1
    variable = np.where(leaf, -1, table["var"].astype(np.int64) - 1)
    prediction = table["pred"] if voted_class is None else 1.0 * (table["pred"] == voted_class)
    on_levels = ~leaf & inputs.categorical[variable]
    return _flatten(
        tree=table["tree"],
        variable=variable,
        threshold=table["split"],
        levels_left=np.where(on_levels, table["split"], 0.0).astype(np.uint64),
        left=np.where(leaf, -1, table["left"].astype(np.int64) - 1),
        right=np.where(leaf, -1, table["right"].astype(np.int64) - 1),
        value=np.where(leaf, prediction, 0.0),
    )


def _read_boosted_trees(name: str, inputs: Inputs, level_splits: list[list[int]]) -> Trees:
    """Read a gbm export; `level_splits` are the categorical splits its rows refer to."""
    table = _read_table(name)
    variable = table["var"].astype(np.int64)
    leaf = variable == -1
    levels_left = np.zeros(variable.size, dtype=np.uint64)
    for node in np.flatnonzero(~leaf & inputs.categorical[variable]):
        directions = level_splits[int(table["split"][node])]
        levels_left[node] = sum(1 << code for code, side in enumerate(directions) if side == -1)
    return _flatten(
        tree=table["tree"],
        variable=variable,
        # gbm sends x < split to the left, which is x <= the next smaller double.
        threshold=np.nextafter(table["split"], -np.inf),
        levels_left=levels_left,
        left=table["left"].astype(np.int64),
        right=table["right"].astype(np.int64),
        value=np.where(leaf, table["split"], 0.0),
    )


def _nested_tree(root: dict[str, Any], inputs: Inputs) -> Trees:
    """Flatten one tree of nested dictionaries, as exported from party."""
    rows: list[tuple[int, float, int, int, int, float]] = []

    def add(node: dict[str, Any]) -> int:
        position = len(rows)
        rows.append((-1, 0.0, 0, -1, -1, float(node.get("prediction", 0.0))))
        if "prediction" not in node:
            variable = inputs.names.index(node["variable"])
            levels = inputs.levels[node["variable"]]
            bits = 0
            if levels is not None:
                bits = sum(1 << levels.index(level) for level in node["left_levels"])
            threshold = float(node.get("threshold", 0.0))
            left, right = add(node["left"]), add(node["right"])
            rows[position] = (variable, threshold, bits, left, right, 0.0)
        return position

    add(root)
    variable, threshold, bits, left, right, value = zip(*rows, strict=True)
    return _flatten(
        tree=np.zeros(len(rows)),
        variable=np.array(variable),
        threshold=np.array(threshold),
        levels_left=np.array(bits, dtype=np.uint64),
        left=np.array(left),
        right=np.array(right),
        value=np.array(value),
    )


def _read_table(name: str) -> dict[str, FloatArray]:
    """Read an exported table of nodes, one array of floats per column."""
    with gzip.open(_MODELS / name, "rt", encoding="utf-8") as file:
        header = next(csv.reader(file))
        # numpy parses decimals to the nearest double; pandas' default parser did not always.
        table = np.loadtxt(file, delimiter=",")
    return dict(zip(header, table.T, strict=True))


def _flatten(
    *,
    tree: FloatArray,
    variable: npt.NDArray[Any],
    threshold: FloatArray,
    levels_left: npt.NDArray[np.uint64],
    left: npt.NDArray[Any],
    right: npt.NDArray[Any],
    value: FloatArray,
) -> Trees:
    """Join trees whose children are numbered from 0 within each tree; drop unreachable nodes."""
    starts = np.flatnonzero(np.diff(tree, prepend=np.nan) != 0)
    offset = np.repeat(starts, np.diff(starts, append=tree.size))
    split = variable >= 0
    left, right = np.where(split, left + offset, -1), np.where(split, right + offset, -1)
    position = np.arange(tree.size)
    if np.any(split & ((left <= position) | (right <= position))):
        raise ValueError("in an exported tree every node must come before its children")
    # gbm also lists a child for missing values, which no complete row reaches.
    reached = np.zeros(tree.size, dtype=np.bool_)
    newly = starts
    while newly.size:
        reached[newly] = True
        inner = newly[split[newly]]
        newly = np.concatenate([left[inner], right[inner]])
    renumbered = np.cumsum(reached) - 1
    return Trees(
        roots=_frozen(renumbered[starts].astype(np.int32)),
        variable=_frozen(variable[reached].astype(np.int32)),
        threshold=_frozen(threshold[reached]),
        levels_left=_frozen(levels_left[reached]),
        left=_frozen(np.where(split, renumbered[left], -1)[reached].astype(np.int32)),
        right=_frozen(np.where(split, renumbered[right], -1)[reached].astype(np.int32)),
        value=_frozen(value[reached]),
    )


def _frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Copy an array that nobody can change any more."""
    copy = np.array(array)
    copy.flags.writeable = False
    return copy


def _add_leaves_numpy(
    trees: Trees,
    categorical: npt.NDArray[np.bool_],
    columns: FloatArray,
    codes: npt.NDArray[np.uint64],
    total: FloatArray,
) -> None:
    """Add each tree's leaf values to `total` (n,) in place, all rows of one tree at a time."""
    for root in trees.roots:
        node = np.full(total.size, root)
        active = np.flatnonzero(trees.variable[node] >= 0)
        while active.size:
            at = node[active]
            variable = trees.variable[at]
            bit = (trees.levels_left[at] >> codes[variable, active]) & np.uint64(1)
            below = columns[variable, active] <= trees.threshold[at]
            goes_left = np.where(categorical[variable], bit == 1, below)
            node[active] = np.where(goes_left, trees.left[at], trees.right[at])
            active = active[trees.variable[node[active]] >= 0]
        total += trees.value[node]


def _compile(function: Callable[..., None]) -> Callable[..., None]:
    """Compile for numba where it is installed; numba keeps the result in ``__pycache__``."""
    return function if numba is None else numba.njit(cache=True, nogil=True)(function)


@_compile
def _add_leaves(
    roots,
    variable,
    threshold,
    levels_left,
    left,
    right,
    value,
    categorical,
    columns,
    codes,
    total,
):
    """Walk every row down every tree and add the leaves' values to `total` (n,) in place."""
    for first in range(0, total.size, _BLOCK_ROWS):
        last = min(first + _BLOCK_ROWS, total.size)
        for root in roots:
            for row in range(first, last):
                node = root
                while variable[node] >= 0:
                    if categorical[variable[node]]:
                        code = codes[variable[node], row]
                        goes_left = (levels_left[node] >> code) & np.uint64(1) != np.uint64(0)
                    else:
                        goes_left = columns[variable[node], row] <= threshold[node]
                    node = left[node] if goes_left else right[node]
                total[row] += value[node]


@_compile
def _add_leaves_of_small_trees(
    roots,
    variable,
    threshold,
    levels_left,
    left,
    right,
    value,
    categorical,
    columns,
    codes,
    total,
):
    """Do what `_add_leaves` does without branching on data, for trees of few nodes.

    From the last node of a tree to its root, every split chooses between the values of its
    children for a whole block of rows. Both values are read before one is chosen: only so does
    the compiler turn the loops into vector code.
    """
    chosen = np.empty((_SMALL_TREE_NODES, _BLOCK_ROWS))
    for first in range(0, total.size, _BLOCK_ROWS):
        rows = min(_BLOCK_ROWS, total.size - first)
        for tree in range(roots.size):
            root = roots[tree]
            end = roots[tree + 1] if tree + 1 < roots.size else variable.size
            for node in range(end - 1, root - 1, -1):
                out = chosen[node - root]
                if variable[node] < 0:
                    leaf = value[node]
                    for row in range(rows):
                        out[row] = leaf
                    continue
                below, above = chosen[left[node] - root], chosen[right[node] - root]
                if categorical[variable[node]]:
                    bits = levels_left[node]
                    code = codes[variable[node], first : first + rows]
                    for row in range(rows):
                        on_left, on_right = below[row], above[row]
                        goes_left = (bits >> code[row]) & np.uint64(1) != np.uint64(0)
                        out[row] = on_left if goes_left else on_right
                else:
                    limit = threshold[node]
                    column = columns[variable[node], first : first + rows]
                    for row in range(rows):
                        on_left, on_right = below[row], above[row]
                        out[row] = on_left if column[row] <= limit else on_right
            block_total = total[first : first + rows]
            for row in range(rows):
                block_total[row] += chosen[0, row]
