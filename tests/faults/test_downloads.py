"""Archives that are broken, locked, too large or something else: one error, and bounded reading."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pooch
import pytest

from aleplot_py import datasets
from aleplot_py.datasets import files
from aleplot_py.datasets.files import DataMismatchError, DataNotFoundError
from tests.datasets.bike_sample import SMALL_BIKE

pytestmark = pytest.mark.usefixtures("no_network")


@pytest.fixture
def served(monkeypatch, tmp_path):
    """Have a download write some bytes, in places that are empty."""
    monkeypatch.delenv("ALEPLOT_PY_OFFLINE", raising=False)
    monkeypatch.setenv("ALEPLOT_PY_DATA", str(tmp_path / "given"))
    monkeypatch.setattr(files, "_cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(files, "_folder_beside_checkout", lambda: tmp_path / "beside")

    def serve(content):
        def retrieve(_url, known_hash, fname, path, downloader):
            assert known_hash is None
            assert callable(downloader)
            target = Path(path) / fname
            target.write_bytes(content)
            return str(target)

        monkeypatch.setattr(pooch, "retrieve", retrieve)

    return serve


def packed(text, member="hour.csv", compression=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        archive.writestr(member, text)
    return buffer.getvalue()


def flipped(content, share):
    broken = bytearray(content)
    broken[int(len(broken) * share)] ^= 0xFF
    return bytes(broken)


def locked(content):
    """Set the bit that says a member is encrypted, in both of its headers."""
    broken = bytearray(content)
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        broken[broken.index(signature) + offset] |= 1
    return bytes(broken)


def of_method(content, method):
    broken = bytearray(content)
    for signature, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        broken[broken.index(signature) + offset] = method
    return bytes(broken)


MANY_DIGITS = "a\n" + "\n".join(map(str, np.random.default_rng(2).integers(0, 10**9, 5000)))
HUGE_FIELD = "a,b\n" + "1" * 200_000 + ",2\n"
BROKEN = {
    **{f"bit at {s}": flipped(packed(MANY_DIGITS), s) for s in (0.1, 0.3, 0.5, 0.7, 0.9)},
    "bzip2": flipped(packed(MANY_DIGITS, compression=zipfile.ZIP_BZIP2), 0.5),
    "lzma": flipped(packed(MANY_DIGITS, compression=zipfile.ZIP_LZMA), 0.5),
    "cut": packed(SMALL_BIKE)[:-30],
    "empty": b"",
    "a page": b"<html>not here</html>",
    "encrypted": locked(packed(SMALL_BIKE)),
    "unknown method": of_method(packed(SMALL_BIKE), 99),
    "huge field": packed(HUGE_FIELD),
    "not text": packed(b"\xff\xfe\x00\x80"),
    "uneven rows": packed("a,b\n1\n"),
    "no rows": packed(""),
    "another file": packed(SMALL_BIKE, member="readme.txt"),
    "bomb": packed("0" * (files.LARGEST_FILE + 1)),
    "large archive": packed(b"") + bytes(files.LARGEST_FILE),
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_broken_download_is_data_not_found(content, served, tmp_path):
    served(content)
    with pytest.raises(DataNotFoundError, match=r"the download of https://.* failed: ."):
        datasets.load_bike_hourly()
    assert not (tmp_path / "cache").exists()


def test_no_more_is_unpacked_than_a_file_may_have(tmp_path):
    archive = tmp_path / "archive.zip"
    archive.write_bytes(BROKEN["bomb"])
    assert archive.stat().st_size < 100_000
    with pytest.raises(ValueError, match=r"hour.csv: it has more than 33,554,432 bytes"):
        files._member(archive, "hour.csv")


@pytest.mark.parametrize(("chunks", "fits"), [(2, True), (40, False)])
def test_no_more_is_downloaded_either(chunks, fits, tmp_path):
    sent = []

    class Endless:
        def __init__(self, **options):
            self.options = options

        def __call__(self, _url, output_file, _pooch):
            for _ in range(chunks):
                output_file.write(bytes(2**20))
                output_file.flush()
                sent.append(1)

    download = files._bounded(Endless)(timeout=3)
    assert download.options == {"timeout": 3}
    if fits:
        download("https://example.org", str(tmp_path / "file"), None)
        assert (tmp_path / "file").stat().st_size == 2 * 2**20
    else:
        with pytest.raises(ValueError, match="more than 33,554,432 bytes"):
            download("https://example.org", str(tmp_path / "file"), None)
        assert len(sent) == 32


def test_files_at_hand_are_read_as_far(tmp_path):
    for content in (HUGE_FIELD.encode(), bytes(files.LARGEST_FILE + 1)):
        file = tmp_path / "bike.csv"
        file.write_bytes(content)
        with pytest.raises(DataMismatchError, match=r"bike\.csv could not be read as expected: "):
            datasets.load_bike(2, path=file)
