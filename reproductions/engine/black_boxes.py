"""The models that figures explain: exported from R, or refitted in scikit-learn.

R's models give R's figures. The refitted ones are of the same kind, with the same settings where
scikit-learn has them, so that a reader without R's exports sees whether a picture's message
survives; their numbers are other numbers.
"""

import functools
import hashlib
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeRegressor

from aleplot_py import datasets
from reproductions.engine import r_models

_FOLDER = Path(__file__).parents[1] / "models"
_SEED = 0

Predict = Callable[[pd.DataFrame], np.ndarray]
# One function, or one for each seed.
BlackBox = Predict | Mapping[int, Predict]


@dataclass(frozen=True)
class Model:
    """A model behind figures.

    Parameters
    ----------
    files : tuple of str
        The exported model's files in ``reproductions/models``.
    from_r : callable
        Function without arguments that gives the model exported from R.
    refit : callable
        Function without arguments that fits the same kind of model in scikit-learn.
    """

    files: tuple[str, ...]
    from_r: Callable[[], BlackBox]
    refit: Callable[[], BlackBox]

    def digest(self) -> str:
        """SHA-256 over the exported files."""
        digest = hashlib.sha256()
        for file in self.files:
            digest.update((_FOLDER / file).read_bytes())
        return digest.hexdigest()


@functools.cache
def black_box(name: str, model: str = "r") -> Any:
    """Model by its name.

    Parameters
    ----------
    name : str
        A key of `MODELS`.
    model : {"r", "sklearn"}
        The model exported from R, or one of the same kind refitted in scikit-learn.

    Returns
    -------
    callable
        Function of a frame of n rows that gives predictions of shape (n,). For the fifty networks
        of the vignette's fourth example: a dict of seed to such functions.

    Raises
    ------
    ValueError
        If `model` is neither "r" nor "sklearn".
    """
    if model not in ("r", "sklearn"):
        raise ValueError(f"model must be 'r' or 'sklearn', got {model!r}")
    chosen = MODELS[name]
    return chosen.from_r() if model == "r" else chosen.refit()


def _encoded(X: pd.DataFrame, estimator: Any) -> Any:
    """Pipeline that numbers the levels of categorical columns in their order."""
    categorical = [name for name in X if isinstance(X[name].dtype, pd.CategoricalDtype)]
    encoder = OrdinalEncoder(categories=[list(X[name].cat.categories) for name in categorical])
    columns = make_column_transformer((encoder, categorical), remainder="passthrough")
    return make_pipeline(columns, estimator)


def _fit(estimator: Any, frame: pd.DataFrame, response: str) -> tuple[Any, list[str]]:
    X = frame.drop(columns=response)
    return _encoded(X, estimator).fit(X, frame[response]), list(X.columns)


def _regression(estimator: Any, frame: pd.DataFrame, response: str) -> Predict:
    fitted, columns = _fit(estimator, frame, response)
    return lambda X: fitted.predict(X[columns])


def _probability(estimator: Any, frame: pd.DataFrame, response: str, target: Any) -> Predict:
    fitted, columns = _fit(estimator, frame, response)
    position = list(fitted.classes_).index(target)
    return lambda X: fitted.predict_proba(X[columns])[:, position]


def _refit_bike_forest() -> Predict:
    frame = datasets.load_bike(edition=3).iloc[datasets.bike_split().train]
    # randomForest's defaults for regression: a third of the columns at each split, nodes of 5.
    forest = RandomForestRegressor(
        500, max_features=1 / 3, min_samples_leaf=5, random_state=_SEED, n_jobs=1
    )
    return _regression(forest, frame, "cnt")


def _refit_penguin_forest() -> Predict:
    frame = datasets.load_penguins().iloc[datasets.penguin_split().train]
    forest = RandomForestClassifier(500, max_features="sqrt", random_state=_SEED)
    return _probability(forest, frame, "sex", "female")


def _refit_bike_tree() -> Predict:
    # As many leaves as R's conditional inference tree has, none below its seven rows.
    tree = DecisionTreeRegressor(max_leaf_nodes=31, min_samples_leaf=7, random_state=_SEED)
    return _regression(tree, datasets.load_bike(edition=2), "cnt")


def _refit_cervical_forest() -> Predict:
    forest = RandomForestClassifier(500, max_features="sqrt", random_state=_SEED)
    return _probability(forest, datasets.load_cervical(), "Biopsy", "Cancer")


def _refit_adult_trees() -> Predict:
    frame = datasets.load_adult()
    # Trees of three splits as in R; fewer and larger steps, for patience.
    trees = HistGradientBoostingClassifier(
        learning_rate=0.15, max_iter=300, max_leaf_nodes=4, early_stopping=False, random_state=_SEED
    )
    fitted, columns = _fit(trees, frame, "income")
    return lambda X: fitted.decision_function(X[columns])


def _refit_network(frame: pd.DataFrame, units: int, decay: float) -> Predict:
    # nnet minimises the sum of squares plus decay times the squared weights, scikit-learn half of
    # both over n: its alpha is nnet's decay.
    network = MLPRegressor(
        hidden_layer_sizes=(units,),
        activation="logistic",
        solver="lbfgs",
        alpha=decay,
        max_iter=1000,
        max_fun=50_000,
        tol=1e-6,
        random_state=_SEED,
    )
    with warnings.catch_warnings():
        # nnet stops at its limit of iterations as well, silently.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return _regression(network, frame, "y")


class _RefittedNetworks(Mapping[int, Predict]):
    """Networks of the vignette's fourth example by seed, each fitted when it is asked for."""

    def __init__(self) -> None:
        self._fitted: dict[int, Predict] = {}

    def __getitem__(self, seed: int) -> Predict:
        if seed not in self._fitted:
            frame = datasets.simulate_vignette_example4(seed=seed)
            self._fitted[seed] = _refit_network(frame, 10, 1e-4)
        return self._fitted[seed]

    def __iter__(self) -> Iterator[int]:
        return iter(range(1, 51))

    def __len__(self) -> int:
        return 50


MODELS = {
    "book3_bike_forest": Model(
        ("book3_bike_rf.csv.gz",), r_models.book3_bike_forest, _refit_bike_forest
    ),
    "book3_penguin_forest": Model(
        ("book3_penguin_rf.csv.gz",), r_models.book3_penguin_forest, _refit_penguin_forest
    ),
    "book2_bike_tree": Model(
        ("book2_bike_ctree.json",), r_models.book2_bike_tree, _refit_bike_tree
    ),
    "book2_cervical_forest": Model(
        ("book2_cervical_rf.csv.gz",), r_models.book2_cervical_forest, _refit_cervical_forest
    ),
    "adult_boosted_trees": Model(
        ("vignette_ex3_adult_gbm.csv.gz", "vignette_ex3_adult_gbm_meta.json"),
        r_models.adult_boosted_trees,
        _refit_adult_trees,
    ),
    "vignette_network_ex1": Model(
        ("vignette_ex1_nnet_4-8-1.csv",),
        functools.partial(r_models.vignette_network, "ex1"),
        lambda: _refit_network(datasets.simulate_vignette_example1(), 8, 0.1),
    ),
    "vignette_network_ex2": Model(
        ("vignette_ex2_nnet_4-6-1.csv",),
        functools.partial(r_models.vignette_network, "ex2"),
        lambda: _refit_network(datasets.simulate_vignette_example2(), 6, 0.1),
    ),
    "vignette_networks_ex4": Model(
        ("vignette_ex4_nnet_2-10-1_seeds1-50.csv",),
        r_models.vignette_networks_ex4,
        _RefittedNetworks,
    ),
}
