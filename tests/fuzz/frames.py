"""Frames of every mix of types, names and indices, with ties, gaps and extreme scales."""

import datetime
import decimal
import importlib.util
from dataclasses import dataclass

import numpy as np
import pandas as pd
from hypothesis import strategies as st

ARROW = importlib.util.find_spec("pyarrow") is not None

# Numbers that a column's codes 0, 1, ... stand for: exact in the narrowest type that holds them.
NUMBERS = {
    "float64": lambda c: pd.Series(c / 4, dtype="float64"),
    "float32": lambda c: pd.Series(c / 4, dtype="float32"),
    "float16": lambda c: pd.Series((c / 4).astype("float16")),
    "decimals": lambda c: pd.Series([decimal.Decimal(int(v)) / 8 for v in c], dtype=object),
    "whole objects": lambda c: pd.Series([int(v) for v in c], dtype=object),
    "float objects": lambda c: pd.Series([v / 4 for v in c.tolist()], dtype=object),
    "sparse float": lambda c: pd.Series(pd.arrays.SparseArray(c / 4)),
    "sparse int": lambda c: pd.Series(pd.arrays.SparseArray(c, fill_value=0)),
    "denormal": lambda c: pd.Series(c * 5e-324),
    "tiny": lambda c: pd.Series(c * 1e-300),
    "small": lambda c: pd.Series(1e-160 * np.sqrt(c + 1)),
    "large": lambda c: pd.Series(1e160 * np.sqrt(c + 1)),
    "huge": lambda c: pd.Series((c - 3) * 1e300),
    "both ends": lambda c: pd.Series(10.0 ** (-300 + 60 * (c % 11))),
    "offset": lambda c: pd.Series(1e6 + c / 64),
    "irrational": lambda c: pd.Series(np.sqrt(c + 0.5) - 2),
} | {
    name: lambda c, name=name: pd.Series(c).astype(name)
    for name in (
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"),
        *("Float32", "Float64"),
    )
}
TEXT = np.array(["b", "a", "Ω", "", "10", "9", "a b", "nan", "~", "Z", "é", "1.0", "q"])
LEVELS = {
    "bool": lambda c: pd.Series(c % 2 == 0),
    "boolean": lambda c: pd.Series(c % 2 == 0, dtype="boolean"),
    "truth objects": lambda c: pd.Series([bool(v % 2) for v in c], dtype=object),
    "object": lambda c: pd.Series(TEXT[c % 13].tolist(), dtype=object),
    "string": lambda c: pd.Series(TEXT[c % 13].tolist(), dtype="string"),
    "str": lambda c: pd.Series(TEXT[c % 13].tolist(), dtype="str"),
    "mixed": lambda c: pd.Series([("a", 1, 2.5, "b")[v % 4] for v in c], dtype=object),
    "tuples": lambda c: pd.Series([(int(v), "t") for v in c], dtype=object),
    "bytes": lambda c: pd.Series([b"%d" % v for v in c], dtype=object),
    "unordered": lambda c: pd.Series(pd.Categorical(TEXT[c % 13], categories=TEXT[::-1])),
    "ordered": lambda c: pd.Series(pd.Categorical(TEXT[c % 13], categories=TEXT, ordered=True)),
    "whole levels": lambda c: pd.Series(pd.Categorical(c, categories=range(200))),
    "float levels": lambda c: pd.Series(pd.Categorical(c / 4)),
    "truth levels": lambda c: pd.Series(pd.Categorical(c % 2 == 0)),
    "interval levels": lambda c: pd.Series(pd.IntervalIndex.from_breaks(range(99)).take(c)),
}
DAY = pd.Timestamp("2020-02-28 12:00")
TIMES = {
    "datetime64[ns]": lambda c: pd.Series(DAY + pd.to_timedelta(c, unit="D")).dt.as_unit("ns"),
    "datetime64[s]": lambda c: pd.Series(DAY + pd.to_timedelta(c, unit="D")).dt.as_unit("s"),
    "zoned": lambda c: pd.Series(DAY + pd.to_timedelta(c, unit="h")).dt.tz_localize("Asia/Tokyo"),
    "timedelta": lambda c: pd.Series(pd.to_timedelta(c, unit="h")),
    "period": lambda c: pd.Series(pd.period_range("2019-11", periods=99, freq="M").take(c)),
    "dates": lambda c: pd.Series(
        [datetime.date(2019, 11, 1) + datetime.timedelta(int(v)) for v in c], dtype=object
    ),
}
REFUSED = {
    "complex": lambda c: pd.Series(c + 1j * (c % 3)),
    "lists": lambda c: pd.Series([[int(v)] for v in c], dtype=object),
    "dicts": lambda c: pd.Series([{"a": int(v)} for v in c], dtype=object),
}
if ARROW:
    NUMBERS |= {
        name: lambda c, name=name: pd.Series(c).astype(name)
        for name in ("int8[pyarrow]", "int64[pyarrow]", "uint32[pyarrow]", "double[pyarrow]")
    }
    NUMBERS["float[pyarrow]"] = lambda c: pd.Series(c / 4).astype("float[pyarrow]")
    LEVELS["bool[pyarrow]"] = lambda c: pd.Series(c % 2 == 0).astype("bool[pyarrow]")
    LEVELS["string[pyarrow]"] = lambda c: pd.Series(TEXT[c % 13]).astype("string[pyarrow]")
    TIMES["timestamp[pyarrow]"] = lambda c: TIMES["datetime64[ns]"](c).astype(
        "timestamp[ns][pyarrow]"
    )
KINDS = (
    dict.fromkeys(NUMBERS, "numeric")
    | dict.fromkeys(LEVELS, "categorical")
    | dict.fromkeys(TIMES, "time")
    | dict.fromkeys(REFUSED, "refused")
)
MAKERS = NUMBERS | LEVELS | TIMES | REFUSED
# Types without a value for what is missing, and those in which a value is also infinite.
WITHOUT_MISSING = {
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("bool", "sparse int", "complex"),
}
WITH_INFINITE = {"float64", "float32", "float16", "float objects", "tiny", "huge", "offset"}

NAMES = ["x", "", "Ω é", "my col", 7, 0, -1, 2.5, True, ("a", 1), ("b",), pd.Timestamp(0)]
INDICES = {
    "range": pd.RangeIndex,
    "repeated": lambda n: pd.Index([5] * n),
    "text": lambda n: pd.Index([f"r{i % 3}" for i in range(n)]),
    "times": lambda n: pd.date_range("2020", periods=n)[::-1],
    "several": lambda n: pd.MultiIndex.from_arrays([range(n), ["k"] * n]),
    "missing": lambda n: pd.Index([np.nan, *range(n - 1)]),
}


@dataclass
class Case:
    """A frame, which of its columns are explained, and what is known of these.

    Parameters
    ----------
    X : DataFrame of n rows
        The data.
    places : list of int
        Positions of the explained columns.
    row : int
        Position of a column that numbers the rows.
    types : list of str
        Their types, keys of `MAKERS`.
    """

    X: pd.DataFrame
    places: list
    row: int
    types: list

    @property
    def names(self):
        return [self.X.columns[place] for place in self.places]

    @property
    def asked(self):
        """One name, or a pair; a tuple that is a name is its own request."""
        return self.names[0] if len(self.places) == 1 else tuple(self.names)

    def column(self, number=0):
        return self.X.iloc[:, self.places[number]]

    @property
    def unusable_names(self):
        """Whether a name is ambiguous, or the columns have several levels."""
        names = list(self.X.columns)
        several = isinstance(self.X.columns, pd.MultiIndex)
        return several or any(names.count(name) > 1 for name in self.names)

    def known(self):
        """The rows (n,) in which all explained columns have a value."""
        return ~np.any([self.column(i).isna() for i in range(len(self.places))], axis=0)


def _with_gaps(column, type_name, rng, missing, infinite):
    """The column with a missing or an infinite value somewhere, where its type has one."""
    rows = rng.integers(0, len(column), 2)
    if missing and type_name not in WITHOUT_MISSING and KINDS[type_name] != "refused":
        column = column.mask(np.isin(np.arange(len(column)), rows[:1]))
    if infinite and type_name in WITH_INFINITE:
        column = column.copy()
        column.iloc[rows[1]] = np.inf
    return column


@st.composite
def cases(draw, *kinds, most=14, odd=True):
    """Frames of one or two explained columns, each of one of the kinds given for it.

    `kinds` are sets of "numeric", "categorical", "time" and "refused"; without `odd` values are
    all known and names plain.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, most))
    types = [
        draw(st.sampled_from([name for name, kind in KINDS.items() if kind in wanted]))
        for wanted in kinds
    ]
    distinct = draw(st.sampled_from([2, 3, 5, 12]))
    columns = []
    for type_name in types:
        values = MAKERS[type_name](rng.integers(0, distinct, n))
        gaps = [draw(st.sampled_from([False] * 9 + [True])) and odd for _ in range(2)]
        columns.append(_with_gaps(values, type_name, rng, *gaps))
    columns.append(pd.Series(np.arange(float(n))))
    for _ in range(draw(st.integers(0, 2))):
        type_name = draw(st.sampled_from(sorted(MAKERS)))
        other = MAKERS[type_name](rng.integers(0, distinct, n))
        columns.append(_with_gaps(other, type_name, rng, rng.uniform() < 0.3, False))
    order = rng.permutation(len(columns))
    names = draw(st.permutations(NAMES))[: len(columns)] if odd else list("xzuvwy")[: len(columns)]
    if odd and draw(st.integers(0, 15)) == 15:
        names[-1] = names[0]
    X = pd.concat([columns[i] for i in order], axis=1)
    labels = [names[i] for i in order]
    X.columns = pd.Index(labels, tupleize_cols=False)
    if odd and draw(st.integers(0, 30)) == 30:
        X.columns = pd.MultiIndex.from_tuples([(str(name), "s") for name in labels])
    X.index = INDICES[draw(st.sampled_from(sorted(INDICES)))](n)
    places = np.argsort(order).tolist()
    return Case(X, places[: len(types)], places[len(types)], types)
