"""Data sets and simulations behind the figures of the literature.

UCI files are looked for, in this order, at an explicit ``path``, in the folder named by the
environment variable ``ALEPLOT_PY_DATA``, in the user's cache, in a folder ``shared/data`` beside
the checkout, and in the package itself, which has all but the hourly rentals (see ``NOTICE`` in
``aleplot_py/datasets/data``). Those alone are downloaded from UCI's archive and kept in the cache
(needs pooch; never tried where ``ALEPLOT_PY_OFFLINE`` is set to anything but the empty string). A
file may be packed, as ``.csv.xz``. What was read is compared with a pinned shape and SHA-256 of
the values, so that a figure is never drawn from other data than its caption says.

Frames have the columns, levels and units of the source's R code; categorical columns are
unordered and list their levels in R's order.
"""

from aleplot_py.datasets.files import DataMismatchError, DataNotFoundError, values_sha256
from aleplot_py.datasets.loaders import (
    Split,
    bike_split,
    load_adult,
    load_bike,
    load_bike_hourly,
    load_cervical,
    load_penguins,
    penguin_split,
)
from aleplot_py.datasets.simulations import (
    book_extrapolation_model,
    gkolemis_interaction_model,
    gkolemis_piecewise_model,
    groemping_model,
    simulate_book_points,
    simulate_gkolemis_interaction,
    simulate_gkolemis_piecewise,
    simulate_groemping,
    simulate_vignette_example1,
    simulate_vignette_example2,
    simulate_vignette_example4,
)

__all__ = [
    "DataMismatchError",
    "DataNotFoundError",
    "Split",
    "bike_split",
    "book_extrapolation_model",
    "gkolemis_interaction_model",
    "gkolemis_piecewise_model",
    "groemping_model",
    "load_adult",
    "load_bike",
    "load_bike_hourly",
    "load_cervical",
    "load_penguins",
    "penguin_split",
    "simulate_book_points",
    "simulate_gkolemis_interaction",
    "simulate_gkolemis_piecewise",
    "simulate_groemping",
    "simulate_vignette_example1",
    "simulate_vignette_example2",
    "simulate_vignette_example4",
    "values_sha256",
]
