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

IDS = ("aleplot/5",)
MODEL = "vignette_network_ex2"
SEED = 1
SIZE = (7.2, 4.8)

PAIRS = {"x1_x2": ("x1", "x2"), "x1_x4": ("x1", "x4")}
CONTOURS = {"x1_x2": (-3, -2, -1, 0, 1, 2, 3), "x1_x4": (-0.05, 0.05)}
# Corner of the true second-order effect, 13.86 / 4.
CORNER = 3.465

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
            visuals={"contours": {"levels": CONTOURS[name]}, "colorbar": False},
        )
    bar = below.colorbar(display.meshes_[0], ax=axes, label=text("pair"))
    bar.outline.set_visible(False)


def mains_recovered(numbers):
    """Find the largest distance of a main effect from the true one."""
    errors = {name: error(numbers[name], name) for name in FEATURES}
    return decide(max(errors.values()) < 0.25, partly=min(errors.values()) < 0.25, **errors)


def saddle(numbers):
    """Compare the four corners of the second-order effect with 3.4."""
    f = numbers["x1_x2"].f_values
    corners = {"ll": f[0, 0], "lr": f[-1, 0], "ul": f[0, -1], "ur": f[-1, -1]}
    signs = min(corners["ll"], corners["ur"]) > 0 > max(corners["lr"], corners["ul"])
    near = all(abs(abs(corner) - 3.4) < 0.34 for corner in corners.values())
    return decide(signs and near, partly=signs, **corners)


def no_interaction(numbers):
    """Find how far the second-order effect of x1 and x4 is from 0."""
    size = np.abs(numbers["x1_x4"].f_values)
    share = (size < 0.06).mean()
    return decide(size.max() < 0.06, partly=share > 0.9, largest=size.max(), share=100 * share)


CLAIMS = (
    Claim(
        "mains",
        "The main effects are those of figure 3.",
        "Largest distance from the true effect: x1 {x1:.2f}, x2 {x2:.2f}, x3 {x3:.2f}, x4 "
        "{x4:.2f}.",
        mains_recovered,
    ),
    Claim(
        "saddle",
        "The second-order effect of x1 and x2 is a saddle whose corners lie near 3.4 and -3.4.",
        "Corners {ll:.2f} and {ur:.2f} on the diagonal, {lr:.2f} and {ul:.2f} off it: a saddle, "
        "less high than the true one (3.46).",
        saddle,
    ),
    Claim(
        "none",
        "x1 and x4 do not interact: their second-order effect stays within 0.06 of 0.",
        "At most {largest:.3f} in absolute value, below 0.06 at {share:.0f} % of the grid points.",
        no_interaction,
    ),
)
