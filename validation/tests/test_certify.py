"""Certificates: written, checked by plain R, and refused by name where they do not belong."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aleplot_py import load
from validation import CertificateError, compare_with_r, verify_certificate
from validation import __main__ as command

pytestmark = pytest.mark.aleplot_r

N = 90


def rows() -> pd.DataFrame:
    """Numbers, of which one is rounded and one whole, and levels outside ASCII."""
    rng = np.random.default_rng(11)
    x = rng.normal(size=N)
    return pd.DataFrame(
        {
            "x": x.round(1),
            "z": x + 0.3 * rng.normal(size=N),
            "k": rng.integers(0, 9, N),
            "grün": pd.Categorical(rng.choice(["a", 'b "q"', "ç\\", "دو"], N)),
        }
    )


def predict(X: pd.DataFrame) -> np.ndarray:
    """Black box with an interaction of every pair."""
    z = X["z"].to_numpy()
    return (X["x"] ** 2 * z + X["grün"].cat.codes * z + X["k"] * X["x"]).to_numpy()


FEATURES = ["x", "k", "grün", ("x", "z"), ("grün", "z"), ("k", "grün")]


def checked_by_r(file: Path) -> subprocess.CompletedProcess:
    """What plain R says, in a locale that knows ASCII only."""
    return subprocess.run(
        ["Rscript", "--vanilla", "certificate_check.R", file.name],
        cwd=file.parent,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def certified(tmp_path):
    """JSON file of a certificate of a pair with cells that no row is in."""
    comparison = compare_with_r(predict, rows(), ("x", "z"), K=6, quiet=True)
    assert comparison.effect.empty.any()
    return comparison.certificate(tmp_path / "pair.json")[0]


@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("method", ["ALEPlot", "PDPlot"])
def test_plain_r_computes_the_curve_again(record_parity, tmp_path, method, features):
    """R's own values, bit for bit, from the predictions alone; the data are those certified."""
    comparison = compare_with_r(predict, rows(), features, K=6, method=method, quiet=True)
    files = comparison.certificate(tmp_path / "one.json")
    assert [file.name for file in files] == ["one.json", "one.R", "certificate_check.R"]
    run = checked_by_r(files[1])
    identical = "points: identical \nR's values: identical" in run.stdout
    record_parity("aleplot_r", f"certificate {method} {features}", None, identical)
    assert identical, run.stdout + run.stderr
    assert run.returncode == 0
    content = verify_certificate(files[0], rows(), predict)
    assert content["call"]["function"] == method
    assert {"R", "ALEPlot", "R's BLAS", "R's LAPACK", "R's long double", "aleplot_py"} <= set(
        content["versions"]
    )


def test_numbers_are_those_of_the_comparison(tmp_path):
    """Hexadecimal, exact."""
    comparison = compare_with_r(predict, rows(), "x", K=6, quiet=True)
    (file, *_) = comparison.certificate(tmp_path / "x.json")
    content = json.loads(file.read_text(encoding="utf-8"))

    def numbers(texts):
        return [float.fromhex(text) for text in texts]

    assert numbers(content["points"][0]) == comparison.effect.x_values[0].tolist()
    assert numbers(content["values"]["R"]) == comparison.r_values.tolist()
    assert numbers(content["values"]["Python"]) == comparison.effect.f_values.tolist()
    assert content["verdict"]["status"] in ("identical", "equal")


def test_an_array_and_its_positions(tmp_path):
    """Columns of an array have R's names."""
    X = rows()[["x", "z"]].to_numpy()

    def product(array):
        return array[:, 0] * array[:, 1]

    comparison = compare_with_r(product, X, (1, 0), K=4, quiet=True)
    file, in_r, _ = comparison.certificate(tmp_path / "array.json")
    assert checked_by_r(in_r).returncode == 0
    assert verify_certificate(file, X, product)["call"]["features"] == ["V2", "V1"]


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "old", ["f.values = structure(c(", "python = structure(c(", "y = structure(c("]
)
def test_plain_r_refuses_other_numbers(certified, old):
    """A number of the curve, or behind it, is changed."""
    file = certified.with_suffix(".R")
    text = file.read_text(encoding="ascii")
    assert old in text
    file.write_text(text.replace(old, old + "1 + "), encoding="ascii")
    run = checked_by_r(file)
    assert run.returncode == 1
    assert "THE CERTIFICATE DOES NOT HOLD" in run.stdout
    with pytest.raises(CertificateError, match=r"digest of pair\.R must be"):
        verify_certificate(certified, rows())


def test_other_data_are_refused_by_name(certified):
    """A value, a level, a column more, rows in another order."""
    X = rows()
    value, level = X.copy(), X.copy()
    value.loc[3, "z"] += 1e-15
    level["grün"] = level["grün"].cat.rename_categories({"a": "A"})
    for other, message in (
        (value, "digest of column 'z' must be"),
        (level, "digest of column 'grün' must be"),
        (X.assign(new=1), r"columns \['x', 'z', 'k', 'grün'\], got columns .*'new'"),
        (X[::-1], "digest of column 'x' must be"),
    ):
        with pytest.raises(CertificateError, match=message):
            verify_certificate(certified, other)


def test_another_black_box_is_refused(certified):
    """In the last place of one prediction."""
    with pytest.raises(CertificateError, match="digest of predictions must be"):
        verify_certificate(certified, rows(), lambda X: np.nextafter(predict(X), np.inf))


def test_what_is_no_certificate(certified, tmp_path):
    """Another file, or one without its companion."""
    other = tmp_path / "other.json"
    other.write_text("{}", encoding="utf-8")
    with pytest.raises(CertificateError, match=r"other\.json is no certificate: format must be"):
        verify_certificate(other, rows())
    certified.with_suffix(".R").unlink()
    with pytest.raises(CertificateError, match=r"must have pair\.R beside it, which is missing"):
        verify_certificate(certified, rows())


def test_what_cannot_be_certified(tmp_path):
    """Other functions of R, a comparison from a file, a file of another name."""
    comparison = compare_with_r(predict, rows(), "x", K=6, quiet=True)
    with pytest.raises(ValueError, match=r"must end in \.json, got 'x\.txt'"):
        comparison.certificate("x.txt")
    comparison.save(tmp_path / "comparison.json")
    with pytest.raises(ValueError, match="a saved comparison does not keep"):
        load(tmp_path / "comparison.json").certificate(tmp_path / "x.json")


@pytest.mark.iml_r
def test_iml_is_not_certified(tmp_path):
    """The script knows ALEPlot's centring only."""
    comparison = compare_with_r(predict, rows(), "x", K=6, method="iml", quiet=True)
    with pytest.raises(ValueError, match=r"a certificate is of one of .*got 'iml::FeatureEffect"):
        comparison.certificate(tmp_path / "x.json")


# --- the command ----------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with data and a module."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    rows().rename(columns={"grün": "g"}).to_csv("data.csv", index=False)
    Path("certified_model.py").write_text("def predict(X):\n    return X['x'] * X['z'] + X['k']\n")
    yield tmp_path
    sys.modules.pop("certified_model", None)


ARGUMENTS = ["certify", "--data", "data.csv", "--predict", "certified_model:predict"]


def test_the_command(project, capsys):
    """Writes, then checks; other data end with 1 and the name of the column."""
    written = ["--features", "g", "z", "--K", "5", "--out", "here/c.json"]
    assert command.main([*ARGUMENTS, *written]) == 0
    assert "written: here/c.json" in capsys.readouterr().out
    assert checked_by_r(Path("here/c.R").resolve()).returncode == 0
    assert command.main([*ARGUMENTS, "--check", "here/c.json"]) == 0
    assert "belongs to its data, predictions and values: identical" in capsys.readouterr().out
    frame = pd.read_csv("data.csv")
    frame.assign(k=frame["k"] + 1).to_csv("data.csv", index=False)
    assert command.main([*ARGUMENTS, "--check", "here/c.json"]) == 1
    assert "digest of column 'k' must be" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["certify", "--data", "none.csv"], "none.csv"),
        (["certify", "--data", "data.csv", "--predict", "certified_model"], "must be MODULE:NAME"),
        (["certify", "--data", "data.csv", "--predict", "certified_model:f"], "no attribute 'f'"),
        (ARGUMENTS, "argument --features is needed"),
    ],
)
def test_arguments_of_the_command(project, capsys, arguments, message):
    """Each is refused by name."""
    with pytest.raises(SystemExit):
        command.main(arguments)
    assert message in capsys.readouterr().err
