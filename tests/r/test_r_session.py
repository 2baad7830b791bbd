"""Which R and which rpy2: on fake ones before all others, so that no R is needed."""

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from aleplot_py import ale
from aleplot_py.r import doctor, r_file, session

PINS_OF_OLDER_R = ("rpy2==3.6.5", "rpy2-rinterface<3.6.6", "rpy2-robjects<3.6.5")
PINS_OF_CURRENT_R = ("rpy2>=3.6.6",)

CURRENT_PACKAGES = [f"{name} 1.0" for name in doctor.PACKAGES]


def fake_r(folder, version, packages=()):
    """An R that tells a version and its packages, and nothing else."""
    folder.mkdir(exist_ok=True)
    path = folder / "R"
    listed = "".join(f"echo '{line}'\n" for line in packages)
    path.write_text(
        "#!/bin/sh\n"
        f'if [ "$1" = --version ]; then echo "R version {version} -- \\"Not Real\\""; exit; fi\n'
        f'if [ "$1" = RHOME ]; then echo {folder}; exit; fi\n{listed}'
    )
    path.chmod(0o755)
    return folder


def broken_rpy2(folder, code):
    """An rpy2 whose import ends as `code` does."""
    package = folder / "rpy2"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "rinterface.py").write_text(code)
    return folder


def python(code, *, path, first=None):
    """Run Python with a PATH of its own and packages before the installed ones."""
    found = [str(first)] if first else []
    places = os.pathsep.join([*found, *sys.path])
    return subprocess.run(
        [sys.executable, *code],
        env={**os.environ, "PATH": str(path), "PYTHONPATH": places},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def start(tmp_path, monkeypatch):
    """A function that starts a fake R through a fake rpy2, as if none had been imported."""

    def of_rpy2():
        return [name for name in sys.modules if name.partition(".")[0] == "rpy2"]

    kept = {name: sys.modules.pop(name) for name in of_rpy2()}

    def start(version, code=None):
        monkeypatch.setenv("PATH", str(fake_r(tmp_path / "bin", version)))
        if code is None:
            monkeypatch.setitem(sys.modules, "rpy2", None)
        else:
            monkeypatch.syspath_prepend(str(broken_rpy2(tmp_path / "site", code)))
        return session.start.__wrapped__()

    yield start
    for name in of_rpy2():
        del sys.modules[name]
    sys.modules.update(kept)


@pytest.mark.parametrize(
    ("told", "version", "pins"),
    [
        ("3.6.3 (2020-02-29)", (3, 6, 3), PINS_OF_OLDER_R),
        ("4.2.2 Patched (2022-11-10 r83330)", (4, 2, 2), PINS_OF_OLDER_R),
        ("4.4.9", (4, 4, 9), PINS_OF_OLDER_R),
        ("4.5.0", (4, 5, 0), PINS_OF_CURRENT_R),
        ("4.10.1", (4, 10, 1), PINS_OF_CURRENT_R),
        ("5.0", (5, 0, 0), PINS_OF_CURRENT_R),
    ],
)
def test_the_rpy2_that_fits(tmp_path, monkeypatch, told, version, pins):
    """Read from ``R --version``, without rpy2."""
    monkeypatch.setenv("PATH", str(fake_r(tmp_path / "bin", told)))
    found = session.installed_r()
    assert found.version == version
    assert session.rpy2_requirements(found.version) == pins
    for pin in pins:
        assert f"'{pin}'" in session.pip_command(found.version)


def test_no_r(tmp_path, monkeypatch):
    """An error of the promised class, not one of the operating system."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(session.RUnavailableError, match="R is not installed"):
        session.installed_r()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("#!/bin/sh\nexit 3\n", "R does not run: .*3"),
        ("#!/no/such/interpreter\n", "R does not run"),
        ("#!/bin/sh\necho hello\n", r"tells no version of R, but \['hello'\]"),
        ("#!/bin/sh\n", r"tells no version of R, but \[\]"),
    ],
)
def test_an_r_that_is_none(tmp_path, monkeypatch, body, message):
    """Whatever is called R on the PATH."""
    path = tmp_path / "R"
    path.write_text(body)
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(session.RUnavailableError, match=message):
        session.installed_r()


@pytest.mark.parametrize(
    "code",
    [
        "class error(Exception): pass\nraise error(\"symbol 'R_getVar' not found in libR.so\")",
        "raise OSError('libR.so: cannot open shared object file')",
        "raise ImportError('cannot import name')",
        "raise RuntimeError('built for another R')",
        "raise SystemExit('R not found')",
        "import no_such_package",
    ],
)
@pytest.mark.parametrize(
    ("version", "pins"), [("4.2.2", PINS_OF_OLDER_R), ("4.6.1", PINS_OF_CURRENT_R)]
)
def test_an_rpy2_that_does_not_load(start, code, version, pins):
    """Whatever its import raises: the message names R, the reason and what to install."""
    with pytest.raises(session.RUnavailableError) as raised:
        start(version, code)
    message = str(raised.value)
    assert f"does not load with R {version} (" in message
    reason = code.rpartition("(")[2].strip("\"')") if "(" in code else "no_such_package"
    assert reason in message
    for pin in pins:
        assert f"'{pin}'" in message


def test_no_rpy2(start):
    """Missing is told from broken."""
    with pytest.raises(session.RUnavailableError, match=r"rpy2 is not installed .*'rpy2>=3\.6\.6'"):
        start("4.6.1")


def report(tmp_path, version, packages, rpy2):
    """``aleplot doctor r`` on fake parts."""
    path = fake_r(tmp_path / "bin", version, packages)
    first = broken_rpy2(tmp_path / "site", rpy2)
    return python(["-m", "aleplot_py", "doctor", "r"], path=path, first=first)


def test_the_report_of_what_does_not_fit(tmp_path):
    """Every line that is not well carries the command that mends it; the code is 1."""
    packages = [*CURRENT_PACKAGES[2:], "yaImpute -", "ALEPlot -"]
    done = report(tmp_path, "4.2.2", packages, "raise OSError('no R_getVar')")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0].startswith("ok       R 4.2.2 (")
    assert lines[1].startswith("MISSING  rpy2")
    assert "no R_getVar" in lines[2]
    assert "'rpy2==3.6.5' 'rpy2-rinterface<3.6.6' 'rpy2-robjects<3.6.5'" in lines[2]
    missing = [line for line in lines if line.startswith("MISSING")]
    assert [line.split()[1].strip(",") for line in missing] == ["rpy2", "yaImpute", "ALEPlot"]
    assert "/src/contrib/Archive/ALEPlot/ALEPlot_1.1.tar.gz" in done.stdout


def test_the_report_when_all_is_well(tmp_path):
    """The code is 0; nothing to do is listed."""
    works = (
        "initr = lambda: None\nevalr = lambda code: None\n"
        "import sys, types\n"
        "lib = sys.modules['rpy2.rinterface_lib'] = types.ModuleType('rpy2.rinterface_lib')\n"
        "lib.callbacks = types.SimpleNamespace()\n"
        "lib.embedded = types.SimpleNamespace(isinitialized=lambda: False)\n"
    )
    done = report(tmp_path, "4.6.1", CURRENT_PACKAGES, works)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(done.stdout.splitlines()) == 2 + len(doctor.PACKAGES)
    assert "MISSING" not in done.stdout


def test_the_report_without_r(tmp_path):
    """One line says what to install."""
    done = python(["-m", "aleplot_py", "doctor", "r"], path=tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith("MISSING  R\n")
    assert "R is not installed (no R on the PATH)" in done.stdout
    requirements = python(["-m", "aleplot_py", "doctor", "--rpy2"], path=tmp_path)
    assert requirements.returncode == 1
    assert requirements.stdout == ""


def test_requirements_for_a_script(tmp_path):
    """One a line, as ``make r`` reads them."""
    path = fake_r(tmp_path / "bin", "4.2.2")
    done = python(["-m", "aleplot_py", "doctor", "--rpy2"], path=path)
    assert done.stdout.split("\n") == [*PINS_OF_OLDER_R, ""]


def test_an_r_object_is_no_black_box():
    """The message names the wrapper."""

    class RObject:
        __sexp__ = None

        def __call__(self, *args):
            raise AssertionError("an R function was called")

    X = pd.DataFrame({"x": [1.0, 2.0, 3.0]})
    with pytest.raises(TypeError, match=r"got an R object: .*aleplot_py\.r\.model import RModel"):
        ale(RObject(), X, "x")


def test_importing_starts_no_r():
    """The package rpy2 is imported only when R is asked."""
    code = "import sys, aleplot_py.r.model; sys.exit('rpy2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_r_file():
    """What ``source()`` gets is there, and is R."""
    text = Path(r_file()).read_text(encoding="utf-8")
    assert "ALEPlot <- function(X, X.model, pred.fun, J, K = 40, NA.plot = TRUE)" in text
    assert "PDPlot <- function(X, X.model, pred.fun, J, K)" in text
