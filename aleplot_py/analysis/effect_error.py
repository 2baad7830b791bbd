"""Where the error of an effect comes from: bias and variance of model and of estimation."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Literal

import numpy as np
import pandas as pd

from aleplot_py.effects.ale import ale_of
from aleplot_py.effects.partial_dependence import partial_dependence_of
from aleplot_py.errors import FeatureError, FeatureTypeError, GridError, PredictionError
from aleplot_py.inputs.axes import interval_axis, kind_of
from aleplot_py.inputs.black_box import BlackBox
from aleplot_py.inputs.checks import (
    check_switches,
    interval_count,
    one_of,
    positive_integer,
    share,
)
from aleplot_py.inputs.fitting import (
    check_fitter,
    check_response,
    fitted,
    generator_of,
    own_rows,
    with_bar,
)
from aleplot_py.inputs.frames import Table
from aleplot_py.inputs.options import Options
from aleplot_py.inputs.problem import Problem
from aleplot_py.inputs.requests import Requests, as_table, feature_requests, option_for
from aleplot_py.results.base import Result
from aleplot_py.results.codec import Rule
from aleplot_py.steps.grid import FloatArray, IntArray
from aleplot_py.typing import (
    EffectEstimator,
    Features,
    Fitter,
    Grid,
    PointCounts,
    Predictor,
    RandomState,
    ResponseMethod,
    Simulator,
)

EFFECTS = ("ale", "pd")
# Squares of larger values overflow where many of them are added.
LARGEST_CURVE = 1e150
#: Rows over which a fitted model is explained.
STRATEGIES = ("training", "validation", "cross-validation")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class EffectError(Result):
    """Errors of estimated effects against the truth, and where they come from.

    Everything is at the inner edges of the grid of each feature, P of them, and every curve has
    mean 0 over these. There are S = 3 strategies, the `STRATEGIES` "training", "validation" and
    "cross-validation", and R simulated data sets.

    Parameters
    ----------
    effect : {"ale", "pd", "own"}
        Accumulated local effect, partial dependence, or the caller's own estimator.
    features : tuple of hashable
        The features.
    n, n_redraws : int
        Rows of a data set; data sets on which every model is explained anew.
    x_values : tuple of ndarray of shape (P,)
        The points of each feature.
    truth : tuple of ndarray of shape (P,)
        Effect of the true function over the reference rows, in units of the prediction.
    estimates : tuple of ndarray of shape (S, R, P)
        Effect estimated from each data set.
    population : tuple of ndarray of shape (S, R, P)
        Effect of the same models over the reference rows.
    redraw_variance : tuple of ndarray of shape (S, R, P)
        Variance of the effect of the same models over fresh data sets, in squared units.
    """

    effect: Literal["ale", "pd", "own"]
    features: tuple[Hashable, ...]
    n: int
    n_redraws: int
    x_values: tuple[FloatArray, ...]
    truth: tuple[FloatArray, ...]
    estimates: tuple[FloatArray, ...]
    population: tuple[FloatArray, ...]
    redraw_variance: tuple[FloatArray, ...]

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.features))
        effect = "own effect" if self.effect == "own" else self.effect
        runs = self.estimates[0].shape[1]
        return f"EffectError({effect} of {shown}: {runs} data sets of n={self.n})"

    def to_frame(self, *, by_point: bool = False) -> pd.DataFrame:
        """Error and its parts, for each feature and strategy.

        Parameters
        ----------
        by_point : bool, default False
            Whether at each point, where biases have a sign; by default over the points: means of
            squared errors and variances, and root mean squares of biases.

        Returns
        -------
        DataFrame
            Columns ``feature``, ``strategy``, with `by_point` ``x``, and ``mse``, ``bias``,
            ``model_bias``, ``estimation_bias``, ``variance``, ``model_variance`` and
            ``estimation_variance``; biases in units of the prediction, the others in their
            squares. See the notes of `aleplot_py.effect_error`.
        """
        check_switches(by_point=by_point)
        tables = []
        for i, feature in enumerate(self.features):
            for s, strategy in enumerate(STRATEGIES):
                parts = self._parts(i, s)
                if by_point:
                    parts = {"x": self.x_values[i], **parts}
                else:
                    parts = {name: _over_points(name, part) for name, part in parts.items()}
                rows = len(parts["mse"])
                labels = {"feature": [feature] * rows, "strategy": [strategy] * rows}
                tables.append(pd.DataFrame(labels | parts))
        return pd.concat(tables, ignore_index=True)

    def _parts(self, i: int, s: int) -> dict[str, FloatArray]:
        """Error and its parts at each point (P,) of a feature, for a strategy."""
        truth, estimates, population = self.truth[i], self.estimates[i][s], self.population[i][s]
        variance = estimates.var(axis=0, ddof=1)
        estimation_variance = self.redraw_variance[i][s].mean(axis=0)
        return {
            "mse": ((estimates - truth) ** 2).mean(axis=0),
            "bias": estimates.mean(axis=0) - truth,
            "model_bias": population.mean(axis=0) - truth,
            "estimation_bias": (estimates - population).mean(axis=0),
            "variance": variance,
            "model_variance": variance - estimation_variance,
            "estimation_variance": estimation_variance,
        }

    def _rules(self) -> Iterator[Rule]:
        kinds = (*EFFECTS, "own")
        yield self.effect in kinds, "effect", f"one of {kinds}", self.effect
        yield len(self.features) > 0, "features", "at least one", self.features
        for name in ("x_values", "truth", "estimates", "population", "redraw_variance"):
            got = len(getattr(self, name))
            yield got == len(self.features), name, f"{len(self.features)} of them", got
        runs = self.estimates[0].shape[1:2]
        for i, points in enumerate(self.x_values):
            of_curve: tuple[int, ...] = (len(points),)
            of_curves = (len(STRATEGIES), *runs, *of_curve)
            shapes = dict.fromkeys(("estimates", "population", "redraw_variance"), of_curves)
            for name, shape in ({"truth": of_curve} | shapes).items():
                array = getattr(self, name)[i]
                yield array.shape == shape, f"{name}[{i}]", f"of shape {shape}", array.shape


def _over_points(name: str, part: FloatArray) -> FloatArray:
    """Mean of a part of the error over the points, of a bias the root of its mean square, (1,)."""
    if name.endswith("bias"):
        return np.asarray(np.sqrt(np.mean(part**2, keepdims=True)))
    return np.asarray(np.mean(part, keepdims=True))


def effect_error(
    truth: Predictor,
    simulate: Simulator,
    learner: Fitter,
    features: Features,
    *,
    effect: Literal["ale", "pd"] | EffectEstimator = "ale",
    n: int = 1000,
    n_simulations: int = 30,
    n_redraws: int = 30,
    n_reference: int = 10_000,
    validation_share: float = 0.2,
    n_folds: int = 5,
    K: PointCounts = 20,
    grid: Grid = "aleplot",
    target: Hashable | None = None,
    response_method: ResponseMethod = "auto",
    batch_rows: int | None = None,
    progress: bool = True,
    random_state: RandomState = None,
) -> EffectError:
    """Simulate how wrong an estimated effect is, and why: by the model, or by the estimation.

    Where data can be simulated, the effect of the true function is known, and so is how far that
    of a fitted model is from it. Part of the error is the model's, which no data to explain it on
    would mend; the other part is that the effect is a mean over few rows. Three strategies are
    compared: to explain the model on the rows that it was fitted to, on rows held out, or in
    cross-validation, where the effects of the models of the folds, each over its own rows, are
    averaged.

    .. versionadded:: 0.2

    Parameters
    ----------
    truth : callable or fitted model
        The function that the response has for its mean: a callable(frame) -> (n,).
    simulate : callable(n, random_state) -> (X, y)
        Draws a data set of n rows, X a frame or array and y of length n, from a numpy Generator.
    learner : estimator or callable(X, y)
        What is fitted: an estimator with a ``fit`` method, which is cloned and seeded from
        `random_state` wherever it has no seed, or a callable that returns a fitted model or a
        callable(frame).
    features : name or position, list of these, or "all"
        Columns of numbers.
    effect : {"ale", "pd"} or callable(predict, X, feature, edges) -> (K + 1,)
        Which effect; or an estimator of your own, of another package or rule, that gives the
        values of one feature at the edges, predict a callable(frame) -> (n,).
    n : int, default 1000
        Rows of a data set.
    n_simulations : int, default 30
        Number of data sets, at least 2, to each of which ``2 + n_folds`` models are fitted.
    n_redraws : int, default 30
        Number of fresh data sets, at least 2, on which all models of a data set are explained.
    n_reference : int, default 10000
        Rows over which the truth and every model are explained, in place of the population.
    validation_share : float, default 0.2
        Share of the rows held out for validation, in (0, 1).
    n_folds : int, default 5
        Number of folds, at least 2.
    K : int or dict of feature to int, default 20
        Number of intervals, at least 3.
    grid : {"aleplot", "iml", "equidistant"} or array_like, or dict of feature to these
        Edges of the intervals: a rule, over the reference rows, or your own. Rows beyond count in
        the nearest interval. A partial dependence is computed at the same edges. The errors are
        told at those inside, since at the ends there are hardly any rows.
    target, response_method, batch_rows, progress
        As in `aleplot_py.ale`, for the fitted models.
    random_state : int, Generator, RandomState or None
        Source of the data sets, of splits and of seeds for the learner, each by itself: another
        learner or effect sees the same data.

    Returns
    -------
    EffectError
        Effects and their errors; ``to_frame()`` has the parts.

    Raises
    ------
    FeatureError, GridError, PredictionError, ValueError, TypeError
        With the argument, the rule, and the value got; among others if a feature is not numeric,
        a number is too small, or `simulate` gives anything but n rows and n responses.

    See Also
    --------
    learner_bands : The variance of model and estimation where there is one data set.
    k_sensitivity : What the number of intervals does to a curve.
    ale : The effect.

    Notes
    -----
    Takes no `categorical`: the features must be numeric.
    Takes no `sample_weight`, `missing`: the data are simulated, and known.
    Takes no `n_jobs`: many small predictions are no work for threads.

    At a point let ``t`` be the truth, ``e_r`` the estimate of data set r, ``p_r`` the effect of
    its models over the reference rows, and ``v_r`` the variance of their effect over fresh data
    sets. Then ``bias = mean(e) - t`` is the sum of ``model_bias = mean(p) - t`` and
    ``estimation_bias = mean(e - p)``; ``variance`` is that of ``e`` (divisor R - 1), the sum of
    ``estimation_variance = mean(v)`` and ``model_variance``, which is what is left, and can be
    below 0 by chance where it is small; and ``mse = mean((e - t)^2)`` is
    ``bias^2 + variance (R - 1) / R``.

    The biases hold the error of the reference rows, that of an estimate from so many rows, which
    truth and models share in part: take many more of them than n to see a small bias.

    Fresh data do not know the model. On the rows that it was fitted to, whatever their acquaintance
    adds to the variance counts as the model's. Fresh folds and held out rows are of the same
    numbers of rows as the first.

    Source: Heiß, T., Bögel, C., Bischl, B. and Casalicchio, G. (2026), Analyzing error sources in
    global feature effect estimation, arXiv 2603.15057: abstract and published results for the
    four parts, strategies and variances. The two biases are told apart by the reference rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LinearRegression
    >>> from aleplot_py import effect_error
    >>> def simulate(n, rng):
    ...     X = pd.DataFrame({"x": rng.normal(size=n)})
    ...     return X, X["x"] ** 2 + rng.normal(size=n)
    >>> errors = effect_error(lambda X: X["x"] ** 2, simulate, LinearRegression(), "x", n=50,
    ...                       n_simulations=5, n_redraws=2, n_reference=500, random_state=1)
    >>> errors
    EffectError(ale of 'x': 5 data sets of n=50)
    >>> parts = errors.to_frame()  # of a parabola a line knows nothing: the model's bias
    >>> bool((parts["model_bias"] > 10 * parts["estimation_bias"]).all())
    True
    """
    if not callable(effect):
        one_of(effect, EFFECTS, "effect")
    check_switches(progress=progress)
    numbers = {"n": n, "n_simulations": n_simulations, "n_redraws": n_redraws}
    for name, number in (numbers | {"n_reference": n_reference, "n_folds": n_folds}).items():
        if positive_integer(number, name) < 2:
            raise ValueError(f"{name} must be at least 2, got {number}")
    share(validation_share, "validation_share", "0.2 for a fifth")
    held_out = ceil(validation_share * n)
    if held_out == n or n_folds > n:
        raise ValueError(
            f"n={n} rows are too few for validation_share={validation_share} and "
            f"n_folds={n_folds}: none would be left to fit to, or in a fold"
        )
    check_fitter(learner, "learner")
    data, splits, seeds = generator_of(random_state).spawn(3)
    reference, _ = _simulated(simulate, n_reference, data)
    grids = _edges(features, reference, K, grid)
    options = Options(
        grid=grids,
        outside="clip",
        target=target,
        response_method=response_method,
        batch_rows=batch_rows,
        progress=False,
    )

    def curves(black_box: BlackBox, table: Table) -> list[FloatArray]:
        return _curves(effect, Problem(table=table, black_box=black_box, options=options), grids)

    # What is said of the models' outputs does not concern a function.
    asked = response_method if hasattr(truth, str(response_method)) else "auto"
    function = replace(options, target=None, response_method=asked).black_box(truth)
    true_curves = curves(function, reference)
    found: list[list[_Run]] = [[] for _ in STRATEGIES]
    for _ in with_bar(range(n_simulations), n_simulations, "data sets", shown=progress):
        (table, y), *redraws = [
            _simulated(simulate, n, data, reference.names) for _ in range(1 + n_redraws)
        ]
        fresh = [redraw for redraw, _ in redraws]
        for one in (table, *fresh):
            _check_known(one, grids)
        for runs, parts in zip(found, _strategies(n, held_out, n_folds, splits), strict=True):
            models = [
                options.black_box(
                    fitted(learner, table.rows(fit).data, own_rows(y, fit), seeds, "learner")
                )
                for fit, _ in parts
            ]

            def estimate(
                of: Table, models: Sequence[BlackBox] = models, parts: Sequence[_Part] = parts
            ) -> list[FloatArray]:
                pairs = zip(models, parts, strict=True)
                return _means([curves(model, of.rows(rows)) for model, (_, rows) in pairs])

            redrawn = [estimate(of) for of in fresh]
            runs.append(
                _Run(
                    estimate(table),
                    _means([curves(model, reference) for model in models]),
                    [np.var(some, axis=0, ddof=1) for some in zip(*redrawn, strict=True)],
                )
            )
    several = range(len(grids))
    return EffectError(
        effect="own" if callable(effect) else effect,
        features=tuple(grids),
        n=int(n),
        n_redraws=int(n_redraws),
        x_values=tuple(edges[1:-1] for edges in grids.values()),
        truth=tuple(true_curves),
        estimates=tuple(
            np.array([[r.estimate[i] for r in runs] for runs in found]) for i in several
        ),
        population=tuple(
            np.array([[r.population[i] for r in runs] for runs in found]) for i in several
        ),
        redraw_variance=tuple(
            np.array([[r.variance[i] for r in runs] for runs in found]) for i in several
        ),
    )


#: Rows that a model is fitted to, and rows over which it is explained.
_Part = tuple[IntArray, IntArray]


@dataclass(frozen=True)
class _Run:
    """Curves of the models of one data set under one strategy, one (P,) for each feature.

    Parameters
    ----------
    estimate, population : list of ndarray of shape (P,)
        Over the strategy's rows of the data set, and over the reference rows.
    variance : list of ndarray of shape (P,)
        Over fresh data sets.
    """

    estimate: list[FloatArray]
    population: list[FloatArray]
    variance: list[FloatArray]


def _strategies(
    n: int, held_out: int, n_folds: int, rng: np.random.Generator
) -> tuple[list[_Part], ...]:
    """Models of each of the `STRATEGIES`, by the rows that each is fitted to and explained over."""
    every, drawn = np.arange(n), rng.permutation(n)[:held_out]
    folds = np.array_split(rng.permutation(n), n_folds)
    return (
        [(every, every)],
        [(np.setdiff1d(every, drawn), drawn)],
        [(np.setdiff1d(every, fold), fold) for fold in folds],
    )


def _curves(
    effect: Any, problem: Problem, grids: Mapping[Hashable, FloatArray]
) -> list[FloatArray]:
    """Effect of each feature at the inner edges of its grid, with mean 0 over these, (P,) each."""
    requests = Requests([(name,) for name in grids])
    if callable(effect):
        curves = [_own(effect, problem, name, edges) for name, edges in grids.items()]
    elif effect == "ale":
        curves = [one.f_values for one in ale_of(problem, requests, centre="none")]
    else:
        found = partial_dependence_of(problem, requests, centre="none")
        curves = [one.f_values for one in found]
    inner = [values[1:-1] - values[1:-1].mean() for values in curves]
    largest = max(float(np.abs(values).max()) for values in inner)
    if largest > LARGEST_CURVE:
        raise PredictionError(
            f"errors are squared: effects must be of at most {LARGEST_CURVE:g} in size, got "
            f"{largest:g}: rescale the predictions"
        )
    return inner


def _own(effect: Any, problem: Problem, name: Hashable, edges: FloatArray) -> FloatArray:
    """Values of the caller's estimator at the edges (K + 1,)."""
    given = effect(problem.black_box, problem.table.with_columns(), name, edges.copy())
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):  # text, or rows of several lengths
        values = np.empty(0)
    if values.shape != edges.shape or not np.isfinite(values).all():
        raise ValueError(
            f"effect must return {len(edges)} finite values, one for each edge of column {name!r}, "
            f"got {given!r}"
        )
    return values


def _means(curves: Sequence[Sequence[FloatArray]]) -> list[FloatArray]:
    """Mean over models of the curve of each feature."""
    return [np.mean(some, axis=0) for some in zip(*curves, strict=True)]


def _edges(features: Any, table: Table, K: Any, grid: Any) -> dict[Hashable, FloatArray]:
    """Edges of the intervals of each feature, (P + 2,) each."""
    requests = feature_requests(features, table)
    edges = {}
    for names in requests.names:
        if len(names) != 1:
            raise FeatureError(f"features must be single columns, got the pair {names!r}")
        [name] = names
        _check_known(table, [name])
        times = table.times(name)
        if times is not None or kind_of(table, name, frozenset()) != "numeric":
            raise FeatureTypeError(f"features must be columns of numbers, which {name!r} is not")
        asked = interval_count(option_for(name, K, table, 20))
        rule = option_for(name, grid, table, "aleplot")
        points = interval_axis(table, name, asked, rule, outside="clip").points
        if len(points) < 4:
            raise GridError(
                f"column {name!r} has {len(points) - 1} interval(s): errors are told at the edges "
                "between them, of which there must be at least two"
            )
        edges[name] = points
    return edges


def _check_known(table: Table, names: Iterable[Hashable]) -> None:
    for name in names:
        missing = int(table.column(name).isna().sum())
        if missing:
            raise FeatureError(
                f"simulate must know the features of every row: column {name!r} has {missing} "
                f"missing value(s) in {len(table)} rows"
            )


def _simulated(
    simulate: Any, n: int, rng: np.random.Generator, names: list[Hashable] | None = None
) -> tuple[Table, Any]:
    """A data set of n rows, of the columns `names` if given."""
    if not callable(simulate):
        raise TypeError(f"simulate must be a callable(n, random_state), got {simulate!r}")
    drawn = simulate(n, rng)
    if not (isinstance(drawn, tuple) and len(drawn) == 2):
        raise TypeError(f"simulate(n, random_state) must return (X, y), got {type(drawn).__name__}")
    X, y = drawn
    table = as_table(X, "X of simulate")
    if len(table) != n:
        raise ValueError(f"simulate({n}, random_state) must return {n} rows, got {len(table)}")
    check_response(y, n, "y of simulate")
    if names is not None and table.names != names:
        raise ValueError(
            f"simulate must return the same columns every time, got {table.names} after {names}"
        )
    return table, y
