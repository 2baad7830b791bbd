"""The recipe of the manual for Spark, word by word, where pyspark and Java are installed."""

import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, partial_dependence

PAGE = Path(__file__).resolve().parents[2] / "docs" / "pages" / "larger_than_memory.md"


@pytest.fixture(scope="module")
def session():
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        builder = sql.SparkSession.builder.master("local[2]")
        session = builder.config("spark.ui.enabled", False).getOrCreate()
        yield session
        session.stop()


def spark_rows():
    """The class of the recipe."""
    (recipe,) = re.findall(r"## Spark\n.*?```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    names: dict = {}
    exec(recipe, names)
    return names["SparkRows"]


def test_the_recipe_gives_the_same_bits(session):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(30_000, 3)), columns=["a", "b", "c"])
    rows = spark_rows()(session.createDataFrame(X).repartition(4))

    def predict(frame):
        return frame["a"] * frame["b"] + np.sin(frame["c"])

    for estimator, names in ((ale, ["a", "b", ("a", "b")]), (partial_dependence, ["a"])):
        there, here = (estimator(predict, frame, names, K=7) for frame in (rows, X))
        for one, other in zip(there.values(), here.values(), strict=True):
            assert one.f_values.tobytes() == other.f_values.tobytes()
            assert one.counts.tobytes() == other.counts.tobytes()
