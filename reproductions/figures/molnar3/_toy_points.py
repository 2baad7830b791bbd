"""What the chapter's toy figures 20.1 to 20.3 share: how points and axes look."""

# Value of x1 at which predictions are averaged.
LINE = 0.75
POINT = {"s": 14, "color": "0.25", "linewidth": 0, "zorder": 2}
RED = "#d55e00"


def draw_points(axes, points, text):
    """Draw the two features against each other."""
    axes.scatter(points["x1"], points["x2"], **POINT)
    axes.set(xlabel=text("label.x1"), ylabel=text("label.x2"))


def draw_average_at(axes, numbers, text, *, shrink):
    """Draw points, a line at a value of x1 and, beside it, the density averaged over there."""
    draw_points(axes, numbers["points"], text)
    x1 = numbers["line"]["x1"][0]
    axes.axvline(x1, color=RED, linestyle="-", linewidth=1.4)
    density = numbers["density"]
    axes.plot(x1 - density["density"] / shrink, density["x"], color=RED, linestyle="-")
    axes.fill_betweenx(
        density["x"], x1 - density["density"] / shrink, x1, color=RED, alpha=0.18, linewidth=0
    )
    axes.set_ylim(-0.2, 1.2)
