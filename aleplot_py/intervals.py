"""Automatic intervals (public path of `aleplot_py.effects.intervals`)."""

from aleplot_py.effects.intervals import Auto, Intervals, fit, fit_derivatives

__all__ = [
    "Auto",
    "Intervals",
    "fit",
    "fit_derivatives",
]
