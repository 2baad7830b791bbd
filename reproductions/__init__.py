"""The figures of the literature on accumulated local effects, regenerated from data and models.

``models`` holds models fitted in R and exported with full precision, with R's predictions;
``reference`` holds the numbers R computed for each figure. ``figures`` has one script for each
figure, in the folder of its source; ``engine`` finds and runs them (``python -m reproductions``),
and evaluates the exported models in Python; ``site`` makes the gallery.

How to write a figure is told in ``CONTRIBUTING.md``.
"""

from reproductions.engine.variation import figure

__all__ = ["figure"]
