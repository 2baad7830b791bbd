"""What is measured, in a process of its own: ``python worker.py`` answers commands on its input.

The process knows whichever aleplot_py its path leads to, this one or 0.1.0, and the peers that are
installed beside it; nothing else of the checkout is imported. A case makes data and a model from a
seed, so that every process has the same, and gives tasks, each a call without arguments. Commands,
one a line, and what is answered, each as a line of JSON:

``case NAME key=value ...``
    The tasks, those that are missing with their reasons, and numbers about the case.
``run TASK``
    Seconds of processor time, of quick tasks the mean of as many runs as fill a twentieth of one.
``memory TASK``
    Bytes by which the process grew at most, or null where the system does not tell.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import platform
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pandas as pd

Task = Callable[[], object]
Tasks = dict[str, Task]
Found = tuple[Tasks, dict[str, float]]

#: This library in whichever version the path leads to, whose options mypy cannot know.
LIBRARY: Any = import_module("aleplot_py")
K = 40
# Seconds that a measurement fills at least.
LEAST = 0.05
#: What is imported, and what it is called by pip.
DISTRIBUTIONS = {
    "aleplot_py": "aleplot-py",
    "numpy": "numpy",
    "pandas": "pandas",
    "sklearn": "scikit-learn",
    "numba": "numba",
    "pyarrow": "pyarrow",
    "xgboost": "xgboost",
    "PyALE": "PyALE",
    "effector": "effector",
    "lofo": "lofo-importance",
}


class Linear:
    """A cheap black box for frames and arrays, as the packages ask for one."""

    def __init__(self, slopes: np.ndarray[Any, Any]) -> None:
        self.slopes = slopes

    def __call__(self, X: Any) -> Any:
        """Predict."""
        return np.asarray(X) @ self.slopes

    predict = __call__


def table(n: int, p: int) -> np.ndarray[Any, Any]:
    """Draw the data of a case.

    Parameters
    ----------
    n, p : int
        Numbers of rows and columns.

    Returns
    -------
    ndarray of shape (n, p)
        The same for every process.
    """
    return np.random.default_rng(1).normal(size=(n, p))


def _frame(X: np.ndarray[Any, Any]) -> pd.DataFrame:
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])


def _response(X: np.ndarray[Any, Any]) -> Any:
    noise = np.random.default_rng(2).normal(size=len(X))
    return X[:, 0] * X[:, 1] + np.sin(X[:, 2]) + noise / 10


def cheap(n: int = 10_000, p: int = 10, K: int = K) -> Found:
    """A main effect of a linear black box, by every package for Python."""
    X = table(n, p)
    frame, box = _frame(X), Linear(np.arange(1.0, p + 1))
    tasks: Tasks = {
        "aleplot-py": lambda: LIBRARY.ale(box, X, 0, K=K),
        "aleplot-py, frame": lambda: LIBRARY.ale(box, frame, "x0", K=K),
        "bare": lambda: (box(X), box(X)),
    }
    with contextlib.suppress(ImportError):
        from PyALE import ale as pyale

        tasks["PyALE"] = lambda: pyale(
            frame, box, ["x0"], "continuous", grid_size=K, include_CI=False, plot=False
        )
    with contextlib.suppress(ImportError):
        import effector
        from effector.axis_partitioning import Fixed

        def effector_ale() -> object:
            effect = effector.ALE(X, box, nof_instances="all")
            effect.fit(0, binning_method=Fixed(nof_bins=K, min_points_per_bin=0))
            return effect.eval(0, np.linspace(X[:, 0].min(), X[:, 0].max(), K + 1), centering=True)

        tasks["effector"] = effector_ale
    return tasks, {"bytes": X.nbytes, "column": X.nbytes / p}


def batches(n: int = 1_000_000, p: int = 10) -> Found:
    """A main effect of a linear black box on a long array, whole and in batches."""
    X = table(n, p)
    box = Linear(np.arange(1.0, p + 1))
    LIBRARY.ale(box, X[:100], 0)  # what is imported late is no memory of a long array
    return {
        "whole": lambda: LIBRARY.ale(box, X, 0),
        "batches": lambda: LIBRARY.ale(box, X, 0, batch_rows=50_000),
        "bare": lambda: (box(X), box(X)),
    }, {"bytes": X.nbytes, "column": X.nbytes / p}


def every(n: int = 200_000, p: int = 10) -> Found:
    """All main effects of a linear black box, on an array and on a frame."""
    X = table(n, p)
    frame, box = _frame(X), Linear(np.arange(1.0, p + 1))
    LIBRARY.ale(box, frame[:100], "all")
    return {
        "array": lambda: LIBRARY.ale(box, X, "all"),
        "frame": lambda: LIBRARY.ale(box, frame, "all"),
    }, {"bytes": X.nbytes}


def streamed(n: int = 50_000_000, p: int = 4) -> Found:
    """A main effect of a linear black box on a Parquet file, and reading the file twice."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file, rng = Path("streamed.parquet").absolute(), np.random.default_rng(1)
    schema = pa.schema([(f"x{j}", pa.float64()) for j in range(p)])
    with pq.ParquetWriter(file, schema) as writer:
        for start in range(0, n, 1_000_000):
            rows = rng.normal(size=(min(n - start, 1_000_000), p))
            writer.write_table(pa.Table.from_pandas(_frame(rows), schema))
    box = Linear(np.arange(1.0, p + 1))
    head = next(pq.ParquetFile(file).iter_batches(batch_size=1000)).to_pandas()
    LIBRARY.ale(box, [head], "x0")

    def twice() -> None:
        for _ in range(2):
            for batch in pq.ParquetFile(file).iter_batches(batch_size=2**18):
                batch.to_pandas()

    return {
        "main": lambda: LIBRARY.ale(box, str(file), "x0"),
        "columns twice": twice,
    }, {"gigabyte": 1e9}


def wide(p: int = 1000, n: int = 2000) -> Found:
    """All main effects on a wide array, of a black box whose own cost does not grow with it."""
    X = table(n, p)

    def box(rows: Any) -> Any:
        return rows[:, 0] * rows[:, 1] + rows[:, 2] ** 2

    return {"aleplot-py": lambda: LIBRARY.ale(box, X, "all")}, {}


def profiles(n: int = 20_000, p: int = 10, points: int = K) -> Found:
    """Partial dependence and ICE of a linear regression on an array."""
    from sklearn import inspection
    from sklearn.linear_model import LinearRegression

    X = table(n, p)
    model = LinearRegression().fit(X, _response(X))

    def theirs(kind: str) -> Task:
        return lambda: inspection.partial_dependence(
            model, X, [0], grid_resolution=points, method="brute", kind=kind
        )

    return {
        "partial_dependence": lambda: LIBRARY.partial_dependence(model, X, 0, K=points),
        "ice": lambda: LIBRARY.ice(model, X, 0, K=points),
        "scikit-learn": theirs("average"),
        "scikit-learn, ICE": theirs("both"),
    }, {}


def _trees(kind: str, X: Any, y: Any) -> Any:
    if kind == "forest":
        from sklearn.ensemble import RandomForestRegressor

        model = RandomForestRegressor(100, random_state=0, n_jobs=-1).fit(X, y)
        model.n_jobs = 1
        return model
    if kind == "boosted":
        from sklearn.ensemble import HistGradientBoostingRegressor

        return HistGradientBoostingRegressor(max_iter=200, random_state=0).fit(X, y)
    import xgboost

    return xgboost.XGBRegressor(n_estimators=200, random_state=0, n_jobs=1).fit(X, y)


def trees(kind: str = "forest", n: int = 20_000, p: int = 10) -> Found:
    """All main effects of trees, a pair, and their partial dependence."""
    X = table(n, p)
    model = _trees(kind, X, _response(X))
    number: dict[str, float] = {}
    if kind == "forest":
        grown = [tree.tree_ for tree in model.estimators_]
        nodes = sum(tree.node_count for tree in grown)
        number = {"nodes": nodes, "visits": n * np.mean([t.max_depth for t in grown]) * len(grown)}
    tasks: Tasks = {
        "all": lambda: LIBRARY.ale(model, X, "all"),
        "main": lambda: LIBRARY.ale(model, X, 0),
        "pair": lambda: LIBRARY.ale(model, X, (0, 1)),
        "partial_dependence": lambda: LIBRARY.partial_dependence(model, X, 0, K=K),
        "predict": lambda: model.predict(X),
    }
    if kind == "forest":
        from sklearn import inspection

        tasks["recursion"] = lambda: inspection.partial_dependence(
            model, X, [0], grid_resolution=K, method="recursion"
        )
    try:
        LIBRARY.ale(lambda rows: rows[:, 0], X[:50], 0, method="predict")
    except TypeError:
        return tasks, number
    tasks["main by predict"] = lambda: LIBRARY.ale(model, X, 0, method="predict")
    tasks["pair by predict"] = lambda: LIBRARY.ale(model, X, (0, 1), method="predict")
    walked, asked = (LIBRARY.ale(model, X[:2000], "all", method=m) for m in ("auto", "predict"))
    same = all(np.array_equal(walked[name].f_values, asked[name].f_values) for name in asked)
    return tasks, {**number, "identical": float(same)}


def levels(n: int = 20_000, p: int = 20, count: int = 500) -> Found:
    """A category of many levels, which are brought into the order of similarity."""
    frame = _frame(table(n, p - 1))
    box = Linear(np.arange(1.0, p))
    names = np.array([f"level {i:03d}" for i in range(count)])
    frame["level"] = pd.Categorical(names[np.random.default_rng(3).integers(count, size=n)])
    return {
        "main": lambda: LIBRARY.ale(lambda rows: box(rows.iloc[:, :-1]), frame, "level"),
    }, {}


def bands(n: int = 100_000, n_boot: int = 1000) -> Found:
    """Bootstrap bands of a main effect."""
    X = table(n, 10)
    box = Linear(np.arange(1.0, 11))
    effect = LIBRARY.ale(box, X, 0, local_effects=True)
    return {
        "bands": lambda: LIBRARY.bootstrap_bands(effect, n_boot=n_boot, random_state=1),
    }, {}


def left_out(n: int = 2000, p: int = 10) -> Found:
    """Leave one feature out with a model that is cheap to fit."""
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import KFold

    X = table(n, p)
    frame, y, folds = _frame(X), _response(X), KFold(4)
    scoring = "neg_mean_squared_error"
    tasks: Tasks = {
        "aleplot-py": lambda: LIBRARY.lofo_importance(
            LinearRegression(), frame, y, scoring=scoring, cv=folds
        )
    }
    with contextlib.suppress(ImportError):
        import lofo

        names = list(frame.columns)

        def theirs() -> object:
            dataset = lofo.Dataset(frame.assign(y=y), target="y", features=names)
            importance = lofo.LOFOImportance(dataset, scoring, LinearRegression(), cv=folds)
            return importance.get_importance()

        tasks["lofo-importance"] = theirs
    return tasks, {}


def automatic(n: int = 2000) -> Found:
    """Intervals that follow the data, among cuts of 100 fine ones, by the derivative."""
    X = table(n, 3)

    def box(rows: Any) -> Any:
        return np.sin(3 * rows[:, 0]) + rows[:, 0] * rows[:, 1]

    def derivative(rows: Any) -> Any:
        rest = np.zeros(len(rows))
        return np.column_stack([3 * np.cos(3 * rows[:, 0]) + rows[:, 1], rows[:, 0], rest])

    tasks: Tasks = {"aleplot-py": lambda: LIBRARY.ale(box, X, 0, K="auto", gradient=derivative)}
    with contextlib.suppress(ImportError):
        import effector
        from effector.axis_partitioning import DynamicProgramming

        def theirs() -> object:
            effect = effector.RHALE(X, box, derivative, nof_instances="all")
            found = DynamicProgramming(
                max_nof_bins=100, min_points_per_bin=max(10, n // 20), discount=0.2
            )
            effect.fit(0, binning_method=found)
            return effect.eval(0, np.linspace(X[:, 0].min(), X[:, 0].max(), 101), centering=True)

        tasks["effector"] = theirs
    return tasks, {}


def cells(size: int = 100) -> Found:
    """Empty cells of a square grid, three of five, without ties and on a lattice full of them."""
    from aleplot_py.steps.cells import fill_empty

    rng = np.random.default_rng(3)
    values = rng.normal(size=(size, size))
    empty = rng.uniform(size=values.shape) < 0.6
    uneven = [np.sort(rng.uniform(size=size)) for _ in range(2)]
    lattice = [np.arange(size) / size] * 2
    return {
        "uneven": lambda: fill_empty(values, empty, uneven),
        "lattice": lambda: fill_empty(values, empty, lattice),
    }, {}


CASES: dict[str, Callable[..., Found]] = {
    case.__name__: case
    for case in (
        *(automatic, bands, batches, cells, cheap, every, left_out, levels, profiles, streamed),
        *(trees, wide),
    )
}


def _versions() -> dict[str, str]:
    """Versions of what was imported."""
    found = {"Python": platform.python_version()}
    for module, name in DISTRIBUTIONS.items():
        if module in sys.modules:
            found[name] = getattr(sys.modules[module], "__version__", None) or version(name)
    return found


def _seconds(task: Task) -> float:
    runs, start = 0, time.process_time()
    while (spent := time.process_time() - start) < LEAST or not runs:
        task()
        runs += 1
    return spent / runs


def _growth(task: Task) -> int | None:
    """Largest growth of the process during a task, in bytes."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # forget the peak so far
        before = _status("VmRSS")
    except (OSError, KeyError):
        return None
    gc.collect()
    kept = task()
    grown = _status("VmHWM") - before
    del kept
    return max(grown, 0)


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    told = dict(line.split(":", 1) for line in lines)
    return int(told[name].split()[0]) * 1024


def answer(commands: TextIO) -> Iterator[object]:
    """Carry out commands.

    Parameters
    ----------
    commands : file
        One a line.

    Yields
    ------
    object
        An answer to each, for JSON.
    """
    tasks: Tasks = {}
    for line in commands:
        command, _, rest = line.strip().partition(" ")
        if command == "case":
            name, *given = rest.split()
            pairs = (part.split("=") for part in given)
            options = {key: int(value) if value.isdigit() else value for key, value in pairs}
            try:
                tasks, numbers = CASES[name](**options)
            except ImportError as error:
                yield {"missing": str(error)}
            else:
                yield {"tasks": list(tasks), "numbers": numbers, "versions": _versions()}
        elif command == "run":
            yield _seconds(tasks[rest])
        else:
            yield _growth(tasks[rest])


def main() -> None:
    """Answer until the input ends; what the packages print goes to the standard error."""
    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for said in answer(sys.stdin):
        answers.write(json.dumps(said) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
