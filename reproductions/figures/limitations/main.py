"""ALE against its closed form: where the number of intervals decides.

Five examples with the effects in the population (dashed). A sum of a cubic of x1 and of x2, then
their product, for x2 within 3 of x1; a fast oscillation sin(10 x1) x2; a narrow step of height 10
between 4.9 and 5.1; and the second-order effect of x1 and x2 in x1 x2 x3, along x1 at three values
of x2. Thin lines: few intervals, thick lines: many. Last, partial dependence of x1 in x1 + x2 - x3,
where x3 follows x2: a straight line as ALE is. After the chapters on ALE in Limitations of
Interpretable Machine Learning Methods (LMU Munich, 2019); rows are drawn here, not those of its
seeds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py import ale, partial_dependence
from reproductions.engine.figure import Claim, decide

IDS = ("limitations/main",)
PLACE = "1"
SEED = 7
SIZE = (7.6, 4.6)

BLUE, ORANGE = "#0b5394", "#d55e00"
STEP_K = (20, 30, 50, 100)
PAIR_AT = (4.0, 5.0, 6.0)


@dataclass(frozen=True)
class Example:
    """A main effect of x1: features, model, effect but for a constant, rows, two choices of K."""

    simulate: Callable
    model: Callable
    truth: Callable
    rows: int
    few: int
    many: int


def _near(rng, n):
    x1 = rng.uniform(0, 10, n)
    return pd.DataFrame({"x1": x1, "x2": rng.uniform(x1 - 3, x1 + 3)})


def _around_10(rng, n):
    x1 = rng.normal(10, 3, n)
    return pd.DataFrame({"x1": x1, "x2": rng.normal(x1, 1)})


def _cubic(x):
    return (x - 4) * (x - 5) * (x - 6)


def _step(x):
    return 10.0 * ((x >= 4.9) & (x <= 5.1))


EXAMPLES = {
    "sum": Example(
        _near,
        lambda X: _cubic(X["x1"]) + X["x2"] ** 3,
        lambda x: x**3 - 15 * x**2 + 74 * x,
        1000, 10, 50,
    ),
    "product": Example(
        _near,
        lambda X: _cubic(X["x1"]) * X["x2"] ** 3,
        lambda x: x**6 / 2 - 6 * x**5 + 101 * x**4 / 4 - 90 * x**3 + 333 * x**2,
        100, 10, 50,
    ),
    "oscillation": Example(
        _around_10,
        lambda X: np.sin(10 * X["x1"]) * X["x2"],
        lambda x: x * np.sin(10 * x) + np.cos(10 * x) / 10,
        1000, 20, 100,
    ),
    "step": Example(_near, lambda X: _step(X["x1"]), _step, 100, 20, 50),
}  # fmt: skip


def pair_model(X):
    """Product of three features."""
    return (X["x1"] * X["x2"] * X["x3"]).to_numpy()


def pair_truth(x1, x2):
    """Second-order effect of x1 and x2 in the population."""
    return (x2**2 - 26) * (x1 - 0.25) / 2


def linear_model(X):
    """Sum of two features less the third."""
    return (X["x1"] + X["x2"] - X["x3"]).to_numpy()


def compute(data_sets=100, seed=SEED):
    """Effects in few and many intervals, how often a step is seen, the pair, the linear model."""
    numbers: dict[str, Any] = {}
    for name, example in EXAMPLES.items():
        X = example.simulate(np.random.default_rng(seed), example.rows)
        for size in ("few", "many"):
            K = getattr(example, size)
            numbers[f"{name}_{size}"] = ale(example.model, X, "x1", K=K)
    rng = np.random.default_rng(seed)
    step = EXAMPLES["step"]
    samples = [step.simulate(rng, step.rows) for _ in range(data_sets)]
    reach = [
        (K, data_set, np.ptp(ale(step.model, X, "x1", K=K).f_values))
        for K in STEP_K
        for data_set, X in enumerate(samples)
    ]
    numbers["steps"] = pd.DataFrame(reach, columns=["K", "data_set", "reach"])
    x1, x2 = rng.uniform(0, 0.5, 5000), rng.normal(5, 1, 5000)
    X = pd.DataFrame({"x1": x1, "x2": x2, "x3": rng.normal(x2, x1)})
    numbers["pair"] = ale(pair_model, X, ("x1", "x2"), K=20)
    numbers["linear_pd"] = partial_dependence(linear_model, X, "x1", K=20)
    numbers["linear_ale"] = ale(linear_model, X, "x1", K=20)
    numbers["linear_pair"] = ale(linear_model, X, ("x1", "x2"), K=10)
    return numbers


def draw(numbers, figure, text):
    """Draw a panel for each example."""
    axes = figure.subplots(2, 3).ravel()
    for ax, (name, example) in zip(axes, EXAMPLES.items(), strict=False):
        effects = {size: numbers[f"{name}_{size}"] for size in ("few", "many")}
        many = effects["many"]
        x = np.linspace(many.x_values[0][0], many.x_values[0][-1], 2001)
        true = example.truth(x) - example.truth(x).mean() + many.evaluate(x).mean()
        for size, color, width in (("few", ORANGE, 0.9), ("many", BLUE, 1.6)):
            effect = effects[size]
            label = text("intervals", K=getattr(example, size))
            style = {"color": color, "linestyle": "-", "linewidth": width, "label": label}
            ax.plot(effect.x_values[0], effect.f_values, **style)
        ax.plot(x, true, color="black", linestyle="--", linewidth=0.8)
        ax.set(title=text(name), xlabel=text("label.x1"))
        ax.legend(fontsize=6.5, loc="best")
    axes[2].set_xlim(6, 14)
    for value, color in zip(PAIR_AT, (BLUE, "#009e73", ORANGE), strict=True):
        x = np.linspace(0.02, 0.48, 60)
        found = numbers["pair"].evaluate(x, np.full(60, value))
        axes[4].plot(x, found, color=color, linestyle="-", label=text("at", x2=value))
        axes[4].plot(x, pair_truth(x, value), color="black", linestyle="--", linewidth=0.8)
    axes[4].set(title=text("pair"), xlabel=text("label.x1"))
    axes[4].legend(fontsize=6.5, loc="best")
    for name, color, line in (("pd", ORANGE, "-"), ("ale", BLUE, "--")):
        effect = numbers[f"linear_{name}"]
        f = effect.f_values - effect.f_values.mean()
        axes[5].plot(effect.x_values[0], f, color=color, linestyle=line, label=text(name))
    axes[5].set(title=text("linear"), xlabel=text("label.x1"))
    axes[5].legend(fontsize=6.5, loc="best")
    for ax in axes[::3]:
        ax.set_ylabel(text("effect"))


def _error(numbers, name, size, low=-np.inf, high=np.inf):
    """Error of an effect at its grid, as a share of the truth's spread."""
    effect, truth = numbers[f"{name}_{size}"], EXAMPLES[name].truth
    x = np.linspace(max(low, effect.x_values[0][0]), min(high, effect.x_values[0][-1]), 501)
    true = truth(x)
    return np.std(effect.evaluate(x) - true) / np.std(true)


def sum_is_recovered(numbers):
    """Compare the effect in the sum with x^3 - 15 x^2 + 74 x."""
    many, few = (_error(numbers, "sum", size) for size in ("many", "few"))
    return decide(many < 0.02, partly=many < 0.1, many=100 * many, few=100 * few)


def oscillation_needs_many(numbers):
    """Compare 20 and 100 intervals for the oscillation between 6 and 14."""
    few, many = (_error(numbers, "oscillation", size, 6, 14) for size in ("few", "many"))
    return decide(many < 0.5 < few, partly=many < few, few=100 * few, many=100 * many)


def product_is_noisy(numbers):
    """Compare 10 and 50 intervals for the product."""
    few, many = (_error(numbers, "product", size) for size in ("few", "many"))
    return decide(few < many, few=100 * few, many=100 * many)


def step_is_missed(numbers):
    """Count the data sets whose effect shows at least half of the step."""
    steps = numbers["steps"]
    seen = 100 * (steps["reach"] > 5).groupby(steps["K"], observed=True).mean()
    return decide(
        seen[20] < 10 and seen[50] > 90,
        partly=seen[20] < seen[50],
        few=seen[20],
        many=seen[50],
        all=seen[100],
        data_sets=steps["data_set"].nunique(),
    )


def pair_is_right(numbers):
    """Compare the second-order effect with its closed form at the rows."""
    effect = numbers["pair"]
    x1, x2 = effect.observed
    inside = np.abs(x2 - 5) < 2
    x1, x2 = x1[inside], x2[inside]
    true = pair_truth(x1, x2)
    share = np.sqrt(np.mean((effect.evaluate(x1, x2) - true) ** 2)) / np.std(true)
    return decide(share < 0.1, partly=share < 0.3, share=100 * share)


def linear_agrees(numbers):
    """Compare the slopes of both methods with 1, and the second-order effect with 0."""
    slopes = [
        np.ptp(numbers[f"linear_{name}"].f_values) / np.ptp(numbers[f"linear_{name}"].x_values[0])
        for name in ("pd", "ale")
    ]
    pair = np.abs(numbers["linear_pair"].f_values).max()
    close = np.abs(np.array(slopes) - 1).max() < 1e-9
    return decide(close and pair < 1e-9, partly=close, pd=slopes[0], ale=slopes[1], pair=pair)


CLAIMS = (
    Claim(
        "sum",
        "ALE recovers the effect of x1 where the features' functions are added.",
        "Error {many:.1f} % of the effect's spread in 50 intervals, {few:.1f} % in 10.",
        sum_is_recovered,
    ),
    Claim(
        "product",
        "Where they are multiplied and there are few rows, few intervals do better than many.",
        "Error {few:.0f} % of the spread in 10 intervals, {many:.0f} % in 50.",
        product_is_noisy,
    ),
    Claim(
        "oscillation",
        "Few intervals miss a fast oscillation; many show it where there are data.",
        "Between 6 and 14 the error is {few:.0f} % of the spread in 20 intervals and {many:.0f} % "
        "in 100.",
        oscillation_needs_many,
    ),
    Claim(
        "step",
        "A step narrower than the intervals is not seen.",
        "The effect shows the step in {few:.0f} % of {data_sets:d} data sets with 20 intervals, in "
        "{many:.0f} % with 50 and in {all:.0f} % with 100, as many as rows.",
        step_is_missed,
    ),
    Claim(
        "pair",
        "The second-order effect is that of the closed form.",
        "Error {share:.0f} % of the spread at the rows within two standard deviations.",
        pair_is_right,
    ),
    Claim(
        "linear",
        "In a linear model partial dependence and ALE are the same straight line, and the "
        "second-order effect is 0.",
        "Slopes {pd:.3f} and {ale:.3f}; the second-order effect is at most {pair:.1e}.",
        linear_agrees,
    ),
)
