"""The R scripts behind the stored models and reference numbers, run again."""

import gzip
import json
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import aleplot_py
from aleplot_py.datasets.loaders import load_penguins
from reproductions.engine import r_models
from validation import bridge

REPRODUCTIONS = Path(r_models.__file__).parents[1]
SCRIPTS = REPRODUCTIONS / "r_scripts"
FOLDERS = (REPRODUCTIONS / "reference", REPRODUCTIONS / "models")

EXPORTED = {
    "R": "4.2.2",
    "randomForest": "4.7.1.1",
    "party": "1.3.11",
    "nnet": "7.3.18",
    "gbm": "2.1.8.1",
    "ALEPlot": "1.1",
    "iml": "0.11.4",
}

# R breaks tied votes at random, and the stored class curves come from an unseeded run: each row on
# a tie moves the mean of its interval, of ten rows or so, by a tenth.
TIED_VOTES = 0.1
CLASS_CURVES = "fig20_8_class_ale_penguin_"
# cmdscale() takes the direction of its axis from LAPACK: these may come out in reverse.
ORDERED_BY_SIMILARITY = {"fig8_11_14_ale_mnth.csv", "fig20_ale_bike_weather.csv"}
# The values in the reverse order are centred from the other end.
REVERSED = 1e-9

#: R packages of each script, and how many files it writes.
RUNS = {
    "penguins": (("randomForest", "iml"), 11),
    "book3": (("randomForest", "iml"), 20),
    "lofo": (("randomForest",), 3),
    "book2": (("party", "randomForest", "iml"), 17),
    "vignette": (("nnet", "ALEPlot", "yaImpute"), 14),
    "adult": (("gbm", "ALEPlot", "yaImpute", "jsonlite"), 7),
}
NIGHTLY = {"lofo", "book2", "vignette", "adult"}
SHIPPED = Path(aleplot_py.__file__).parent / "datasets" / "data"


def run(name, folder, *arguments, **environment):
    """A script in an R of its own."""
    return subprocess.run(
        ["Rscript", str(SCRIPTS / f"{name}.R"), str(folder), *map(str, arguments)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def content(path):
    """What a file says, free of how it is packed or indented."""
    if path.suffix == ".json":
        return json.loads(path.read_text(encoding="utf-8"))
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return raw.decode().splitlines()


def stored(name):
    """The committed file of a name."""
    (path,) = (folder / name for folder in FOLDERS if (folder / name).exists())
    return path


def same_curve(here, there, *, reverse):
    """Whether two curves agree to rounding, the levels of one in reverse where allowed."""
    ours, theirs = pd.read_csv(here), pd.read_csv(there)
    if reverse and ours.iloc[:, -1].tolist() == theirs.iloc[::-1, -1].tolist():
        ours = ours.iloc[::-1]
    equal = ours.iloc[:, -1].tolist() == theirs.iloc[:, -1].tolist()
    limit = REVERSED if reverse else TIED_VOTES
    return equal and np.abs(ours[".value"].to_numpy() - theirs[".value"].to_numpy()).max() <= limit


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """A folder with the package's packed files and the penguins of the Python package."""
    folder = tmp_path_factory.mktemp("data")
    for path in SHIPPED.glob("*.csv.xz"):
        (folder / path.name).symlink_to(path)
    penguins = load_penguins()
    penguins.to_csv(folder / "penguins.csv", index=False)
    return folder


def with_marks(name):
    """Scripts of minutes run at night only, the others where their packages are."""
    if name in NIGHTLY:
        return pytest.param(name, marks=pytest.mark.nightly)
    return pytest.param(name, marks=pytest.mark.r_models(*RUNS[name][0]))


@pytest.mark.parametrize("name", [with_marks(name) for name in RUNS])
def test_a_script_gives_the_committed_files(record_parity, data, tmp_path, name):
    """All of them, number for number, where R and its packages are those of the exports."""
    packages, count = RUNS[name]
    reason = bridge.why_packages_unavailable(packages)
    if reason:
        pytest.skip(reason)
    done = run(name, tmp_path, data)
    assert done.returncode == 0, done.stderr
    assert "LEFT OUT" not in done.stderr
    written = sorted(path.name for path in tmp_path.iterdir())
    assert len(written) == count
    versions = bridge.versions()
    asked = ["R", *(package for package in packages if package in EXPORTED)]
    others = [p for p in asked if versions[p] != EXPORTED[p]]
    record_parity("r_models", f"{name}.R ({'other ' + ' '.join(others) if others else 'equal'})", 0)
    if others:
        # Another stream or optimum gives other models: the same files, points and columns.
        for file in written:
            assert content(tmp_path / file)[:1] == content(stored(file))[:1], file
        return
    different = [file for file in written if content(tmp_path / file) != content(stored(file))]
    for file in different:
        assert file in ORDERED_BY_SIMILARITY or file.startswith(CLASS_CURVES), file
        reverse = file in ORDERED_BY_SIMILARITY
        assert same_curve(tmp_path / file, stored(file), reverse=reverse), file


def test_every_stored_file_has_its_script():
    """The table of the scripts' README names each file, and no other."""
    table = (SCRIPTS / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z0-9_]+[^`]*\.(?:csv|csv\.gz|json))`", table))
    files = {path.name for folder in FOLDERS for path in folder.iterdir()}
    patterns = {name.replace("*", ".*").replace(".csv", r"\.csv") for name in named}
    unnamed = {f for f in files if not any(re.fullmatch(p, f) for p in patterns)}
    assert not unnamed
    assert all(any(re.fullmatch(p, f) for f in files) for p in patterns)
    assert sum(count for _, count in RUNS.values()) == len(files)


@pytest.mark.r_models("randomForest")
def test_a_script_tells_what_it_needs(tmp_path):
    """Arguments, data files and folders that cannot be written to."""
    assert "usage: Rscript book3.R OUTDIR [DATADIR]" in run("book3", tmp_path, "a", "b").stderr
    missing = run("book3", tmp_path / "out", tmp_path)
    assert missing.returncode != 0
    assert "bike_sharing_day.csv" in missing.stderr
    assert f"is not in {tmp_path}" in missing.stderr
    (tmp_path / "file").write_text("")
    assert "cannot be written to" in run("book3", tmp_path / "file").stderr


@pytest.mark.r_models("randomForest")
def test_parts_without_their_package_are_left_out(data, tmp_path):
    """Without iml the models come all the same, and a message says what does not."""
    profile = tmp_path / "profile"
    profile.write_text(
        "requireNamespace <- function(package, ...) package != 'iml' &&"
        " base::requireNamespace(package, ...)\n"
    )
    done = run("penguins", tmp_path / "out", data, R_PROFILE_USER=str(profile))
    assert done.returncode == 0, done.stderr
    assert "LEFT OUT: the effects of figure 20.8; not installed: iml" in done.stderr
    assert len(list((tmp_path / "out").iterdir())) == 3
