"""Main effects of four independent features, found in a neural network.

The network (8 hidden units) was fitted in R to 5,000 rows of y = 4 x1 + 3.87 x2^2 + 2.97 s(10 x3 -
5) plus standard normal noise, s the logistic function; x4 has no effect. Accumulated local effects
in 100 quantile intervals, with the true effects dashed. After figure 3 of the vignette of the R
package ALEPlot (Zhu and Apley).
"""

import numpy as np

from aleplot_py import ale
from aleplot_py.datasets.simulations import simulate_vignette_example1
from reproductions.engine.black_boxes import black_box
from reproductions.engine.figure import Claim, decide
from reproductions.engine.reference import Reference
from reproductions.figures.aleplot._independent import FEATURES, draw_mains, error, shares_explained

IDS = ("aleplot/3",)
MODEL = "vignette_network_ex1"
SEED = 1
SIZE = (7.2, 2.2)
# Share of the largest effect below which one is called almost zero.
ALMOST_ZERO = 0.05

REFERENCE = {
    name: Reference(f"vignette_fig3_ale_{name}.csv", grid={name: "x"}, values={"ale": "f"})
    for name in FEATURES
}


def compute(model="r", n=5000, seed=SEED, K=100):
    """Effects of the four features, K = 100."""
    X = simulate_vignette_example1(n, seed=seed)[list(FEATURES)]
    return dict(ale(black_box(MODEL, model), X, list(FEATURES), K=K))


def draw(numbers, figure, text):
    """Draw the four effects on one scale."""
    draw_mains(figure.subplots(1, 4, sharey=True), numbers, text)


def linear(numbers):
    """Measure how much of the first effect a straight line explains."""
    share, _ = shares_explained(numbers["x1"])
    return decide(share > 0.99, share=100 * share, error=error(numbers["x1"], "x1"))


def quadratic(numbers):
    """Compare what a parabola and a straight line explain of the second effect."""
    line, parabola = shares_explained(numbers["x2"])
    return decide(
        parabola > 0.99 > line,
        partly=parabola > 0.99,
        line=100 * line,
        parabola=100 * parabola,
        error=error(numbers["x2"], "x2"),
    )


def sigmoid(numbers):
    """Compare the slopes of the third effect in the middle and at both ends."""
    effect = numbers["x3"]
    ends, middle = effect.evaluate([0.01, 0.16, 0.84, 0.99]), effect.evaluate([0.42, 0.58])
    steep = (middle[1] - middle[0]) / 0.16
    flat = [(ends[1] - ends[0]) / 0.15, (ends[3] - ends[2]) / 0.15]
    return decide(
        steep > 4 * max(map(abs, flat)),
        partly=steep > max(map(abs, flat)),
        steep=steep,
        left=flat[0],
        right=flat[1],
        error=error(effect, "x3"),
    )


def zero(numbers):
    """Compare the largest effect of the feature without one with the largest of all."""
    sizes = {name: np.abs(numbers[name].f_values).max() for name in FEATURES}
    share = sizes["x4"] / max(sizes.values())
    return decide(share < ALMOST_ZERO, largest=sizes["x4"], percent=100 * share)


CLAIMS = (
    Claim(
        "linear",
        "The effect of x1 is linear.",
        "A straight line explains {share:.2f} % of its variance; it is within {error:.2f} of the "
        "true effect.",
        linear,
    ),
    Claim(
        "quadratic",
        "The effect of x2 is quadratic.",
        "A parabola explains {parabola:.2f} % of its variance, a straight line {line:.1f} %; it is "
        "within {error:.2f} of the true effect.",
        quadratic,
    ),
    Claim(
        "sigmoid",
        "The effect of x3 is a sigmoid.",
        "Slope {steep:.1f} in the middle, {left:.1f} at the left and {right:.1f} at the right end; "
        "it is within {error:.2f} of the true effect.",
        sigmoid,
    ),
    Claim(
        "zero",
        "The effect of x4 is almost zero.",
        "At most {largest:.3f} in absolute value, {percent:.1f} % of the largest effect.",
        zero,
    ),
)
