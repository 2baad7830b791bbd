"""What the figures on automatic intervals share: slopes in intervals, and how they are drawn."""

import numpy as np
import pandas as pd


def slopes_of(effect):
    """Mean and standard deviation of the local effects per unit of the feature, by interval."""
    edges = effect.x_values[0]
    widths = np.diff(edges)
    return pd.DataFrame(
        {
            "low": edges[:-1],
            "high": edges[1:],
            "count": effect.counts,
            "slope": effect.local_mean / widths,
            "sd": effect.local_std / widths,
        }
    )


def draw_slopes(ax, slopes, color):
    """Draw the mean slope of each interval with a band of one standard deviation."""
    edges = np.append(slopes["low"], slopes["high"].iloc[-1])
    low, high = slopes["slope"] - slopes["sd"], slopes["slope"] + slopes["sd"]
    ax.stairs(high, edges, baseline=low.to_numpy(), fill=True, color=color, alpha=0.22, linewidth=0)
    ax.stairs(slopes["slope"], edges, baseline=None, color=color, linewidth=1.2)
    ax.axhline(0, color="0.65", linewidth=0.6, linestyle="-", zorder=0.5)
