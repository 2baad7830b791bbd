"""How strongly temperature, humidity and wind speed go together with every feature.

Square root of the share of variance of the row's feature that a linear model with the column's
feature alone explains (1 for a feature by itself), over the 731 days of the bike data. It says
which features change when one of the three is shifted. After figure 8.12 of Molnar, Interpretable
Machine Learning, 2nd edition.
"""

from aleplot_py.analysis.association import association_matrix
from aleplot_py.plots.heatmap import HeatmapDisplay
from reproductions.engine.figure import Claim, decide
from reproductions.engine.reference import Reference
from reproductions.figures.bike_rentals import DAYS, first_days

IDS = ("molnar2/8.12",)
DATA = ("bike_edition2",)
SIZE = (7.0, 2.7)

EXPLAINED = ["temp", "hum", "windspeed"]

REFERENCE = {
    "association": Reference(
        "fig8_12_variance_explained.csv", grid={"y": "y", "x": "x"}, values={"cor": "cor"}
    )
}


def compute(days=DAYS):
    """One row for each pair of features, in R's form."""
    matrix = association_matrix(first_days(days), rows=EXPLAINED).to_frame()
    return {"association": matrix.rename_axis("y").reset_index().melt("y", None, "x", "cor")}


def draw(numbers, figure, text):
    """Draw the matrix as a heat map with its numbers."""
    axes = figure.subplots()
    matrix = _matrix(numbers)
    display = HeatmapDisplay(
        matrix.to_numpy(),
        [text(f"feature.{name}") for name in matrix.index],
        [text(f"feature.{name}") for name in matrix.columns],
        text("strength"),
        limits=(0, 1),
    ).plot(ax=axes)
    for label, value in zip(display.texts_, matrix.to_numpy().ravel(), strict=True):
        label.set_text(f"{value:.2f}")
        label.set_fontsize(7.5)


def temperature_goes_with_season_and_month(numbers):
    """Find the two features that explain most of temperature."""
    return _explained_most_by("temp", ["season", "mnth"], numbers)


def humidity_goes_with_weather(numbers):
    """Find the feature that explains most of humidity."""
    return _explained_most_by("hum", ["weathersit"], numbers)


def _explained_most_by(feature, expected, numbers):
    ranked = _matrix(numbers).loc[feature].drop(feature).sort_values(ascending=False)
    first = set(ranked.index[: len(expected)])
    return decide(
        first == set(expected),
        partly=bool(first & set(expected)),
        next=ranked.iloc[len(expected)],
        **{name: ranked[name] for name in expected},
    )


def _matrix(numbers):
    """Explained features down, explaining ones across, in the order of the data."""
    table = numbers["association"]
    matrix = table.pivot(index="y", columns="x", values="cor")
    return matrix.loc[table["y"].unique(), table["x"].unique()]


CLAIMS = (
    Claim(
        "temperature",
        "Temperature is associated most with season and month.",
        "Month {mnth:.2f}, season {season:.2f}, the next feature {next:.2f}.",
        temperature_goes_with_season_and_month,
    ),
    Claim(
        "humidity",
        "Humidity is associated most with the weather situation.",
        "Weather {weathersit:.2f}, the next feature {next:.2f}.",
        humidity_goes_with_weather,
    ),
)
