"""A run that was interrupted goes on where it stopped, and gives the same bits."""

import errno
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, partial_dependence
from aleplot_py.errors import SourceError
from tests.scale.conftest import CALLS, black_box, data, same


class PowerCut(BaseException):
    """What no code expects."""


class Interrupted:
    """A black box that is interrupted at one of its calls, or never."""

    def __init__(self, at=None):
        self.calls, self.at = 0, at

    def __call__(self, frame):
        self.calls += 1
        if self.calls == self.at:
            raise PowerCut
        return black_box(frame)


def frames(X):
    return [X.iloc[i : i + 100] for i in range(0, len(X), 100)]


@pytest.fixture
def parquet(X, tmp_path):
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    X.to_parquet(tmp_path / "x.parquet", row_group_size=100)
    return tmp_path / "x.parquet"


@pytest.mark.parametrize("kind", ["frames", "parquet"])
def test_a_run_goes_on_from_the_last_finished_part(kind, X, expected, tmp_path, request):
    source = frames(X) if kind == "frames" else request.getfixturevalue("parquet")
    path = tmp_path / "run.npz"
    whole = Interrupted()
    ale(whole, source, "x")
    first = Interrupted(at=14)  # one for the model's digest, two for each of nine parts
    with pytest.raises(PowerCut):
        ale(first, source, "x", checkpoint=path)
    assert path.exists()
    second = Interrupted()
    same(ale(second, source, "x", checkpoint=path), expected("ale"))
    assert not path.exists()
    assert (whole.calls, second.calls) == (2 * 9, 1 + 2 * 3)  # six parts were done


@pytest.mark.parametrize("name", ["ale all", "ale similar", "ale pairs", "pd centred"])
def test_every_kind_of_scan_is_kept(name, X, expected, tmp_path, monkeypatch):
    """Interrupted after every single part, with levels, quantiles and similarity to be found."""
    monkeypatch.setattr("aleplot_py.scale.scans.FEW", 3)
    path, source = tmp_path / "run.npz", [X.iloc[:300], X.iloc[300:]]
    saves = []
    replace = Path.replace

    def cut(self, target):
        replace(self, target)
        saves.append(target)
        raise PowerCut

    for _ in range(20):
        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", cut)
            try:
                found = CALLS[name](source, checkpoint=path)
            except PowerCut:
                continue
            break
    same(found, expected(name))
    assert len(saves) % len(source) == 0
    assert len(saves) >= 4


def test_a_checkpoint_of_another_run_is_refused_by_name(X, tmp_path):
    path = tmp_path / "run.npz"

    def start(**change):
        call = {"predict": Interrupted(), "X": frames(X), "features": "x", "K": 5} | change
        return ale(**call, checkpoint=path)

    with pytest.raises(PowerCut):
        start(predict=Interrupted(at=9))
    other = [X.assign(z=0.0).iloc[:200], X.iloc[200:]]
    for change, what in [
        ({"X": other}, "data"),
        ({"features": ["x", "z"]}, "features"),
        ({"K": 6}, "options"),
        ({"grid": np.linspace(-9, 9, 2000)}, "options"),
        ({"centre": "paper"}, "options"),
        ({"predict": lambda frame: frame["z"]}, "model"),
    ]:
        with pytest.raises(SourceError, match=f"is of a run with other {what}, "):
            start(**change)
    later = [*frames(X)[:1], X.iloc[100:200].assign(z=1.0), *frames(X)[2:]]
    with pytest.raises(
        SourceError, match="frame 1 is not what it was when the run was interrupted"
    ):
        start(X=later)
    assert path.exists()
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(SourceError, match=r"run.npz' is no file of an interrupted run"):
        start()


def test_a_changed_file_is_other_data(parquet, tmp_path, X):
    path = tmp_path / "run.npz"
    with pytest.raises(PowerCut):
        ale(Interrupted(at=9), parquet, "x", checkpoint=path)
    data(1000).to_parquet(parquet, row_group_size=100)
    with pytest.raises(SourceError, match="is of a run with other data, "):
        ale(Interrupted(), parquet, "x", checkpoint=path)


def test_a_full_disk_loses_nothing(X, expected, tmp_path, monkeypatch):
    """Neither what has been computed, nor the checkpoint that there was."""
    path = tmp_path / "run.npz"
    with pytest.raises(PowerCut):
        ale(Interrupted(at=9), frames(X), "x", checkpoint=path)
    before = path.read_bytes()

    def full(file):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    seen = []

    def predict(frame):
        seen.append(path.read_bytes() == before)
        return black_box(frame)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.warns(UserWarning, match=re.escape("run.npz' cannot be written")) as caught:
            found = ale(predict, frames(X), "x", checkpoint=path)
    assert (len(caught), all(seen)) == (1, True)
    same(found, expected("ale"))
    assert list(tmp_path.glob("*.part")) == []


def test_times_and_labels_of_every_type_are_kept(tmp_path):
    X = pd.DataFrame({"x": np.arange(60.0), "when": np.tile(pd.date_range("2020", periods=3), 20)})
    parts = [X.iloc[:20], X.iloc[20:40], X.iloc[40:]]
    path = tmp_path / "run.npz"

    class Cut:
        calls = 0

        def __call__(self, frame):
            Cut.calls += 1
            if Cut.calls == 4:
                raise PowerCut
            return frame["x"] + frame["when"].dt.day

    how = {"categorical": "when", "order": {"when": "declared"}, "checkpoint": path}
    with pytest.raises(PowerCut):
        partial_dependence(Cut(), parts, "when", **how)
    found = partial_dependence(Cut(), parts, "when", **how)
    assert list(found.x_values[0]) == list(X["when"].unique())
    same(found, partial_dependence(Cut(), X, "when", categorical="when"))


def test_dask_keeps_what_is_lost_itself(X, tmp_path):
    dask = pytest.importorskip("dask.dataframe", reason="a DataFrame of Dask needs dask")
    pytest.importorskip("distributed", reason="a DataFrame of Dask needs distributed")
    with pytest.raises(
        ValueError, match="checkpoint= has no meaning where X comes in parts: a cluster"
    ):
        ale(black_box, dask.from_pandas(X, npartitions=2), "x", checkpoint=tmp_path / "run")
