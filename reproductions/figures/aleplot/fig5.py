"""Main effects and second-order effects of a network that has learned an interaction.

As figure 3 with 13.86 (x1 - 0.5)(x2 - 0.5) added to the response and 6 hidden units: main effects
in 500 quantile intervals (above, true effects dashed), second-order effects of (x1, x2) and (x1,
x4) in 100 by 100 (below, in the colours of one scale; most of these cells hold no row and are
filled from the nearest). After figure 5 of the vignette of the R package ALEPlot (Zhu and Apley).
"""

import numpy as np

from aleplot_py import ale
from aleplot_py.datasets.simulations import simulate_vignette_example2
from aleplot_py.plots.display import AleDisplay
from reproductions.engine.black_boxes import black_box
from reproductions.engine.figure import Claim, decide
from reproductions.engine.reference import Reference
from reproductions.figures.aleplot._independent import FEATURES, draw_mains, error
from reproductions.figures.drawing import contour_labels

IDS = ("aleplot/5",)
MODEL = "vignette_network_ex2"
SEED = 1
SIZE = (7.2, 4.8)

PAIRS = {"x1_x2": ("x1", "x2"), "x1_x4": ("x1", "x4")}
CONTOURS = {"x1_x2": (-3, -2, -1, 0, 1, 2, 3), "x1_x4": (-0.05, 0.05)}
# Corner of the true second-order effect, 13.86 / 4.
CORNER = 3.465
# Shares from which a surface is called similar to a paraboloid, and below which negligible.
SIMILAR, NEGLIGIBLE = 0.95, 0.05

REFERENCE = {
    name: Reference(f"vignette_fig5_ale_{name}.csv", grid={name: "x"}, values={"ale": "f"})
    for name in FEATURES
} | {
    # R's files call the second feature of either pair x2.
    name: Reference(
        f"vignette_fig5_ale_{name}.csv", grid={first: "x1", second: "x2"}, values={"ale": "f"}
    )
    for name, (first, second) in PAIRS.items()
}


def compute(model="r", n=5000, seed=SEED, K=500, K_pair=100):
    """Main effects with K = 500, two pairs with K = 100."""
    X = simulate_vignette_example2(n, seed=seed)[list(FEATURES)]
    network = black_box(MODEL, model)
    numbers = dict(ale(network, X, list(FEATURES), K=K))
    return numbers | {name: ale(network, X, pair, K=K_pair) for name, pair in PAIRS.items()}


def draw(numbers, figure, text):
    """Draw the main effects above and the two pairs, on one scale of colours, below."""
    above, below = figure.subfigures(2, 1, height_ratios=(1, 1.25))
    draw_mains(above.subplots(1, 4, sharey=True), numbers, text)
    axes = below.subplots(1, 2)
    for ax, name in zip(axes, PAIRS, strict=True):
        display = AleDisplay(numbers[name]).plot(
            ax=ax,
            clim=(-CORNER, CORNER),
            empty="none",
            labels={feature: text(f"label.{feature}") for feature in PAIRS[name]},
            title=text(f"pair.{name}"),
            visuals={
                "contours": {"levels": CONTOURS[name]},
                "contour_labels": contour_labels(text),
                "colorbar": False,
            },
        )
    bar = below.colorbar(display.meshes_[0], ax=axes, label=text("pair"))
    bar.outline.set_visible(False)


def mains_recovered(numbers):
    """Find the largest distance of a main effect from the true one."""
    errors = {name: error(numbers[name], name) for name in FEATURES}
    return decide(max(errors.values()) < 0.25, partly=min(errors.values()) < 0.25, **errors)


def saddle(numbers):
    """Find the share of the second-order effect that a hyperbolic paraboloid explains."""
    effect = numbers["x1_x2"]
    f = effect.f_values - effect.f_values.mean()
    first, second = (x - x.mean() for x in effect.x_values)
    product = np.outer(first, second)
    share = (f * product).sum() ** 2 / ((f**2).sum() * (product**2).sum())
    places = {"ll": (0, 0), "lr": (-1, 0), "ul": (0, -1), "ur": (-1, -1)}
    corners = {name: effect.f_values[place] for name, place in places.items()}
    signs = min(corners["ll"], corners["ur"]) > 0 > max(corners["lr"], corners["ul"])
    return decide(signs and share > SIMILAR, partly=signs, share=100 * share, **corners)


def no_interaction(numbers):
    """Compare the second-order effect of x1 and x4 with that of x1 and x2."""
    largest, other = (np.abs(numbers[name].f_values).max() for name in ("x1_x4", "x1_x2"))
    return decide(largest < NEGLIGIBLE * other, largest=largest, percent=100 * largest / other)


CLAIMS = (
    Claim(
        "mains",
        "The main effects still capture the correct linear, quadratic, sigmoidal and zero "
        "relationships.",
        "Largest distance from the true effect: x1 {x1:.2f}, x2 {x2:.2f}, x3 {x3:.2f}, x4 "
        "{x4:.2f}.",
        mains_recovered,
    ),
    Claim(
        "saddle",
        "The second-order effect of x1 and x2 looks similar to the contour plot of a hyperbolic "
        "paraboloid.",
        "A product (x1 - a)(x2 - b) explains {share:.1f} % of its variation over the grid; corners "
        "{ll:.2f} and {ur:.2f} on the diagonal, {lr:.2f} and {ul:.2f} off it, in truth ±3.46.",
        saddle,
    ),
    Claim(
        "none",
        "The interaction between x1 and x4 is almost negligible.",
        "At most {largest:.3f} in absolute value, {percent:.1f} % of the largest of x1 and x2.",
        no_interaction,
    ),
)
