"""Real data as the sources' R code shapes them, and the splits of the chapters."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray

from aleplot_py.datasets.files import (
    Archive,
    Columns,
    DataNotFoundError,
    FloatArray,
    IntArray,
    Pin,
    Source,
    check_pin,
    load_file,
)
from aleplot_py.r.random import set_seed

_SEASONS = {"1": "WINTER", "2": "SPRING", "3": "SUMMER", "4": "FALL"}


_YEARS = {"0": "2011", "1": "2012"}


_MONTHS = dict(
    zip(
        map(str, range(1, 13)),
        ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"),
        strict=True,
    )
)


_WEATHER = {"1": "GOOD", "2": "MISTY", "3": "RAIN/SNOW/STORM"}


_WEEKDAYS = dict(zip("0123456", ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"), strict=True))


_CERVICAL_FEATURES = {
    "Age": "Age",
    "Number of sexual partners": "Number.of.sexual.partners",
    "First sexual intercourse": "First.sexual.intercourse",
    "Num of pregnancies": "Num.of.pregnancies",
    "Smokes": "Smokes",
    "Smokes (years)": "Smokes..years.",
    "Hormonal Contraceptives": "Hormonal.Contraceptives",
    "Hormonal Contraceptives (years)": "Hormonal.Contraceptives..years.",
    "IUD": "IUD",
    "IUD (years)": "IUD..years.",
    "STDs": "STDs",
    "STDs (number)": "STDs..number.",
    "STDs: Number of diagnosis": "STDs..Number.of.diagnosis",
    "STDs: Time since first diagnosis": "STDs..Time.since.first.diagnosis",
    "STDs: Time since last diagnosis": "STDs..Time.since.last.diagnosis",
}


_ADULT_PREDICTORS = (
    "age",
    "workclass",
    "education_num",
    "marital_status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital_gain",
    "capital_loss",
    "hours_per_week",
    "native_country",
)


_ADULT_COUNTS = ("age", "education_num", "capital_gain", "capital_loss", "hours_per_week")


_PENGUIN_LEVELS = {"species": ("Adelie", "Chinstrap", "Gentoo"), "sex": ("female", "male")}


_PENGUIN_COLUMNS = (
    "species",
    "bill_depth_mm",
    "bill_length_mm",
    "flipper_length_mm",
    "body_mass_g",
    "sex",
)


@dataclass(frozen=True)
class Split:
    """Rows of a training and a test set.

    Attributes
    ----------
    train : ndarray of int64
        0-based row positions of the training set, in the order R drew them.
    test : ndarray of int64
        0-based row positions of the test set, ascending as R's negative index leaves them.
    """

    train: IntArray
    test: IntArray


def load_bike(edition: int = 3, path: str | os.PathLike[str] | None = None) -> pd.DataFrame:
    """Load daily bike rentals in Washington, D.C., 2011 and 2012.

    UCI Machine Learning Repository, Bike Sharing, CC BY 4.0: Fanaee-T, H. and Gama, J. (2013),
    Event labeling combining ensemble detectors and background knowledge. Prepared as in Molnar,
    Interpretable Machine Learning.

    Parameters
    ----------
    edition : {2, 3}
        Edition of the book. The third lags the response and drops the first two days and the
        day without humidity; the second keeps all 731 days and the calendar.
    path : path-like, optional
        The file ``bike_sharing_day.csv`` or its folder; by default the package's own, or one that
        comes before it (see `aleplot_py.datasets`).

    Returns
    -------
    DataFrame of shape (728, 9) or (731, 12)
        Third edition: season, holiday, workday, weather, temp, hum, windspeed, cnt_2d_bfr
        (rentals two days before), cnt. Second edition: season, yr, mnth, holiday, weekday,
        workingday, weathersit, temp, hum, windspeed, days_since_2011, cnt. temp is in degrees
        Celsius, hum in percent, windspeed in km/h, cnt in rentals a day.

    Raises
    ------
    ValueError
        If `edition` is neither 2 nor 3.
    DataNotFoundError
        If there is no such file at `path`.
    DataMismatchError
        If the values are not the expected ones.
    """
    if edition not in (2, 3):
        raise ValueError(f"edition must be 2 or 3, got {edition!r}")
    if edition == 2:
        return load_file(_BIKE, path, _bike_second_edition, _BIKE2_PIN)
    return load_file(_BIKE, path, _bike_third_edition, _BIKE3_PIN)


def load_bike_hourly(path: str | os.PathLike[str] | None = None) -> pd.DataFrame:
    """Load hourly bike rentals in Washington, D.C., 2011 and 2012.

    UCI Machine Learning Repository, Bike Sharing, CC BY 4.0: Fanaee-T, H. and Gama, J. (2013),
    Event labeling combining ensemble detectors and background knowledge. The real example of Apley
    and Zhu (2020); too large to come with the package, downloaded when it is first asked for.

    Parameters
    ----------
    path : path-like, optional
        The file ``bike_sharing_hour.csv`` or its folder; by default looked for, and then
        downloaded, as told in `aleplot_py.datasets`.

    Returns
    -------
    DataFrame of shape (17379, 13)
        season, yr, mnth, hr (0 to 23), holiday, weekday, workingday, weathersit, temp and atemp
        (as it feels; both in degrees Celsius), hum (percent), windspeed (km/h), cnt (rentals an
        hour). Levels are those of ``load_bike(edition=2)``.

    Raises
    ------
    DataNotFoundError
        If the file is neither found nor downloaded.
    DataMismatchError
        If the values are not the expected ones.
    """
    return load_file(_BIKE_HOURLY, path, _bike_hourly, _BIKE_HOURLY_PIN)


def load_cervical(path: str | os.PathLike[str] | None = None) -> pd.DataFrame:
    """Load risk factors for cervical cancer of 858 patients in Caracas.

    UCI Machine Learning Repository, Cervical Cancer (Risk Factors), CC BY 4.0: Fernandes, K.,
    Cardoso, J. and Fernandes, J. (2017). Prepared as in Molnar, Interpretable Machine Learning,
    2nd edition: a missing value becomes the most frequent value of its column.

    Parameters
    ----------
    path : path-like, optional
        The file ``cervical_cancer_risk_factors.csv`` or its folder; by default the package's own,
        or one that comes before it (see `aleplot_py.datasets`).

    Returns
    -------
    DataFrame of shape (858, 16)
        The chapter's 15 numeric features under R's names, ages and durations in years, and
        Biopsy with the levels Cancer and Healthy.

    Raises
    ------
    DataNotFoundError
        If there is no such file at `path`.
    DataMismatchError
        If the values are not the expected ones.
    """
    return load_file(_CERVICAL, path, _cervical, _CERVICAL_PIN)


def load_adult(path: str | os.PathLike[str] | None = None) -> pd.DataFrame:
    """Load the complete rows of the census income data of 1994.

    UCI Machine Learning Repository, Adult, CC BY 4.0: Becker, B. and Kohavi, R. (1996). Prepared
    as in ALEPlot's vignette (Zhu and Apley).

    Parameters
    ----------
    path : path-like, optional
        The file ``adult_complete_cases.csv`` or its folder; by default the package's own, or one
        that comes before it (see `aleplot_py.datasets`).

    Returns
    -------
    DataFrame of shape (30162, 13)
        The vignette's 12 predictors (five numeric: age and education_num in years, capital_gain
        and capital_loss in dollars, hours_per_week) and income, 1 above 50,000 dollars and
        0 elsewhere. Levels are in alphabetical order.

    Raises
    ------
    DataNotFoundError
        If there is no such file at `path`.
    DataMismatchError
        If the values are not the expected ones.
    """
    return load_file(_ADULT, path, _adult, _ADULT_PIN)


def load_penguins() -> pd.DataFrame:
    """Load the complete rows of the Palmer penguins from the palmerpenguins package.

    CC0: Horst, A. M., Hill, A. P. and Gorman, K. B. (2020), palmerpenguins. Prepared as in
    Molnar, Interpretable Machine Learning, 3rd edition.

    Returns
    -------
    DataFrame of shape (333, 6)
        species, bill_depth_mm, bill_length_mm, flipper_length_mm (millimetres), body_mass_g
        (grams) and sex with the levels female and male.

    Raises
    ------
    DataNotFoundError
        If the package palmerpenguins is not installed.
    DataMismatchError
        If the values are not the expected ones.
    """
    try:
        import palmerpenguins
    except ImportError as error:
        raise DataNotFoundError(
            "the penguins come from the Python package palmerpenguins, which is not installed; "
            "it is part of the extra 'figures': pip install 'aleplot-py[figures]'"
        ) from error
    complete = palmerpenguins.load_penguins().dropna()
    columns = {name: [str(value) for value in complete[name]] for name in _PENGUIN_COLUMNS}
    frame = pd.DataFrame(
        {
            name: _levels(columns, name, {level: level for level in _PENGUIN_LEVELS[name]})
            if name in _PENGUIN_LEVELS
            else _floats(columns, name)
            for name in _PENGUIN_COLUMNS
        }
    )
    check_pin(frame, _PENGUIN_PIN, "the package palmerpenguins")
    return frame


def bike_split() -> Split:
    """Train and test rows of the third edition's bike data.

    Returns
    -------
    Split
        485 and 243 rows of ``load_bike(edition=3)``: ``set.seed(42); sample(1:728, 485)`` in R.
    """
    return _split(rows=728, train_rows=485, seed=42)


def penguin_split() -> Split:
    """Train and test rows of the penguins.

    Returns
    -------
    Split
        222 and 111 rows of ``load_penguins()``: ``set.seed(2); sample(1:333, 222)`` in R.
    """
    return _split(rows=333, train_rows=222, seed=2)


def _split(*, rows: int, train_rows: int, seed: int) -> Split:
    """Draw train rows as R does; the others are the test rows."""
    train = set_seed(seed).sample_int(rows, train_rows) - 1
    return Split(train=train, test=np.setdiff1d(np.arange(rows, dtype=np.int64), train))


def _column(columns: Columns, name: str) -> Sequence[str]:
    """Text of a column."""
    if name not in columns:
        raise ValueError(f"there is no column {name!r} among {list(columns)}")
    return columns[name]


def _floats(columns: Columns, name: str) -> FloatArray:
    """Numbers of a column; Python's parser rounds each decimal to the nearest double."""
    try:
        return np.array([float(value) for value in _column(columns, name)], dtype=np.float64)
    except ValueError as error:
        raise ValueError(f"column {name!r} must be numeric: {error}") from error


def _integers(columns: Columns, name: str) -> IntArray:
    """Whole numbers of a column."""
    try:
        return np.array([int(value) for value in _column(columns, name)], dtype=np.int64)
    except ValueError as error:
        raise ValueError(f"column {name!r} must be whole numbers: {error}") from error


def _levels(columns: Columns, name: str, labels: Mapping[str, str]) -> ExtensionArray:
    """Categories of a column: `labels` maps its text to levels, in the levels' order."""
    text = _column(columns, name)
    unknown = [value for value in text if value not in labels]
    if unknown:
        raise ValueError(
            f"column {name!r} must have values among {list(labels)}, got {unknown[0]!r}"
        )
    names = [labels[value] for value in text]
    return pd.Categorical(names, categories=list(dict.fromkeys(labels.values())), ordered=False)


def _weather(columns: Columns) -> dict[str, FloatArray]:
    """Undo UCI's scaling of the weather."""
    return {
        "temp": _floats(columns, "temp") * 47.0 - 8.0,
        "hum": _floats(columns, "hum") * 100.0,
        "windspeed": _floats(columns, "windspeed") * 67.0,
    }


def _bike_third_edition(columns: Columns) -> pd.DataFrame:
    """Build the bike data of the book's third edition."""
    rentals = _integers(columns, "cnt")
    frame = pd.DataFrame(
        {
            "season": _levels(columns, "season", _SEASONS),
            "holiday": _levels(columns, "holiday", {"0": "N", "1": "Y"}),
            "workday": _levels(columns, "workingday", {"0": "N", "1": "Y"}),
            "weather": _levels(columns, "weathersit", {"1": "GOOD", "2": "MISTY", "3": "BAD"}),
            **_weather(columns),
            "cnt_2d_bfr": np.concatenate([rentals[:2], rentals[:-2]]),
            "cnt": rentals,
        }
    )
    # The first two days have no count two days before; the placeholders above go with them.
    kept = (np.arange(len(frame)) >= 2) & (frame["hum"] != 0.0)
    return frame[kept].reset_index(drop=True)


def _bike_second_edition(columns: Columns) -> pd.DataFrame:
    """Build the bike data of the book's second edition."""
    start = date(2011, 1, 1)
    days = [(date.fromisoformat(day) - start).days for day in _column(columns, "dteday")]
    return pd.DataFrame(
        {
            **_calendar(columns),
            "weathersit": _levels(columns, "weathersit", _WEATHER),
            **_weather(columns),
            "days_since_2011": np.array(days, dtype=np.int64),
            "cnt": _integers(columns, "cnt"),
        }
    )


def _bike_hourly(columns: Columns) -> pd.DataFrame:
    """Build the hourly bike data, in the second edition's levels and units."""
    calendar = _calendar(columns)
    weather = _weather(columns)
    return pd.DataFrame(
        {
            **{name: calendar.pop(name) for name in ("season", "yr", "mnth")},
            "hr": _integers(columns, "hr"),
            **calendar,
            # Heavy rain, which no whole day has, is rain.
            "weathersit": _levels(columns, "weathersit", _WEATHER | {"4": _WEATHER["3"]}),
            "temp": weather.pop("temp"),
            "atemp": _floats(columns, "atemp") * 66.0 - 16.0,
            **weather,
            "cnt": _integers(columns, "cnt"),
        }
    )


def _calendar(columns: Columns) -> dict[str, ExtensionArray]:
    """Seasons, months and days, as the second edition calls them."""
    return {
        "season": _levels(columns, "season", _SEASONS),
        "yr": _levels(columns, "yr", _YEARS),
        "mnth": _levels(columns, "mnth", _MONTHS),
        "holiday": _levels(columns, "holiday", {"0": "NO HOLIDAY", "1": "HOLIDAY"}),
        "weekday": _levels(columns, "weekday", _WEEKDAYS),
        "workingday": _levels(columns, "workingday", {"0": "NO WORKING DAY", "1": "WORKING DAY"}),
    }


def _cervical(columns: Columns) -> pd.DataFrame:
    """Build the cervical cancer data of the book's second edition."""
    filled = {name: _most_frequent_filled(_column(columns, name)) for name in _CERVICAL_FEATURES}
    features = {r_name: _floats(filled, name) for name, r_name in _CERVICAL_FEATURES.items()}
    biopsy = _levels(columns, "Biopsy", {"1": "Cancer", "0": "Healthy"})
    return pd.DataFrame({**features, "Biopsy": biopsy})


def _most_frequent_filled(column: Sequence[str]) -> list[str]:
    """Replace every '?' by the most frequent other value."""
    counts = Counter(value for value in column if value != "?")
    if not counts:
        raise ValueError("a column has no value but '?'")
    fill = counts.most_common(1)[0][0]
    return [fill if value == "?" else value for value in column]


def _adult(columns: Columns) -> pd.DataFrame:
    """Build the census income data of ALEPlot's vignette."""
    predictors: dict[str, IntArray | ExtensionArray] = {}
    for name in _ADULT_PREDICTORS:
        if name in _ADULT_COUNTS:
            predictors[name] = _integers(columns, name)
        else:
            levels = sorted(set(_column(columns, name)))
            predictors[name] = _levels(columns, name, {level: level for level in levels})
    return pd.DataFrame({**predictors, "income": _integers(columns, "income")})


_BIKE = Source(
    title="UCI Bike Sharing, daily",
    file="bike_sharing_day.csv",
    sha256="a6bcf826782d3c0fbfdcbeead17cd0884185a0dafe8ff10cd48a874ee7ba18be",
)


_BIKE_HOURLY = Source(
    title="UCI Bike Sharing, hourly",
    file="bike_sharing_hour.csv",
    sha256="e03de4ee4ef4dc376ac6e04bf829673c6269e8eba5c60fa121640fa2f829504f",
    archive=Archive(
        "https://archive.ics.uci.edu/static/public/275/bike+sharing+dataset.zip", "hour.csv"
    ),
)


_CERVICAL = Source(
    title="UCI Cervical Cancer (Risk Factors)",
    file="cervical_cancer_risk_factors.csv",
    sha256="8df193ad5c9ff4288fb4c401eef70dcd2cbda404ce7f82ac74c68cfc960ab063",
)


_ADULT = Source(
    title="UCI Adult, complete rows",
    file="adult_complete_cases.csv",
    sha256="796b596e211c1fc1f1a1b931f5997abefd38afa57b3b4d79878a0b42e8fde316",
)


_CERVICAL_PIN = Pin((858, 16), "cf6510235bff0fa6d18dbfff898c2df59c131564a37178aa61fa2027849056ca")


_ADULT_PIN = Pin((30162, 13), "873295686d98e977188c15e62990f50fccc97a7318b32f763d860977ec056ffa")


_PENGUIN_PIN = Pin((333, 6), "9c03be7b2b942880775ba92298ead1ee6f8f56755ac98e4ee1c6de3df19a56a1")
_BIKE2_PIN = Pin((731, 12), "a0e455645f845afca4060c33a39c0c2a8c7c66908777cea9733395ebe7d7621b")
_BIKE3_PIN = Pin((728, 9), "98a1e8f384baa1d8cd9888f111d4ac193b9a6f86af335529635d4a5da18c8169")
_BIKE_HOURLY_PIN = Pin(
    (17379, 13), "829670ff7780238b793a12e36bedf07de871a07c45e8b006a45f5ea92aee4bbe"
)
