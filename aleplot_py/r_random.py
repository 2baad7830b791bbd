"""R's random numbers (public path of `aleplot_py.r.random`)."""

from aleplot_py.r.random import RRandom, set_seed

__all__ = [
    "RRandom",
    "set_seed",
]
