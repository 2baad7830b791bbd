"""Derivatives of black boxes (public path of `aleplot_py.effects.gradient`)."""

from aleplot_py.effects.gradient import (
    JaxModel,
    Layers,
    TorchModel,
    from_jax,
    from_sklearn,
    from_torch,
)

__all__ = [
    "JaxModel",
    "Layers",
    "TorchModel",
    "from_jax",
    "from_sklearn",
    "from_torch",
]
