"""Files of data sets: where they are looked for, downloads, checksums, wrong files."""

import hashlib
import lzma
import re
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pooch
import pytest

from aleplot_py import datasets
from aleplot_py.datasets import files, loaders
from aleplot_py.datasets.files import DataMismatchError, DataNotFoundError
from tests.datasets.bike_sample import SMALL_BIKE, columns_of

pytestmark = pytest.mark.usefixtures("no_network")

OTHER_BIKE = SMALL_BIKE.replace(",985", ",986")
SMALL_HOURS = """\
season,yr,mnth,hr,holiday,weekday,workingday,weathersit,temp,atemp,hum,windspeed,cnt
1,0,1,0,0,6,0,1,0.24,0.2879,0.81,0,16
3,1,7,23,1,1,0,4,0.5,1,0.4,0.25,40
"""
OTHER_HOURS = SMALL_HOURS.replace(",16", ",17")


@pytest.fixture
def small_bike(monkeypatch):
    """Make the small file the right one for the second edition; return its frame."""
    frame = loaders._bike_second_edition(columns_of(SMALL_BIKE))
    pin = files.Pin(frame.shape, datasets.values_sha256(frame))
    monkeypatch.setattr(loaders, "_BIKE2_PIN", pin)
    return frame


@pytest.fixture
def small_hours(monkeypatch):
    """Make the small file the right one of hours; return its frame."""
    frame = loaders._bike_hourly(columns_of(SMALL_HOURS))
    pin = files.Pin(frame.shape, datasets.values_sha256(frame))
    monkeypatch.setattr(loaders, "_BIKE_HOURLY_PIN", pin)
    return frame


@pytest.fixture
def folders(monkeypatch, tmp_path):
    """Five empty places to look at, in the order of looking."""
    places = {name: tmp_path / name for name in ("given", "variable", "cache", "beside", "shipped")}
    for place in places.values():
        place.mkdir()
    monkeypatch.setenv("ALEPLOT_PY_DATA", str(places["variable"]))
    monkeypatch.setattr(files, "_cache_folder", lambda: places["cache"])
    monkeypatch.setattr(files, "_folder_beside_checkout", lambda: places["beside"])
    monkeypatch.setattr(files, "_SHIPPED", places["shipped"])
    return places


@pytest.fixture
def archive(monkeypatch):
    """Stand-in for pooch's download: packs `members` and records the calls."""
    monkeypatch.delenv("ALEPLOT_PY_OFFLINE")
    calls = []
    members = {}

    def retrieve(url, known_hash, fname, path, downloader):
        calls.append({"url": url, "known_hash": known_hash, "downloader": downloader})
        with zipfile.ZipFile(Path(path) / fname, "w") as packed:
            for name, text in members.items():
                packed.writestr(name, text)
        return str(Path(path) / fname)

    monkeypatch.setattr(pooch, "retrieve", retrieve)
    return calls, members


class TestLookUp:
    ORDER = ("variable", "cache", "beside", "shipped")

    @pytest.mark.parametrize("position", [0, 1, 2, 3])
    def test_first_place_that_has_the_file_wins(self, folders, small_bike, position):
        for place in self.ORDER[position:]:
            right = place == self.ORDER[position]
            file = folders[place] / "bike_sharing_day.csv"
            file.write_text(SMALL_BIKE if right else OTHER_BIKE, encoding="utf-8")
        pd.testing.assert_frame_equal(datasets.load_bike(2), small_bike)

    @pytest.mark.parametrize("place", ["given", *ORDER])
    def test_a_packed_file_is_read_in_every_place(self, folders, small_bike, place):
        packed = lzma.compress(SMALL_BIKE.encode())
        (folders[place] / "bike_sharing_day.csv.xz").write_bytes(packed)
        path = folders[place] if place == "given" else None
        pd.testing.assert_frame_equal(datasets.load_bike(2, path=path), small_bike)
        # In the same folder a file that is not packed comes first.
        (folders[place] / "bike_sharing_day.csv").write_text(OTHER_BIKE, encoding="utf-8")
        with pytest.raises(DataMismatchError):
            datasets.load_bike(2, path=path)

    def test_a_packed_file_that_unpacks_to_too_much(self, folders, monkeypatch):
        monkeypatch.setattr(files, "LARGEST_FILE", 1000)
        packed = lzma.compress(b"0" * 100_000)
        (folders["shipped"] / "bike_sharing_day.csv.xz").write_bytes(packed)
        with pytest.raises(DataMismatchError, match=r"day\.csv\.xz could not .* it has more than"):
            datasets.load_bike(2)

    def test_a_packed_file_that_was_cut(self, folders, small_bike):
        file = folders["shipped"] / "bike_sharing_day.csv.xz"
        file.write_bytes(lzma.compress(SMALL_BIKE.encode())[:-20])
        with pytest.raises(DataMismatchError, match=r"day\.csv\.xz could not be read as expected"):
            datasets.load_bike(2)

    @pytest.mark.parametrize("as_folder", [True, False])
    def test_explicit_path_comes_before_all(self, folders, small_bike, as_folder):
        for place in self.ORDER:
            (folders[place] / "bike_sharing_day.csv").write_text(OTHER_BIKE, encoding="utf-8")
        file = folders["given"] / "bike_sharing_day.csv"
        file.write_text(SMALL_BIKE, encoding="utf-8")
        path = folders["given"] if as_folder else file
        pd.testing.assert_frame_equal(datasets.load_bike(2, path=path), small_bike)
        pd.testing.assert_frame_equal(datasets.load_bike(2, path=str(path)), small_bike)

    def test_missing_explicit_path_is_not_replaced_by_another_place(self, folders, small_bike):
        (folders["variable"] / "bike_sharing_day.csv").write_text(SMALL_BIKE, encoding="utf-8")
        with pytest.raises(DataNotFoundError) as raised:
            datasets.load_bike(2, path=folders["given"])
        assert str(folders["given"] / "bike_sharing_day.csv") in str(raised.value)
        with pytest.raises(DataNotFoundError, match=r"elsewhere\.csv"):
            datasets.load_bike(2, path=folders["given"] / "elsewhere.csv")

    def test_folder_beside_the_checkout(self):
        checkout = Path(datasets.__file__).resolve().parents[2]
        assert files._folder_beside_checkout() == checkout.parent / "shared" / "data"

    @pytest.mark.parametrize(
        ("load", "file", "checksum"),
        [
            (datasets.load_bike, "bike_sharing_day.csv", "a6bcf826782d3c0f"),
            (datasets.load_cervical, "cervical_cancer_risk_factors.csv", "8df193ad5c9ff428"),
            (datasets.load_adult, "adult_complete_cases.csv", "796b596e211c1fc1"),
        ],
    )
    def test_missing_file_says_which_where_and_its_checksum(self, folders, load, file, checksum):
        with pytest.raises(DataNotFoundError) as raised:
            load()
        message = str(raised.value)
        assert isinstance(raised.value, FileNotFoundError)
        assert message.startswith(f"{file} (UCI ")
        for place in self.ORDER:
            assert str(folders[place] / file) in message
        assert "environment variable ALEPLOT_PY_DATA or in path=" in message
        assert f"SHA-256 of the file: {checksum}" in message

    def test_what_the_package_has_is_never_downloaded(self, folders, archive):
        for load in (datasets.load_bike, datasets.load_cervical, datasets.load_adult):
            with pytest.raises(DataNotFoundError, match="was not found at"):
                load()
        assert archive[0] == []

    def test_offline_nothing_is_downloaded(self, folders):
        with pytest.raises(DataNotFoundError, match=r"no download .*ALEPLOT_PY_OFFLINE is set"):
            datasets.load_bike_hourly()

    def test_without_pooch(self, folders, monkeypatch):
        monkeypatch.delenv("ALEPLOT_PY_OFFLINE")
        monkeypatch.setitem(sys.modules, "pooch", None)
        with pytest.raises(DataNotFoundError, match="pooch \\(extra 'figures'\\) is not installed"):
            datasets.load_bike_hourly()

    def test_no_cache_without_pooch(self, monkeypatch):
        assert files._cache_folder() == Path(pooch.os_cache("aleplot-py"))
        monkeypatch.setitem(sys.modules, "pooch", None)
        assert files._cache_folder() is None


class TestShipped:
    NOTICE = (files._SHIPPED / "NOTICE").read_text(encoding="utf-8")
    SOURCES = (loaders._BIKE, loaders._CERVICAL, loaders._ADULT)

    @pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.file)
    def test_packed_files_have_the_checksums_of_the_plain_ones(self, source):
        content = files._content(files._SHIPPED / f"{source.file}.xz")
        assert hashlib.sha256(content).hexdigest() == source.sha256

    def test_the_notice_tells_of_every_file_what_the_licence_asks(self):
        parts = self.NOTICE.split("\n\n")[1:]
        packed = {path.name for path in files._SHIPPED.glob("*.xz")}
        assert {f"{part.splitlines()[0]}.xz" for part in parts} == packed
        for part in parts:
            for word in ("Source", "Authors", "Licence   CC BY 4.0", "Changed", "SHA-256   file"):
                assert f"\n  {word}" in part
        digests = [source.sha256 for source in self.SOURCES]
        pins = (loaders._BIKE2_PIN, loaders._BIKE3_PIN, loaders._CERVICAL_PIN, loaders._ADULT_PIN)
        digests += [pin.sha256 for pin in pins]
        assert sorted(re.findall(r"\b[0-9a-f]{64}\b", self.NOTICE)) == sorted(digests)

    def test_they_are_looked_at_last_and_enough(self, folders, monkeypatch):
        monkeypatch.undo()
        monkeypatch.setattr(files, "_folder_beside_checkout", lambda: folders["beside"])
        monkeypatch.setattr(files, "_cache_folder", lambda: None)
        monkeypatch.delenv("ALEPLOT_PY_DATA", raising=False)
        assert datasets.load_bike(2).shape == (731, 12)
        assert datasets.load_cervical().shape == (858, 16)


class TestDownload:
    def test_last_resort_is_the_official_archive_kept_in_the_cache(
        self, folders, small_hours, archive
    ):
        calls, members = archive
        members["hour.csv"] = SMALL_HOURS
        pd.testing.assert_frame_equal(datasets.load_bike_hourly(), small_hours)
        assert calls[0]["url"].startswith("https://archive.ics.uci.edu/")
        kept = folders["cache"] / "bike_sharing_hour.csv"
        assert kept.read_text(encoding="utf-8") == SMALL_HOURS
        pd.testing.assert_frame_equal(datasets.load_bike_hourly(), small_hours)
        assert len(calls) == 1
        assert [file.name for file in folders["cache"].iterdir()] == ["bike_sharing_hour.csv"]

    @pytest.mark.parametrize("terminal", [True, False])
    def test_progress_bar_only_on_a_terminal(
        self, folders, small_hours, archive, monkeypatch, terminal
    ):
        calls, members = archive
        members["hour.csv"] = SMALL_HOURS
        monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
        datasets.load_bike_hourly()
        assert calls[0]["downloader"].progressbar is terminal

    def test_wrong_values_are_not_kept(self, folders, small_hours, archive):
        archive[1]["hour.csv"] = OTHER_HOURS
        with pytest.raises(DataMismatchError, match=r"read from https://archive\.ics\.uci\.edu/"):
            datasets.load_bike_hourly()
        assert list(folders["cache"].iterdir()) == []

    def test_a_cache_that_cannot_be_written_does_not_matter(
        self, folders, small_hours, archive, monkeypatch
    ):
        archive[1]["hour.csv"] = SMALL_HOURS
        blocked = folders["given"] / "a file"
        blocked.write_text("", encoding="utf-8")
        monkeypatch.setattr(files, "_cache_folder", lambda: blocked / "cache")
        pd.testing.assert_frame_equal(datasets.load_bike_hourly(), small_hours)

    def test_archive_without_the_file(self, folders, archive):
        archive[1]["readme.txt"] = "moved"
        with pytest.raises(DataNotFoundError, match=r"download of https://.* failed: .*hour\.csv"):
            datasets.load_bike_hourly()

    def test_no_connection(self, folders, archive, monkeypatch):
        def retrieve(*_args, **_options):
            raise ConnectionError("name not resolved")

        monkeypatch.setattr(pooch, "retrieve", retrieve)
        with pytest.raises(DataNotFoundError, match="failed: name not resolved"):
            datasets.load_bike_hourly()


class TestMismatch:
    def test_other_values_show_both_checksums(self, folders, small_bike, tmp_path):
        file = tmp_path / "bike.csv"
        file.write_text(OTHER_BIKE, encoding="utf-8")
        other = loaders._bike_second_edition(columns_of(OTHER_BIKE))
        with pytest.raises(DataMismatchError) as raised:
            datasets.load_bike(2, path=file)
        message = str(raised.value)
        assert str(file) in message
        assert "expected shape (5, 12) and SHA-256 " + loaders._BIKE2_PIN.sha256 in message
        assert "got shape (5, 12) and SHA-256 " + datasets.values_sha256(other) in message

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (SMALL_BIKE.replace("0.805833", "wet"), "column 'hum' must be numeric.*'wet'"),
            (SMALL_BIKE.replace(",985", ",9.5"), "column 'cnt' must be whole numbers.*'9.5'"),
            (SMALL_BIKE.replace("windspeed", "wind"), "there is no column 'windspeed'"),
            (SMALL_BIKE.replace("2011-01-01,1", "2011-01-01,5"), "'season' must have.*got '5'"),
            (SMALL_BIKE + "6,2012-01-03\n", "data row 6 must have 14 values .* got 2"),
            ("", "the file is empty"),
        ],
    )
    def test_unreadable_files_name_the_file_and_the_column(self, tmp_path, text, message):
        file = tmp_path / "bike.csv"
        file.write_text(text, encoding="utf-8")
        with pytest.raises(DataMismatchError, match=r"bike\.csv could not be read.*" + message):
            datasets.load_bike(2, path=file)

    def test_digest_is_fixed(self):
        frame = pd.DataFrame(
            {
                "level": pd.Categorical(["b", "a"], categories=["b", "a", "c"]),
                "count": np.array([1, 2], dtype=np.int64),
                "value": [0.5, -1.0],
            }
        )
        fixed = "54be6181c4f474c8775b657e548790c4ed2c49fea22ecbdc6ea04d3128eb7b59"
        assert datasets.values_sha256(frame) == fixed
        as_objects = pd.Index(["b", "a", "c"], dtype=object)
        same = frame.assign(level=pd.Categorical(["b", "a"], categories=as_objects))
        assert datasets.values_sha256(same) == fixed

    @pytest.mark.parametrize(
        "change",
        [
            {"value": [0.5, np.nextafter(-1.0, 0.0)]},
            {"value": [1, 2]},
            {"level": pd.Categorical(["b", "a"], categories=["a", "b"])},
        ],
    )
    def test_digest_sees_every_change(self, change):
        frame = pd.DataFrame({"level": pd.Categorical(["b", "a"], ["b", "a"]), "value": [0.5, -1]})
        digest = datasets.values_sha256(frame)
        assert datasets.values_sha256(frame.assign(**change)) != digest
        assert datasets.values_sha256(frame.rename(columns={"value": "other"})) != digest
        assert datasets.values_sha256(frame.iloc[::-1]) != digest

    def test_digest_of_other_types_is_refused(self):
        with pytest.raises(TypeError, match="column 'flag' must be of floats, integers or cat"):
            datasets.values_sha256(pd.DataFrame({"flag": [True, False]}))

    def test_shape_is_checked_with_the_values(self, small_bike):
        pin = loaders._BIKE2_PIN
        files.check_pin(small_bike, pin, "here")
        with pytest.raises(DataMismatchError, match=r"expected shape \(6, 12\) .* got shape \(5"):
            files.check_pin(small_bike, replace(pin, shape=(6, 12)), "here")

    def test_binary_file(self, tmp_path):
        file = tmp_path / "bike.csv"
        file.write_bytes(b"\xff\xfe\x00")
        with pytest.raises(DataMismatchError, match=r"bike\.csv could not be read .*utf-8"):
            datasets.load_bike(path=file)
