"""Effects known in closed form (public path of `aleplot_py.datasets.truth`)."""

from aleplot_py.datasets.truth import (
    ALEPlotDependent,
    BivariateNormalInteraction,
    CubicWindow,
    GridInteraction,
    Kink,
    LofoOracle,
    Step,
    TwoFeatureCase,
    UniformPlusNoise,
    lofo_oracle,
)

__all__ = [
    "ALEPlotDependent",
    "BivariateNormalInteraction",
    "CubicWindow",
    "GridInteraction",
    "Kink",
    "LofoOracle",
    "Step",
    "TwoFeatureCase",
    "UniformPlusNoise",
    "lofo_oracle",
]
