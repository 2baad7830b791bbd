"""Data sets behind the figures, by the name that scripts use."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pandas as pd

from aleplot_py import datasets


@dataclass(frozen=True)
class DataSet:
    """A data set.

    Parameters
    ----------
    load : callable
        Function without arguments that returns the frame.
    credit : str
        Source and licence, for the gallery.
    """

    load: Callable[[], pd.DataFrame]
    credit: str


_BIKE = "UCI Bike Sharing (Fanaee-T and Gama 2013), CC BY 4.0"

DATA = {
    "bike_edition2": DataSet(partial(datasets.load_bike, edition=2), _BIKE),
    "bike_edition3": DataSet(partial(datasets.load_bike, edition=3), _BIKE),
    "penguins": DataSet(
        datasets.load_penguins, "palmerpenguins (Horst, Hill and Gorman 2020), CC0"
    ),
    "cervical": DataSet(
        datasets.load_cervical,
        "UCI Cervical Cancer Risk Factors (Fernandes et al. 2017), CC BY 4.0",
    ),
    "adult": DataSet(datasets.load_adult, "UCI Adult (Becker and Kohavi 1996), CC BY 4.0"),
}


def digest(names: tuple[str, ...]) -> dict[str, str]:
    """Digests of the values of data sets.

    Parameters
    ----------
    names : tuple of str
        Names in `DATA`.

    Returns
    -------
    dict of str to str
        Name to SHA-256.
    """
    return {name: datasets.values_sha256(DATA[name].load()) for name in names}
