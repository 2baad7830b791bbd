"""Times as levels: in the order of time for every estimator, never scrambled by similarity."""

import datetime

import numpy as np
import pandas as pd
import pytest

from aleplot_py import ale, decompose, ice, load, m_plot, partial_dependence

N = 12
SHUFFLED = np.random.default_rng(3).permutation(np.repeat(np.arange(N), 4))
MONTHS = pd.period_range("2020-10", periods=N, freq="M")
TIMES = {
    "periods": pd.Series(MONTHS[SHUFFLED]),
    "periods as objects": pd.Series(MONTHS[SHUFFLED].astype(object), dtype=object),
    "dates": pd.Series([MONTHS[i].to_timestamp().date() for i in SHUFFLED], dtype=object),
    "datetimes": pd.Series(
        [MONTHS[i].to_timestamp().to_pydatetime() for i in SHUFFLED], dtype=object
    ),
    "timestamps": pd.Series([MONTHS[i].to_timestamp("s", "E") for i in SHUFFLED], dtype=object),
    "hours": pd.Series([datetime.time(i) for i in SHUFFLED], dtype=object),
    "spans": pd.Series([datetime.timedelta(days=int(i)) for i in SHUFFLED], dtype=object),
    "categories of dates": pd.Series(
        pd.Categorical(
            [MONTHS[i].to_timestamp().date() for i in SHUFFLED],
            categories=[m.to_timestamp().date() for m in MONTHS[::-1]],
        )
    ),
    "categories of periods": pd.Series(MONTHS[SHUFFLED]).astype("category"),
}
DECLARED = {
    "datetime64": pd.Series(MONTHS.to_timestamp()[SHUFFLED]),
    "with a zone": pd.Series(MONTHS.to_timestamp()[SHUFFLED].tz_localize("Asia/Tehran")),
    "timedelta64": pd.to_timedelta(pd.Series(SHUFFLED), unit="D"),
}


def table(times):
    rng = np.random.default_rng(5)
    return pd.DataFrame({"t": times, "z": rng.normal(size=len(times)) + np.sin(SHUFFLED * 2.0)})


def f(X):
    return X["z"].to_numpy() ** 2


@pytest.mark.parametrize("name", [*TIMES, *DECLARED])
@pytest.mark.parametrize("estimator", [ale, partial_dependence, ice, m_plot])
def test_levels_follow_each_other_in_time(estimator, name, tmp_path):
    X = table({**TIMES, **DECLARED}[name])
    effect = estimator(f, X, "t", categorical="t")
    right = X["t"].astype(object).iloc[np.unique(SHUFFLED, return_index=True)[1]].tolist()
    assert list(effect.x_values[0]) == right
    effect.save(tmp_path / "effect.json")
    assert load(tmp_path / "effect.json") == effect


@pytest.mark.parametrize("name", TIMES)
def test_in_pairs_and_decompositions_too(name):
    X = table(TIMES[name])
    options = {"categorical": "t"}
    levels = ale(f, X, "t", **options).x_values[0].tolist()
    assert ale(f, X, ("z", "t"), K=3, **options).x_values[1].tolist() == levels
    assert decompose(f, X, K=3, **options).mains["t"].x_values[0].tolist() == levels


@pytest.mark.parametrize("name", [*TIMES, *DECLARED])
def test_what_is_a_category_without_being_asked_for(name):
    effect = ale(f, table({**TIMES, **DECLARED}[name]), "t")
    assert effect.kinds == (("categorical" if name.startswith(("hours", "categ")) else "numeric"),)


def test_another_order_can_be_asked_for():
    X = table(TIMES["periods"])
    similar = ale(f, X, "t", order="similarity", categorical="t").x_values[0].tolist()
    assert sorted(similar) == sorted(MONTHS)
    assert similar != list(MONTHS)
    backwards = list(MONTHS[::-1])
    assert ale(f, X, "t", order=backwards, categorical="t").x_values[0].tolist() == backwards
    ordered = X.assign(t=pd.Categorical(X["t"], categories=backwards, ordered=True))
    assert ale(f, ordered, "t").x_values[0].tolist() == backwards
    declared = X.assign(t=pd.Categorical(X["t"], categories=backwards))
    assert ale(f, declared, "t", order="declared").x_values[0].tolist() == backwards


def test_times_without_a_common_order_are_sorted_as_text():
    mixed = [datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 2, 5), datetime.date(2020, 2, 1)]
    X = table(pd.Series([mixed[i % 3] for i in SHUFFLED], dtype=object))
    assert partial_dependence(f, X, "t").x_values[0].tolist() == mixed
