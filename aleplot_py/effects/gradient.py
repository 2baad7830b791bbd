"""Local effects from derivatives: one Jacobian instead of differences of predictions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py.effects.local_effects import in_threads
from aleplot_py.errors import PredictionError
from aleplot_py.inputs.arrays import as_floats, with_its_type
from aleplot_py.inputs.black_box import BlackBox, as_black_box
from aleplot_py.inputs.frames import Table, batches
from aleplot_py.inputs.options import Options
from aleplot_py.inputs.requests import as_table, by_column
from aleplot_py.steps.grid import FloatArray
from aleplot_py.typing import FrameLike, Predictor, ResponseMethod

# An adapter's own predictions may differ from the model's by rounding, single precision included.
SAME_PREDICTION = 1e-5
CHECKED_ROWS = 100


class Jacobian:
    """Derivatives of the prediction, checked, and computed once for all features of a table.

    Parameters
    ----------
    function : callable or mapping of column name to callable
        See ``gradient`` in `aleplot_py.ale`.
    batch_rows : int, optional
        Largest number of rows in one call.
    """

    def __init__(self, function: Any, batch_rows: int | None = None) -> None:
        self._function = function
        self._batch_rows = batch_rows
        self._last: tuple[Table, Any] | None = None

    def slopes(self, table: Table, name: Hashable) -> FloatArray:
        """Derivative of the prediction in one column at every row.

        Parameters
        ----------
        table : Table of n rows
            The data. Asked again about the same table, it answers from memory.
        name : hashable
            The column.

        Returns
        -------
        ndarray of shape (n,)
            In units of the prediction per unit of the column.

        Raises
        ------
        PredictionError
            If the gradient has another shape, lacks the column, or is not finite numbers.
        """
        if isinstance(self._function, Mapping):
            function = _function_of(self._function, table, name)
            return _finite(self._call(function, table, (), name), name)
        if self._last is None or self._last[0] is not table:
            jacobian = self._call(self._function, table, tuple(table.names), name)
            self._last = (table, jacobian)
        columns, values = self._last[1]
        if name not in columns:
            raise PredictionError(f"the gradient has no column {name!r}: it has {columns}")
        return _finite(values[:, columns.index(name)], name)

    def _call(
        self, function: Callable[[Any], Any], table: Table, names: tuple[Hashable, ...], name: Any
    ) -> Any:
        """Gradient of all rows: (n,) without `names`, else column names and (n, columns)."""

        def of_batch(rows: slice) -> Any:
            part = table.rows(rows)
            output = function(part.with_columns())
            shape = (len(part), len(names)) if names else (len(part),)
            return _checked(output, names, shape, name)

        parts = list(in_threads(of_batch, batches(len(table), self._batch_rows), 1))
        if not names:
            return np.concatenate([values for _, values in parts])
        return parts[0][0], np.concatenate([values for _, values in parts])


def _function_of(functions: Mapping[Any, Any], table: Table, name: Hashable) -> Callable[..., Any]:
    named = by_column(functions, table)
    function = named.get(name)
    if function is None:
        raise PredictionError(f"gradient has no entry for column {name!r}: it has {list(named)}")
    if not callable(function):
        raise TypeError(f"gradient of column {name!r} must be callable, got {function!r}")
    return function  # type: ignore[no-any-return]


def _checked(
    output: Any, names: tuple[Hashable, ...], shape: tuple[int, ...], name: Hashable
) -> tuple[list[Hashable], FloatArray]:
    columns, output = list(names), with_its_type(output)
    if names and isinstance(output, pd.DataFrame):
        columns = list(output.columns)
        shape = (shape[0], len(columns))
    try:
        values = as_floats(output)
    except (TypeError, ValueError):
        raise PredictionError(
            f"the gradient must return numbers, got {type(output).__name__}"
        ) from None
    if values.shape != shape:
        whose = "" if names else f" of column {name!r}"
        what = (
            "one row of derivatives per row of X, one column per column of X"
            if names
            else ("one derivative per row of X")
        )
        raise PredictionError(
            f"the gradient{whose} must return {what}, shape {shape}: got shape {values.shape}"
        )
    return columns, values


def _finite(slopes: FloatArray, name: Hashable) -> FloatArray:
    wrong = len(slopes) - int(np.isfinite(slopes).sum())
    if wrong:
        raise PredictionError(
            f"the gradient must be finite: {wrong} of {len(slopes)} derivatives in column {name!r} "
            "are NaN or infinite"
        )
    return slopes


def as_jacobian(gradient: Any, predict: Any, options: Options) -> Jacobian | None:
    """Translate the ``gradient`` argument of `aleplot_py.ale`; None where there is none.

    Raises
    ------
    TypeError
        If it is neither callable, a mapping, nor "model" with a model that has an adapter.
    """
    if gradient is None:
        return None
    if isinstance(gradient, str):
        if gradient != "model":
            raise ValueError(f"gradient must be a callable, a mapping or 'model', got {gradient!r}")
        model = from_sklearn(
            predict, target=options.target, response_method=options.response_method
        )
        return Jacobian(model, options.batch_rows)
    if not callable(gradient) and not isinstance(gradient, Mapping):
        raise TypeError(
            "gradient must be a callable(frame) -> (n, d), a mapping of feature to "
            f"callable(frame) -> (n,), or 'model', got {type(gradient).__name__}"
        )
    if _is_torch_module(gradient):
        raise TypeError(
            "gradient got a torch module, whose call predicts: use gradient.from_torch(module)"
        )
    return Jacobian(gradient, options.batch_rows)


@dataclass(frozen=True)
class Layers:
    """A stack of linear maps with activations between them, and its derivative.

    Serves linear and logistic models (one layer), multilayer perceptrons, and a scaler before
    them (a first linear layer).

    Parameters
    ----------
    weights : tuple of ndarray of shape (inputs, outputs)
        One per layer.
    biases : tuple of ndarray of shape (outputs,)
        One per layer.
    activations : tuple of str
        One per layer: "identity", "relu", "tanh", "logistic", and for the last also "softmax" and
        "exp".
    output : int
        Which output of the last layer is explained.
    sign : float, default 1
        -1 for the decision function of the first of two classes.
    """

    weights: tuple[FloatArray, ...]
    biases: tuple[FloatArray, ...]
    activations: tuple[str, ...]
    output: int = 0
    sign: float = 1.0

    def predict(self, rows: FrameLike) -> FloatArray:
        """Predict the rows.

        Parameters
        ----------
        rows : DataFrame or ndarray of shape (n, d)
            What to predict.

        Returns
        -------
        ndarray of shape (n,)
            In units of the prediction.
        """
        return self.sign * self._forward(rows)[-1][:, self.output]

    def __call__(self, rows: FrameLike) -> FloatArray:
        """Jacobian.

        Parameters
        ----------
        rows : DataFrame or ndarray of shape (n, d)
            Numeric columns in the order in which the model was fitted.

        Returns
        -------
        ndarray of shape (n, d)
            Derivative of the prediction in each column. A relu has derivative 0 at 0.
        """
        values = self._forward(rows)
        above = np.zeros_like(values[-1])
        above[:, self.output] = self.sign
        for layer in range(len(self.weights) - 1, -1, -1):
            above = _through(self.activations[layer], values[layer + 1], above)
            above = above @ self.weights[layer].T
        return above

    def _forward(self, rows: FrameLike) -> list[FloatArray]:
        values = [_matrix(rows)]
        if values[0].shape[1] != len(self.weights[0]):
            raise PredictionError(
                f"the model was fitted on {len(self.weights[0])} columns, X has "
                f"{values[0].shape[1]}"
            )
        for weight, bias, activation in zip(
            self.weights, self.biases, self.activations, strict=True
        ):
            values.append(_activate(activation, values[-1] @ weight + bias))
        return values


def _matrix(rows: FrameLike) -> FloatArray:
    try:
        return np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise PredictionError(
            "the gradient of a model needs numeric columns only: pass a callable as gradient"
        ) from None


def _activate(name: str, z: FloatArray) -> FloatArray:
    if name == "relu":
        return np.maximum(z, 0.0)
    if name == "tanh":
        return np.tanh(z)
    if name == "logistic":
        return np.asarray((1 + np.tanh(z / 2)) / 2)  # does not overflow
    if name == "exp":
        return np.asarray(np.exp(z))
    if name == "softmax":
        powers = np.exp(z - z.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))
    return z


def _through(name: str, a: FloatArray, above: FloatArray) -> FloatArray:
    """Carry derivatives in an activation's values `a` to its arguments, all (n, outputs)."""
    if name == "relu":
        return above * (a > 0)
    if name == "tanh":
        return above * (1 - a**2)
    if name == "logistic":
        return above * a * (1 - a)
    if name == "exp":
        return above * a
    if name == "softmax":
        return np.asarray(a * (above - (above * a).sum(axis=1, keepdims=True)))
    return above


def from_sklearn(
    model: Predictor, *, target: Hashable | None = None, response_method: ResponseMethod = "auto"
) -> Callable[[Any], FloatArray]:
    """Jacobian of a fitted scikit-learn model with an analytic derivative.

    Parameters
    ----------
    model : fitted estimator
        A linear regression of any kind (``coef_``, ``intercept_``), a logistic regression or
        other linear classifier, ``MLPRegressor``, ``MLPClassifier``, or a pipeline of
        ``StandardScaler`` and ``MinMaxScaler`` steps before one of these.
    target : label, optional
        Which output, as in `aleplot_py.ale`; by default the second of two classes.
    response_method : {"auto", "predict", "predict_proba", "decision_function"}
        What is explained, as in `aleplot_py.ale`.

    Returns
    -------
    callable(frame) -> (n, d)
        For ``gradient=``. At its first call it checks, on up to 100 rows, that its own
        predictions are the model's, so that a model of another form (a Poisson regression, say)
        cannot be explained by a wrong derivative.

    Raises
    ------
    TypeError
        If the model is of another kind.
    PredictionError
        At the call, if the model's predictions are not those of its coefficients.

    See Also
    --------
    from_torch : Of a torch module.
    from_jax : Of a jax function.
    ale : Takes the derivatives as ``gradient``.
    """
    steps = [step for _, step in getattr(model, "steps", [("model", model)])]
    scalers, last = steps[:-1], steps[-1]
    black_box = as_black_box(model, target=target, response_method=response_method)
    method = getattr(black_box.function, "__name__", "predict")
    weights, biases, activations = _layers_of(last, method)
    scaled = [_scaler(step) for step in scalers if step is not None and step != "passthrough"]
    classes = black_box.classes
    position, sign = 0, 1.0
    outputs = weights[-1].shape[1]
    chosen = black_box.default_target if target is None else target
    labels = list(classes) if classes is not None else list(range(outputs))
    if chosen is not None and chosen in labels:
        position = labels.index(chosen)
    elif isinstance(chosen, (int, np.integer)) and 0 <= chosen < len(labels):
        position = int(chosen)
    elif chosen is not None or outputs > 1:
        raise PredictionError(f"the model has outputs {labels}: choose one with target=")
    if outputs == 1 and len(labels) == 2:
        sign = 1.0 if position == 1 else -1.0
        position = 0
    layers = Layers(
        (*(scale for scale, _ in scaled), *weights),
        (*(shift for _, shift in scaled), *biases),
        (*("identity" for _ in scaled), *activations),
        position,
        sign,
    )
    offset = 1.0 if sign < 0 and activations[-1] == "logistic" else 0.0
    return _CheckedModel(layers, black_box, offset)


class _CheckedModel:
    """Layers that compare their predictions with the model's before their first derivative."""

    def __init__(self, layers: Layers, black_box: BlackBox, offset: float) -> None:
        self._layers = layers
        self._black_box = black_box
        self._offset = offset
        self._checked = False

    def __call__(self, rows: FrameLike) -> FloatArray:
        if not self._checked:
            some = as_table(rows).rows(slice(CHECKED_ROWS))
            theirs = self._black_box(some.with_columns())  # it may scale its rows in place
            ours = self._layers.predict(some.data) + self._offset
            scale = 1 + np.abs(theirs).max()
            worst = float(np.abs(ours - theirs).max())
            if worst > SAME_PREDICTION * scale:
                raise PredictionError(
                    "the model does not predict what its coefficients say (largest difference "
                    f"{worst:g}): its derivative is not known, pass a callable as gradient"
                )
            self._checked = True
        return self._layers(rows)


def _layers_of(model: Any, method: str) -> tuple[list[FloatArray], list[FloatArray], list[str]]:
    if hasattr(model, "coefs_") and hasattr(model, "intercepts_"):
        known = ("identity", "relu", "tanh", "logistic", "softmax", "exp")
        used = [*[model.activation] * (len(model.coefs_) - 1), model.out_activation_]
        unknown = [name for name in used if name not in known]
        if unknown:
            raise TypeError(f"activation {unknown[0]!r} has no derivative here: it must be {known}")
        return list(model.coefs_), list(model.intercepts_), used
    if not hasattr(model, "coef_") or not hasattr(model, "intercept_"):
        raise TypeError(
            f"gradient='model' knows linear models and multilayer perceptrons, not "
            f"{type(model).__name__}: pass a callable(frame) -> (n, d)"
        )
    weight = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64)).T
    bias = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), weight.shape[1:])
    activation = "identity"
    if method == "predict_proba":
        activation = "logistic" if weight.shape[1] == 1 else "softmax"
    return [weight], [np.asarray(bias)], [activation]


def _scaler(step: Any) -> tuple[FloatArray, FloatArray]:
    """Linear map (d, d) and shift (d,) of a scaling step of a pipeline."""
    if hasattr(step, "data_min_") and not getattr(step, "clip", False):
        return np.diag(step.scale_), np.asarray(step.min_, dtype=np.float64)
    if hasattr(step, "with_mean") and hasattr(step, "scale_"):
        d = step.n_features_in_
        scale = np.ones(d) if step.scale_ is None else 1 / np.asarray(step.scale_)
        mean = np.asarray(step.mean_) if step.with_mean else np.zeros(d)
        return np.diag(scale), -mean * scale
    raise TypeError(
        "gradient='model' knows the steps StandardScaler and MinMaxScaler before the model, not "
        f"{type(step).__name__}: pass a callable(frame) -> (n, d)"
    )


def _is_torch_module(model: Any) -> bool:
    torch = sys.modules.get("torch")  # a module of torch cannot exist before torch is imported
    return torch is not None and isinstance(model, torch.nn.Module)


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"this gradient needs the package {name}: install it first") from error


@dataclass(frozen=True)
class TorchModel:
    """A torch module as a black box with a gradient; made by `from_torch`.

    Parameters
    ----------
    module : torch.nn.Module
        Maps a tensor (n, d) to (n,), (n, 1) or (n, k).
    output : int or None
        Which of several outputs.
    """

    module: Any
    output: int | None = None

    def predict(self, rows: FrameLike) -> FloatArray:
        """Predict the rows.

        Parameters
        ----------
        rows : DataFrame or ndarray of shape (n, d)
            What to predict.

        Returns
        -------
        ndarray of shape (n,)
            In units of the prediction.
        """
        torch = _imported("torch")
        with _evaluating(self.module), torch.no_grad():
            return _as_float64(self._explained(self._tensor(rows)))

    def __call__(self, rows: FrameLike) -> FloatArray:
        """Jacobian (n, d)."""
        torch = _imported("torch")
        with _evaluating(self.module), torch.enable_grad():
            inputs = self._tensor(rows).requires_grad_(True)
            # A row's prediction depends on that row only, so one sum gives every row's gradient.
            [jacobian] = torch.autograd.grad(self._explained(inputs).sum(), inputs)
        return _as_float64(jacobian)

    def _tensor(self, rows: Any) -> Any:
        torch = _imported("torch")
        parameter = next(iter(self.module.parameters()), None)
        dtype = torch.get_default_dtype() if parameter is None else parameter.dtype
        device = None if parameter is None else parameter.device
        return torch.tensor(_matrix(rows), dtype=dtype, device=device)

    def _explained(self, inputs: Any) -> Any:
        return _one_output(self.module(inputs), len(inputs), self.output)


def from_torch(module: Callable[[Any], Any], *, output: int | None = None) -> TorchModel:
    """Black box and gradient of a torch module.

    Parameters
    ----------
    module : torch.nn.Module
        Maps a tensor of shape (n, d), of its parameters' type and device, to (n,), (n, 1) or
        (n, k). It runs in evaluation mode and is left as it was.
    output : int, optional
        Which of k outputs.

    Returns
    -------
    TorchModel
        Its ``predict`` is the black box, itself the gradient:
        ``ale(net.predict, X, "all", gradient=net)``.

    Raises
    ------
    ImportError
        If torch is not installed.
    TypeError
        If it is not a torch module.

    See Also
    --------
    from_jax : Of a jax function.
    from_sklearn : Of a scikit-learn model.
    ale : Takes the model, and its gradient as ``gradient``.
    """
    torch = _imported("torch")
    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"module must be a torch.nn.Module, got {type(module).__name__}")
    return TorchModel(module, output)


@contextmanager
def _evaluating(module: Any) -> Iterator[None]:
    """Have a torch module and its parts in evaluation mode for a while."""
    training = [part for part in module.modules() if part.training]
    try:
        for part in training:
            part.training = False
        yield
    finally:
        for part in training:
            part.training = True


@dataclass(frozen=True)
class JaxModel:
    """A jax function as a black box with a gradient; made by `from_jax`.

    Parameters
    ----------
    function : callable
        Maps an array (n, d) to (n,), (n, 1) or (n, k), row by row.
    output : int or None
        Which of several outputs.
    """

    function: Callable[[Any], Any]
    output: int | None = None

    def predict(self, rows: FrameLike) -> FloatArray:
        """Predict the rows.

        Parameters
        ----------
        rows : DataFrame or ndarray of shape (n, d)
            What to predict.

        Returns
        -------
        ndarray of shape (n,)
            In units of the prediction.
        """
        return _as_float64(self._explained(_imported("jax.numpy").asarray(_matrix(rows))))

    def __call__(self, rows: FrameLike) -> FloatArray:
        """Jacobian (n, d)."""
        inputs = _imported("jax.numpy").asarray(_matrix(rows))
        return _as_float64(_imported("jax").grad(lambda x: self._explained(x).sum())(inputs))

    def _explained(self, inputs: Any) -> Any:
        return _one_output(self.function(inputs), len(inputs), self.output)


def from_jax(function: Callable[[Any], Any], *, output: int | None = None) -> JaxModel:
    """Black box and gradient of a jax function or module.

    Parameters
    ----------
    function : callable
        Maps an array of shape (n, d) to (n,), (n, 1) or (n, k), each row by itself: a flax
        ``lambda x: module.apply(parameters, x)``, an equinox ``jax.vmap(module)``. Computed in
        jax's precision, single unless 64-bit is enabled.
    output : int, optional
        Which of k outputs.

    Returns
    -------
    JaxModel
        Its ``predict`` is the black box, itself the gradient.

    Raises
    ------
    ImportError
        If jax is not installed.
    TypeError
        If it is not callable.

    See Also
    --------
    from_torch : Of a torch module.
    from_sklearn : Of a scikit-learn model.
    ale : Takes the model, and its gradient as ``gradient``.
    """
    _imported("jax")
    if not callable(function):
        raise TypeError(f"function must be callable, got {type(function).__name__}")
    return JaxModel(function, output)


def _one_output(values: Any, n: int, output: int | None) -> Any:
    shape = tuple(values.shape)
    if shape == (n,) and output is None:
        return values
    if len(shape) == 2 and shape[0] == n and shape[1] == 1 and output in (None, 0):
        return values[:, 0]
    if len(shape) != 2 or shape[0] != n:
        raise PredictionError(
            f"the module must return one row of outputs per row: got shape {shape} for {n} rows"
        )
    if output is None or not 0 <= output < shape[1]:
        raise PredictionError(
            f"the module returns {shape[1]} outputs: choose one with output=, got {output!r}"
        )
    return values[:, output]


def _as_float64(values: Any) -> FloatArray:
    plain = values.detach().cpu().numpy() if hasattr(values, "detach") else values
    return np.asarray(plain, dtype=np.float64)
