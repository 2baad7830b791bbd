"""Data sets: what is loaded, where it is looked for, and the simulations of the figures."""

import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pooch
import pytest

import reproductions
from aleplot_py import datasets
from aleplot_py.datasets import files, loaders
from aleplot_py.datasets.files import DataMismatchError, DataNotFoundError
from aleplot_py.errors import FeatureError

pytestmark = pytest.mark.usefixtures("no_network")

# Sums of normal draws: R's normal quantile and ours agree to 1e-14.
NORMAL_DRAWS = 1e-13
# Arithmetic on numbers below 1,000.
ROUNDING = 1e-11

MODELS = Path(reproductions.__file__).parent / "models"
REFERENCE = MODELS.parent / "reference"

SMALL_BIKE = """\
instant,dteday,season,yr,mnth,holiday,weekday,workingday,weathersit,temp,atemp,hum,windspeed,cnt
1,2011-01-01,1,0,1,0,6,0,2,0.344167,0.363625,0.805833,0.160446,985
2,2011-01-02,2,0,2,1,0,0,1,0.363478,0.353739,0.696087,0.248539,801
3,2011-01-05,3,1,11,0,1,1,3,0.196364,0.189405,0.437273,0.248309,1349
4,2012-01-01,4,1,12,0,2,1,1,0.2,0.212122,0,0.160296,1562
5,2012-01-02,4,1,12,0,2,1,1,0.2,0.212122,0.5,0.160296,1600
"""
MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
OTHER_BIKE = SMALL_BIKE.replace(",985", ",986")


def columns_of(text):
    header, *rows = (line.split(",") for line in text.splitlines())
    return dict(zip(header, zip(*rows, strict=True), strict=True))


@pytest.fixture
def small_bike(monkeypatch):
    """Make the small file the right one for the second edition; return its frame."""
    frame = loaders._bike_second_edition(columns_of(SMALL_BIKE))
    pin = files.Pin(frame.shape, datasets.values_sha256(frame))
    monkeypatch.setattr(loaders, "_BIKE2_PIN", pin)
    return frame


@pytest.fixture
def folders(monkeypatch, tmp_path):
    """Four empty places to look at, in the order of looking."""
    places = {name: tmp_path / name for name in ("given", "variable", "cache", "beside")}
    for place in places.values():
        place.mkdir()
    monkeypatch.setenv("ALEPLOT_PY_DATA", str(places["variable"]))
    monkeypatch.setattr(files, "_cache_folder", lambda: places["cache"])
    monkeypatch.setattr(files, "_folder_beside_checkout", lambda: places["beside"])
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


class TestBike:
    def test_third_edition(self, loaded):
        frame = loaded(datasets.load_bike, edition=3)
        assert frame.shape == (728, 9)
        assert {name: list(frame[name].cat.categories) for name in frame.columns[:4]} == {
            "season": ["WINTER", "SPRING", "SUMMER", "FALL"],
            "holiday": ["N", "Y"],
            "workday": ["N", "Y"],
            "weather": ["GOOD", "MISTY", "BAD"],
        }
        assert list(frame.columns[4:]) == ["temp", "hum", "windspeed", "cnt_2d_bfr", "cnt"]
        assert frame["cnt_2d_bfr"].iloc[:2].tolist() == [985, 801]
        assert frame["cnt"].iloc[:2].tolist() == [1349, 1562]
        assert frame["hum"].min() > 0
        assert list(frame.index) == list(range(728))

    def test_second_edition(self, loaded):
        frame = loaded(datasets.load_bike, edition=2)
        assert frame.shape == (731, 12)
        assert {name: list(frame[name].cat.categories) for name in frame.columns[:7]} == {
            "season": ["WINTER", "SPRING", "SUMMER", "FALL"],
            "yr": ["2011", "2012"],
            "mnth": list(MONTHS),
            "holiday": ["NO HOLIDAY", "HOLIDAY"],
            "weekday": ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"],
            "workingday": ["NO WORKING DAY", "WORKING DAY"],
            "weathersit": ["GOOD", "MISTY", "RAIN/SNOW/STORM"],
        }
        assert list(frame.columns[7:]) == ["temp", "hum", "windspeed", "days_since_2011", "cnt"]
        assert frame["days_since_2011"].tolist() == list(range(731))
        assert frame["weekday"].iloc[0] == "SAT"

    @pytest.mark.parametrize("feature", ["temp", "hum", "windspeed"])
    def test_units_are_those_of_r_to_the_last_bit(self, feature, loaded):
        frame = loaded(datasets.load_bike, edition=2)
        path = REFERENCE / f"fig8_11_14_ale_{feature}.csv"
        grid = np.loadtxt(path, delimiter=",", skiprows=1, usecols=2)
        assert np.isin(grid, frame[feature]).all()
        assert (grid.min(), grid.max()) == (frame[feature].min(), frame[feature].max())

    @pytest.mark.parametrize("feature", ["temp", "hum", "windspeed"])
    def test_units_of_the_test_rows_are_those_of_r_to_the_last_bit(self, feature, loaded):
        frame = loaded(datasets.load_bike, edition=3).iloc[datasets.bike_split().test]
        path = REFERENCE / f"fig20_ale_bike_{feature}.csv"
        grid = np.loadtxt(path, delimiter=",", skiprows=1, usecols=2)
        assert np.isin(grid, frame[feature]).all()
        assert (grid.min(), grid.max()) == (frame[feature].min(), frame[feature].max())

    def test_small_file_by_hand(self):
        second = loaders._bike_second_edition(columns_of(SMALL_BIKE))
        assert second["season"].tolist() == ["WINTER", "SPRING", "SUMMER", "FALL", "FALL"]
        assert second["days_since_2011"].tolist() == [0, 1, 4, 365, 366]
        assert second["hum"].tolist()[0] == 0.805833 * 100
        third = loaders._bike_third_edition(columns_of(SMALL_BIKE))
        assert third["cnt"].tolist() == [1349, 1600]
        assert third["cnt_2d_bfr"].tolist() == [985, 1349]
        assert third["weather"].tolist() == ["BAD", "GOOD"]
        assert third["temp"].tolist() == [0.196364 * 47 - 8, 0.2 * 47 - 8]

    def test_unknown_edition(self):
        with pytest.raises(ValueError, match="edition must be 2 or 3, got 1"):
            datasets.load_bike(edition=1)


class TestCervical:
    def test_loaded(self, loaded):
        frame = loaded(datasets.load_cervical)
        assert frame.shape == (858, 16)
        assert frame.columns[0] == "Age"
        assert "Hormonal.Contraceptives..years." in frame.columns
        assert list(frame["Biopsy"].cat.categories) == ["Cancer", "Healthy"]
        assert (frame["Biopsy"] == "Cancer").sum() == 55
        # 787 of 858 times since a diagnosis are unknown and filled with the most frequent one.
        assert (frame["STDs..Time.since.first.diagnosis"] == 1.0).sum() == 787 + 15

    def test_missing_values_become_the_most_frequent_value(self):
        filled = loaders._most_frequent_filled(["2.0", "?", "1.0", "2.0", "?"])
        assert filled == ["2.0", "2.0", "1.0", "2.0", "2.0"]
        with pytest.raises(ValueError, match="no value but"):
            loaders._most_frequent_filled(["?", "?"])


class TestAdult:
    def test_loaded(self, loaded):
        frame = loaded(datasets.load_adult)
        assert frame.shape == (30162, 13)
        assert frame["income"].sum() == 7508
        assert list(frame["sex"].cat.categories) == ["Female", "Male"]
        assert len(frame["native_country"].cat.categories) == 41

    def test_official_file_is_turned_into_complete_rows(self):
        official = (
            "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, "
            "White, Male, 2174, 0, 40, United-States, <=50K\n"
            "54, ?, 180211, Some-college, 10, Married-civ-spouse, ?, Husband, "
            "Asian-Pac-Islander, Male, 0, 0, 60, South, >50K\n"
            "52, Self-emp-not-inc, 209642, HS-grad, 9, Married-civ-spouse, Exec-managerial, "
            "Husband, White, Male, 0, 0, 45, United-States, >50K\n"
            "\n"
        )
        assert loaders._complete_adult_rows(official) == (
            "age,workclass,education_num,marital_status,occupation,relationship,race,sex,"
            "capital_gain,capital_loss,hours_per_week,native_country,income\n"
            "39,State-gov,13,Never-married,Adm-clerical,Not-in-family,White,Male,2174,0,40,"
            "United-States,0\n"
            "52,Self-emp-not-inc,9,Married-civ-spouse,Exec-managerial,Husband,White,Male,0,0,45,"
            "United-States,1\n"
        )


class TestPenguins:
    def test_loaded(self):
        frame = datasets.load_penguins()
        assert frame.shape == (333, 6)
        assert list(frame.columns) == [
            "species",
            "bill_depth_mm",
            "bill_length_mm",
            "flipper_length_mm",
            "body_mass_g",
            "sex",
        ]
        assert list(frame["species"].cat.categories) == ["Adelie", "Chinstrap", "Gentoo"]
        assert list(frame["sex"].cat.categories) == ["female", "male"]
        assert list(frame.index) == list(range(333))

    def test_without_the_package(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "palmerpenguins", None)
        with pytest.raises(DataNotFoundError, match="package palmerpenguins, which is not inst"):
            datasets.load_penguins()


@pytest.mark.stored
@pytest.mark.parametrize(
    ("split", "file", "rows"),
    [
        (datasets.bike_split, "book3_bike_train_rows.csv", 728),
        (datasets.penguin_split, "book3_penguin_train_rows.csv", 333),
    ],
)
def test_splits_are_those_of_r(split, file, rows):
    drawn = split()
    np.testing.assert_array_equal(drawn.train + 1, np.loadtxt(MODELS / file, skiprows=1))
    assert sorted([*drawn.train, *drawn.test]) == list(range(rows))
    assert list(drawn.test) == sorted(drawn.test)


class TestLookUp:
    ORDER = ("variable", "cache", "beside")

    @pytest.mark.parametrize("position", [0, 1, 2])
    def test_first_place_that_has_the_file_wins(self, folders, small_bike, position):
        for place in self.ORDER[position:]:
            right = place == self.ORDER[position]
            file = folders[place] / "bike_sharing_day.csv"
            file.write_text(SMALL_BIKE if right else OTHER_BIKE, encoding="utf-8")
        pd.testing.assert_frame_equal(datasets.load_bike(2), small_bike)

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
        assert "ALEPLOT_PY_OFFLINE is set" in message
        assert "environment variable ALEPLOT_PY_DATA or in path=" in message
        assert f"SHA-256 of the file: {checksum}" in message

    def test_without_pooch(self, folders, monkeypatch):
        monkeypatch.delenv("ALEPLOT_PY_OFFLINE")
        monkeypatch.setitem(sys.modules, "pooch", None)
        with pytest.raises(DataNotFoundError, match="pooch \\(extra 'figures'\\) is not installed"):
            datasets.load_bike()

    def test_no_cache_without_pooch(self, monkeypatch):
        assert files._cache_folder() == Path(pooch.os_cache("aleplot-py"))
        monkeypatch.setitem(sys.modules, "pooch", None)
        assert files._cache_folder() is None


class TestDownload:
    def test_last_resort_is_the_official_archive_kept_in_the_cache(
        self, folders, small_bike, archive
    ):
        calls, members = archive
        members["day.csv"] = SMALL_BIKE
        pd.testing.assert_frame_equal(datasets.load_bike(2), small_bike)
        assert calls[0]["url"].startswith("https://archive.ics.uci.edu/")
        kept = folders["cache"] / "bike_sharing_day.csv"
        assert kept.read_text(encoding="utf-8") == SMALL_BIKE
        pd.testing.assert_frame_equal(datasets.load_bike(2), small_bike)
        assert len(calls) == 1
        assert [file.name for file in folders["cache"].iterdir()] == ["bike_sharing_day.csv"]

    @pytest.mark.parametrize("terminal", [True, False])
    def test_progress_bar_only_on_a_terminal(
        self, folders, small_bike, archive, monkeypatch, terminal
    ):
        calls, members = archive
        members["day.csv"] = SMALL_BIKE
        monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
        datasets.load_bike(2)
        assert calls[0]["downloader"].progressbar is terminal

    def test_wrong_values_are_not_kept(self, folders, small_bike, archive):
        archive[1]["day.csv"] = OTHER_BIKE
        with pytest.raises(DataMismatchError, match=r"read from https://archive\.ics\.uci\.edu/"):
            datasets.load_bike(2)
        assert list(folders["cache"].iterdir()) == []

    def test_a_cache_that_cannot_be_written_does_not_matter(
        self, folders, small_bike, archive, monkeypatch
    ):
        archive[1]["day.csv"] = SMALL_BIKE
        blocked = folders["given"] / "a file"
        blocked.write_text("", encoding="utf-8")
        monkeypatch.setattr(files, "_cache_folder", lambda: blocked / "cache")
        pd.testing.assert_frame_equal(datasets.load_bike(2), small_bike)

    def test_archive_without_the_file(self, folders, archive):
        archive[1]["readme.txt"] = "moved"
        with pytest.raises(DataNotFoundError, match=r"download of https://.* failed: .*day\.csv"):
            datasets.load_bike(2)

    def test_no_connection(self, folders, archive, monkeypatch):
        def retrieve(*_args, **_options):
            raise ConnectionError("name not resolved")

        monkeypatch.setattr(pooch, "retrieve", retrieve)
        with pytest.raises(DataNotFoundError, match="failed: name not resolved"):
            datasets.load_bike(2)


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


class TestSimulations:
    @pytest.mark.stored
    @pytest.mark.parametrize(
        ("n", "seed", "file"),
        [
            (100, 1, "fig20_1_points.csv"),
            (25, 12, "fig20_3_points.csv"),
            (25, 1, "fig20_4_points.csv"),
        ],
    )
    def test_book_points_are_those_of_r(self, n, seed, file):
        expected = np.loadtxt(REFERENCE / file, delimiter=",", skiprows=1)
        points = datasets.simulate_book_points(n, seed=seed)
        np.testing.assert_array_equal(points["x1"], expected[:, 0])
        np.testing.assert_allclose(points["x2"], expected[:, 1], rtol=0, atol=NORMAL_DRAWS)

    def test_book_extrapolation_model(self):
        frame = pd.DataFrame({"x2": [0.2, 0.3, 0.2], "x1": [0.8, 0.8, 0.7]})
        assert datasets.book_extrapolation_model(frame).tolist() == [2.0, 0.8 + 0.3, 0.7 + 0.2]

    # Drawn in R 4.2.2 in the order runif x1, x2, x3, x4, rnorm after set.seed(1).
    def test_vignette_example_1(self):
        frame = datasets.simulate_vignette_example1()
        assert frame.shape == (5000, 5)
        assert frame["x4"].tolist()[:2] == [0.21336392755620182, 0.96935703512281179]
        expected = [0.30031759833322047, 3.4579277565267237, 4.2118358762447334]
        np.testing.assert_allclose(
            frame["y"].iloc[[0, 1, 4999]], expected, rtol=0, atol=NORMAL_DRAWS
        )

    def test_vignette_example_2(self):
        frame = datasets.simulate_vignette_example2()
        expected = [1.8099673324677885, 3.7136732327143873, 3.7828955850594888]
        np.testing.assert_allclose(
            frame["y"].iloc[[0, 1, 4999]], expected, rtol=0, atol=NORMAL_DRAWS
        )

    # Drawn in R 4.2.2 in the order runif, rnorm x1, rnorm x2, rnorm y after set.seed(3).
    def test_vignette_example_4(self):
        frame = datasets.simulate_vignette_example4(seed=3)
        assert frame.shape == (200, 3)
        expected = [0.19890902876355518, 0.10507258666290399, -0.0040349140760731206]
        np.testing.assert_allclose(frame.iloc[0], expected, rtol=0, atol=NORMAL_DRAWS)
        assert abs(frame["y"].iloc[199] - 0.50354880722897843) <= NORMAL_DRAWS

    def test_groemping(self):
        frame = datasets.simulate_groemping(20_000, rng=1)
        # Five standard errors of a mean, a variance and a correlation of 20,000 rows.
        assert np.abs(frame.mean() - [10, -5]).max() < 5 / np.sqrt(20_000)
        assert np.abs(frame.var() - 1).max() < 5 * np.sqrt(2 / 20_000)
        assert abs(frame.corr().iloc[0, 1] + 0.9) < 5 * (1 - 0.9**2) / np.sqrt(20_000)
        by_hand = pd.DataFrame({"x1": [10.0, 0.0], "x2": [-5.0, 2.0]})
        assert datasets.groemping_model(by_hand).tolist() == [162.5, 199.0]

    def test_groemping_with_full_correlation(self):
        frame = datasets.simulate_groemping(50, rho=-1.0, rng=1)
        np.testing.assert_allclose(frame["x1"] + frame["x2"], 5.0, rtol=0, atol=ROUNDING)

    def test_groemping_correlation_out_of_range(self):
        with pytest.raises(ValueError, match=r"rho must be between -1 and 1, got 1\.5"):
            datasets.simulate_groemping(rho=1.5, rng=1)

    def test_gkolemis_interaction(self):
        frame = datasets.simulate_gkolemis_interaction(500, rng=1)
        assert frame.shape == (500, 3)
        assert frame.abs().max().max() <= 1.0
        assert (frame.min() < -0.9).all()
        by_hand = pd.DataFrame({"x1": [0.5, 0.5], "x2": [0.2, 0.2], "x3": [0.0, 0.1]})
        np.testing.assert_allclose(
            datasets.gkolemis_interaction_model(by_hand), [-0.9, 1.1], rtol=0, atol=ROUNDING
        )

    def test_gkolemis_piecewise(self):
        frame = datasets.simulate_gkolemis_piecewise(500, rng=1)
        assert frame["x1"].equals(frame["x2"].rename("x1"))
        # Five standard errors of a standard deviation of 500 rows.
        assert abs(frame["x3"].std() - 0.5) < 5 * 0.5 / np.sqrt(2 * 500)
        half = np.array([0.0, 0.125, 0.25, 0.375, 0.5, 0.75, 1.0])
        line = pd.DataFrame({"x1": half, "x2": half})
        assert datasets.gkolemis_piecewise_model(line).tolist() == [0, 0.25, 0.5, 0.25, 0, 0, 0]

    @pytest.mark.parametrize(
        "simulate",
        [
            datasets.simulate_groemping,
            datasets.simulate_gkolemis_interaction,
            datasets.simulate_gkolemis_piecewise,
        ],
    )
    def test_seed_decides_and_the_global_state_is_left_alone(self, simulate):
        state = np.random.get_state()[1].tolist()  # noqa: NPY002 - it must not change
        first = simulate(5, rng=1)
        pd.testing.assert_frame_equal(first, simulate(5, rng=np.random.default_rng(1)))
        assert not first.equals(simulate(5, rng=2))
        assert np.random.get_state()[1].tolist() == state  # noqa: NPY002

    @pytest.mark.parametrize(
        "simulate",
        [
            datasets.simulate_groemping,
            datasets.simulate_gkolemis_interaction,
            datasets.simulate_gkolemis_piecewise,
        ],
    )
    def test_number_of_rows_must_be_a_positive_integer(self, simulate):
        with pytest.raises(ValueError, match="n must be at least 1, got 0"):
            simulate(0, rng=1)
        for n in (2.0, True):
            with pytest.raises(TypeError, match=f"n must be an integer, got {n}"):
                simulate(n, rng=1)

    @pytest.mark.parametrize(
        "model",
        [
            datasets.book_extrapolation_model,
            datasets.groemping_model,
            datasets.gkolemis_interaction_model,
            datasets.gkolemis_piecewise_model,
        ],
    )
    def test_models_name_a_missing_column(self, model):
        with pytest.raises(FeatureError, match=r"needs a column 'x2', got columns \['x1'\]"):
            model(pd.DataFrame({"x1": [0.5]}))
