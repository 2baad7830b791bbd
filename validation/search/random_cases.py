"""Random cases: data of many kinds, a black box written as an expression, features and K.

A case has the form of the stored results (``goldens_reader.StoredCase``): everything is in it as
numbers and text, so that a saved case is the same on any machine.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from validation.goldens_reader import StoredCase

Array = np.ndarray[Any, Any]
Generator = np.random.Generator

KINDS = ("numeric", "categorical", "numeric_numeric", "categorical_numeric")

LEVELS = (
    ("a", "b", "c", "d", "e", "f"),
    ("10", "9", "2", "1.5", "-1", "0"),
    ("two words", "é", "<5", "A", "a", "Z"),
)


def _correlated(rng: Generator, n: int) -> Array:
    return rng.uniform(size=(n, 1)) + rng.normal(0, 0.05, (n, 3))


def _discrete(rng: Generator, n: int) -> Array:
    return rng.integers(0, [4, 7, 15], (n, 3)).astype(np.float64)


def _lattice(rng: Generator, n: int) -> Array:
    return rng.integers(0, 12, (n, 3)) / 10


def _skewed(rng: Generator, n: int) -> Array:
    return rng.lognormal(0, 1.5, (n, 3))


def _zero_inflated(rng: Generator, n: int) -> Array:
    return np.where(rng.uniform(size=(n, 3)) < 0.6, 0.0, rng.exponential(size=(n, 3)))


def _offset(rng: Generator, n: int) -> Array:
    return 1e6 + rng.normal(size=(n, 3))


def _binary(rng: Generator, n: int) -> Array:
    values = rng.normal(size=(n, 3))
    values[:, 0] = rng.integers(0, 2, n)
    return values


def _rounded(rng: Generator, n: int) -> Array:
    return rng.normal(size=(n, 3)).round(1)


_SIMPLE: dict[str, Callable[[Generator, int], Array]] = {
    "correlated": _correlated,
    "discrete": _discrete,
    "lattice": _lattice,
    "skewed": _skewed,
    "zero-inflated": _zero_inflated,
    "offset": _offset,
    "binary": _binary,
    "rounded": _rounded,
}


def _mixed(rng: Generator, n: int) -> Array:
    kinds = rng.choice(list(_SIMPLE), 3)
    return np.column_stack([_SIMPLE[kind](rng, n)[:, j] for j, kind in enumerate(kinds)])


DATA = {**_SIMPLE, "mixed": _mixed}


def _codes(rng: Generator, n: int, similar_to: Array) -> Array:
    """Codes of 2 to 6 used levels, some rare, in half of the cases following a numeric column."""
    used = int(rng.integers(2, 7))
    evenness = rng.choice([0.3, 0.7, 20.0])
    codes = rng.choice(used, n, p=rng.dirichlet(np.full(used, evenness)))
    codes[:2] = 0, 1
    if rng.uniform() < 0.5:
        codes = np.sort(codes)[np.argsort(np.argsort(similar_to, kind="stable"))]
    return codes


def _make_twins(numbers: Array, codes: Array, others: Array) -> None:
    """Give the first two levels the same rows in every other column, in place.

    They then have the same place on the axis of the levels.
    """
    half = len(codes) // 2
    numbers[half : 2 * half], others[half : 2 * half] = numbers[:half], others[:half]
    swapped = np.where(codes[:half] < 2, 1 - codes[:half], codes[:half])
    codes[half : 2 * half] = swapped
    if len(codes) % 2:
        codes[-1] = 2 if codes.max() > 1 else codes[-1]


def _black_box(rng: Generator, x1: Array, x2: Array) -> str:
    """Sum of one to four random terms, from straight lines to steps at values of the data."""
    a, b = (float(value) for value in rng.normal(0, 3, 2).round(2))
    at_1, at_2 = float(rng.choice(x1)), float(rng.choice(x2))
    level = int(rng.integers(0, 6))
    terms = [
        f"{a!r} * x1",
        f"{b!r} * x2",
        f"{a!r} * x1 * x2",
        "x1 ** 2 * x2",
        f"np.sin({b!r} * x1) * x3",
        f"np.exp(-(x2 - x1) ** 2) * {a!r}",
        f"np.where((x1 > {at_1!r}) & (x2 <= {at_2!r}), {a!r}, {b!r})",
        f"np.abs(x1 - {at_1!r}) * x3",
        "np.tanh(x1 * x2)",
        "np.maximum(x1, x2)",
        f"np.floor({a!r} * x1)",
        "np.sqrt(np.abs(x1 * x2))",
        f"{a!r} * c * x2",
        "np.cos(c) * x2",
        f"(c == {level}) * x3",
        f"{b!r} * g * x1",
        "g * c",
        "np.log1p(np.abs(x2)) * c * g",
        "1000.0",
    ]
    chosen = rng.choice(len(terms), int(rng.integers(1, 5)), replace=False)
    return " + ".join(terms[i] for i in chosen)


def draw(seed: int, number: int, kind: str | None = None, data: str | None = None) -> StoredCase:
    """Draw a case; the same arguments give the same case.

    Parameters
    ----------
    seed : int
        Seed of the search, not negative.
    number : int
        Number of the case in the search; kinds and data take turns.
    kind : str, optional
        One of `KINDS`, by default the one whose turn it is.
    data : str, optional
        One of `DATA`, by default the one whose turn it is.

    Returns
    -------
    StoredCase
        Columns x1, x2, x3 (numbers) and c, g (categories); each explained column has at least two
        values.
    """
    kind = KINDS[number % len(KINDS)] if kind is None else kind
    data = list(DATA)[number // len(KINDS) % len(DATA)] if data is None else data
    rng = np.random.default_rng([seed, number, zlib.crc32(f"{kind} {data}".encode())])
    n = int(rng.choice([8, 20, 60, 150, 400], p=[0.1, 0.2, 0.3, 0.25, 0.15]))
    numbers = DATA[data](rng, n)
    codes = _codes(rng, n, numbers[:, 1])
    others = rng.integers(0, 3, n)
    if rng.uniform() < 0.15:
        _make_twins(numbers, codes, others)
    for column in numbers.T:
        if np.ptp(column) == 0:
            column[[0, n // 2]] += 1
    columns: dict[str, dict[str, Any]] = {}
    for name, values in zip(("x1", "x2", "x3"), numbers.T, strict=True):
        whole = data == "discrete" and rng.uniform() < 0.5
        columns[name] = (
            {"kind": "integer", "values": values.astype(int).tolist()}
            if whole
            else {"kind": "numeric", "values": values.tolist()}
        )
    levels = list(LEVELS[int(rng.integers(len(LEVELS)))])
    columns["c"] = {
        "kind": "categorical",
        "levels": levels,
        "codes": rng.permutation(6)[codes].tolist(),
    }
    columns["g"] = {
        "kind": "categorical",
        "levels": ["low", "mid", "high"],
        "codes": others.tolist(),
    }
    names = list(columns)
    numeric = ("x1", "x2") if rng.uniform() < 0.5 else ("x2", "x1")
    features = {
        "numeric": numeric[:1],
        "categorical": ("c",),
        "numeric_numeric": numeric,
        "categorical_numeric": ("c", numeric[0]),
    }[kind]
    K = int(rng.choice([1, 2, 5, 12, 40, 100])) if len(features) == 1 else int(rng.integers(1, 25))
    return StoredCase(
        {
            "id": f"{kind}-{data}-{seed}-{number}",
            "r_function": "ALEPlot",
            "J": [names.index(name) + 1 for name in features],
            "columns": list(features),
            "K": K,
            "n": n,
            "black_box": _black_box(rng, numbers[:, 0], numbers[:, 1]),
            "data": columns,
            "drawn": {"kind": kind, "data": data, "seed": seed, "number": number},
        }
    )
