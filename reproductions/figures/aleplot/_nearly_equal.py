"""What figures 7 and 8 share: networks fitted to two features that hardly ever differ."""

from aleplot_py import Effect, ale, partial_dependence
from aleplot_py.datasets.simulations import simulate_vignette_example4
from aleplot_py.datasets.truth import ALEPlotDependent
from reproductions.engine.black_boxes import black_box

NETWORKS = "vignette_networks_ex4"
FEATURES = {"x1": 1, "x2": 2}
METHODS = ("ale", "pd")


def effects(model, seed, K):
    """ALE and partial dependence of the network fitted to one data set, as in R's ALEPlot."""
    X = simulate_vignette_example4(seed=seed)[["x1", "x2"]]
    network = black_box(NETWORKS, model)[seed]
    numbers: dict[str, Effect] = {}
    for name in FEATURES:
        numbers[f"ale_{name}"] = ale(network, X, name, K=K)
        numbers[f"pd_{name}"] = partial_dependence(network, X, name, K=K, centre="pdplot")
    return numbers


def truth(name, x):
    """Effect in the population, the same for ALE and partial dependence of an additive model."""
    return ALEPlotDependent(s=0.05).ale(FEATURES[name], x)
