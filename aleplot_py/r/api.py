"""`ALEPlot` and `PDPlot` with R's argument names, return names and pictures.

An R script ports line by line::

    ALE.1  <- ALEPlot(X, X.model, pred.fun = yhat, J = 1, K = 50, NA.plot = TRUE)
    ale_1  =  ALEPlot(X, X_model, pred_fun=yhat, J=0, K=50, NA_plot=True)

**J counts from 0 here and from 1 in R.** A column name (``J="x1"``) means the same in both.

Means and sums are taken in R's order and in R's long double, so that the values are R's to the last
bit where the predictions are. `aleplot_py.ale` and `aleplot_py.partial_dependence` add exactly
instead and do not depend on the order of the rows.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from aleplot_py.effects.ale import ale_of
from aleplot_py.effects.partial_dependence import partial_dependence_of
from aleplot_py.inputs.checks import check_switches
from aleplot_py.inputs.options import Options
from aleplot_py.inputs.problem import Problem, problem_of
from aleplot_py.inputs.requests import Requests, as_table, feature_requests, is_listing
from aleplot_py.results.effects import Effect, shown_points
from aleplot_py.steps.grid import FloatArray, IntArray
from aleplot_py.steps.sums import R
from aleplot_py.typing import Feature, FeatureList

Array = np.ndarray[Any, Any]


Data = pd.DataFrame | Array


class _RList:
    """Items under R's names: as attributes, and by name with ``_`` or R's ``.``."""

    def keys(self) -> tuple[str, ...]:
        """Names of the items, in R's order."""
        return tuple(f.name for f in fields(self))  # type: ignore[arg-type]

    def __getitem__(self, name: str) -> Any:
        plain = str(name).replace(".", "_")
        if plain not in self.keys():
            raise KeyError(f"{name!r} is not one of {self.keys()}")
        return getattr(self, plain)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    @property
    def arithmetic(self) -> str:
        """How sums were rounded: in R's "long double", or "exact" where there is none here."""
        return R.name


@dataclass(frozen=True, eq=False)
class PDPlotResult(_RList):
    """What R's ``PDPlot`` returns; also ``result["f_values"]`` or ``result["f.values"]``.

    Parameters
    ----------
    x_values : ndarray of shape (K,) or (L,), or list of two
        Grid points, or levels in order, of each feature.
    f_values : ndarray of shape (K,), (L,), (K, K), (L, K), ...
        Effect at these, in units of the prediction.
    """

    x_values: Array | list[Array]
    f_values: FloatArray


@dataclass(frozen=True, eq=False)
class ALEPlotResult(_RList):
    """What R's ``ALEPlot`` returns; also ``result["f_values"]`` or ``result["f.values"]``.

    Parameters
    ----------
    K : int, or ndarray of int of shape (2,)
        Effective number of intervals (ties leave fewer than asked for), or of levels.
    x_values : ndarray of shape (K + 1,) or (L,), or list of two
        Grid points, or levels in order, of each feature.
    f_values : ndarray of shape (K + 1,), (L,), (K1 + 1, K2 + 1), (L, K2 + 1), ...
        Effect at these, in units of the prediction.
    """

    K: int | IntArray
    x_values: Array | list[Array]
    f_values: FloatArray


def ALEPlot(
    X: Data,
    X_model: object,
    pred_fun: Callable[[Any, Any], ArrayLike],
    J: Feature | FeatureList,
    K: int = 40,
    NA_plot: bool = True,
    *,
    plot: bool = True,
) -> ALEPlotResult:
    """Accumulated local effect, called as R's ``ALEPlot``.

    Parameters
    ----------
    X : DataFrame or ndarray of shape (n, d)
        Predictors. Unlike R's, columns of text or booleans are categorical too.
    X_model : object
        Fitted model; passed to `pred_fun` untouched.
    pred_fun : callable(X_model, newdata) -> (n,)
        Predictions for a frame (array, if `X` is one) like `X`.
    J : column name or 0-based position, or list of two of these
        One feature for its main effect, two for their second-order effect. **R counts positions
        from 1; here they count from 0**: R's ``J = 1`` is ``J=0``, R's ``J = c(1, 2)`` is
        ``J=[0, 1]``. In a frame whose column names are integers, an integer is a name.
    K : int, default 40
        Number of intervals of a numeric feature.
    NA_plot : bool, default True
        For two features: whether to show the effect also where there are no data. If False, black
        rectangles cover the cells without rows.
    plot : bool, default True
        Whether to draw, as R does, on pyplot's current axes, which are cleared first (R starts a
        new plot): a line with a rug, bars, or an image with contour lines. The labels number the
        features as R does, from 1.

    Returns
    -------
    ALEPlotResult
        R's ``K``, ``x_values`` and ``f_values``.

    Raises
    ------
    FeatureError, PredictionError, ValueError, TypeError
        As from `aleplot_py.ale`.

    See Also
    --------
    ale : All options, and results that are drawn and saved.
    PDPlot : Partial dependence.

    Notes
    -----
    Takes no `categorical`, `sample_weight`, `missing`, `batch_rows`, `n_jobs`, `progress`: R's
    function has none; `aleplot_py.ale` has.
    Takes no `target`, `response_method`: `pred_fun` says what is explained.
    Takes no `random_state`: nothing is drawn at random.

    Given the same predictions the values are R's bit for bit. Where numpy's long double is no
    wider than a double, each sum is rounded correctly instead, which is R's value in all but rare
    cases; ``result.arithmetic`` tells.

    Source: R's ``ALEPlot::ALEPlot``; Apley and Zhu (2020), JRSS B 82, 1059-1086.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from aleplot_py import ALEPlot
    >>> X = pd.DataFrame({"x1": np.arange(1.0, 11.0)})
    >>> yhat = lambda X_model, newdata: X_model * newdata["x1"]
    >>> ALEPlot(X, 2.0, pred_fun=yhat, J=0, K=4, plot=False).f_values
    array([-8.3, -4.3, -0.3,  5.7,  9.7])
    """
    check_switches(NA_plot=NA_plot, plot=plot)
    problem, request = _problem(X, X_model, pred_fun, J, Options(K=K))
    [effect] = ale_of(problem, request, arithmetic=R)
    if plot:
        _draw(effect, X, empty="none" if NA_plot else "black")
    intervals = effect.K[0] if len(effect.features) == 1 else np.array(effect.K, dtype=np.intp)
    return ALEPlotResult(intervals, _x_values(effect), effect.f_values)


def PDPlot(
    X: Data,
    X_model: object,
    pred_fun: Callable[[Any, Any], ArrayLike],
    J: Feature | FeatureList,
    K: int,
    *,
    plot: bool = True,
) -> PDPlotResult:
    """Partial dependence, called and centred as R's ``PDPlot``.

    Parameters
    ----------
    X, X_model, pred_fun
        As in `ALEPlot`. R hands factors to `pred_fun` as character columns; here they stay as
        they are in `X`.
    J : column name or 0-based position, or list of two of these
        One feature or two. **R counts positions from 1; here they count from 0.**
    K : int
        Number of equidistant grid points of a numeric feature.
    plot : bool, default True
        Whether to draw on pyplot's current axes, which are cleared first.

    Returns
    -------
    PDPlotResult
        R's ``x_values`` and ``f_values``: mean 0 over the data and, for two features, without
        their main effects.

    Raises
    ------
    FeatureError, PredictionError, ValueError, TypeError
        As from `aleplot_py.partial_dependence`.

    See Also
    --------
    partial_dependence : All options, and results that are drawn and saved.
    ALEPlot : Accumulated local effects.

    Notes
    -----
    Takes no `categorical`, `sample_weight`, `missing`, `batch_rows`, `n_jobs`, `progress`: R's
    function has none; `aleplot_py.partial_dependence` has.
    Takes no `target`, `response_method`: `pred_fun` says what is explained.
    Takes no `random_state`: nothing is drawn at random.

    Given the same predictions the values are R's bit for bit, as those of `ALEPlot`.

    Source: R's ``ALEPlot::PDPlot``; Friedman (2001).
    """
    check_switches(plot=plot)
    problem, request = _problem(X, X_model, pred_fun, J, Options(K=K, grid="equidistant"))
    [effect] = partial_dependence_of(problem, request, centre="pdplot", arithmetic=R)
    if plot:
        _draw(effect, X, empty="none")
    return PDPlotResult(_x_values(effect), effect.f_values)


def _problem(
    X: Data, X_model: Any, pred_fun: Any, J: Any, options: Options
) -> tuple[Problem, Requests]:
    """Checked arguments, and the one effect that is asked for."""
    problem = problem_of(_black_box(X_model, pred_fun), X, options)
    request = feature_requests(_feature(J), problem.table)
    if request.several:
        raise ValueError(f"J must name one or two columns, got {J!r}")
    return problem, request


def _black_box(X_model: Any, pred_fun: Any) -> Callable[[Any], Any]:
    if not callable(pred_fun):
        raise TypeError(
            f"pred_fun must be a function of (X_model, newdata), got {type(pred_fun).__name__}"
        )
    try:
        inspect.signature(pred_fun).bind(X_model, None)
    except TypeError:
        raise TypeError(
            "pred_fun must be a function of (X_model, newdata), got one of "
            f"{inspect.signature(pred_fun)}"
        ) from None
    except ValueError:  # built-in functions do not tell
        pass

    def predict(newdata: Any) -> Any:
        return pred_fun(X_model, newdata)

    return predict


def _feature(J: Any) -> Any:
    """One feature, or a tuple of them, as `ale` asks for them."""
    if not (isinstance(J, tuple) or is_listing(J)):
        return J
    listed = tuple(J)
    if len(listed) not in (1, 2):
        raise ValueError(f"J must name one or two columns, got {len(listed)}: {J!r}")
    return listed


def _x_values(effect: Effect) -> Array | list[Array]:
    values = [np.asarray(shown_points(axis)) for axis in effect.axes]
    return values[0] if len(values) == 1 else values


def _draw(effect: Effect, X: Data, *, empty: Any) -> None:
    import matplotlib.pyplot as plt

    from aleplot_py.plots.display import AleDisplay

    ax = plt.gca()
    ax.clear()
    names = as_table(X).names
    numbers = [names.index(feature) + 1 for feature in effect.features]
    labels = {
        feature: f"$x_{{{number}}}$"
        + ("" if isinstance(X, np.ndarray) else f" ({_plain(feature)})")
        for feature, number in zip(effect.features, numbers, strict=True)
    }
    number = numbers[0]
    AleDisplay(effect).plot(
        ax=ax,
        empty=empty,
        labels=labels,
        ylabel=f"$f_{{{number}}}(x_{{{number}}})$" if len(numbers) == 1 else None,
        visuals={
            "zero_line": False,
            "colorbar": False,
            "line": {"color": "black", "linewidth": 1},
            "bars": {"color": "0.75", "edgecolor": "black", "linewidth": 0.6},
        },
    )


def _plain(name: Any) -> str:
    """Column name that matplotlib does not take for a formula."""
    return str(name).replace("$", r"\$")
