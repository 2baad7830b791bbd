"""Data sets and simulations behind the figures of the literature.

UCI files are looked for, in this order, at an explicit ``path``, in the folder named by the
environment variable ``ALEPLOT_PY_DATA``, in the user's cache, in a folder ``shared/data`` beside
the checkout, and last in UCI's archive, whose download is kept in the cache (needs pooch; never
tried where ``ALEPLOT_PY_OFFLINE`` is set to anything but the empty string). What was read is
compared with a pinned shape and SHA-256 of the values, so that a figure is never drawn from other
data than its caption says.

Frames have the columns, levels and units of the source's R code; categorical columns are
unordered and list their levels in R's order.
"""

import contextlib
import csv
import hashlib
import importlib.util
import io
import math
import os
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.extensions import ExtensionArray

from aleplot_py.errors import AleplotError, FeatureError
from aleplot_py.r_random import set_seed

__all__ = [
    "DataMismatchError",
    "DataNotFoundError",
    "Split",
    "bike_split",
    "book_extrapolation_model",
    "gkolemis_interaction_model",
    "gkolemis_piecewise_model",
    "groemping_model",
    "load_adult",
    "load_bike",
    "load_cervical",
    "load_penguins",
    "penguin_split",
    "simulate_book_points",
    "simulate_gkolemis_interaction",
    "simulate_gkolemis_piecewise",
    "simulate_groemping",
    "simulate_vignette_example1",
    "simulate_vignette_example2",
    "simulate_vignette_example4",
    "values_sha256",
]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Columns = Mapping[str, Sequence[str]]

_FOLDER_VARIABLE = "ALEPLOT_PY_DATA"
_OFFLINE_VARIABLE = "ALEPLOT_PY_OFFLINE"
_DOWNLOAD_SECONDS = 30

_SEASONS = {"1": "WINTER", "2": "SPRING", "3": "SUMMER", "4": "FALL"}
_YEARS = {"0": "2011", "1": "2012"}
_MONTHS = dict(
    zip(
        map(str, range(1, 13)),
        ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"),
        strict=True,
    )
)
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

# Columns of UCI's adult.data in order, None for those the vignette leaves out.
_ADULT_FIELDS = (
    "age",
    "workclass",
    None,
    None,
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
    "income",
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


class DataNotFoundError(FileNotFoundError):
    """A data file is neither at hand nor to be downloaded."""


class DataMismatchError(AleplotError):
    """A data file was read, but its values are not those the figures were computed with."""


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


@dataclass(frozen=True)
class _Pin:
    """Shape and SHA-256 that a loaded frame must have."""

    shape: tuple[int, int]
    sha256: str


@dataclass(frozen=True)
class _Source:
    """One UCI file: its name and checksum here, its address and name there."""

    title: str
    file: str
    sha256: str
    url: str
    member: str
    prepare: Callable[[str], str]


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
        The file ``bike_sharing_day.csv`` or its folder; looked for elsewhere by default.

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
        If the file is neither found nor downloaded.
    DataMismatchError
        If the values are not the expected ones.
    """
    if edition not in (2, 3):
        raise ValueError(f"edition must be 2 or 3, got {edition!r}")
    if edition == 2:
        return _load(_BIKE, path, _bike_second_edition, _BIKE2_PIN)
    return _load(_BIKE, path, _bike_third_edition, _BIKE3_PIN)


def load_cervical(path: str | os.PathLike[str] | None = None) -> pd.DataFrame:
    """Load risk factors for cervical cancer of 858 patients in Caracas.

    UCI Machine Learning Repository, Cervical Cancer (Risk Factors), CC BY 4.0: Fernandes, K.,
    Cardoso, J. and Fernandes, J. (2017). Prepared as in Molnar, Interpretable Machine Learning,
    2nd edition: a missing value becomes the most frequent value of its column.

    Parameters
    ----------
    path : path-like, optional
        The file ``cervical_cancer_risk_factors.csv`` or its folder; looked for elsewhere by
        default.

    Returns
    -------
    DataFrame of shape (858, 16)
        The chapter's 15 numeric features under R's names, ages and durations in years, and
        Biopsy with the levels Cancer and Healthy.

    Raises
    ------
    DataNotFoundError
        If the file is neither found nor downloaded.
    DataMismatchError
        If the values are not the expected ones.
    """
    return _load(_CERVICAL, path, _cervical, _CERVICAL_PIN)


def load_adult(path: str | os.PathLike[str] | None = None) -> pd.DataFrame:
    """Load the complete rows of the census income data of 1994.

    UCI Machine Learning Repository, Adult, CC BY 4.0: Becker, B. and Kohavi, R. (1996). Prepared
    as in ALEPlot's vignette (Zhu and Apley).

    Parameters
    ----------
    path : path-like, optional
        The file ``adult_complete_cases.csv`` or its folder; looked for elsewhere by default.

    Returns
    -------
    DataFrame of shape (30162, 13)
        The vignette's 12 predictors (five numeric: age and education_num in years, capital_gain
        and capital_loss in dollars, hours_per_week) and income, 1 above 50,000 dollars and
        0 elsewhere. Levels are in alphabetical order.

    Raises
    ------
    DataNotFoundError
        If the file is neither found nor downloaded.
    DataMismatchError
        If the values are not the expected ones.
    """
    return _load(_ADULT, path, _adult, _ADULT_PIN)


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
    _check(frame, _PENGUIN_PIN, "the package palmerpenguins")
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


def simulate_book_points(n: int = 100, *, seed: int = 1) -> pd.DataFrame:
    """Draw the two correlated features of the book's toy figures with R's random numbers.

    Molnar, Interpretable Machine Learning, 3rd edition: figures 20.1 and 20.2 (n = 100,
    seed 1), 20.3 (n = 25, seed 12), 20.4 and 20.5 (n = 25, seed 1).

    Parameters
    ----------
    n : int
        Number of points.
    seed : int
        Argument of R's ``set.seed``.

    Returns
    -------
    DataFrame of shape (n, 2)
        x1, uniform on [0, 1], and x2 = x1 + N(0, .1^2).
    """
    rng = set_seed(seed)
    x1 = rng.runif(n)
    return pd.DataFrame({"x1": x1, "x2": x1 + rng.rnorm(n, 0.0, 0.1)})


def book_extrapolation_model(X: pd.DataFrame) -> FloatArray:
    """Predict x1 + x2, but 2 where there is no data (Molnar's figures 20.4 and 20.5).

    Parameters
    ----------
    X : DataFrame of n rows
        Data with the columns x1 and x2.

    Returns
    -------
    ndarray of shape (n,)
        2 where x1 > .7 and x2 < .3, otherwise x1 + x2.

    Raises
    ------
    FeatureError
        If a column is missing.
    """
    x1, x2 = _values(X, "x1"), _values(X, "x2")
    return np.where((x1 > 0.7) & (x2 < 0.3), 2.0, x1 + x2)


def simulate_vignette_example1(n: int = 5000, *, seed: int = 1) -> pd.DataFrame:
    """Draw the data of example 1 of ALEPlot's vignette with R's random numbers.

    Parameters
    ----------
    n : int
        Number of rows; the vignette's figure 3 has 5,000.
    seed : int
        Argument of R's ``set.seed``.

    Returns
    -------
    DataFrame of shape (n, 5)
        x1, x2, x3, x4, independent and uniform on [0, 1], and
        y = 4 x1 + 3.87 x2^2 + 2.97 sigma(-5 + 10 x3) + N(0, 1), sigma the logistic function.
    """
    rng = set_seed(seed)
    frame = pd.DataFrame({name: rng.runif(n) for name in ("x1", "x2", "x3", "x4")})
    odds = np.exp(-5.0 + 10.0 * frame["x3"])
    mean = 4.0 * frame["x1"] + 3.87 * frame["x2"] ** 2 + 2.97 * odds / (1.0 + odds)
    return frame.assign(y=mean + rng.rnorm(n))


def simulate_vignette_example2(n: int = 5000, *, seed: int = 1) -> pd.DataFrame:
    """Draw the data of example 2 of ALEPlot's vignette: example 1 with an interaction.

    Parameters
    ----------
    n : int
        Number of rows; the vignette's figure 5 has 5,000.
    seed : int
        Argument of R's ``set.seed``.

    Returns
    -------
    DataFrame of shape (n, 5)
        The columns of `simulate_vignette_example1`, with 13.86 (x1 - .5) (x2 - .5) added to y.
    """
    frame = simulate_vignette_example1(n, seed=seed)
    return frame.assign(y=frame["y"] + 13.86 * (frame["x1"] - 0.5) * (frame["x2"] - 0.5))


def simulate_vignette_example4(n: int = 200, *, seed: int = 1) -> pd.DataFrame:
    """Draw the strongly dependent data of example 4 of ALEPlot's vignette.

    Parameters
    ----------
    n : int
        Number of rows; the vignette's figures 7 and 8 have 200.
    seed : int
        Argument of R's ``set.seed``; figure 7 has seed 1, figure 8 seeds 1 to 50.

    Returns
    -------
    DataFrame of shape (n, 3)
        x1 and x2, both u + N(0, .05^2) with the same u uniform on [0, 1], and
        y = x1 + x2^2 + N(0, .1^2).
    """
    rng = set_seed(seed)
    base = rng.runif(n)
    x1 = base + rng.rnorm(n, 0.0, 0.05)
    x2 = base + rng.rnorm(n, 0.0, 0.05)
    return pd.DataFrame({"x1": x1, "x2": x2, "y": x1 + x2**2 + rng.rnorm(n, 0.0, 0.1)})


def simulate_groemping(
    n: int = 100, *, rho: float = -0.9, rng: np.random.Generator | int
) -> pd.DataFrame:
    """Draw the two correlated normal features of Grömping (2020).

    Parameters
    ----------
    n : int
        Number of rows.
    rho : float
        Correlation, between -1 and 1.
    rng : Generator or int
        Source of random numbers, or its seed.

    Returns
    -------
    DataFrame of shape (n, 2)
        x1 and x2 with means 10 and -5 and variances 1.

    Raises
    ------
    TypeError
        If `n` is not an integer.
    ValueError
        If `n` is below 1 or `rho` is not between -1 and 1.
    """
    if not -1.0 <= rho <= 1.0:
        raise ValueError(f"rho must be between -1 and 1, got {rho!r}")
    first, second = np.random.default_rng(rng).standard_normal((2, _checked_rows(n)))
    x2 = -5.0 + rho * first + math.sqrt(1.0 - rho**2) * second
    return pd.DataFrame({"x1": 10.0 + first, "x2": x2})


def groemping_model(X: pd.DataFrame) -> FloatArray:
    """Predict with the model of Grömping (2020): 200 + x1 - .5 x2 + x1 x2.

    Parameters
    ----------
    X : DataFrame of n rows
        Data with the columns x1 and x2.

    Returns
    -------
    ndarray of shape (n,)
        Predictions.

    Raises
    ------
    FeatureError
        If a column is missing.
    """
    x1, x2 = _values(X, "x1"), _values(X, "x2")
    return 200.0 + x1 - 0.5 * x2 + x1 * x2


def simulate_gkolemis_interaction(n: int = 1000, *, rng: np.random.Generator | int) -> pd.DataFrame:
    """Draw the three features of the interaction case of Gkolemis et al. (2023).

    Parameters
    ----------
    n : int
        Number of rows.
    rng : Generator or int
        Source of random numbers, or its seed.

    Returns
    -------
    DataFrame of shape (n, 3)
        x1, x2, x3, independent and uniform on [-1, 1].

    Raises
    ------
    TypeError
        If `n` is not an integer.
    ValueError
        If `n` is below 1.
    """
    x1, x2, x3 = np.random.default_rng(rng).uniform(-1.0, 1.0, size=(3, _checked_rows(n)))
    return pd.DataFrame({"x1": x1, "x2": x2, "x3": x3})


def gkolemis_interaction_model(X: pd.DataFrame) -> FloatArray:
    """Predict .2 x1 - 5 x2 + 10 x2 where x3 > 0, and .2 x1 - 5 x2 elsewhere.

    Parameters
    ----------
    X : DataFrame of n rows
        Data with the columns x1, x2 and x3.

    Returns
    -------
    ndarray of shape (n,)
        Predictions; x2 has no mean effect, but its local effects are -5 and 5.

    Raises
    ------
    FeatureError
        If a column is missing.
    """
    x1, x2, x3 = _values(X, "x1"), _values(X, "x2"), _values(X, "x3")
    return 0.2 * x1 - 5.0 * x2 + np.where(x3 > 0.0, 10.0 * x2, 0.0)


def simulate_gkolemis_piecewise(n: int = 1000, *, rng: np.random.Generator | int) -> pd.DataFrame:
    """Draw the three features of the piecewise linear case of Gkolemis et al. (2023).

    Parameters
    ----------
    n : int
        Number of rows.
    rng : Generator or int
        Source of random numbers, or its seed.

    Returns
    -------
    DataFrame of shape (n, 3)
        x1, uniform on [0, 1], x2 = x1, and x3 = N(0, .5^2).

    Raises
    ------
    TypeError
        If `n` is not an integer.
    ValueError
        If `n` is below 1.
    """
    rows = _checked_rows(n)
    generator = np.random.default_rng(rng)
    x1 = generator.uniform(0.0, 1.0, size=rows)
    return pd.DataFrame({"x1": x1, "x2": x1, "x3": generator.normal(0.0, 0.5, size=rows)})


def gkolemis_piecewise_model(X: pd.DataFrame) -> FloatArray:
    """Predict a continuous function of x1 + x2 with slopes 1, -1 and 0.

    The slopes change at x1 + x2 = 1/2 and 1, that is, on the line x2 = x1 of the data at
    x1 = 1/4 and 1/2.

    Parameters
    ----------
    X : DataFrame of n rows
        Data with the columns x1 and x2.

    Returns
    -------
    ndarray of shape (n,)
        Predictions.

    Raises
    ------
    FeatureError
        If a column is missing.
    """
    total = _values(X, "x1") + _values(X, "x2")
    return np.where(total < 0.5, total, np.where(total < 1.0, 1.0 - total, 0.0))


def values_sha256(frame: pd.DataFrame) -> str:
    """Digest of a frame's column names, levels and values, whatever the pandas version.

    Parameters
    ----------
    frame : DataFrame
        Columns of floats, integers or categories of text.

    Returns
    -------
    str
        SHA-256 in hexadecimal.

    Raises
    ------
    TypeError
        If a column is of another type.
    """
    digest = hashlib.sha256()
    for name in frame.columns:
        column = frame[name]
        digest.update(f"column {name}\n".encode())
        if isinstance(column.dtype, pd.CategoricalDtype):
            digest.update(f"levels {list(map(str, column.cat.categories))}\n".encode())
            digest.update(column.cat.codes.to_numpy().astype("<i8").tobytes())
        elif pd.api.types.is_integer_dtype(column.dtype):
            digest.update(b"integers\n" + column.to_numpy().astype("<i8").tobytes())
        elif pd.api.types.is_float_dtype(column.dtype):
            digest.update(b"floats\n" + column.to_numpy().astype("<f8").tobytes())
        else:
            raise TypeError(
                f"column {name!r} must be of floats, integers or categories, got {column.dtype}"
            )
    return digest.hexdigest()


def _values(X: pd.DataFrame, name: str) -> FloatArray:
    """Values of a column as floats."""
    if name not in X.columns:
        raise FeatureError(f"the model needs a column {name!r}, got columns {list(X.columns)}")
    return X[name].to_numpy(dtype=np.float64)


def _checked_rows(n: int) -> int:
    """Number of rows to draw."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer):
        raise TypeError(f"n must be an integer, got {n!r}")
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n}")
    return int(n)


def _split(*, rows: int, train_rows: int, seed: int) -> Split:
    """Draw train rows as R does; the others are the test rows."""
    train = set_seed(seed).sample_int(rows, train_rows) - 1
    return Split(train=train, test=np.setdiff1d(np.arange(rows, dtype=np.int64), train))


def _load(
    source: _Source,
    path: str | os.PathLike[str] | None,
    build: Callable[[Columns], pd.DataFrame],
    pin: _Pin,
) -> pd.DataFrame:
    """Find a file or download it, build the frame and compare it with its pin."""
    found = _find(source, path)
    if found is not None:
        return _checked_frame(found.read_bytes(), build, pin, str(found))
    content = source.prepare(_download(source)).encode()
    frame = _checked_frame(content, build, pin, source.url)
    _keep(content, source)
    return frame


def _checked_frame(
    content: bytes, build: Callable[[Columns], pd.DataFrame], pin: _Pin, origin: str
) -> pd.DataFrame:
    """Build a frame from a csv file read at `origin` and compare it with its pin."""
    try:
        frame = build(_parse(content.decode("utf-8-sig")))
    except ValueError as error:
        raise DataMismatchError(f"{origin} could not be read as expected: {error}") from error
    _check(frame, pin, origin)
    return frame


def _parse(text: str) -> dict[str, tuple[str, ...]]:
    """Split a csv file into the text of its columns."""
    rows = [row for row in csv.reader(io.StringIO(text)) if row]
    if not rows:
        raise ValueError("the file is empty")
    header = rows.pop(0)
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header):
            raise ValueError(
                f"data row {number} must have {len(header)} values as the header, got {len(row)}"
            )
    return {name: tuple(row[place] for row in rows) for place, name in enumerate(header)}


def _check(frame: pd.DataFrame, pin: _Pin, origin: str) -> None:
    """Raise unless a frame has the pinned shape and values."""
    got = _Pin(frame.shape, values_sha256(frame))
    if got != pin:
        raise DataMismatchError(
            f"the values read from {origin} are not those the figures were computed with: "
            f"expected shape {pin.shape} and SHA-256 {pin.sha256}, "
            f"got shape {got.shape} and SHA-256 {got.sha256}"
        )


def _find(source: _Source, path: str | os.PathLike[str] | None) -> Path | None:
    """First place that has the file; an explicit path is the only place looked at."""
    if path is not None:
        given = Path(path)
        file = given / source.file if given.is_dir() else given
        if not file.is_file():
            raise _not_found(source, [file])
        return file
    return next((file for file in _places(source) if file.is_file()), None)


def _places(source: _Source) -> list[Path]:
    """Where a file may be, in the order of looking."""
    folders = [_cache_folder(), _folder_beside_checkout()]
    if os.environ.get(_FOLDER_VARIABLE):
        folders.insert(0, Path(os.environ[_FOLDER_VARIABLE]))
    return [folder / source.file for folder in folders if folder is not None]


def _cache_folder() -> Path | None:
    """Return the user's cache for this package, None without pooch, which alone fills it."""
    try:
        import pooch
    except ImportError:
        return None
    return Path(pooch.os_cache("aleplot-py"))


def _folder_beside_checkout() -> Path:
    """Return the folder ``shared/data`` beside the folder that holds the package."""
    return Path(__file__).resolve().parents[2] / "shared" / "data"


def _download(source: _Source) -> str:
    """Download UCI's archive and return the text of the file in it."""
    places = _places(source)
    if os.environ.get(_OFFLINE_VARIABLE):
        raise _not_found(source, places, f"no download was tried: {_OFFLINE_VARIABLE} is set")
    try:
        import pooch
    except ImportError as error:
        reason = "no download was tried: the package pooch (extra 'figures') is not installed"
        raise _not_found(source, places, reason) from error
    # pooch draws its bar with tqdm.
    progress = sys.stderr.isatty() and importlib.util.find_spec("tqdm") is not None
    with tempfile.TemporaryDirectory() as folder:
        try:
            archive = pooch.retrieve(
                source.url,
                # The archive may be packed again; its values are checked instead.
                known_hash=None,
                fname="archive.zip",
                path=folder,
                downloader=pooch.HTTPDownloader(progressbar=progress, timeout=_DOWNLOAD_SECONDS),
            )
            with zipfile.ZipFile(archive) as opened:
                return opened.read(source.member).decode("utf-8-sig")
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            reason = f"the download of {source.url} failed: {error}"
            raise _not_found(source, places, reason) from error


def _keep(content: bytes, source: _Source) -> None:
    """Put a checked file into the user's cache, whole or not at all."""
    folder = _cache_folder()
    if folder is None:
        return
    # The data are at hand: a cache that cannot be written only costs the next download.
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as unfinished:
            file = Path(unfinished) / source.file
            file.write_bytes(content)
            file.replace(folder / source.file)


def _not_found(source: _Source, places: Sequence[Path], reason: str = "") -> DataNotFoundError:
    """Say which file is missing, where it was looked for, where to put it and its checksum."""
    looked = ", ".join(map(str, places))
    return DataNotFoundError(
        f"{source.file} ({source.title}) was not found at {looked}"
        + (f"; {reason}" if reason else "")
        + f". Put the file into one of these folders, or name its folder in the environment "
        f"variable {_FOLDER_VARIABLE} or in path=. SHA-256 of the file: {source.sha256}"
    )


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
    return pd.Categorical(names, categories=list(labels.values()), ordered=False)


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
            "season": _levels(columns, "season", _SEASONS),
            "yr": _levels(columns, "yr", _YEARS),
            "mnth": _levels(columns, "mnth", _MONTHS),
            "holiday": _levels(columns, "holiday", {"0": "NO HOLIDAY", "1": "HOLIDAY"}),
            "weekday": _levels(columns, "weekday", _WEEKDAYS),
            "workingday": _levels(
                columns, "workingday", {"0": "NO WORKING DAY", "1": "WORKING DAY"}
            ),
            "weathersit": _levels(
                columns, "weathersit", {"1": "GOOD", "2": "MISTY", "3": "RAIN/SNOW/STORM"}
            ),
            **_weather(columns),
            "days_since_2011": np.array(days, dtype=np.int64),
            "cnt": _integers(columns, "cnt"),
        }
    )


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
    for name in _ADULT_FIELDS:
        if name in _ADULT_COUNTS:
            predictors[name] = _integers(columns, name)
        elif name is not None and name != "income":
            levels = sorted(set(_column(columns, name)))
            predictors[name] = _levels(columns, name, {level: level for level in levels})
    return pd.DataFrame({**predictors, "income": _integers(columns, "income")})


def _complete_adult_rows(raw: str) -> str:
    """Turn UCI's adult.data into the vignette's csv: complete rows, a header, income 0 or 1."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    kept = [position for position, name in enumerate(_ADULT_FIELDS) if name is not None]
    writer.writerow([_ADULT_FIELDS[position] for position in kept])
    for row in csv.reader(io.StringIO(raw), skipinitialspace=True):
        if len(row) != len(_ADULT_FIELDS) or "?" in row:
            continue
        writer.writerow([*(row[p] for p in kept[:-1]), "1" if row[-1].startswith(">50K") else "0"])
    return lines.getvalue()


_BIKE = _Source(
    title="UCI Bike Sharing, daily",
    file="bike_sharing_day.csv",
    sha256="a6bcf826782d3c0fbfdcbeead17cd0884185a0dafe8ff10cd48a874ee7ba18be",
    url="https://archive.ics.uci.edu/static/public/275/bike+sharing+dataset.zip",
    member="day.csv",
    prepare=str,
)
_CERVICAL = _Source(
    title="UCI Cervical Cancer (Risk Factors)",
    file="cervical_cancer_risk_factors.csv",
    sha256="8df193ad5c9ff4288fb4c401eef70dcd2cbda404ce7f82ac74c68cfc960ab063",
    url="https://archive.ics.uci.edu/static/public/383/cervical+cancer+risk+factors.zip",
    member="risk_factors_cervical_cancer.csv",
    prepare=str,
)
_ADULT = _Source(
    title="UCI Adult, complete rows",
    file="adult_complete_cases.csv",
    sha256="796b596e211c1fc1f1a1b931f5997abefd38afa57b3b4d79878a0b42e8fde316",
    url="https://archive.ics.uci.edu/static/public/2/adult.zip",
    member="adult.data",
    prepare=_complete_adult_rows,
)

_BIKE2_PIN = _Pin((731, 12), "a0e455645f845afca4060c33a39c0c2a8c7c66908777cea9733395ebe7d7621b")
_BIKE3_PIN = _Pin((728, 9), "98a1e8f384baa1d8cd9888f111d4ac193b9a6f86af335529635d4a5da18c8169")
_CERVICAL_PIN = _Pin((858, 16), "cf6510235bff0fa6d18dbfff898c2df59c131564a37178aa61fa2027849056ca")
_ADULT_PIN = _Pin((30162, 13), "873295686d98e977188c15e62990f50fccc97a7318b32f763d860977ec056ffa")
_PENGUIN_PIN = _Pin((333, 6), "9c03be7b2b942880775ba92298ead1ee6f8f56755ac98e4ee1c6de3df19a56a1")
