"""Dates, durations and periods as features: numeric axes that hand the column's own values back."""

import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest

from aleplot_py import (
    AleDisplay,
    ale,
    bootstrap_bands,
    decompose,
    effect_regions,
    ice,
    k_sensitivity,
    load,
    m_plot,
    main_effect_complexity,
    partial_dependence,
    regional_effects,
)
from aleplot_py.errors import FeatureError, GridError
from aleplot_py.inputs.times import times_of, to_numbers, to_times

# Differences of month numbers are whole: what is left is the rounding of z and of the mean.
TOLERANCE = 1e-12

STARTS = pd.date_range("2024-01-01", periods=12, freq="MS")
ROWS = np.random.default_rng(3).permutation(np.repeat(np.arange(12), 50))
Z = np.random.default_rng(4).normal(size=600)
MONTHS = {
    "datetime64[s]": pd.Series(STARTS.as_unit("s")[ROWS]),
    "datetime64[ns]": pd.Series(STARTS.as_unit("ns")[ROWS]),
    "with a zone": pd.Series(STARTS.tz_localize("Europe/Berlin")[ROWS]),
    "with an offset": pd.Series(STARTS.tz_localize(datetime.UTC)[ROWS]),
    "periods": pd.Series(STARTS.to_period("M")[ROWS]),
    "dates": pd.Series([STARTS[i].date() for i in ROWS], dtype=object),
    "datetimes": pd.Series([STARTS[i].to_pydatetime() for i in ROWS], dtype=object),
    "datetimes in a zone": pd.Series(
        [STARTS[i].to_pydatetime().replace(tzinfo=ZoneInfo("Asia/Tehran")) for i in ROWS],
        dtype=object,
    ),
    "timestamps": pd.Series([STARTS[i] for i in ROWS], dtype=object),
}
DAYS = {
    "timedelta64[s]": pd.Series(pd.to_timedelta(ROWS, "D").as_unit("s")),
    "timedelta64[ns]": pd.Series(pd.to_timedelta(ROWS, "D").as_unit("ns")),
    "timedeltas": pd.Series([datetime.timedelta(days=int(i)) for i in ROWS], dtype=object),
}


def months(X):
    return np.array([value.month for value in X["t"]]) + X["z"].to_numpy()


def days(X):
    return np.array([value / datetime.timedelta(days=1) for value in X["t"]]) + X["z"].to_numpy()


def frame(times):
    return pd.DataFrame({"t": times, "z": Z})


@pytest.mark.parametrize("name", MONTHS)
@pytest.mark.parametrize("estimator", [ale, m_plot, partial_dependence])
def test_twelve_month_starts_rise_by_one(estimator, name, tmp_path):
    X = frame(MONTHS[name])
    options = {} if estimator is not partial_dependence else {"grid": sorted(set(MONTHS[name]))}
    effect = estimator(months, X, "t", **options)
    assert effect.kinds == ("numeric",)
    steps = np.diff(effect.f_values)
    if estimator is not m_plot:  # whose neighbours differ in z, too
        assert steps == pytest.approx(1, abs=TOLERANCE)
    table = effect.to_frame()
    assert table["t"].tolist() == sorted(set(MONTHS[name]))
    if name == "dates" or X["t"].dtype != object:  # pandas' own type of other objects
        assert table["t"].dtype == X["t"].dtype
    values = effect.f_values
    assert np.array_equal(effect.evaluate(table["t"]), values)
    zone = isinstance(X["t"].dtype, pd.PeriodDtype)
    text = [f"2024-{month:02d}" + ("" if zone else "-01") for month in range(1, 13)]
    assert np.array_equal(effect.evaluate(text), values)
    assert effect.evaluate("2024-05-01")[0] == values[4]
    effect.save(tmp_path / "effect.json")
    assert load(tmp_path / "effect.json") == effect
    again = load(tmp_path / "effect.json").to_frame()["t"]
    assert str(again.dtype) == str(table["t"].dtype)  # zones may be of another library


@pytest.mark.parametrize("name", DAYS)
def test_durations_rise_by_one_a_day(name, tmp_path):
    X = frame(DAYS[name])
    effect = ale(days, X, "t")
    assert np.diff(effect.f_values) == pytest.approx(1, abs=TOLERANCE)
    at_three = effect.evaluate(["0D", "3 days", pd.Timedelta("5D")])
    assert np.array_equal(at_three, effect.f_values[[0, 3, 5]])
    middle = effect.evaluate(["36h"])[0]
    assert middle == pytest.approx(effect.f_values[1:3].mean(), abs=TOLERANCE)
    effect.save(tmp_path / "effect.json")
    assert load(tmp_path / "effect.json") == effect


@pytest.mark.parametrize("name", [*MONTHS, *DAYS])
def test_the_black_box_sees_the_column_s_own_type(name):
    X = frame({**MONTHS, **DAYS}[name])
    known, seen = set(X["t"]), []

    def watch(rows):
        assert rows["t"].dtype == X["t"].dtype
        assert {type(value) for value in rows["t"]} == {type(value) for value in X["t"]}
        seen.extend(rows["t"])
        return np.zeros(len(rows))

    ale(watch, X, ("t", "z"), K=4)
    ale(watch, X, "t", K="auto")
    assert set(seen) <= known
    ice(watch, X, "t", K=5)
    whole = {"with a zone": "s", "datetimes in a zone": "s"}.get(name, "D")  # midnights there
    for value in set(seen):
        length = pd.Timedelta(value) if name in DAYS else None
        if name in MONTHS and not isinstance(value, pd.Period):
            length = pd.Timestamp(value) - pd.Timestamp(0, tz=getattr(value, "tzinfo", None))
        if length is not None:
            assert length % pd.Timedelta(1, whole) == pd.Timedelta(0)


def test_every_function_takes_times():
    X = frame(MONTHS["with a zone"])
    plain = ale(lambda X: X["t"] + 1 + X["z"], X.assign(t=ROWS.astype(float)), "t", K=5)
    assert np.array_equal(ale(months, X, "t", K=5).f_values, plain.f_values)
    effect = ale(months, X, "t", K=5, local_effects=True)
    bands = bootstrap_bands(effect, n_boot=10, random_state=0)
    assert bands.to_frame()["t"].dtype == X["t"].dtype
    again = bootstrap_bands(
        effect, n_boot=3, refit=lambda X, y: months, X=X, y=Z, grid="redrawn", random_state=0
    )
    assert again.lower.shape == effect.f_values.shape
    tree = regional_effects(lambda X: X["z"] * np.where(months(X) - X["z"] > 6, 1, -1), X, "z")
    assert tree.split.value == pd.Timestamp("2024-06-01", tz="Europe/Berlin")
    assert tree.split.rules[0] == "t <= 2024-06-01 00:00:00+02:00"
    pieces = main_effect_complexity([effect]).pieces[0]
    assert (pieces.start[0], pieces.end[-1]) == (X["t"].min(), X["t"].max())
    regions = effect_regions(effect, (-1.0, 1.0))
    assert (regions["start"].iloc[0], regions["end"].iloc[-1]) == (X["t"].min(), X["t"].max())
    parts = decompose(months, X, pairs="all")
    assert np.abs(parts.remainder).max() < TOLERANCE
    assert k_sensitivity(months, X, "t", Ks=(5, 11)).effects[1].K == (11,)
    moved = partial_dependence(months, X, "t", centre="2024-03-01", K=3)
    assert moved.evaluate("2024-01-01")[0] == pytest.approx(-2, abs=TOLERANCE)
    kernel = m_plot(months, X, "t", neighbourhood="kernel", bandwidth="1h")
    assert np.diff(kernel.f_values) + 0 == pytest.approx(np.diff(m_plot_by_hand(X)), abs=TOLERANCE)


def m_plot_by_hand(X):
    return pd.Series(months(X)).groupby(X["t"]).mean().to_numpy()


def test_levels_in_the_order_of_time_where_categories_are_asked_for():
    effect = ale(months, frame(MONTHS["with a zone"]), "t", categorical="t")
    assert effect.kinds == ("categorical",)
    assert list(effect.x_values[0]) == sorted(set(MONTHS["with a zone"]))


NANOSECONDS = np.random.default_rng(5).permutation(2**40 + np.arange(60) ** 3 * 7919)


@pytest.mark.parametrize("unit", ["ns", "us"])
def test_times_are_exact_beyond_the_whole_numbers_of_doubles(unit):
    """Nanoseconds since 1970 exceed 2**53; those since the earliest do not."""
    times = pd.Series(np.array("2024-02-29T12:34:56", "M8[s]") + NANOSECONDS.astype(f"m8[{unit}]"))
    counts = times_of(times)
    numbers = to_numbers(times, counts)
    assert np.array_equal(np.diff(numbers), np.diff(NANOSECONDS))
    assert pd.Series(to_times(numbers, counts)).equals(times)
    X, seen = pd.DataFrame({"t": times}), set()

    def watch(rows):
        seen.update(rows["t"])
        return np.zeros(len(rows))

    ale(watch, X, "t", K=10)
    assert seen <= set(times)


def test_more_nanoseconds_than_doubles_hold_are_rounded_by_a_few():
    times = pd.Series(np.array("2000-01-01", "M8[ns]") + (NANOSECONDS * 10**5 + 1).astype("m8[ns]"))
    counts = times_of(times)
    off = pd.Series(to_times(to_numbers(times, counts), counts)) - times
    assert off.abs().max() <= pd.Timedelta(8, "ns")


def test_grids_are_times_and_missing_ones_are_dropped():
    X = frame(MONTHS["with a zone"])
    grid = ["2024-01-01", "2024-06-15 12:30", "2024-12-01"]
    effect = ale(months, X, "t", grid=grid)
    assert effect.to_frame()["t"].tolist() == [pd.Timestamp(t, tz="Europe/Berlin") for t in grid]
    gaps = X.assign(t=X["t"].where(ROWS > 1))
    known = ale(months, gaps, "t", missing="drop")
    assert len(known.observed[0]) == (ROWS > 1).sum()
    assert np.array_equal(known.x_values[0], ale(months, X, "t").x_values[0][2:])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"grid": [1, 2]}, GridError, r"grid of column 't' must be times such as 1970-.*\[1, 2\]"),
        ({"grid": ["2024-02-01", "2024-01-01"]}, GridError, "increasing: 2024-02-01 00:00:00"),
        ({"grid": ["2024-02-01", None]}, GridError, "none missing"),
        ({"grid": ["2024-02-01", "soon"]}, GridError, "must be times such as .*got 'soon'"),
        (
            {"grid": ["2024-02-01", "2024-03-01"]},
            GridError,
            "from 2024-02-01 .* from 2024-01-01",
        ),
        ({"missing": "error"}, FeatureError, "has 100 missing"),
    ],
)
def test_what_is_no_grid_of_times(options, error, message):
    X = frame(MONTHS["datetime64[ns]"])
    if "missing" in options:
        X["t"] = X["t"].where(ROWS > 1)
    with pytest.raises(error, match=message):
        ale(months, X, "t", **options)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("soon", r"values of 't' must be times such as 1970-01-01 00:00:00, got 'soon'"),
        (True, "must be times such as .*, got True"),
        ([["2024-01-01"]], "must be of one dimension"),
        ("2024-01-01T00:00Z", r"without a zone, as the column's, got 2024-01-01 00:00:00\+00:00"),
    ],
)
def test_what_is_no_time(value, message):
    effect = ale(months, frame(MONTHS["datetime64[ns]"]), "t")
    with pytest.raises(ValueError, match=message):
        effect.evaluate(value)


def test_what_no_time_is_known_for_is_missing():
    effect = ale(months, frame(MONTHS["with a zone"]), "t")
    outside = effect.evaluate(["2023-12-31", None, "2024-12-02", "9999-01-01"])
    assert np.isnan(outside).all()
    utc = effect.evaluate([pd.Timestamp("2023-12-31T23:00Z")])
    assert np.array_equal(utc, effect.f_values[:1])


def test_one_time_has_no_effect():
    X = frame(MONTHS["periods"][:1].repeat(600).set_axis(range(600)))
    with pytest.raises(FeatureError, match=r"column 't' has a single value, Period"):
        ale(months, X, "t")


def test_bandwidths_are_durations():
    X = frame(MONTHS["datetime64[ns]"])
    with pytest.raises(ValueError, match=r"bandwidth of column 't' must be a duration .* got 30"):
        m_plot(months, X, "t", neighbourhood="kernel", bandwidth=30)


def test_dates_are_drawn_as_dates_and_durations_with_their_unit():
    from matplotlib import dates

    X = frame(MONTHS["with a zone"])
    effect = ale(months, X, "t")
    display = effect.plot()
    ax = display.axes_[0]
    zone = ZoneInfo("Europe/Berlin")
    ends = dates.num2date(display.lines_[0].get_xdata()[[0, -1]], zone)
    assert ends == [STARTS[0].tz_localize(zone), STARTS[-1].tz_localize(zone)]
    display.figure_.canvas.draw()
    texts = [tick.get_text() for tick in ax.get_xticklabels() if tick.get_text()]
    assert "2024" in texts
    assert "Jul" in texts
    pair = ale(months, X, ("z", "t"), K=3).plot()
    assert isinstance(pair.axes_[0].yaxis.get_major_formatter(), dates.ConciseDateFormatter)
    lengths = ale(days, frame(DAYS["timedeltas"]), "t")
    drawn = AleDisplay.overlay([lengths, partial_dependence(days, frame(DAYS["timedeltas"]), "t")])
    assert drawn.axes_[0].get_xlabel() == "t (days)"
    assert np.array_equal(drawn.lines_[0].get_xdata(), np.arange(12.0))
    with pytest.raises(ValueError, match="'t' as dates and as durations"):
        AleDisplay.overlay([effect, lengths], labels=["a", "b"])
    k_sensitivity(days, frame(DAYS["timedeltas"]), "t", Ks=(2, 5)).plot()


@pytest.mark.parametrize("freq", ["D", "h", "min", "s", "ms", "us", "ns", "M", "W", "Q"])
def test_periods_of_every_frequency_come_back(freq):
    """Days, seconds and shorter ones have the names of units that other times are counted in."""
    when = pd.Series(pd.period_range("2024-01-01", periods=12, freq=freq))
    rows = pd.DataFrame({"when": when, "x": np.arange(12.0)})
    for offset in (0, 2):
        effect = ale(lambda frame: frame["x"] * 1.0, rows.iloc[offset:], "when", K=4)
        table = effect.to_frame()["when"]
        assert table.iloc[0] == when[offset]
        assert table.iloc[-1] == when[11]
        assert np.diff(effect.x_values[0]).max() <= 5
        assert effect.axes[0].times.unit == when[offset].freqstr
        values = effect.evaluate(when[offset:])
        assert np.isfinite(values).all()
