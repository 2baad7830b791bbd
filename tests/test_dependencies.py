"""What the package needs, and what it says where something is missing."""

import ast
import inspect
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hatchling.build import build_wheel
from packaging.requirements import Requirement
from packaging.version import Version
from sklearn.linear_model import LinearRegression

from aleplot_py import ale, bootstrap_bands, random_variable_null
from aleplot_py.analysis.association import variance_explained
from aleplot_py.datasets.files import DataNotFoundError
from aleplot_py.datasets.loaders import load_penguins
from aleplot_py.importance.lofo import (
    leave_two_out_importance,
    lofo_importance,
    sequential_elimination,
)
from aleplot_py.importance.permutation import (
    conditional_permutation_importance,
    permutation_importance,
)

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]

# All that is not among the package's own dependencies, by the names under which it is imported.
BEYOND_CORE = (
    *("dask", "joblib", "numba", "palmerpenguins", "polars", "pooch", "pyarrow"),
    *("distributed", "rpy2", "sklearn"),
    *(
        "hypothesis",
        "jax",
        "jinja2",
        "numpydoc",
        "oxipng",
        "pytest",
        "statsmodels",
        "torch",
        "tqdm",
    ),
)
# Extras that the oldest versions are not installed for, or whose tools only read the sources.
WITHOUT_OLDEST = {
    *("dask", "lightgbm", "polars", "pyarrow", "rpy2", "xgboost-cpu"),
    *("latex2mathml", "myst-nb", "pydata-sphinx-theme", "sphinx"),
    *("import-linter", "mypy", "pandas-stubs", "pre-commit", "pyright", "pytest-cov", "ruff"),
}

# Linear regressions on the same rows, whose scores may be added up in another order.
SCORES = 1e-12


class Missing:
    """Makes every import of some packages fail, as if they were not installed."""

    def __init__(self, packages):
        self.packages = packages

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.packages:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def block(monkeypatch, package):
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Missing({package}), *sys.meta_path])


def python_without(packages, code, **options):
    """Run code in a new Python that cannot import some packages."""
    start = (
        f"import sys\n{inspect.getsource(Missing)}\nsys.meta_path.insert(0, Missing({packages}))"
    )
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", f"{start}\n{code}"],
        check=False,
        capture_output=True,
        text=True,
        **options,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built as pip does it."""
    folder = tmp_path_factory.mktemp("wheel")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return folder / build_wheel(str(folder))


@pytest.fixture
def X():
    rng = np.random.default_rng(3)
    return pd.DataFrame({"x": rng.normal(size=40), "z": rng.normal(size=40)})


@pytest.fixture
def y(X):
    return X["x"] + 0.5 * X["z"]


# Versions


def requirements(listed):
    return [Requirement(line) for line in listed]


def oldest():
    lines = (ROOT / ".ci" / "oldest.txt").read_text(encoding="utf-8").splitlines()
    return requirements(line for line in lines if line and not line.startswith("#"))


def lower_bound(requirement):
    (bound,) = requirement.specifier
    assert bound.operator == ">=", f"{requirement}: only the oldest version is known to matter"
    return Version(bound.version)


def test_the_oldest_versions_are_those_of_the_project():
    """What ``make test-oldest`` installs is what pyproject.toml promises."""
    pins = {
        requirement.name: Version(pin.version)
        for requirement in oldest()
        for pin in requirement.specifier
        if pin.operator == "=="
    }
    bounds = {r.name: lower_bound(r) for extra in EXTRAS.values() for r in requirements(extra)}
    # The figures need a newer matplotlib than the library, which is tested with its own oldest.
    bounds |= {r.name: lower_bound(r) for r in requirements(PROJECT["dependencies"])}
    assert pins == {name: bounds[name] for name in bounds.keys() - WITHOUT_OLDEST}


def calls(tree, names):
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in names
    ]


def unobserved(source):
    """Lines that group without saying whether unused levels are groups."""
    return [
        call.lineno
        for call in calls(ast.parse(source), {"groupby", "pivot_table"})
        if "observed" not in {keyword.arg for keyword in call.keywords}
    ]


def test_every_grouping_says_what_it_observes():
    """The default of ``observed`` changes between versions of pandas."""
    assert unobserved('d.groupby("a", sort=False)\nd.groupby("a", observed=True)') == [1]
    sources = [
        path
        for folder in ("aleplot_py", "reproductions", "validation")
        for path in sorted((ROOT / folder).rglob("*.py"))
    ]
    assert len(sources) > 50
    found = {str(path.relative_to(ROOT)): unobserved(path.read_text("utf-8")) for path in sources}
    assert {path: lines for path, lines in found.items() if lines} == {}


# Arrays of pandas, which its versions show to numpy differently

NULLABLE = ["Int64", "Float64", "float64", "object"]
WRAPPED = [pd.Series, pd.array, pd.Index]


@pytest.mark.parametrize("wrap", WRAPPED)
@pytest.mark.parametrize("dtype", NULLABLE)
def test_arguments_of_every_type_of_number(X, wrap, dtype):
    numbers = np.arange(len(X)) % 3 + 1

    def predict(X):
        return np.round(10 * X["x"])

    expected = ale(predict, X, "x", K=4, sample_weight=numbers)
    effect = ale(
        lambda X: wrap(predict(X), dtype=dtype),
        X,
        "x",
        K=4,
        sample_weight=wrap(numbers, dtype=dtype),
    )
    np.testing.assert_array_equal(effect.f_values, expected.f_values)
    np.testing.assert_array_equal(
        effect.evaluate(wrap([-1, 1], dtype=dtype)), expected.evaluate([-1, 1])
    )
    points = ale(predict, X, "x", grid=wrap([-5, 0, 5], dtype=dtype))
    np.testing.assert_array_equal(points.f_values, ale(predict, X, "x", grid=[-5, 0, 5]).f_values)


@pytest.mark.parametrize("wrap", WRAPPED)
@pytest.mark.parametrize("dtype", NULLABLE)
def test_missing_numbers_of_every_type(X, wrap, dtype):
    missing = wrap([None] + [1] * (len(X) - 1), dtype=dtype)
    with pytest.raises(ValueError, match="1 of 40 predictions are NaN"):
        ale(lambda X: missing, X, "x", K=2)
    with pytest.raises(ValueError, match="sample_weight must be finite and not negative, got nan"):
        ale(lambda X: X["x"], X, "x", sample_weight=missing)
    with pytest.raises(ValueError, match="grid of column 'x' must be finite, got nan"):
        ale(lambda X: X["x"], X, "x", grid=wrap([-5, None, 5], dtype=dtype))
    effect = ale(lambda X: X["x"], X, "x", K=2)
    assert np.isnan(effect.evaluate(wrap([None, 0], dtype=dtype))).tolist() == [True, False]


@pytest.mark.parametrize("wrap", WRAPPED)
@pytest.mark.parametrize("dtype", ["Int64", "Float64"])
def test_nullable_numbers_are_no_categories(X, wrap, dtype):
    numbers = np.arange(len(X)) % 5
    expected = variance_explained(numbers, X["x"])
    assert variance_explained(wrap(numbers, dtype=dtype), X["x"]) == expected


@pytest.mark.parametrize("wrap", WRAPPED)
def test_importance_of_a_nullable_response(X, wrap):
    numbers = np.round(10 * X["x"]).astype(int)
    expected = lofo_importance(LinearRegression(), X, numbers, scoring="r2", cv=2).importances
    found = lofo_importance(
        LinearRegression(), X, wrap(numbers, dtype="Int64"), scoring="r2", cv=2
    ).importances
    np.testing.assert_allclose(found, expected, rtol=0, atol=SCORES)


# Packages that may be missing


def test_every_module_imports_alone_with_numpy_pandas_and_scipy():
    """Each first, whatever the others have imported: circles between modules show themselves.

    The package itself, which imports the rooms in its own order, is replaced by an empty one.
    Rooms that draw need matplotlib, which they say by failing on nothing else.
    """
    code = """
import importlib, pkgutil, types
folder = "aleplot_py"
names = [m.name for m in pkgutil.walk_packages([folder], "aleplot_py.") if "__main__" not in m.name]
assert len(names) > 50
for name in names:
    for loaded in [loaded for loaded in sys.modules if loaded.partition(".")[0] == "aleplot_py"]:
        del sys.modules[loaded]
    package = sys.modules["aleplot_py"] = types.ModuleType("aleplot_py")
    package.__path__ = [folder]
    package.__version__ = "0"
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != "matplotlib" or not name.startswith("aleplot_py.plots"):
            raise
"""
    ran = python_without(("matplotlib", *BEYOND_CORE), code, cwd=ROOT)
    assert ran.returncode == 0, ran.stderr


def test_the_package_imports_with_numpy_pandas_and_scipy_alone():
    ran = python_without(("matplotlib", *BEYOND_CORE), "import aleplot_py", cwd=ROOT)
    assert ran.returncode == 0, ran.stderr


IMPORTANCE = "importance needs scikit-learn"
COPY = "a copy of LinearRegression to refit needs scikit-learn"


@pytest.mark.parametrize(
    ("package", "message", "call"),
    [
        ("sklearn", IMPORTANCE, lambda m, X, y: lofo_importance(m, X, y, scoring="r2")),
        ("sklearn", IMPORTANCE, lambda m, X, y: leave_two_out_importance(m, X, y, scoring="r2")),
        ("sklearn", IMPORTANCE, lambda m, X, y: sequential_elimination(m, X, y, scoring="r2")),
        ("sklearn", IMPORTANCE, lambda m, X, y: permutation_importance(m, X, y, scoring="r2")),
        (
            "sklearn",
            IMPORTANCE,
            lambda m, X, y: conditional_permutation_importance(m, X, y, scoring="r2"),
        ),
        ("sklearn", COPY, lambda m, X, y: random_variable_null(m, X, y, n=1)),
        (
            "sklearn",
            COPY,
            lambda m, X, y: bootstrap_bands(
                ale(lambda X: X["x"], X, "x", K=2), refit=m, X=X, y=y, n_boot=2, random_state=1
            ),
        ),
        (
            "joblib",
            "n_jobs=2 needs joblib",
            lambda m, X, y: random_variable_null(m, X, y, n_jobs=2),
        ),
        ("statsmodels", "variance_explained", lambda m, X, y: variance_explained(y, X["x"])),
    ],
    ids=[
        *("lofo", "pairs", "elimination", "permutation", "conditional"),
        *("random variable", "bootstrap", "workers", "association"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(monkeypatch, X, y, package, message, call):
    model = LinearRegression().fit(X, y)
    block(monkeypatch, package)
    extra = r".*, which is in the extra 'figures': pip install 'aleplot-py\[figures\]'$"
    with pytest.raises(ImportError, match=message + extra):
        call(model, X, y)


def test_missing_penguins(monkeypatch):
    block(monkeypatch, "palmerpenguins")
    with pytest.raises(DataNotFoundError, match=r"pip install 'aleplot-py\[figures\]'"):
        load_penguins()


def test_without_progress_bars_all_is_the_same(monkeypatch, X, y):
    def results():
        null = random_variable_null(LinearRegression(), X, y, n=2, random_state=1)
        scores = lofo_importance(LinearRegression(), X, y, scoring="r2", cv=2)
        return null.statistics, scores.importances

    expected = results()
    block(monkeypatch, "tqdm")
    statistics, importances = results()
    pd.testing.assert_frame_equal(statistics, expected[0], check_exact=True)
    np.testing.assert_array_equal(importances, expected[1])


# The wheel


def test_the_wheel_has_the_package_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
        metadata = next(name for name in archive.namelist() if name.endswith("/METADATA"))
        lines = archive.read(metadata).decode().splitlines()
    needed = [
        Requirement(line.removeprefix("Requires-Dist: ")).name
        for line in lines
        if line.startswith("Requires-Dist: ") and "extra ==" not in line
    ]
    folder = ROOT / "aleplot_py"
    sources = {str(path.relative_to(ROOT).as_posix()) for path in folder.rglob("*.py")}
    files = {"py.typed", "plots/aleplot.mplstyle", "r/aleplotpy.R"}
    shipped = ("adult_complete_cases", "bike_sharing_day", "cervical_cancer_risk_factors")
    files |= {f"datasets/data/{name}.csv.xz" for name in shipped} | {"datasets/data/NOTICE"}
    assert packed == sources | {f"aleplot_py/{name}" for name in files}
    assert sorted(needed) == ["matplotlib", "narwhals", "numpy", "pandas", "scipy"]


def test_the_wheel_alone_loads_its_data_without_a_network(wheel, tmp_path):
    """Away from the checkout, from `shared` beside it, and from every cache."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "lib" / "python" / "site")
    code = f"""
sys.path.insert(0, {str(tmp_path / "lib" / "python" / "site")!r})
import socket
def refuse(*args, **kwargs):
    raise AssertionError("the network was tried")
socket.socket = socket.create_connection = socket.getaddrinfo = refuse
from aleplot_py import datasets
frames = (
    datasets.load_bike(2), datasets.load_bike(3), datasets.load_cervical(), datasets.load_adult()
)
print([frame.shape for frame in frames], datasets.__file__)
"""
    ran = python_without(BEYOND_CORE, code, cwd=tmp_path, env={"MPLBACKEND": "Agg"})
    assert ran.returncode == 0, ran.stderr
    shapes, _, file = ran.stdout.strip().rpartition(" ")
    assert shapes == "[(731, 12), (728, 9), (858, 16), (30162, 13)]"
    assert Path(file).is_relative_to(tmp_path)


def test_the_examples_of_the_readme_run_with_the_wheel_alone(wheel, tmp_path):
    """Without any extra, up to the first example that imports one, and away from the checkout."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    imported = re.compile(rf"^>>> (?:from|import) (?:{'|'.join(BEYOND_CORE)})\b.*", re.M | re.S)
    examples = imported.sub("", (ROOT / "README.md").read_text(encoding="utf-8"))
    (tmp_path / "examples.txt").write_text(examples, encoding="utf-8")
    code = f"""
sys.path.insert(0, {str(tmp_path / "site")!r})
import doctest
import aleplot_py
ran = doctest.testfile("examples.txt", module_relative=False, encoding="utf-8")
assert ran.attempted > 10 and ran.failed == 0
print(aleplot_py.__file__)
"""
    ran = python_without(BEYOND_CORE, code, cwd=tmp_path, env={"MPLBACKEND": "Agg"})
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert Path(ran.stdout.strip()).is_relative_to(tmp_path)
