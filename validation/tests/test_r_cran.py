"""``make r-cran`` on a folder in place of CRAN, with packages of our own under those names."""

import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "install" / "r_cran.sh"
PLACES = {
    "ALEPlot": "src/contrib/Archive/ALEPlot/ALEPlot_1.1.tar.gz",
    "yaImpute": "src/contrib/yaImpute_1.0-34.1.tar.gz",
    "iml": "src/contrib/iml_0.11.4.tar.gz",
}

pytestmark = [
    pytest.mark.base_r,
    pytest.mark.skipif(shutil.which("R") is None, reason="R is not installed (no R on the PATH)"),
]


def write_package(folder: Path, name: str) -> None:
    """A source package that holds one function, at its place in a repository."""
    path = folder / PLACES[name]
    version = path.name.removesuffix(".tar.gz").partition("_")[2]
    source = folder / "sources" / name
    (source / "R").mkdir(parents=True)
    description = {
        "Package": name,
        "Version": version,
        "Title": "A Stand-In",
        "Description": "Nothing but a name.",
        "License": "CC0",
        "ByteCompile": "no",
        "Author": "Nobody",
        "Maintainer": "Nobody <nobody@example.org>",
    }
    if name == "ALEPlot":
        description["Imports"] = "yaImpute"
    lines = [f"{key}: {value}\n" for key, value in description.items()]
    (source / "DESCRIPTION").write_text("".join(lines))
    (source / "NAMESPACE").write_text("export(stand_in)\n")
    (source / "R" / "code.R").write_text("stand_in <- function() TRUE\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as archive:
        archive.add(source, arcname=name)


@pytest.fixture
def repository(tmp_path):
    """A folder that is laid out as CRAN."""
    folder = tmp_path / "cran"
    for name in PLACES:
        write_package(folder, name)
    index = folder / "src" / "contrib" / "PACKAGES"
    index.write_text("Package: iml\nVersion: 0.11.4\n")
    return folder


def run(tmp_path, repository, **environment):
    """The script with an empty library of its own and none of the site's packages."""
    library = tmp_path / "library"
    profile = tmp_path / "Rprofile"
    profile.write_text('.libPaths(Sys.getenv("R_LIBS_USER"), include.site = FALSE)\n')
    everything = {
        **os.environ,
        "ALEPLOT_CRAN": repository.as_uri(),
        "R_LIBS_USER": str(library),
        "R_PROFILE": str(profile),
        "R_LIBS": "",
        **environment,
    }
    return subprocess.run(
        ["bash", str(SCRIPT)], env=everything, capture_output=True, text=True, check=False
    ), library


@pytest.fixture(scope="module")
def all_but_aleplot(tmp_path_factory):
    """A library that holds the other two packages."""
    folder = tmp_path_factory.mktemp("others")
    files = []
    for name in ("yaImpute", "iml"):
        write_package(folder, name)
        files.append(str(folder / PLACES[name]))
    library = folder / "library"
    library.mkdir()
    subprocess.run(
        ["R", "CMD", "INSTALL", f"--library={library}", *files], capture_output=True, check=True
    )
    return library


@pytest.fixture
def library_without(tmp_path, all_but_aleplot):
    """The user's library, where ALEPlot alone is missing."""
    return shutil.copytree(all_but_aleplot, tmp_path / "library")


def fake_executable(tmp_path, name, body):
    """An executable before all others on the PATH; returns that PATH."""
    folder = tmp_path / "bin"
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/bash\n{body}\n")
    path.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def test_the_archive_first(tmp_path, repository):
    """ALEPlot comes from the archive, after the package that it needs; twice is harmless."""
    done, library = run(tmp_path, repository)
    assert done.returncode == 0, done.stderr
    assert "Archive/ALEPlot/ALEPlot_1.1.tar.gz" in done.stdout
    assert done.stdout.index("Installed yaImpute") < done.stdout.index("Installed ALEPlot")
    assert {path.name for path in library.iterdir()} == set(PLACES)
    again, _ = run(tmp_path, repository)
    assert again.returncode == 0
    assert again.stdout == "ALEPlot, yaImpute and iml are ready for the live tiers\n"


@pytest.mark.usefixtures("library_without")
def test_nothing_in_the_archive(tmp_path, repository):
    """Every address tried is named, and what to do by hand."""
    shutil.rmtree(repository / "src" / "contrib" / "Archive")
    path = fake_executable(tmp_path, "mamba", "exit 1")
    done, library = run(tmp_path, repository, PATH=path)
    assert done.returncode == 1
    assert "Not installed: ALEPlot\n" in done.stderr
    assert f"{repository.as_uri()}/{PLACES['ALEPlot']} cannot be had" in done.stderr
    assert "mamba install -c conda-forge r-aleplot did not" in done.stderr
    assert f"https://cran.r-project.org/{PLACES['ALEPlot']}" in done.stderr
    assert f"R CMD INSTALL --library='{library}'" in done.stderr
    assert {path.name for path in library.iterdir()} == {"yaImpute", "iml"}


@pytest.mark.usefixtures("library_without")
def test_then_conda_forge(tmp_path, repository):
    """Where the archive fails, conda is asked, and believed only if R loads the package."""
    spare = tmp_path / "spare.tar.gz"
    shutil.move(repository / PLACES["ALEPlot"], spare)
    body = f'echo "$@" > {tmp_path}/asked; R CMD INSTALL --library="$ALEPLOT_LIBRARY" {spare}'
    path = fake_executable(tmp_path, "mamba", body)
    done, library = run(tmp_path, repository, PATH=path)
    assert done.returncode == 0, done.stderr
    assert "Installed ALEPlot from conda-forge by mamba" in done.stdout
    asked = (tmp_path / "asked").read_text()
    assert asked == "install --yes --channel conda-forge r-aleplot\n"
    assert (library / "ALEPlot").is_dir()


@pytest.mark.usefixtures("library_without")
@pytest.mark.parametrize("content", [b"<html>a proxy's page</html>", None])
def test_a_broken_file(tmp_path, repository, content):
    """A page in place of a file, or half a file, is told from a missing one."""
    file = repository / PLACES["ALEPlot"]
    file.write_bytes(file.read_bytes()[:150] if content is None else content)
    path = fake_executable(tmp_path, "mamba", "exit 1")
    done, library = run(tmp_path, repository, PATH=path)
    assert done.returncode == 1
    assert "is no whole tar.gz file" in done.stderr
    assert not (library / "ALEPlot").exists()


@pytest.mark.usefixtures("library_without")
def test_a_package_that_does_not_install(tmp_path, repository):
    """R's reason is shown."""
    (repository / "sources" / "ALEPlot" / "R" / "code.R").write_text("stand_in <- function( {\n")
    with tarfile.open(repository / PLACES["ALEPlot"], "w:gz") as archive:
        archive.add(repository / "sources" / "ALEPlot", arcname="ALEPlot")
    path = fake_executable(tmp_path, "mamba", "exit 1")
    done, _ = run(tmp_path, repository, PATH=path)
    assert done.returncode == 1
    assert "does not install: " in done.stderr


def test_no_r(tmp_path, repository):
    """Without R the message says so, and nothing is tried."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("bash", "env"):
        (folder / name).symlink_to(shutil.which(name))
    done, library = run(tmp_path, repository, PATH=str(folder))
    assert done.returncode == 1
    assert "R is not installed (no Rscript on the PATH)" in done.stderr
    assert not library.exists()


def test_no_permission_to_write(tmp_path, repository):
    """A library that is no folder of the user's is named."""
    (tmp_path / "library").write_text("not a folder")
    done, library = run(tmp_path, repository)
    assert done.returncode == 1
    assert f"the R library {library} cannot be written to: set R_LIBS_USER" in done.stderr
