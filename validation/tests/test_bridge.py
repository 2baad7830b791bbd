"""The bridge itself: frames survive the way to R and back, exceptions and references do too."""

import gc
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from validation import bridge

pytestmark = pytest.mark.base_r

# R adds and multiplies doubles as numpy does, but sums within `predict` may be ordered otherwise.
PREDICTIONS = 1e-12


def frame_of_every_kind() -> pd.DataFrame:
    """Rows with every type of column that R knows, missing values included."""
    return pd.DataFrame(
        {
            "whole": [1, 2, 3],
            "large": [2**40, -1, 2],
            "small": np.array([1, 2, 3], dtype=np.uint8),
            "real": [0.1, np.nan, np.inf],
            "single": np.array([0.5, 1.5, np.nan], dtype=np.float32),
            "truth": [True, False, True],
            "text": ["a", None, "é"],
            "mixed": pd.Series(["a", None, "b"], dtype=object),
            "level": pd.Categorical(["u", "v", None], ["w", "v", "u"]),
            "rank": pd.Categorical([1, 2, 1], [2, 1], ordered=True),
            "maybe_whole": pd.array([1, None, 3], "Int64"),
            "maybe_true": pd.array([True, None, False], "boolean"),
            "two words": [1.0, 2.0, 3.0],
            7: [1.0, 2.0, 3.0],
        }
    )


def test_every_kind_of_column_becomes_its_counterpart():
    """R sees integers, doubles, logicals, characters, factors and ordered factors."""
    classes = bridge.call(
        "function(d) vapply(d, function(x) paste(class(x), collapse = '/'), '')",
        frame_of_every_kind(),
    )
    assert classes.tolist() == [
        *("integer", "numeric", "integer", "numeric", "numeric", "logical", "character"),
        *("character", "factor", "ordered/factor", "integer", "logical", "numeric", "numeric"),
    ]
    missing = bridge.call("function(d) colSums(is.na(d))", frame_of_every_kind())
    assert missing.tolist() == [0, 0, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 0]
    names = bridge.call("names", frame_of_every_kind())
    assert names.tolist() == [str(name) for name in frame_of_every_kind().columns]


@pytest.mark.parametrize("index", [[0, 1, 2], ["p", "q", "r"], [10, 30, 20]])
def test_frames_come_back_as_they_were(index):
    """Types, categories, names, index and missing values survive both ways."""
    frame = frame_of_every_kind().set_index(pd.Index(index))
    back = bridge.frame_from_r(bridge.frame_to_r(frame), like=frame)
    pd.testing.assert_frame_equal(back, frame)
    row_names = bridge.call("row.names", frame).tolist()
    assert row_names == (["1", "2", "3"] if index == [0, 1, 2] else [str(label) for label in index])


def test_frames_of_r_arrive_without_a_template():
    """What R made itself is converted by R's own types."""
    frame = bridge.call(
        "function() data.frame(i = c(1L, NA), x = c(.5, NA), b = c(TRUE, NA), s = c('a', NA),"
        " f = factor(c('u', NA), levels = c('v', 'u')), row.names = c('p', 'q'))"
    )
    expected = pd.DataFrame(
        {
            "i": pd.array([1, None], "Int64"),
            "x": [0.5, np.nan],
            "b": pd.array([True, None], "boolean"),
            "s": ["a", None],
            "f": pd.Categorical(["u", None], ["v", "u"]),
        },
        index=pd.Index(["p", "q"], dtype=object),
    )
    pd.testing.assert_frame_equal(frame, expected)


@given(st.lists(st.floats(), max_size=20), st.lists(st.integers(-(2**53), 2**53), max_size=20))
def test_numbers_survive_bit_for_bit(floats, integers):
    """Doubles and exactly representable integers come back equal."""
    numbers = np.array(floats, dtype=np.float64)
    np.testing.assert_array_equal(bridge.call("function(x) x", numbers), numbers)
    whole = np.array(integers, dtype=np.int64)
    assert bridge.call("function(x) x", whole).tolist() == whole.tolist()


def test_containers_and_matrices():
    """Lists, named lists, NULL and matrices have their counterparts."""
    matrix = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert bridge.call("function(m) m[2, 1]", matrix).tolist() == [4.0]
    assert bridge.call("function(m) m", matrix).tolist() == matrix.tolist()
    assert bridge.call("list", a=1, b="x", c=None)["c"] is None
    assert bridge.call("function(x) x$b", {"a": 1, "b": [True, False]}).tolist() == [True, False]
    assert bridge.call("function() NULL") is None


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (pd.DataFrame({"when": pd.to_datetime(["2020-01-01"])}), TypeError, "'when'.*datetime64"),
        (pd.DataFrame({"odd": [[1], [2]]}), TypeError, "'odd'.*no counterpart"),
        (pd.DataFrame({"big": [2**60]}), ValueError, "'big'.*1152921504606846976"),
        (pd.DataFrame({"k": pd.Categorical(["1", 1])}), ValueError, "'k'.*levels must differ"),
        (pd.DataFrame({"x": [1, 2]}, index=["a", "a"]), ValueError, "index must be unique"),
        (object(), TypeError, "object has no counterpart"),
    ],
)
def test_what_r_cannot_hold_is_named(value, error, message):
    """Errors name the column and the reason."""
    with pytest.raises(error, match=message):
        bridge.to_r(value)


def test_errors_of_r_carry_its_message():
    """An R error is a Python exception with R's words."""
    with pytest.raises(bridge.RCallError, match="no such luck"):
        bridge.call("function() stop('no such luck')")


def test_an_exception_in_a_black_box_is_raised_again():
    """Not R's wrong-length error, but the black box's own exception."""

    def refuses(rows):
        raise KeyError("level ORANGE")

    rows = pd.DataFrame({"x": [1.0, 2.0]})
    with pytest.raises(KeyError, match="level ORANGE"), bridge.lend_to_r(refuses, rows) as lent:
        bridge.call("function(f, d) f(NULL, d) + 1", lent, rows)
    swallow = "function(f, d) tryCatch(f(NULL, d), error = function(e) 0)"
    with pytest.raises(KeyError, match="level ORANGE"), bridge.lend_to_r(refuses, rows) as lent:
        bridge.call(swallow, lent, rows)


def test_predictions_lent_to_r_survive_its_garbage_collector():
    """References are kept until the call ends."""
    rows = pd.DataFrame({"x": np.arange(1000.0)})
    with bridge.lend_to_r(lambda rows: rows["x"] + 0.5, rows) as lent:
        total = bridge.call(
            "function(f, d) { s <- 0; for (i in 1:30) { y <- f(NULL, d); gc(); s <- s + sum(y) };"
            " s }",
            lent,
            rows,
        )
    assert total.tolist() == [30 * (999 * 500 + 500.0)]


def test_the_black_box_sees_its_own_frame_whatever_r_did():
    """PDPlot hands factors over as characters, and integers as doubles."""
    rows = frame_of_every_kind().dropna(axis="columns").set_index(pd.Index(["p", "q", "r"]))
    rows["level"] = pd.Categorical(["u", "v", "u"], ["w", "v", "u"])
    seen = []

    def watch(frame):
        seen.append(frame)
        return np.zeros(len(frame))

    with bridge.lend_to_r(watch, rows) as lent:
        bridge.call(
            "function(f, d) { for (i in seq_along(d)) d[[i]] <- if (is.factor(d[[i]]))"
            " as.character(d[[i]]) else if (is.integer(d[[i]])) as.double(d[[i]]) else d[[i]];"
            " row.names(d) <- NULL; f(NULL, d) }",
            lent,
            rows,
        )
        halves = "function(f, d) { d$whole <- d$whole + .5; f(NULL, d) }"
        bridge.call(halves, lent, rows)
        bridge.call("function(f, d) f(NULL, rbind(d, d))", lent, rows)
    pd.testing.assert_frame_equal(seen[0], rows)
    assert seen[1]["whole"].tolist() == [1.5, 2.5, 3.5]
    assert len(seen[2]) == 6
    assert list(seen[2].dtypes) == list(rows.dtypes)


def test_arrays_in_arrays_out():
    """A black box made for arrays gets arrays."""
    array = np.arange(6.0).reshape(3, 2)
    with bridge.lend_to_r(lambda rows: rows[:, 1] * 2, array) as lent:
        values = bridge.call("function(f, d) f(NULL, d)", lent, bridge.array_frame(array))
    assert values.tolist() == [2.0, 6.0, 10.0]


def training_rows() -> pd.DataFrame:
    """Rows with a number, a factor, a numeric response and a class."""
    rng = np.random.default_rng(0)
    x = rng.uniform(size=120)
    level = pd.Categorical.from_codes(rng.integers(0, 3, 120), ["low", "mid", "high"])
    y = 2 * x + np.array([0.0, 1.0, 5.0])[level.codes] + rng.normal(0, 0.1, 120)
    kind = pd.Categorical.from_codes((y > 3).astype(int), ["no", "yes"])
    return pd.DataFrame({"x": x, "level": level, "y": y, "kind": kind})


@pytest.mark.parametrize(
    ("package", "function", "options"),
    [
        ("stats", "lm", {}),
        ("stats", "glm", {}),
        ("randomForest", "randomForest::randomForest", {"ntree": 20, "seed": 1}),
        ("nnet", "nnet::nnet", {"size": 3, "linout": True, "trace": False, "seed": 1}),
        ("party", "party::ctree", {}),
        (
            "gbm",
            "gbm::gbm",
            {"distribution": "gaussian", "n.trees": 50, "seed": 1},
        ),
        ("rpart", "rpart::rpart", {}),
    ],
)
def test_r_models_are_black_boxes(package, function, options):
    """Every wrapped class predicts the numbers of R's own `predict`, on the rows given."""
    reason = bridge.why_packages_unavailable([package])
    if reason:
        pytest.skip(reason)
    rows = training_rows()
    model = bridge.fit(function, "y ~ x + level", rows, **options)
    predicted = model(rows[["level", "x"]])
    assert predicted.shape == (120,)
    trees = ", n.trees = 50" if package == "gbm" else ""
    direct = bridge.call(
        f"function(m, d) as.vector(stats::predict(m, newdata = d{trees}))", model.model, rows
    )
    np.testing.assert_allclose(predicted, direct, rtol=0, atol=PREDICTIONS)
    assert np.corrcoef(predicted, rows["y"])[0, 1] > 0.5
    repeated = rows.iloc[[5, 5, 7]]
    np.testing.assert_allclose(model(repeated), predicted[[5, 5, 7]], rtol=0, atol=PREDICTIONS)


@pytest.mark.parametrize(
    ("package", "function", "options"),
    [
        ("randomForest", "randomForest::randomForest", {"ntree": 20, "seed": 1}),
        ("party", "party::ctree", {}),
        ("rpart", "rpart::rpart", {}),
    ],
)
def test_r_classifiers_give_probabilities(package, function, options):
    """A target chooses the class; without one there is a column for each."""
    reason = bridge.why_packages_unavailable([package])
    if reason:
        pytest.skip(reason)
    rows = training_rows()
    both = bridge.fit(function, "kind ~ x + level", rows, **options)(rows)
    assert both.shape == (120, 2)
    np.testing.assert_allclose(both.sum(axis=1), 1, rtol=0, atol=PREDICTIONS)
    if package != "party":  # party's probabilities carry no names
        model = bridge.fit(function, "kind ~ x + level", rows, target="yes", **options)
        assert model(rows).tolist() == both[:, 1].tolist()
        with pytest.raises(ValueError, match=r"target must be one of .*'maybe'"):
            bridge.RModel(model.model, target="maybe")(rows)


def test_other_r_objects_are_refused():
    """The message lists the classes that are known."""
    with pytest.raises(TypeError, match=r"randomForest.*got numeric"):
        bridge.RModel(bridge.call_r("function() c(1)"))


def test_conversions_do_not_use_up_none():
    """``memoryview()`` of rpy2 takes a reference of None at each call, until the process aborts."""
    rows = pd.DataFrame({"x": np.arange(3.0), "k": [1, 2, 3]})
    calls = 1000
    bridge.call("function(d) d", rows)
    gc.collect()  # what other tests left behind holds references of None, too
    before = sys.getrefcount(None)
    for _ in range(calls):
        bridge.call("function(d) d", rows)
    assert sys.getrefcount(None) > before - calls  # both columns together would lose twice as many
