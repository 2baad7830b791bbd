"""Data sets as loaded: rows, columns, levels, units and splits, to R's last bit."""

import sys
from pathlib import Path

import numpy as np
import pytest

import reproductions
from aleplot_py import datasets
from aleplot_py.datasets import loaders
from aleplot_py.datasets.files import DataNotFoundError
from tests.datasets.bike_sample import SMALL_BIKE, columns_of

pytestmark = pytest.mark.usefixtures("no_network")

MODELS = Path(reproductions.__file__).parent / "models"
REFERENCE = MODELS.parent / "reference"
MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")


class TestBike:
    def test_third_edition(self):
        frame = datasets.load_bike(edition=3)
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

    def test_second_edition(self):
        frame = datasets.load_bike(edition=2)
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
    def test_units_are_those_of_r_to_the_last_bit(self, feature):
        frame = datasets.load_bike(edition=2)
        path = REFERENCE / f"fig8_11_14_ale_{feature}.csv"
        grid = np.loadtxt(path, delimiter=",", skiprows=1, usecols=2)
        assert np.isin(grid, frame[feature]).all()
        assert (grid.min(), grid.max()) == (frame[feature].min(), frame[feature].max())

    @pytest.mark.parametrize("feature", ["temp", "hum", "windspeed"])
    def test_units_of_the_test_rows_are_those_of_r_to_the_last_bit(self, feature):
        frame = datasets.load_bike(edition=3).iloc[datasets.bike_split().test]
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

    def test_hourly_file_by_hand(self):
        hours = """\
season,yr,mnth,hr,holiday,weekday,workingday,weathersit,temp,atemp,hum,windspeed,cnt
1,0,1,0,0,6,0,1,0.24,0.2879,0.81,0,16
3,1,7,23,1,1,0,4,0.5,1,0.4,0.25,40
"""
        frame = loaders._bike_hourly(columns_of(hours))
        assert frame["hr"].tolist() == [0, 23]
        assert frame["weathersit"].tolist() == ["GOOD", "RAIN/SNOW/STORM"]
        assert list(frame["weathersit"].cat.categories) == ["GOOD", "MISTY", "RAIN/SNOW/STORM"]
        assert frame["atemp"].tolist() == [0.2879 * 66 - 16, 50.0]
        assert frame["weekday"].tolist() == ["SAT", "MON"]
        assert frame["windspeed"].tolist() == [0.0, 0.25 * 67]

    def test_hourly_rentals_of_a_day_add_up(self):
        try:
            hourly = datasets.load_bike_hourly()
        except DataNotFoundError as error:
            pytest.skip(str(error))
        daily = datasets.load_bike(edition=2)
        assert hourly.shape == (17379, 13)
        assert hourly["cnt"].sum() == daily["cnt"].sum()
        by_month = [
            frame.groupby(["yr", "mnth"], observed=True)["cnt"].sum() for frame in (hourly, daily)
        ]
        assert by_month[0].equals(by_month[1])

    def test_unknown_edition(self):
        with pytest.raises(ValueError, match="edition must be 2 or 3, got 1"):
            datasets.load_bike(edition=1)


class TestCervical:
    def test_loaded(self):
        frame = datasets.load_cervical()
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
    def test_loaded(self):
        frame = datasets.load_adult()
        assert frame.shape == (30162, 13)
        assert frame["income"].sum() == 7508
        assert list(frame["sex"].cat.categories) == ["Female", "Male"]
        assert len(frame["native_country"].cat.categories) == 41


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
