"""Files of an output folder: written whole or not at all."""

import os
from pathlib import Path

import pytest

from reproductions.engine import files


def test_a_file_is_written_with_its_folder_and_nothing_beside_it(tmp_path):
    path = tmp_path / "a" / "b.txt"
    files.write(path, b"one")
    files.write(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(path.parent.iterdir()) == [path]
    plain = tmp_path / "plain"
    plain.touch()
    assert path.stat().st_mode == plain.stat().st_mode


@pytest.mark.parametrize("failing", ["os.fsync", "pathlib.Path.replace", "pathlib.Path.chmod"])
def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path, monkeypatch, failing):
    path = tmp_path / "a.txt"
    files.write(path, b"whole")

    def fail(*_):
        raise OSError("no space")

    with monkeypatch.context() as patch:
        patch.setattr(failing, fail)
        with pytest.raises(OSError, match="no space"):
            files.write(path, b"other")
    assert path.read_bytes() == b"whole"
    assert list(tmp_path.iterdir()) == [path]


def test_json_is_read_back_and_anything_else_is_nothing(tmp_path):
    path = tmp_path / "a.json"
    assert files.read_json(path) == {}
    files.write_json(path, {"a": {"b": "\u06f1"}})
    assert files.read_json(path) == {"a": {"b": "\u06f1"}}
    for content in (b"", b"{", b"[1]", b"null", b"\xff\xfe", b"[" * 100_000):
        path.write_bytes(content)
        assert files.read_json(path) == {}
    path.unlink()
    path.mkdir()
    assert files.read_json(path) == {}
    assert files.sha256(path) is None


def test_entries_are_the_objects_of_an_object():
    assert files.entries({"a": {"x": 1}, "b": 5, "c": []}) == {"a": {"x": 1}}
    assert files.entries([1]) == files.entries(None) == {}


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path):
    file = tmp_path / "file"
    file.touch()
    assert files.why_not_writable(tmp_path) is None
    assert files.why_not_writable(tmp_path / "new" / "newer") is None
    assert files.why_not_writable(file / "below") == f"{file} is not a folder"
    broken = tmp_path / "link"
    broken.symlink_to(tmp_path / "nowhere")
    assert files.why_not_writable(broken) == f"{broken} is not a folder"
    if os.name == "posix":
        assert "/proc cannot be written to" in files.why_not_writable(Path("/proc/x"))
