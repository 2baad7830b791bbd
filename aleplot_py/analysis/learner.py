"""Learner-ALE and learner-PD: what a learner, rather than one fitted model, makes of a feature."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, Literal, Unpack, overload

import numpy as np

from aleplot_py.analysis.bootstrap import explainer_of
from aleplot_py.analysis.resampling import (
    Explainer,
    centred_at,
    draw_split,
    same_classes,
    uncentred,
)
from aleplot_py.inputs.checks import check_switches, coverage, one_of, positive_integer
from aleplot_py.inputs.fitting import generator_of, with_bar
from aleplot_py.inputs.options import Options
from aleplot_py.results.bands import Bands
from aleplot_py.results.effects import AleResult, PartialDependenceResult
from aleplot_py.steps.centre import power_of
from aleplot_py.steps.grid import FloatArray
from aleplot_py.typing import (
    Fitter,
    FrameLike,
    LearnerOptions,
    Numbers,
    RandomState,
    ResponseMethod,
    Values,
)

# Share of the rows in a subsample: that of the different rows in a bootstrap sample.
SUBSAMPLE = 0.632
RESAMPLING = ("bootstrap", "subsampling")


@overload
def learner_bands(
    effect: AleResult | PartialDependenceResult,
    learner: Fitter,
    X: FrameLike,
    y: Values,
    **options: Unpack[LearnerOptions],
) -> Bands: ...
@overload
def learner_bands(
    effect: Mapping[Any, AleResult | PartialDependenceResult],
    learner: Fitter,
    X: FrameLike,
    y: Values,
    **options: Unpack[LearnerOptions],
) -> dict[Hashable, Bands]: ...
def learner_bands(
    effect: AleResult | PartialDependenceResult | Mapping[Any, AleResult | PartialDependenceResult],
    learner: Fitter,
    X: FrameLike,
    y: Values,
    *,
    n_refits: int = 15,
    resampling: Literal["bootstrap", "subsampling"] = "bootstrap",
    level: float = 0.95,
    sample_weight: Numbers | None = None,
    response_method: ResponseMethod = "auto",
    batch_rows: int | None = None,
    n_jobs: int | Executor | None = None,
    progress: bool = True,
    keep_curves: bool = False,
    random_state: RandomState = None,
) -> Bands | dict[Hashable, Bands]:
    """Learner-ALE or learner-PD: the mean effect over refitted models, with confidence bands.

    The effect of one fitted model does not tell how far another sample would have led the learner
    elsewhere. Here the model is refitted to resamples, every model is explained on the rows that
    it was not fitted to, and the effects are averaged. Since the resamples share rows, their
    effects vary less than those of fresh samples: the variance of the mean is corrected for that.

    .. versionadded:: 0.2

    Parameters
    ----------
    effect : AleResult, PartialDependenceResult, or mapping of feature to these
        What to estimate: it lends its features, points, order of levels, centring and output. Of
        several effects all are estimated from the same refits.
    learner : estimator or callable(X, y)
        What is refitted: an estimator with a ``fit`` method, which is cloned and seeded from
        `random_state` wherever it has no seed, or a callable that returns a fitted model or a
        callable(frame).
    X : DataFrame or ndarray of shape (n, d)
        The rows of the effect.
    y : array_like of length n
        The response.
    n_refits : int, default 15
        Number of refits, at least 2; the source advises 10 to 20.
    resampling : {"bootstrap", "subsampling"}
        Rows of a refit: n drawn with replacement, or 63.2 % of them without, as many as there are
        different ones in the former. The source found bootstrap bands to cover better.
    level : float, default 0.95
        Nominal coverage at each point, in (0, 1), of the expected effect of the learner's models;
        how far that is from the truth (their bias) no band tells.
    sample_weight : array_like of shape (n,), optional
        The weights that the effect was computed with, where it does not keep them. Refitting
        ignores them.
    response_method, batch_rows, n_jobs, progress
        As in `aleplot_py.ale`.
    keep_curves : bool, default False
        Whether the result keeps the effects of the single refits.
    random_state : int, Generator, RandomState or None
        Source of the resamples, and of seeds for the learner.

    Returns
    -------
    Bands, or dict of feature to Bands for a mapping
        ``bands.effect`` is the learner's effect, the mean over the refits, whose local means are
        those of the refits, too, and whose ``local_std`` is the root of their mean variance;
        ``bands.std`` its corrected standard error, in units of the prediction.

    Raises
    ------
    ValueError, TypeError
        If there are fewer than 2 refits, the level is not inside (0, 1), the effect is a total
        effect, `X`, `y` or the weights are not those of the effect's rows, or resamples lack a
        level or class again and again.

    See Also
    --------
    bootstrap_bands : What the choice of rows does to the effect of one model.
    effect_error : Bias and variance where the truth is known.
    ale : The effect.

    Notes
    -----
    Takes no `target`, `categorical`: they are those of the effect.
    Takes no `missing`: the rows are those of the effect, whose features are known.

    With the effects ``f_1, ..., f_m`` of m refits at a point, their variance ``s^2`` (divisor
    m - 1), and n_1 different rows to fit to and n_2 rows left out on the average, the variance of
    the mean is ``(1 / m + n_2 / n_1) s^2`` and the band the mean and t quantiles with m - 1
    degrees of freedom. Without the second term, which is Nadeau and Bengio's and rough, bands are
    far too narrow. Every effect is centred over all rows of `effect`.

    Source: Molnar, C., Freiesleben, T., König, G. et al. (2023), Relating the partial dependence
    plot and permutation feature importance to the data generating process, xAI 2023, 456-479
    (arXiv 2109.01433), sections 7 and 8, for partial dependence; Nadeau, C. and Bengio, Y. (2003),
    Inference for the generalization error, Machine Learning 52, 239-281, for the correction.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from sklearn.linear_model import LinearRegression
    >>> from aleplot_py import ale, learner_bands
    >>> rng = np.random.default_rng(1)
    >>> X = pd.DataFrame({"x": rng.normal(size=50)})
    >>> y = 2 * X["x"] + rng.normal(size=50)
    >>> effect = ale(LinearRegression().fit(X, y), X, "x", K=3)
    >>> learner_bands(effect, LinearRegression(), X, y, random_state=1)
    Bands('x': 95 % pointwise band, 15 resamples)
    """
    if positive_integer(n_refits, "n_refits") < 2:
        raise ValueError(f"n_refits must be at least 2 refits, got {n_refits}")
    one_of(resampling, RESAMPLING, "resampling")
    check_switches(keep_curves=keep_curves)
    coverage(level)
    effects: dict[Any, Any] = dict(effect) if isinstance(effect, Mapping) else {None: effect}
    how = Options(
        response_method=response_method, batch_rows=batch_rows, n_jobs=n_jobs, progress=progress
    )
    rng = generator_of(random_state)
    explainers = [
        _explainer(one, learner, X, y, sample_weight, how, rng) for one in effects.values()
    ]
    refits, ratio = _refits(
        list(effects.values()), explainers, n_refits, resampling == "bootstrap", rng
    )
    bands = {
        key: _bands(one, some, ratio, float(level), keep_curves)
        for (key, one), some in zip(effects.items(), refits, strict=True)
    }
    return bands if isinstance(effect, Mapping) else bands[None]


def _explainer(
    effect: Any,
    learner: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    options: Options,
    rng: np.random.Generator,
) -> Explainer:
    """How models are fitted and explained, checked against an effect."""
    if not isinstance(effect, (AleResult, PartialDependenceResult)):
        raise TypeError(
            f"effect must be the result of ale or partial_dependence, got {type(effect).__name__}"
        )
    if learner is None:
        raise TypeError("learner must be an estimator with a fit method or a callable(X, y)")
    return explainer_of(
        effect, None, learner, X, y, sample_weight, False, None, options, rng, argument="learner"
    )


def _refits(
    effects: Sequence[AleResult | PartialDependenceResult],
    explainers: Sequence[Explainer],
    n_refits: int,
    replacing: bool,
    rng: np.random.Generator,
) -> tuple[list[list[Any]], float]:
    """Each effect over the rows that each model was not fitted to, and rows left out per fitted.

    They are centred as `effects` are, over all rows.
    """
    refits: list[list[Any]] = [[] for _ in effects]
    if not effects:
        return refits, 0.0
    first = explainers[0]  # all fit the same models
    if len(first.table) < 2:
        raise ValueError("X must have at least 2 rows, so that some can be left out, got 1")
    classes, left_out, shown = None, 0, first.options.progress
    for _ in with_bar(range(n_refits), n_refits, "refits", shown=shown):
        share = None if replacing else SUBSAMPLE
        rows, left = draw_split(effects, first.labels, share, rng)
        left_out += len(left)
        model = first.fitted_to(rows)
        classes = same_classes(model, classes)
        for effect, explainer, found in zip(effects, explainers, refits, strict=True):
            one = uncentred(effect, explainer, model, left)
            values, mains, constant = centred_at(effect, one, effect.counts)
            changed: dict[str, Any] = {"f_values": values}
            if isinstance(effect, AleResult):
                changed |= {"main_effects": mains, "constant": constant}
            elif effect.centre == "pdplot":
                changed |= {"constant": constant}
            found.append(replace(one, **changed))
    return refits, left_out / (n_refits * len(first.table) - left_out)


def _bands(
    effect: Any, refits: Sequence[Any], ratio: float, level: float, keep_curves: bool
) -> Bands:
    """Mean of the refits' effects, and t intervals with the corrected variance."""
    from scipy.stats import t  # as slow to import as the rest of the package

    m = len(refits)
    curves = np.stack([one.f_values for one in refits])
    power = power_of(curves)  # so that squares neither overflow nor vanish
    scaled = np.ldexp(curves, -power)
    std = np.sqrt((1 / m + ratio) * (scaled - scaled[0]).var(axis=0, ddof=1))
    half = np.ldexp(float(t.ppf((1 + level) / 2, m - 1)) * std, power)
    mean = _mean_effect(effect, refits)
    return Bands(
        effect=mean,
        lower=mean.f_values - half,
        upper=mean.f_values + half,
        std=np.ldexp(std, power),
        level=level,
        kind="pointwise",
        method="t",
        n_boot=m,
        grid="fixed",
        centred_over="data",
        refitted=True,
        curves=curves if keep_curves else None,
    )


def _mean_effect(effect: Any, refits: Sequence[Any]) -> Any:
    """The effect with the means of its refits: all that it consists of is linear in them."""
    mean = {
        "f_values": _mean([one.f_values for one in refits]),
        "constant": float(_mean([one.constant for one in refits])),
        "route": refits[0].route,
    }
    if isinstance(effect, PartialDependenceResult):
        return replace(effect, individual=None, _column=None, **mean)
    return replace(
        effect,
        empty=np.all([one.empty for one in refits], axis=0),
        local_mean=_mean([one.local_mean for one in refits]),
        local_std=_root_mean(np.stack([one.local_std for one in refits])),
        main_effects=tuple(
            _mean(parts) for parts in zip(*(one.main_effects for one in refits), strict=True)
        ),
        local_effects=None,
        _mean=float(_mean([one.mean_prediction for one in refits])),
        **mean,
    )


def _mean(values: Sequence[Any]) -> FloatArray:
    """Mean of arrays of one shape, exactly the first where all are equal."""
    stacked = np.stack(values)
    power = power_of(stacked)
    scaled = np.ldexp(stacked, -power)
    return np.asarray(np.ldexp(scaled[0] + (scaled - scaled[0]).mean(axis=0), power))


def _root_mean(std: FloatArray) -> FloatArray:
    """Root of the mean square of deviations (m, ...) that are known; NaN where none is."""
    known = np.isfinite(std)
    power = power_of(std[known])
    squares = np.where(known, np.ldexp(std, -power), 0.0) ** 2
    several = known.sum(axis=0)
    mean = squares.sum(axis=0) / np.maximum(several, 1)
    return np.asarray(np.where(several > 0, np.ldexp(np.sqrt(mean), power), np.nan))
