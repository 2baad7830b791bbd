"""The exported R models, evaluated in Python, against R's predictions."""

import csv
import importlib.util
import sys
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aleplot_py import datasets
from aleplot_py.errors import FeatureError
from reproductions.engine import r_models

pytestmark = pytest.mark.usefixtures("no_network")

# R adds 6,000 leaves to an initial value exported with 15 digits; log-odds are below 10.
BOOSTED = 1e-12
# The exponential of R's mathematics library and numpy's may differ in the last bit.
NETWORK = 1e-12

MODELS = Path(r_models.__file__).parents[1] / "models"
REFERENCE = MODELS.parent / "reference"

FORESTS_AND_TREE = {
    "book3_bike_rf": (r_models.book3_bike_forest, datasets.load_bike, {"edition": 3}),
    "book3_penguin_rf": (r_models.book3_penguin_forest, datasets.load_penguins, {}),
    "book2_bike_ctree": (r_models.book2_bike_tree, datasets.load_bike, {"edition": 2}),
    "book2_cervical_rf": (r_models.book2_cervical_forest, datasets.load_cervical, {}),
}

# predict() of nnet 7.3-18 in R 4.2.2 on networks rebuilt from the exported weights by
# nnet(x, y, size, linout = TRUE, Wts = weights, maxit = 0); the last two rows saturate units.
POINTS = pd.DataFrame(
    [[0.1, 0.2, 0.3, 0.4], [0.9, 0.05, 0.5, 0.7], [-9, 9, 9, -9], [30, -30, 0.5, 0.5]],
    columns=["x1", "x2", "x3", "x4"],
)
NETWORK_PREDICTIONS = {
    "ex1": [0.84459544068843728, 5.1396389984465127, 4.8273922116412535, 11.122629113589971],
    "ex2": [2.5170304114993924, 2.7063820244723726, 10.29845963573695, 9.1781445160699846],
}
POINTS_EX4 = pd.DataFrame([[0.1, 0.2], [0.9, 0.85], [-1, 2], [5, -5]], columns=["x1", "x2"])
NETWORK_PREDICTIONS_EX4 = {
    1: [0.1351830737717617, 1.6239149631519962, 0.056146315491304943, 0.6372929928293074],
    50: [0.11368999882024933, 1.6635072672448366, 2.2398187481317442, 1.182859754862861],
}


def stored(name):
    return np.loadtxt(MODELS / name, skiprows=1)


def penguin_rows():
    return pd.DataFrame(
        {
            "species": ["Adelie", "Gentoo", "Chinstrap"],
            "bill_depth_mm": [18.7, 14.5, 18.4],
            "bill_length_mm": [39.1, 46.1, 48.2],
            "flipper_length_mm": [181.0, 211.0, 195.0],
            "body_mass_g": [3750.0, 4500.0, 3800.0],
        }
    )


@pytest.mark.stored
@pytest.mark.parametrize("name", FORESTS_AND_TREE)
@pytest.mark.parametrize("compiled", [True, False])
def test_forests_and_the_tree_give_exactly_the_predictions_of_r(name, compiled):
    model, load, options = FORESTS_AND_TREE[name]
    data = load(**options)
    prediction = replace(model(), compiled=compiled)(data)
    np.testing.assert_array_equal(prediction, stored(f"{name}_predictions.csv"))


@pytest.mark.stored
def test_boosted_trees_give_the_predictions_of_r():
    data = datasets.load_adult().iloc[:2000]
    expected = stored("vignette_ex3_adult_gbm_link_first2000.csv")
    prediction = r_models.adult_boosted_trees()(data)
    np.testing.assert_allclose(prediction, expected, rtol=0, atol=BOOSTED)


def test_boosted_trees_are_the_same_without_numba_and_across_blocks():
    data = datasets.load_adult().iloc[::30]
    assert len(data) > 3 * r_models._BLOCK_ROWS
    assert len(data) % r_models._BLOCK_ROWS != 0
    model = r_models.adult_boosted_trees()
    compiled = model(data)
    np.testing.assert_array_equal(compiled, replace(model, compiled=False)(data))
    np.testing.assert_array_equal(compiled[700:710], model(data.iloc[700:710]))


def test_small_trees_are_the_same_when_walked(monkeypatch):
    data = datasets.load_adult().iloc[:300]
    model = replace(r_models.adult_boosted_trees(), compiled=True)
    assert model.trees.largest <= r_models._SMALL_TREE_NODES
    without_branches = model(data)
    monkeypatch.setattr(r_models, "_SMALL_TREE_NODES", 0)
    np.testing.assert_array_equal(model(data), without_branches)


@pytest.mark.stored
@pytest.mark.parametrize("example", NETWORK_PREDICTIONS)
def test_networks_give_the_predictions_of_r(example):
    prediction = r_models.vignette_network(example)(POINTS)
    expected = NETWORK_PREDICTIONS[example]
    np.testing.assert_allclose(prediction, expected, rtol=0, atol=NETWORK)


@pytest.mark.stored
def test_networks_of_example_4_give_the_predictions_of_r():
    networks = r_models.vignette_networks_ex4()
    assert list(networks) == list(range(1, 51))
    for seed, expected in NETWORK_PREDICTIONS_EX4.items():
        prediction = networks[seed](POINTS_EX4)
        np.testing.assert_allclose(prediction, expected, rtol=0, atol=NETWORK)


@pytest.mark.stored
def test_networks_and_simulations_of_example_4_give_the_partial_dependence_of_r():
    curves = {}
    path = REFERENCE / "vignette_fig7_fig8_ale_pd.csv"
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["method"] == "pd":
                curve = curves.setdefault((int(row["seed"]), int(row["feature"])), [])
                curve.append((float(row["x"]), float(row["f"])))
    assert len(curves) == 100
    networks = r_models.vignette_networks_ex4()
    for (seed, feature), curve in curves.items():
        grid, expected = np.array(curve).T
        data = datasets.simulate_vignette_example4(seed=seed)
        replaced = pd.concat([data] * grid.size)
        replaced[f"x{feature}"] = np.repeat(grid, len(data))
        average = networks[seed](replaced).reshape(grid.size, len(data)).mean(axis=1)
        # The two may be centred differently; differences from the first point are not.
        np.testing.assert_allclose(
            average - average[0], expected - expected[0], rtol=0, atol=NETWORK
        )


def test_a_hidden_unit_is_exactly_saturated_beyond_15():
    inside = np.nextafter(15.0, 0.0)
    beyond = np.nextafter(15.0, 16.0)
    unit = r_models._logistic(np.array([-beyond, -15.0, 0.0, 15.0, beyond, 1e308]))
    assert unit[[0, 4, 5]].tolist() == [0.0, 1.0, 1.0]
    assert unit[2] == 0.5
    assert 0.0 < unit[1] < 4e-7
    assert unit[3] == 1.0 / (1.0 + np.exp(-15.0)) < 1.0
    assert r_models._logistic(np.array([inside]))[0] < 1.0


@pytest.mark.parametrize("name", FORESTS_AND_TREE)
def test_the_levels_of_model_and_data_are_the_same(name):
    model, load, options = FORESTS_AND_TREE[name]
    data = load(**options)
    assert set(model().inputs.names) <= set(data.columns)
    for column, levels in model().inputs.levels.items():
        if levels is not None:
            assert tuple(data[column].cat.categories) == levels


def test_the_levels_of_the_adult_data_are_those_of_the_boosted_trees():
    data = datasets.load_adult()
    levels = r_models.adult_boosted_trees().inputs.levels
    assert list(levels) == list(data.columns[:-1])
    for column, expected in levels.items():
        if expected is None:
            assert data[column].dtype == np.int64
        else:
            assert tuple(data[column].cat.categories) == expected


def test_columns_are_found_by_name_and_levels_by_value():
    rows = penguin_rows()
    model = r_models.book3_penguin_forest()
    expected = model(rows)
    assert len(set(expected)) > 1
    shuffled = rows[rows.columns[::-1]].assign(island="Dream").set_index(pd.Index([7, 7, 1]))
    reordered = pd.Categorical(rows["species"], ["Gentoo", "Unused", "Chinstrap", "Adelie"])
    for frame in (
        shuffled,
        rows.assign(species=reordered),
        rows.assign(species=reordered.as_ordered()),
        rows.assign(species=rows["species"].astype(object)),
        rows.assign(body_mass_g=rows["body_mass_g"].astype("Int64")),
    ):
        np.testing.assert_array_equal(model(frame), expected)
    np.testing.assert_array_equal(model(rows.iloc[[2]]), expected[[2]])
    assert model(rows.iloc[:0]).shape == (0,)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"species": ["Adelie", "King", "Gentoo"]},
            r"column 'species' has the value 'King' at row position 1, which is not one of the "
            r"model's levels \['Adelie', 'Chinstrap', 'Gentoo'\]",
        ),
        (
            {"species": pd.Categorical(["Adelie", "Gentoo", "King"])},
            "column 'species' has the value 'King' at row position 2",
        ),
        (
            {"species": pd.Categorical([None, "Gentoo", "Adelie"])},
            "column 'species' has the value nan at row position 0",
        ),
        ({"species": [0, 1, 2]}, r"column 'species' has the value .*0.* at row position 0"),
        ({"body_mass_g": ["a", "b", "c"]}, "'body_mass_g' must be numeric .* the value 'a'"),
        ({"body_mass_g": [1.0, np.nan, np.nan]}, "'body_mass_g' must have no missing .* got 2"),
        (
            {"body_mass_g": pd.array([1, 2, None], dtype="Int64")},
            "'body_mass_g' must have no missing .* got 1",
        ),
    ],
)
def test_unusable_values_are_errors_naming_column_and_value(change, message):
    with pytest.raises(FeatureError, match=message):
        r_models.book3_penguin_forest()(penguin_rows().assign(**change))


def test_a_missing_or_repeated_column_is_an_error_naming_it():
    rows = penguin_rows()
    model = r_models.book3_penguin_forest()
    with pytest.raises(FeatureError, match="exactly one column 'bill_depth_mm', got 0"):
        model(rows.drop(columns="bill_depth_mm"))
    with pytest.raises(FeatureError, match="exactly one column 'species', got 2"):
        model(pd.concat([rows, rows[["species"]]], axis=1))
    with pytest.raises(FeatureError, match="exactly one column 'x2', got 0"):
        r_models.vignette_networks_ex4()[1](POINTS_EX4[["x1"]])
    with pytest.raises(TypeError, match="frame must be a pandas DataFrame, got ndarray"):
        model(rows.to_numpy())


def test_an_unknown_example_is_an_error():
    with pytest.raises(ValueError, match="example must be 'ex1' or 'ex2', got 'ex3'"):
        r_models.vignette_network("ex3")


def test_models_cannot_be_changed():
    model = r_models.book3_penguin_forest()
    with pytest.raises(FrozenInstanceError):
        model.target = "male"
    with pytest.raises(ValueError, match="read-only"):
        model.trees.value[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        r_models.vignette_network("ex1").output[0] = 1.0


def test_without_numba_the_numbers_are_the_same(monkeypatch):
    # First, since numba imports parts of itself when it compiles.
    expected = r_models.book3_penguin_forest()(penguin_rows())
    monkeypatch.setitem(sys.modules, "numba", None)
    spec = importlib.util.spec_from_file_location("r_models_without_numba", r_models.__file__)
    copy = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, copy)
    spec.loader.exec_module(copy)
    model = copy.book3_penguin_forest()
    assert not model.compiled
    np.testing.assert_array_equal(model(penguin_rows()), expected)
    with pytest.raises(ImportError, match="need numba"):
        replace(model, compiled=True)(penguin_rows())


def test_a_tree_whose_child_comes_before_its_parent_is_refused():
    with pytest.raises(ValueError, match="every node must come before its children"):
        r_models._flatten(
            tree=np.zeros(3),
            variable=np.array([0, -1, -1]),
            threshold=np.zeros(3),
            levels_left=np.zeros(3, dtype=np.uint64),
            left=np.array([0, -1, -1]),
            right=np.array([2, -1, -1]),
            value=np.zeros(3),
        )
