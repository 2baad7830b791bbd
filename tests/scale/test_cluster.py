"""Dask: the same bits from two processes, also when one of them is killed."""

import os
import warnings
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from aleplot_py import ale, lofo_importance
from aleplot_py.errors import SourceError
from tests.scale.conftest import CALLS, black_box, same

dd = pytest.importorskip("dask.dataframe", reason="a DataFrame of Dask needs dask")
distributed = pytest.importorskip("distributed", reason="a cluster needs distributed")


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes; what Dask itself warns of is not ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
            ) as local,
            distributed.Client(local) as client,
        ):
            yield client


@pytest.fixture
def partitions(X):
    return dd.from_pandas(X, npartitions=5)


@pytest.mark.parametrize("name", ["ale", "ale similar", "pd centred"])
def test_two_processes_give_the_same_bits(name, cluster, partitions, expected):
    same(CALLS[name](partitions, sample_weight="w"), expected(name, sample_weight="w"))


class Killed:
    """A black box that kills the process that it first runs in, once."""

    def __init__(self, flag):
        self.flag = Path(flag)

    def __call__(self, frame):
        if not self.flag.exists() and (frame["x"] > 2).any():
            self.flag.touch()
            os._exit(1)
        return black_box(frame)


def test_a_worker_that_is_killed_half_way_changes_nothing(cluster, partitions, X, tmp_path):
    found = ale(Killed(tmp_path / "killed"), partitions, "z", K=5)
    assert (tmp_path / "killed").exists()
    same(found, ale(black_box, X, "z", K=5))


def without_z(part, partition_info=None):
    here = partition_info is not None and partition_info["number"] == 3
    return part.drop(columns="z") if here else part


def with_short_floats(part, partition_info=None):
    here = partition_info is not None and partition_info["number"] == 3
    return part.astype({"z": "float32"}) if here else part


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without_z, "partition 3 of X cannot be computed: (.|\n)*'z'"),
        (with_short_floats, "column 'z' has type float32 in partition 3, but float64 in other"),
    ],
)
def test_a_partition_that_does_not_fit_is_named(change, message, partitions):
    """In this process: which machine it is on makes no difference."""
    changed = partitions.map_partitions(change, meta=partitions._meta)
    with pytest.raises(SourceError, match=message):
        ale(black_box, changed, "z")


def test_a_black_box_that_fails_names_the_partition(partitions, X):
    def predict(frame):
        if (frame["x"] == X["x"].iloc[-1]).any():
            raise RuntimeError("no such row")
        return frame["z"]

    with pytest.raises(RuntimeError, match="no such row") as caught:
        ale(predict, partitions, "z", batch_rows=100)
    assert "in partition 4, rows 100 to 179 of it" in caught.value.__notes__


def test_categories_that_dask_does_not_know_are_refused(partitions):
    unknown = partitions.assign(k=partitions["k"].cat.as_unknown())
    with pytest.raises(SourceError, match=r"column 'k' .* call X = X.categorize\(\) first"):
        ale(black_box, unknown, "x")


def test_refits_run_where_joblib_sends_them(cluster, X):
    numbers = X[["x", "z", "i"]]
    y = X["x"] * 2 + X["i"]
    how = {"scoring": "r2", "cv": 3, "random_state": 1}
    expected = lofo_importance(LinearRegression(), numbers, y, **how)
    with joblib.parallel_config(backend="dask"):
        found = lofo_importance(LinearRegression(), numbers, y, n_jobs=2, **how)
    np.testing.assert_array_equal(found.importances, expected.importances)
    assert isinstance(numbers, pd.DataFrame)
