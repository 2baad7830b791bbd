"""Effects of rows that come in parts are those of the same rows in memory, to the last bit."""

import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aleplot_py import (
    AleDisplay,
    ale,
    bootstrap_bands,
    effect_regions,
    ice,
    load,
    m_plot,
    main_effect_complexity,
    partial_dependence,
)
from aleplot_py.errors import FeatureError, FeatureTypeError, GridError, SourceError
from aleplot_py.scale import scans
from aleplot_py.scale.cluster import tally_of_partition
from aleplot_py.scale.reading import together
from aleplot_py.scale.sources import Part, Schema
from aleplot_py.steps import counting
from tests.scale.conftest import CALLS, black_box, data, same

ROOT = Path(__file__).parents[2]


class Anew:
    """An iterable that begins anew every time, as a folder of files would."""

    def __init__(self, frames):
        self.frames = frames

    def __iter__(self):
        return iter(self.frames)


def frames(X):
    """Parts of different sizes, one of them empty."""
    return [X.iloc[:100], X.iloc[100:100], X.iloc[100:101], X.iloc[101:]]


@pytest.fixture(scope="module")
def parquet(X, tmp_path_factory):
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    path = tmp_path_factory.mktemp("parquet") / "x.parquet"
    X.to_parquet(path, row_group_size=200)
    return path


@pytest.mark.parametrize("name", CALLS)
def test_frames_one_by_one_give_the_same_bits(name, X, expected):
    same(CALLS[name](frames(X)), expected(name))


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("sizes", [{"FEW": 3}, {"FEW": 3, "KEPT": 30}], ids=["two", "three"])
def test_further_scans_for_quantiles_change_nothing(name, sizes, X, expected, monkeypatch):
    monkeypatch.setattr(scans, "FEW", sizes["FEW"])
    monkeypatch.setattr(counting, "KEPT", sizes.get("KEPT", counting.KEPT))
    same(CALLS[name](frames(X)), expected(name))


@pytest.mark.parametrize("name", ["ale all", "ale pairs", "pd", "pd centred"])
def test_weights_in_a_column(name, X, expected):
    found = CALLS[name](frames(X), sample_weight="w")
    same(found, expected(name, sample_weight="w"))


@pytest.mark.parametrize("name", ["ale", "ale similar", "pd"])
def test_batches_and_threads_change_nothing_but_the_calls(name, X, expected):
    same(CALLS[name](frames(X), batch_rows=37, n_jobs=2), expected(name))


def test_every_kind_of_source_gives_the_same_bits(parquet, X, expected):
    dataset = pytest.importorskip("pyarrow.dataset", reason="a dataset needs pyarrow")
    sources = [parquet, str(parquet), dataset.dataset(parquet), Anew(frames(X)), tuple(frames(X))]
    for source in sources:
        same(CALLS["ale all"](source), expected("ale all"))


def test_whoever_reads_the_rows_itself_gives_the_same_bits(X, expected):
    """The recipe for Spark, but for Spark: tallies travel as bytes."""

    class Elsewhere:
        size, identity, schema = 1, None, Schema(X.iloc[:0])

        def parts(self):
            yield Part("the first rows", lambda columns, rows: iter([X.iloc[:rows]]))

        def read(self, scan, title):
            rows = X if scan.columns is None else X[scan.columns]
            sent = [
                pickle.dumps(tally_of_partition(scan, part, self.schema, 0))
                for part in frames(rows)
            ]
            return together(map(pickle.loads, sent))

    for name in ("ale all", "ale similar", "pd"):
        same(CALLS[name](Elsewhere()), expected(name))
    with pytest.raises(ValueError, match="checkpoint= has no meaning where X comes in parts"):
        ale(black_box, Elsewhere(), "x", checkpoint="here")


def test_a_lazy_frame_gives_the_same_bits(X):
    polars = pytest.importorskip("polars", reason="a LazyFrame needs polars")
    pytest.importorskip("pyarrow", reason="polars makes frames of pandas by pyarrow")
    plain = X.drop(columns=["k"]).assign(i=X["i"].where(X["i"] > 3))  # missing whole numbers
    plan = polars.from_pandas(plain).lazy().filter(polars.col("z") > 0)
    in_memory = plan.collect().to_pandas()

    def predict(frame):
        assert frame["i"].dtype == np.float64
        return frame["x"] * frame["z"] + frame["i"].fillna(0)

    for names in ("x", "c", [("x", "z")]):
        same(ale(predict, plan, names, K=6), ale(predict, in_memory, names, K=6))


def test_a_folder_of_files_is_what_pandas_reads(tmp_path):
    """Categories in another order in each file, folders named after a column, missing numbers."""
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    X = data(120)
    for number, part in enumerate([X.iloc[:50], X.iloc[50:]]):
        folder = tmp_path / f"year={2020 + number}"
        folder.mkdir()
        half = part.assign(c=pd.Categorical(part["c"], categories=list("srqp")[:: number * 2 - 1]))
        half["i"] = half["i"].astype("float").where(half.index != 60).astype("Int64")
        half["flag"] = half["flag"].astype(object).where(half.index != 70)
        half.drop(columns="k").to_parquet(folder / "part.parquet", index=False)
    whole = pd.read_parquet(tmp_path)
    types = []

    def predict(frame):
        types.append(frame.dtypes.to_dict())
        return frame["x"] * frame["z"] + frame["c"].cat.codes + frame["year"].cat.codes

    expected = ale(predict, whole, ["x", "c", "year"], K=5)
    in_memory = types[0]
    types.clear()
    same(ale(predict, tmp_path, ["x", "c", "year"], K=5), expected)
    assert all(kinds == in_memory for kinds in types)


def test_missing_values_are_dropped_or_refused_as_in_memory(X):
    holes = X.assign(x=X["x"].where(X.index % 7 > 0), c=X["c"].where(X.index % 5 > 0, None))
    holes["none"] = np.nan

    def predict(frame):
        return black_box(frame.assign(c=frame["c"].fillna("p"), x=frame["x"].fillna(0.0)))

    for names in ("x", ("c", "x"), [("x", "z"), "c"]):
        expected = ale(predict, holes, names, K=5, missing="drop", sample_weight=holes["w"])
        same(ale(predict, frames(holes), names, K=5, missing="drop", sample_weight="w"), expected)
    with pytest.raises(FeatureError, match=re.escape("column 'x' has 129 missing value(s) in 900")):
        ale(predict, frames(holes), "x")
    with pytest.warns(UserWarning, match="left out: no row is left where 'none' is known"):
        ale(predict, frames(holes)[::-1], "all", missing="drop", K=3)


def test_a_result_without_rows_is_a_result(X, tmp_path):
    effect = ale(black_box, frames(X), "x", K=5)
    assert effect.observed[0].shape == (0,)
    assert effect.mean_prediction == ale(black_box, X, "x", K=5).mean_prediction
    effect.save(tmp_path / "x.json")
    assert load(tmp_path / "x.json") == effect
    np.testing.assert_array_equal(
        effect.evaluate([-1, 0, 1]), ale(black_box, X, "x", K=5).evaluate([-1, 0, 1])
    )
    pair = ale(black_box, frames(X), ("c", "x"), K=5)
    for one in (effect, pair, ale(black_box, frames(X), "k")):
        one.plot()


def test_a_call_reads_what_it_needs(X):
    """Only the feature's column in the first scans, and no more than two of these."""
    reads = []

    class Watched(Anew):
        def __iter__(self):
            reads.append(len(self.frames))
            return super().__iter__()

    source = Watched(frames(X))
    ale(black_box, source, ["x", "z", ("x", "z")], K=5)
    assert len(reads) == LOOKS


# --- refusals ---------------------------------------------------------------------------------

REFUSED = [
    (ale, {"gradient": black_box}, "gradient= has no meaning where X comes in parts"),
    (ale, {"K": "auto"}, "K='auto' has no meaning where X comes in parts"),
    (ale, {"K": {"x": "auto"}}, "K='auto' has no meaning where X comes in parts"),
    (ale, {"outside": "iml"}, "outside='iml' has no meaning where X comes in parts"),
    (ale, {"local_effects": True}, "local_effects=True has no meaning where X comes in parts"),
    (ale, {"groups": "c"}, "groups= has no meaning where X comes in parts"),
    (ale, {"target": "all"}, "target= of several outputs has no meaning where X comes in"),
    (ale, {"method": "trees"}, "method='trees' has no meaning where X comes in parts"),
    (ale, {"sample_weight": [1.0]}, "sample_weight must be the name of a column"),
    (ale, {"sample_weight": "v"}, "feature 'v' is not a column of X"),
    (ale, {"centre": "middle"}, "centre must be one of"),
    (partial_dependence, {"kind": "both"}, "kind='both' has no meaning where X comes in parts"),
    (ice, {}, "ice has no meaning where X comes in parts, since individual curves are not kept"),
    (ale, {"collapse": 0.1}, "collapse= has no meaning where X comes in parts"),
    (ale, {"order": "frequency"}, "order='frequency' has no meaning where X comes in parts"),
    (m_plot, {}, "X must be a DataFrame or a two-dimensional array, got list"),
]


@pytest.mark.parametrize(("door", "how", "message"), REFUSED)
def test_what_has_no_meaning_in_parts_is_refused_by_name(door, how, message, X):
    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        door(black_box, frames(X), "x", **how)


def test_what_has_no_meaning_in_memory_is_refused_by_name(X):
    for door in (ale, partial_dependence):
        with pytest.raises(ValueError, match="checkpoint= serves rows that come in parts"):
            door(black_box, X, "x", checkpoint="here")
    with pytest.raises(TypeError, match="sample_weight must be numbers"):
        ale(black_box, X, "x", sample_weight="w")


def test_parts_that_do_not_fit_are_named(X):
    a, b = X.iloc[:50], X.iloc[50:]
    for part, message in [
        (b.drop(columns="z"), "frame 1 has no column 'z', which other parts of X have"),
        (b.astype({"i": "float"}), "column 'i' has type float64 in frame 1, but int64 in frame 0"),
        (
            b.assign(k=b["k"].cat.remove_unused_categories()),
            "column 'k' has type category with 3 categories in frame 1, but category with 4 "
            "categories in frame 0",
        ),
        (7, "X must be frames, got a int at 1"),
    ]:
        with pytest.raises(SourceError, match=re.escape(message)):
            ale(black_box, [a, part], "x")
    with pytest.raises(SourceError, match="X must be readable several times, got a generator"):
        ale(black_box, (part for part in (a, b)), "x")
    with pytest.raises(SourceError, match="X must have rows, got none in all of its parts"):
        ale(black_box, [a.iloc[:0]], "x")
    swapped = b[b.columns[::-1]]
    same(ale(black_box, [a, swapped], "x", K=5), ale(black_box, X, "x", K=5))


def test_faults_of_a_column_are_named_as_in_memory(X):
    cases = [
        ({"x": X["x"].where(X.index != 700, np.inf)}, "x", {}, "column 'x' has 1 infinite value"),
        ({"x": 1.0}, "x", {}, "column 'x' has a single value, 1.0"),
        ({"c": "p"}, "c", {}, "column 'c' has a single level, 'p'"),
        (
            {},
            "x",
            {"grid": [-9.0, 0.0]},
            r"grid of column 'x' .* but 4\d\d of 900 rows lie outside",
        ),
        ({"w": -X["w"]}, "x", {"sample_weight": "w"}, "sample_weight must be finite and not neg"),
        ({"w": 0.0}, "x", {"sample_weight": "w"}, "sample_weight must not be all zero"),
        ({"c": X["c"].map(list)}, "c", {}, "holds values that cannot be levels"),
        ({}, "c", {"order": ["p", "q", "r"]}, "order of column 'c' leaves out level 's'"),
        ({}, "y", {}, "feature 'y' is not a column of X"),
    ]
    for columns, name, how, message in cases:
        with pytest.raises((FeatureError, GridError, ValueError), match=message):
            ale(lambda frame: frame["z"], frames(X.assign(**columns)), name, **how)


def test_times_are_refused_by_name(X):
    timed = frames(X.assign(when=pd.date_range("2020-01-01", periods=len(X))))
    with pytest.raises(FeatureTypeError, match="column 'when' has times, which are not explained"):
        ale(black_box, timed, "when")
    with pytest.raises(
        SourceError, match="'c' cannot be ordered by similarity, since times, as in"
    ):
        ale(black_box, timed, "c")
    same(ale(black_box, timed, "c", order="declared"), ale(black_box, X, "c", order="declared"))


def test_a_black_box_that_fails_names_its_batch(X):
    def predict(frame):
        if (frame["x"] == X["x"].iloc[450]).any() and frame["i"].dtype == np.int64:
            raise KeyError("no such row")
        return frame["z"]

    with pytest.raises(KeyError, match="no such row") as caught:
        ale(predict, frames(X), "z", batch_rows=100)
    assert caught.value.__notes__[-1] == "in frame 3, rows 300 to 399 of it"


#: Is it one, does it begin anew, the types, the first rows, counting; the next one is the effects.
LOOKS = 6


def test_other_rows_at_a_later_look_are_noticed(X):
    def changing(later):
        whole = frames(X)

        class Changing:
            looks = 0

            def __iter__(self):
                self.looks += 1
                return iter(whole if self.looks < LOOKS else later)

        return Changing()

    for later, name in [
        ([X.iloc[:800]], "x"),
        ([X.assign(x=X["x"] * 9)], "x"),
        ([X.assign(c="new")], "c"),
        ([X.assign(x=np.nan)], "x"),
    ]:
        with pytest.raises(SourceError, match=r"before: (it|X) must be the same every time"):
            ale(lambda frame: frame["z"], changing(later), name, order="declared")


def test_a_corrupt_file_is_named(parquet, tmp_path, X):
    broken = tmp_path / "broken.parquet"
    whole = parquet.read_bytes()
    broken.write_bytes(whole[:4000] + bytes(4000) + whole[8000:])
    with pytest.raises(SourceError, match=r"broken.parquet, row group \d+ cannot be read: "):
        ale(black_box, broken, "all", order="declared")
    broken.write_bytes(whole[:5000])
    with pytest.raises(SourceError, match=r"broken.parquet' cannot be read as Parquet: "):
        ale(black_box, broken, "x")
    with pytest.raises(SourceError, match=r"X='.*nowhere' is no file or folder"):
        ale(black_box, tmp_path / "nowhere", "x")


def test_files_that_do_not_fit_are_named(tmp_path, X):
    dataset = pytest.importorskip("pyarrow.dataset", reason="a dataset needs pyarrow")
    X.iloc[:50].to_parquet(tmp_path / "a.parquet")
    for changed, message in [
        (X.drop(columns="z"), r"b.parquet has no column 'z', which other parts of X have"),
        (
            X.assign(i=X["i"] * 0.5),
            r"column 'i' has type double in .*b.parquet, but int64 in other",
        ),
    ]:
        changed.to_parquet(tmp_path / "b.parquet")
        with pytest.raises(SourceError, match=message):
            ale(black_box, tmp_path, "x")
    filtered = dataset.dataset(tmp_path / "a.parquet").filter(dataset.field("x") > 0)
    with pytest.raises(SourceError, match="X must be a dataset without filter or projection"):
        ale(black_box, filtered, "x")


# --- memory -----------------------------------------------------------------------------------

MEMORY = """
import resource, sys
import numpy as np, pandas as pd
from aleplot_py import ale

class Made:
    "Twenty million doubles, never at the same time."
    def __iter__(self):
        for part in range(20):
            rng = np.random.default_rng(part)
            yield pd.DataFrame(rng.normal(size=(25_000, 40)))

source = Made()
ale(lambda frame: frame[0] * frame[1], [next(iter(source))], 0)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
effect = ale(lambda frame: frame[0] * frame[1], source, 0)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024, effect.axes[0].n)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss counts kilobytes on Linux only")
def test_peak_memory_is_that_of_a_part():
    """160 MB of data in parts of 8 MB."""
    ran = subprocess.run(
        [sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True, cwd=ROOT
    )
    grown, rows = ran.stdout.split()
    assert int(rows) == 500_000
    assert float(grown) < 80


def test_what_needs_the_rows_is_refused(X):
    effect = ale(black_box, frames(X), "x")
    for needs in (
        lambda: AleDisplay.overlay([effect]),
        lambda: main_effect_complexity(effect),
        lambda: effect_regions(effect, (-0.1, 0.1)),
        lambda: bootstrap_bands(effect, predict=black_box, X=X, grid="redrawn"),
    ):
        with pytest.raises(ValueError, match=r"need the rows, which the effect of \('x',\) does"):
            needs()
    assert AleDisplay.overlay([effect], align="none").effects == (effect,)


def test_columns_named_as_the_methods_of_a_reader_are_columns(X):
    columns = {"x": "schema", "z": "parts", "i": "read"}
    rows = X[list(columns)].rename(columns=columns)
    found = ale(lambda frame: frame["schema"] * frame["read"], rows, "schema", K=4)
    assert len(found.observed[0]) == len(X)
