"""Effect of x on the predictions of my model.

The first paragraph of this text is the figure's title, the whole of it the caption in the gallery:
the data, the model, and what one sees.
"""

import numpy as np
import pandas as pd

from aleplot_py import ale, partial_dependence
from reproductions.engine.figure import Claim, decide

SIZE = (6.4, 3.2)  # inches
SEED = 1  # entered into the manifest with the figure


def compute(n=200, K=20):
    """Numbers of the figure by name: results of aleplot_py or DataFrames, each saved as a csv.

    The arguments are the settings that can be varied, by ``--set K=5`` for instance.
    """
    # A file beside this one is Path(__file__).with_name("data.csv").
    rng = np.random.default_rng(SEED)
    x = rng.uniform(size=n)
    X = pd.DataFrame({"x": x, "z": x + rng.normal(0, 0.1, n)})

    # Any function of a DataFrame, such as fitted.predict.
    def model(frame):
        return frame["x"] ** 2 + frame["x"] * frame["z"]

    return {"ale": ale(model, X, "x", K=K), "pd": partial_dependence(model, X, "x", K=K)}


def draw(numbers, figure, text):
    """Draw the numbers on an empty matplotlib figure of SIZE; the runner saves it.

    ``text`` knows the common words in every language: ``text("ale")``, ``text("pd")``.
    """
    axes = figure.subplots(1, 2, sharey=True)
    for ax, name in zip(axes, ("ale", "pd"), strict=True):
        effect = numbers[name]
        ax.plot(effect.x_values[0], effect.f_values)
        ax.set(title=text(name), xlabel="x")
    axes[0].set_ylabel(text("effect"))


def rises(numbers):
    """Compare the ends of the ALE curve."""
    first, *_, last = numbers["ale"].f_values
    return decide(last > first, first=first, last=last)


# What a text says about the figure, the evidence as a template, and what judges it.
CLAIMS = (Claim("rises", "The prediction rises with x.", "From {first:.2f} to {last:.2f}.", rises),)
