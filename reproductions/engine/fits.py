"""Forests whose predictions are kept: fitted once, whichever figure and whichever run asks.

Kept is only what scikit-learn makes of arrays and settings, under a digest of both and of its
version; what leaves columns out and compares scores is computed in every run.
"""

import importlib.metadata
import platform
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

_VERSIONS = "-".join(
    [platform.machine(), *(importlib.metadata.version(p) for p in ("numpy", "scikit-learn"))]
)
FOLDER = Path(__file__).resolve().parents[2] / "build" / "fits" / _VERSIONS


class _Kept:
    """A forest that is fitted when predictions are asked for that no run has kept."""

    _forest: type

    def fit(self, X: Any, y: Any) -> Any:
        """Take the rows."""
        self.rows_ = np.asarray(X), np.asarray(y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predictions of the forest for n rows: (n,)."""
        settings = self.get_params(deep=False)  # type: ignore[attr-defined]
        return _memory().cache(_predictions)(self._forest, settings, *self.rows_, np.asarray(X))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "rows_")


class KeptForestRegressor(_Kept, RandomForestRegressor):
    """`RandomForestRegressor` whose predictions are kept."""

    _forest = RandomForestRegressor


class KeptForestClassifier(_Kept, RandomForestClassifier):
    """`RandomForestClassifier` whose predicted classes are kept."""

    _forest = RandomForestClassifier

    def fit(self, X: Any, y: Any) -> Any:
        """Take the rows, and the classes that a scorer asks for."""
        self.classes_ = np.unique(y)
        return super().fit(X, y)


def _predictions(forest: type, settings: dict[str, Any], X: Any, y: Any, X_new: Any) -> np.ndarray:
    return forest(**settings).fit(X, y).predict(X_new)


def _memory() -> joblib.Memory:
    try:
        FOLDER.mkdir(parents=True, exist_ok=True)
    except OSError:
        # A checkout that cannot be written to: every run fits for itself.
        return joblib.Memory(None, verbose=0)
    return joblib.Memory(FOLDER, verbose=0)
