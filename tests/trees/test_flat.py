"""Trees as plain arrays: what anyone can fill, and what is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, ice
from aleplot_py.datasets import load_bike
from aleplot_py.trees import FlatTrees
from reproductions.engine import r_models

STUMP = {
    "roots": [0],
    "left": [1, -1, -1],
    "right": [2, -1, -1],
    "feature": [0, 0, 0],
    "threshold": [2.0, 0.0, 0.0],
    "value": [0.0, 10.0, 20.0],
}
X = np.array([[1.0], [2.0], [3.0], [np.nan]])


def stump(**changed):
    return FlatTrees(**STUMP | changed)


def test_where_rows_go():
    assert stump()(X).tolist() == [10, 10, 20, 20]
    assert stump(strict=True)(X).tolist() == [10, 20, 20, 20]
    assert stump(missing_left=[True, False, False])(X).tolist() == [10, 10, 20, 10]
    by_level = {"level_set": [0, -1, -1], "left_levels": [[False, False, True]]}
    assert stump(**by_level)(X).tolist() == [20, 10, 20, 20]
    left = stump(**by_level, missing_left=[True, False, False])
    assert left(np.array([[-1.0], [0.5], [2.9], [7.0]])).tolist() == [10, 20, 10, 10]


def test_what_is_made_of_sums():
    assert stump(start=1.0, divisor=2.0)(X).tolist() == [5.5, 5.5, 10.5, 10.5]
    assert stump(link=np.sqrt, value=[0, 4, 9])(X).tolist() == [2, 2, 3, 3]
    third = {"value": [0, 1 / 3, 1 / 3], "start": 0.1}
    assert stump(**third)(X)[0] == 0.1 + 1 / 3
    narrow = stump(**third, sums="float32")(X)[0]
    assert narrow == np.float32(0.1) + np.float32(1 / 3)
    assert narrow != 0.1 + 1 / 3


def test_precision_of_what_is_compared():
    near = np.array([[2.0 + 1e-9]])
    assert stump()(near).tolist() == [20]
    assert stump(inputs="float32")(near).tolist() == [10]
    assert stump(inputs="float32", strict=True)(near).tolist() == [20]
    narrow = np.float32([[-np.inf], [-0.1], [0.1], [0.3], [np.inf]])
    for split in (0.1, 0.3, -0.1, 1e300, -1e300, np.inf):  # mostly between two of 32 bits
        found = stump(threshold=[split, 0, 0], inputs="float32")(narrow)
        assert found.tolist() == np.where(narrow[:, 0].astype(float) <= split, 10, 20).tolist()


def random_trees(seed, **options):
    """Trees with every kind of split, of three columns."""
    rng = np.random.default_rng(seed)
    left, right, roots = [], [], []
    for _ in range(5):
        roots.append(len(left))
        left.append(-1)
        right.append(-1)
        for _ in range(9):
            leaf = rng.choice([i for i in range(roots[-1], len(left)) if left[i] < 0])
            left[leaf], right[leaf] = len(left) + 1, len(left)
            left += [-1, -1]
            right += [-1, -1]
    size = len(left)
    feature = rng.integers(0, 3, size)
    return FlatTrees(
        roots=roots,
        left=left,
        right=right,
        feature=feature,
        threshold=rng.integers(-2, 3, size) / 2,
        value=rng.normal(size=size),
        missing_left=rng.uniform(size=size) < 0.5,
        level_set=np.where(feature == 2, rng.integers(-1, 4, size), -1),
        left_levels=rng.uniform(size=(4, 5)) < 0.5,
        **options,
    )


@pytest.mark.parametrize("seed", range(6))
def test_the_walk_is_the_trees_one_by_one(seed):
    pytest.importorskip("numba", reason="the walk is compiled by numba")
    rng = np.random.default_rng(seed)
    rows = rng.integers(-2, 3, (80, 3)) / 2
    rows[:, 2] = rng.integers(-1, 8, 80)
    rows[::9, 1] = np.nan
    rows[1, 0], rows[2, 0] = -0.0, 0.0
    options = {"strict": seed % 2 == 1, "sums": ("float64", "float32")[seed // 2 % 2]}
    options["inputs"] = ("float64", "float32")[seed // 3]
    trees = random_trees(seed, **options, divisor=3.0 if seed > 3 else 1.0)
    features = [0, 2, (0, 2)]
    for effect in (ale, ice):
        for categorical in (None, [2]):
            settings = {"K": 4, "categorical": categorical}
            called, walked = (
                effect(trees, rows, features, method=method, **settings)
                for method in ("predict", "trees")
            )
            assert walked.effects[0].route == "trees"
            assert walked == called


@pytest.mark.parametrize("inputs", ["float32", "float64"])
@pytest.mark.parametrize("sums", ["float32", "float64"])
def test_more_rows_than_descend_side_by_side(inputs, sums):
    pytest.importorskip("numba", reason="the walk is compiled by numba")
    rows = np.random.default_rng(1).normal(size=(2300, 3))  # blocks have 2048 rows at most
    rows[::50, 1] = np.nan
    shape = random_trees(7)
    numbers = {"threshold": np.random.default_rng(2).normal(size=shape.left.size)}
    sets = {"level_set": None, "left_levels": None}
    trees = replace(shape, inputs=inputs, sums=sums, **numbers, **sets)
    for effect in (ale, ice):
        called, walked = (
            effect(trees, rows, [0, 2], K=9, method=method) for method in ("predict", "trees")
        )
        assert walked == called


def test_trees_that_share_nodes():
    """A root named twice, and a subtree of two parents: nobody says that they cannot be."""
    pytest.importorskip("numba", reason="the walk is compiled by numba")
    rows = np.random.default_rng(2).normal(size=(40, 3))
    trees = FlatTrees(
        roots=[0, 0, 6],
        left=[1, 3, 3, 4, -1, -1, -1],
        right=[2, 4, 5, 6, -1, -1, -1],
        feature=[0, 1, 2, 0, 0, 0, 0],
        threshold=[0.1, -0.2, 0.3, -0.4, 0, 0, 0],
        value=[0, 0, 0, 0, 1.1, 2.3, 3.7],
    )
    for effect in (ale, ice):
        for features in ([0, 1], [(0, 1)]):
            called, walked = (
                effect(trees, rows, features, K=4, method=method) for method in ("predict", "trees")
            )
            assert walked == called


def test_a_pair_of_many_points():
    """More points than a pass has bits."""
    pytest.importorskip("numba", reason="the walk is compiled by numba")
    rows = np.random.default_rng(0).normal(size=(30, 3))
    trees = random_trees(1)
    called, walked = (ice(trees, rows, (0, 2), K=11, method=m) for m in ("predict", "trees"))
    assert walked == called


def test_models_exported_from_r():
    pytest.importorskip("numba", reason="the walk is compiled by numba")
    rows = load_bike(edition=3).iloc[::12]
    forest = r_models.book3_bike_forest()
    np.testing.assert_array_equal(forest.flat_trees()(rows), forest(rows))
    features = ["temp", "season", ("season", "hum")]
    called, walked = (ale(forest, rows, features, K=8, method=m) for m in ("predict", "trees"))
    assert walked.effects[0].route == "trees"
    assert walked == called
    rows = load_bike(edition=2).iloc[::9]
    tree = r_models.book2_bike_tree()
    called, walked = (
        ice(tree, rows, ["mnth", "temp"], K=8, method=m) for m in ("predict", "trees")
    )
    assert walked == called


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"roots": []}, "roots must name at least one node"),
        ({"roots": [3]}, "roots must be nodes, 0 to 2, got 3"),
        ({"roots": [0, -3]}, "roots must be nodes, 0 to 2, got -3"),
        ({"left": ["x", -1, -1]}, r"left must be an array of numbers, got \['x', -1, -1\]"),
        (
            {"right": np.array([2**32 + 2, -1, -1])},
            "right must be whole numbers .*, got 4294967298",
        ),
        ({"left": [1.5, -1, -1]}, "left must be whole numbers .*, got 1.5"),
        ({"missing_left": [2, 0, 0]}, "missing_left must be truth values, got 2"),
        ({"inputs": "f4"}, "inputs must be one of .*, got 'f4'"),
        ({"right": [5, -1, -1]}, "right must be nodes, 0 to 2, got 5"),
        ({"right": [2, -1]}, r"right must have one entry per node, \(3,\), got \(2,\)"),
        ({"left": [0, -1, -1]}, "before its children: node 0 has the children 0 and 2"),
        ({"feature": [-2, 0, 0]}, "feature must be a column's position, 0 or more, got -2"),
        ({"threshold": [np.nan, 0, 0]}, "threshold must be a number at every split .*, got nan"),
        ({"value": [0, np.inf, 0]}, "value must be finite at every leaf, got inf"),
        ({"level_set": [0, -1, -1]}, "level_set and left_levels must be given together"),
        (
            {"level_set": [1, -1, -1], "left_levels": [[True]]},
            "level_set must be rows of left_levels, 0 to 0, got 1",
        ),
    ],
)
def test_arrays_that_are_no_trees_are_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        stump(**changed)


def test_rows_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match="column 'x' has type"):
        stump()(pd.DataFrame({"x": ["a", "b"]}))
