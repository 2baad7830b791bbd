"""Effects known in closed form: what the estimators converge to as the data grow.

Every case is a distribution of two features together with a prediction function. Curves and
surfaces are population effects, centred to mean 0 over the distribution of their own features,
in units of the prediction; add ``mean()`` for the level of the prediction. Features are
numbered 1 and 2 as in the formulas.
"""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.integrate import quad
from scipy.special import log_ndtr

FloatArray = npt.NDArray[np.float64]


class TwoFeatureCase(ABC):
    """A prediction function and a distribution of two features with known effects."""

    @abstractmethod
    def prediction(self, x1: npt.ArrayLike, x2: npt.ArrayLike) -> FloatArray:
        """Evaluate the prediction function.

        Parameters
        ----------
        x1, x2 : array_like
            Values of the features; the two are broadcast against each other.

        Returns
        -------
        ndarray of the broadcast shape
            Predictions.
        """

    @abstractmethod
    def mean(self) -> float:
        """Give the mean prediction ``E f(X1, X2)``."""

    def pd(self, feature: int, x: npt.ArrayLike) -> FloatArray:
        """Evaluate the centred partial dependence, the mean of f over the *other* margin.

        Parameters
        ----------
        feature : int
            1 or 2.
        x : array_like
            Values of the feature.

        Returns
        -------
        ndarray of the shape of `x`
            Effect in units of the prediction.

        Raises
        ------
        ValueError
            If `feature` is neither 1 nor 2.
        """
        return self._pd(_checked_feature(feature), _values("x", x))

    def ale(self, feature: int, x: npt.ArrayLike) -> FloatArray:
        """Evaluate the centred accumulated local effect (Apley and Zhu 2020).

        It is the integral of ``E[df/dx_j | X_j = x]``.

        Parameters
        ----------
        feature : int
            1 or 2.
        x : array_like
            Values of the feature.

        Returns
        -------
        ndarray of the shape of `x`
            Effect in units of the prediction.

        Raises
        ------
        ValueError
            If `feature` is neither 1 nor 2.
        """
        return self._ale(_checked_feature(feature), _values("x", x))

    def m(self, feature: int, x: npt.ArrayLike) -> FloatArray:
        """Evaluate the centred M-plot, the conditional mean ``E[f | X_j = x] - E f``.

        Parameters
        ----------
        feature : int
            1 or 2.
        x : array_like
            Values of the feature.

        Returns
        -------
        ndarray of the shape of `x`
            Effect in units of the prediction.

        Raises
        ------
        ValueError
            If `feature` is neither 1 nor 2.
        """
        return self._m(_checked_feature(feature), _values("x", x))

    @abstractmethod
    def _pd(self, feature: int, x: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _ale(self, feature: int, x: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _m(self, feature: int, x: FloatArray) -> FloatArray: ...


@dataclass(frozen=True)
class BivariateNormalInteraction(TwoFeatureCase):
    r"""Two normal features and a linear model with their product (Grömping 2020).

    Parameters
    ----------
    b0, b1, b2, b3 : float
        Coefficients of ``f = b0 + b1 x1 + b2 x2 + b3 x1 x2``.
    mu1, mu2, s1, s2 : float
        Means and standard deviations of the features.
    rho : float
        Their correlation, from -1 to 1.

    Raises
    ------
    TypeError
        If a parameter is not a number.
    ValueError
        If a parameter is not finite, a standard deviation is not positive, or `rho` lies
        outside -1 to 1.

    Notes
    -----
    With :math:`d = x_1 - \mu_1`, :math:`e = x_2 - \mu_2`, :math:`b_{21} = \rho s_2 / s_1` and
    :math:`b_{12} = \rho s_1 / s_2`,

    .. math::

        PD_1 &= (b_1 + b_3 \mu_2) d \\
        ALE_1 &= (b_1 + b_3 \mu_2) d + \tfrac12 b_3 b_{21} (d^2 - s_1^2) \\
        M_1 &= (b_1 + b_3 \mu_2 + b_2 b_{21} + b_3 b_{21} \mu_1) d + b_3 b_{21} (d^2 - s_1^2) \\
        ALE_{12} &= b_3 (d e - \tfrac12 b_{21} d^2 - \tfrac12 b_{12} e^2)

    and likewise for the second feature. The model is linear in each feature, yet its ALE is a
    parabola whose curvature has the sign of :math:`b_3 \rho`, and the M-plot has exactly twice
    that curvature. The decomposition :math:`f = E f + ALE_1 + ALE_2 + ALE_{12}` is exact.

    References
    ----------
    Grömping, U. (2020). Model-agnostic effects plots for interpreting machine learning models.
    Reports in Mathematics, Physics and Chemistry 1/2020, Beuth University of Applied Sciences.
    """

    b0: float
    b1: float
    b2: float
    b3: float
    mu1: float
    mu2: float
    s1: float
    s2: float
    rho: float

    def __post_init__(self) -> None:
        _require_finite_fields(self)
        _require_positive("s1", self.s1)
        _require_positive("s2", self.s2)
        _require_correlation(self.rho)

    @classmethod
    def groemping(cls) -> BivariateNormalInteraction:
        """Give the worked example of Grömping (2020).

        Returns
        -------
        BivariateNormalInteraction
            Means 10 and -5, variances 1, correlation -0.9, ``f = 200 + x1 - 0.5 x2 + x1 x2``.
        """
        return cls(b0=200, b1=1, b2=-0.5, b3=1, mu1=10, mu2=-5, s1=1, s2=1, rho=-0.9)

    def prediction(self, x1: npt.ArrayLike, x2: npt.ArrayLike) -> FloatArray:
        """Evaluate ``b0 + b1 x1 + b2 x2 + b3 x1 x2``.

        Parameters
        ----------
        x1, x2 : array_like
            Values of the features; the two are broadcast against each other.

        Returns
        -------
        ndarray of the broadcast shape
            Predictions.
        """
        return _bilinear(self.b0, self.b1, self.b2, self.b3, x1, x2)

    def mean(self) -> float:
        """Give ``b0 + b1 mu1 + b2 mu2 + b3 (mu1 mu2 + rho s1 s2)``."""
        mean_product = self.mu1 * self.mu2 + self.rho * self.s1 * self.s2
        return self.b0 + self.b1 * self.mu1 + self.b2 * self.mu2 + self.b3 * mean_product

    def variance(self) -> float:
        r"""Give the variance of the prediction.

        Returns
        -------
        float
            :math:`a^2 + b^2 + 2 \rho a b + c^2 (1 + \rho^2)` with
            :math:`a = (b_1 + b_3 \mu_2) s_1`, :math:`b = (b_2 + b_3 \mu_1) s_2` and
            :math:`c = b_3 s_1 s_2`, in squared units of the prediction.
        """
        a = self._slope(1) * self.s1
        b = self._slope(2) * self.s2
        c = self.b3 * self.s1 * self.s2
        return a**2 + b**2 + 2 * self.rho * a * b + c**2 * (1 + self.rho**2)

    def ale_pair(self, x1: npt.ArrayLike, x2: npt.ArrayLike) -> FloatArray:
        """Evaluate the second-order ALE, ``b3 (d e - b21 d^2 / 2 - b12 e^2 / 2)``.

        Parameters
        ----------
        x1, x2 : array_like
            Values of the features; the two are broadcast against each other.

        Returns
        -------
        ndarray of the broadcast shape
            Effect in units of the prediction; its mean is 0 by itself.
        """
        d = _values("x1", x1) - self.mu1
        e = _values("x2", x2) - self.mu2
        b21, b12 = self._regression_slope(1), self._regression_slope(2)
        return np.asarray(self.b3 * (d * e - b21 / 2 * d**2 - b12 / 2 * e**2))

    def ale_pair_variance(self) -> float:
        """Give the variance of the second-order ALE, ``(b3 s1 s2 (1 - rho^2))^2``."""
        return (self.b3 * self.s1 * self.s2 * (1 - self.rho**2)) ** 2

    def interaction_strength(self) -> float:
        """Give the population interaction strength of Molnar et al. (2019).

        Returns
        -------
        float
            Variance of the second-order ALE over the variance of the prediction.

        Raises
        ------
        ValueError
            If the prediction is constant.
        """
        variance = self.variance()
        if variance <= 0:
            raise ValueError(
                "interaction strength needs a prediction that varies, "
                f"got b1 = {self.b1:g}, b2 = {self.b2:g}, b3 = {self.b3:g} "
                f"with rho = {self.rho:g} and variance {variance:g}"
            )
        return self.ale_pair_variance() / variance

    def _slope(self, feature: int) -> float:
        """Give the slope of f in one feature where the other is at its mean."""
        if feature == 1:
            return self.b1 + self.b3 * self.mu2
        return self.b2 + self.b3 * self.mu1

    def _regression_slope(self, feature: int) -> float:
        """Give the slope of the other feature's conditional mean on this one."""
        return self.rho * (self.s2 / self.s1 if feature == 1 else self.s1 / self.s2)

    def _deviation_and_parabola(self, feature: int, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        mean, sd = (self.mu1, self.s1) if feature == 1 else (self.mu2, self.s2)
        deviation = x - mean
        parabola = self.b3 * self._regression_slope(feature) * (deviation**2 - sd**2)
        return deviation, parabola

    def _pd(self, feature: int, x: FloatArray) -> FloatArray:
        deviation, _ = self._deviation_and_parabola(feature, x)
        return self._slope(feature) * deviation

    def _ale(self, feature: int, x: FloatArray) -> FloatArray:
        deviation, parabola = self._deviation_and_parabola(feature, x)
        return self._slope(feature) * deviation + parabola / 2

    def _m(self, feature: int, x: FloatArray) -> FloatArray:
        deviation, parabola = self._deviation_and_parabola(feature, x)
        through_other = self._regression_slope(feature) * self._slope(3 - feature)
        return (self._slope(feature) + through_other) * deviation + parabola


@dataclass(frozen=True)
class UniformPlusNoise(TwoFeatureCase):
    r"""A uniform feature and a noisy copy of it, in a linear model with their product.

    ``X1 ~ U(0, 1)``, ``X2 = X1 + N(0, s^2)``, ``f = b0 + b1 x1 + b2 x2 + b3 x1 x2``.

    Parameters
    ----------
    b0, b1, b2, b3 : float
        Coefficients.
    s : float
        Standard deviation of the noise.

    Raises
    ------
    TypeError
        If a parameter is not a number.
    ValueError
        If a parameter is not finite or `s` is not positive.

    Notes
    -----
    With the density :math:`p` of :math:`X_2`, its entropy :math:`H` and
    :math:`h(x) = E[X_1 | X_2 = x] = x + s^2 (\log p)'(x)`,

    .. math::

        PD_1 &= (b_1 + b_3 / 2)(x - \tfrac12), \quad PD_2 = (b_2 + b_3 / 2)(x - \tfrac12) \\
        ALE_1 &= b_1 (x - \tfrac12) + b_3 (x^2 / 2 - \tfrac16) \\
        ALE_2 &= b_2 (x - \tfrac12) + b_3 [x^2 / 2 + s^2 \log p(x) - (1/3 + s^2)/2 + s^2 H] \\
        M_1 &= (b_1 + b_2)(x - \tfrac12) + b_3 (x^2 - \tfrac13) \\
        M_2 &= b_1 (h(x) - \tfrac12) + b_2 (x - \tfrac12) + b_3 (x h(x) - \tfrac13) \\
        ALE_{12} &= b_3 \{s^2 / 2 - (x_1 - x_2)^2 / 2 - s^2 [\log p(x_2) + H]\}
    """

    b0: float
    b1: float
    b2: float
    b3: float
    s: float

    def __post_init__(self) -> None:
        _require_finite_fields(self)
        _require_positive("s", self.s)

    def prediction(self, x1: npt.ArrayLike, x2: npt.ArrayLike) -> FloatArray:
        """Evaluate ``b0 + b1 x1 + b2 x2 + b3 x1 x2``.

        Parameters
        ----------
        x1, x2 : array_like
            Values of the features; the two are broadcast against each other.

        Returns
        -------
        ndarray of the broadcast shape
            Predictions.
        """
        return _bilinear(self.b0, self.b1, self.b2, self.b3, x1, x2)

    def mean(self) -> float:
        """Give ``b0 + b1 / 2 + b2 / 2 + b3 / 3``."""
        return self.b0 + self.b1 / 2 + self.b2 / 2 + self.b3 / 3

    def density(self, x: npt.ArrayLike) -> FloatArray:
        r"""Evaluate the density of X2, :math:`p(x) = \Phi(x/s) - \Phi((x-1)/s)`.

        Parameters
        ----------
        x : array_like
            Values of X2.

        Returns
        -------
        ndarray of the shape of `x`
            Density.
        """
        return np.asarray(np.exp(_log_density(_values("x", x), self.s)))

    def conditional_mean(self, x: npt.ArrayLike) -> FloatArray:
        r"""Evaluate :math:`h(x) = E[X_1 | X_2 = x] = x + s^2 (\log p)'(x)`.

        Parameters
        ----------
        x : array_like
            Values of X2.

        Returns
        -------
        ndarray of the shape of `x`
            Conditional mean, between 0 and 1.
        """
        return _uniform_given_noisy(_values("x", x), self.s)

    @cached_property
    def entropy(self) -> float:
        r"""Differential entropy of X2, :math:`-\int p \log p`, in nats."""
        return _entropy(self.s)

    def ale_pair(self, x1: npt.ArrayLike, x2: npt.ArrayLike) -> FloatArray:
        """Evaluate the second-order ALE, see Notes of the class.

        Parameters
        ----------
        x1, x2 : array_like
            Values of the features; the two are broadcast against each other.

        Returns
        -------
        ndarray of the broadcast shape
            Effect in units of the prediction.
        """
        first, second = _values("x1", x1), _values("x2", x2)
        surprise = self.s**2 * (_log_density(second, self.s) + self.entropy)
        return np.asarray(self.b3 * (self.s**2 / 2 - (first - second) ** 2 / 2 - surprise))

    def _pd(self, feature: int, x: FloatArray) -> FloatArray:
        slope = (self.b1 if feature == 1 else self.b2) + self.b3 / 2
        return slope * (x - 0.5)

    def _ale(self, feature: int, x: FloatArray) -> FloatArray:
        if feature == 1:
            return self.b1 * (x - 0.5) + self.b3 * (x**2 / 2 - 1 / 6)
        variance = self.s**2
        mean = (1 / 3 + variance) / 2 - variance * self.entropy
        curve = x**2 / 2 + variance * _log_density(x, self.s) - mean
        return self.b2 * (x - 0.5) + self.b3 * curve

    def _m(self, feature: int, x: FloatArray) -> FloatArray:
        other = x if feature == 1 else _uniform_given_noisy(x, self.s)
        own_slope, other_slope = (self.b1, self.b2) if feature == 1 else (self.b2, self.b1)
        linear = own_slope * (x - 0.5) + other_slope * (other - 0.5)
        return linear + self.b3 * (x * other - 1 / 3)


@dataclass(frozen=True)
class ALEPlotDependent(TwoFeatureCase):
    r"""Two noisy copies of one uniform variable and an additive model (Apley and Zhu 2020).

    ``U ~ U(0, 1)``, ``X1 = U + N(0, s^2)``, ``X2 = U + N(0, s^2)``, ``f = x1 + x2^2``.

    Parameters
    ----------
    s : float
        Standard deviation of the noise, 0.05 in ALEPlot's vignette.

    Raises
    ------
    TypeError
        If `s` is not a number.
    ValueError
        If `s` is not finite and positive.

    Notes
    -----
    The model is additive, so ALE and partial dependence agree:
    :math:`x_1 - 1/2` and :math:`x_2^2 - (1/3 + s^2)`. The M-plots mix the two effects,

    .. math::

        M_1 &= x + E[U^2 | X_1 = x] - (1/2 + 1/3) \\
        M_2 &= x^2 + E[U | X_2 = x] - (1/2 + 1/3 + s^2),

    both about :math:`x + x^2` but for a constant.
    """

    s: float = 0.05

    def __post_init__(self) -> None:
        _require_finite_fields(self)
        _require_positive("s", self.s)

    def prediction(self, x1: npt.ArrayLike, x2: npt.ArrayLike) -> FloatArray:
        """Evaluate ``x1 + x2^2``.

        Parameters
        ----------
        x1, x2 : array_like
            Values of the features; the two are broadcast against each other.

        Returns
        -------
        ndarray of the broadcast shape
            Predictions.
        """
        return np.asarray(_values("x1", x1) + _values("x2", x2) ** 2)

    def mean(self) -> float:
        """Give ``1/2 + 1/3 + s^2``."""
        return 1 / 2 + 1 / 3 + self.s**2

    def correlation(self) -> float:
        """Give the correlation of the features, ``1 / (1 + 12 s^2)``."""
        return 1 / (1 + 12 * self.s**2)

    def ale_pair(self, x1: npt.ArrayLike, x2: npt.ArrayLike) -> FloatArray:
        """Give the second-order ALE of an additive model: 0 everywhere.

        Parameters
        ----------
        x1, x2 : array_like
            Values of the features; the two are broadcast against each other.

        Returns
        -------
        ndarray of the broadcast shape
            Zeros.
        """
        return np.zeros(np.broadcast_shapes(_values("x1", x1).shape, _values("x2", x2).shape))

    def _pd(self, feature: int, x: FloatArray) -> FloatArray:
        return x - 0.5 if feature == 1 else x**2 - (1 / 3 + self.s**2)

    def _ale(self, feature: int, x: FloatArray) -> FloatArray:
        return self._pd(feature, x)

    def _m(self, feature: int, x: FloatArray) -> FloatArray:
        if feature == 1:
            return x + _squared_uniform_given_noisy(x, self.s) - (1 / 2 + 1 / 3)
        return x**2 + _uniform_given_noisy(x, self.s) - self.mean()


@dataclass(frozen=True)
class Kink(TwoFeatureCase):
    r"""Two equal features and a kinked prediction that extrapolation changes.

    ``X1 ~ U(0, 1)``, ``X2 = X1``, ``f = max(0, 1 - x1 - x2)``.

    Notes
    -----
    Before centring, for either feature,

    .. math::

        PD = (1 - x)^2 / 2, \quad ALE = -\min(x, 1/2), \quad M = \max(0, 1 - 2 x)

    with means 1/6, -3/8 and 1/4 on [0, 1], where the formulas hold.
    """

    def prediction(self, x1: npt.ArrayLike, x2: npt.ArrayLike) -> FloatArray:
        """Evaluate ``max(0, 1 - x1 - x2)``.

        Parameters
        ----------
        x1, x2 : array_like
            Values of the features; the two are broadcast against each other.

        Returns
        -------
        ndarray of the broadcast shape
            Predictions.
        """
        return np.asarray(np.maximum(0.0, 1.0 - _values("x1", x1) - _values("x2", x2)))

    def mean(self) -> float:
        """Give ``1/4``, the mean over the line ``x2 = x1``."""
        return 1 / 4

    def _pd(self, feature: int, x: FloatArray) -> FloatArray:
        return (1 - x) ** 2 / 2 - 1 / 6

    def _ale(self, feature: int, x: FloatArray) -> FloatArray:
        return np.asarray(3 / 8 - np.minimum(x, 0.5))

    def _m(self, feature: int, x: FloatArray) -> FloatArray:
        return np.asarray(np.maximum(0.0, 1 - 2 * x) - 1 / 4)


@dataclass(frozen=True)
class GridInteraction(TwoFeatureCase):
    """An exponential, a line and a product on a full square grid.

    Parameters
    ----------
    points : int
        Equally spaced points per axis of [-1, 1]; the features are uniform on the full grid.

    Raises
    ------
    TypeError
        If `points` is not an integer.
    ValueError
        If `points` is below 2.

    Notes
    -----
    ``f = 2 + exp(x1) - x2 + x1 x2``. The features are independent and have mean 0, so ALE,
    partial dependence and M-plot agree: ``exp(x1)`` less its mean on the grid, ``-x2``, and
    ``x1 x2`` for the pair. The mean prediction is 3.188 for 30 points.
    """

    points: int = 30

    def __post_init__(self) -> None:
        if isinstance(self.points, bool) or not isinstance(self.points, int | np.integer):
            raise TypeError(f"points must be an integer, got {self.points!r}")
        if self.points < 2:
            raise ValueError(f"points must be at least 2, got {self.points}")

    def axis(self) -> FloatArray:
        """Give the grid points of one axis, shape (points,)."""
        return np.linspace(-1.0, 1.0, self.points)

    def prediction(self, x1: npt.ArrayLike, x2: npt.ArrayLike) -> FloatArray:
        """Evaluate ``2 + exp(x1) - x2 + x1 x2``.

        Parameters
        ----------
        x1, x2 : array_like
            Values of the features; the two are broadcast against each other.

        Returns
        -------
        ndarray of the broadcast shape
            Predictions.
        """
        first, second = _values("x1", x1), _values("x2", x2)
        return np.asarray(2.0 + np.exp(first) - second + first * second)

    def mean(self) -> float:
        """Give 2 plus the mean of ``exp`` on the grid."""
        return 2.0 + self._mean_exponential()

    def ale_pair(self, x1: npt.ArrayLike, x2: npt.ArrayLike) -> FloatArray:
        """Evaluate the second-order ALE, ``x1 x2``.

        Parameters
        ----------
        x1, x2 : array_like
            Values of the features; the two are broadcast against each other.

        Returns
        -------
        ndarray of the broadcast shape
            Effect in units of the prediction.
        """
        return np.asarray(_values("x1", x1) * _values("x2", x2))

    def _mean_exponential(self) -> float:
        return float(np.exp(self.axis()).mean())

    def _pd(self, feature: int, x: FloatArray) -> FloatArray:
        return np.asarray(np.exp(x) - self._mean_exponential()) if feature == 1 else -x

    def _ale(self, feature: int, x: FloatArray) -> FloatArray:
        return self._pd(feature, x)

    def _m(self, feature: int, x: FloatArray) -> FloatArray:
        return self._pd(feature, x)


@dataclass(frozen=True)
class CubicWindow(TwoFeatureCase):
    r"""Two cubic effects of features that follow each other within a window.

    ``X1 ~ U(0, 10)``, ``X2 | X1 ~ U(X1 - 3, X1 + 3)``,
    ``f = (x1 - 4)(x1 - 5)(x1 - 6) + x2^3``.

    Notes
    -----
    The model is additive, so ALE and partial dependence agree:
    :math:`x^3 - 15 x^2 + 74 x - 120` (its mean is 0) and :math:`x^3 - 295`. The M-plots are

    .. math::

        M_1 = (x - 4)(x - 5)(x - 6) + x^3 + 9 x - 295, \quad M_2 = x^3 + \bar g(x) - 295,

    where :math:`\bar g(x)` is the mean of :math:`(t - 4)(t - 5)(t - 6)` for t between
    max(0, x - 3) and min(10, x + 3), the values of X1 that can go with ``X2 = x``; it needs x
    strictly between -3 and 13.
    """

    def prediction(self, x1: npt.ArrayLike, x2: npt.ArrayLike) -> FloatArray:
        """Evaluate ``(x1 - 4)(x1 - 5)(x1 - 6) + x2^3``.

        Parameters
        ----------
        x1, x2 : array_like
            Values of the features; the two are broadcast against each other.

        Returns
        -------
        ndarray of the broadcast shape
            Predictions.
        """
        first, second = _values("x1", x1), _values("x2", x2)
        return np.asarray((first - 4) * (first - 5) * (first - 6) + second**3)

    def mean(self) -> float:
        """Give ``E X2^3 = 295``; the mean of the first term is 0."""
        return 295.0

    def ale_pair(self, x1: npt.ArrayLike, x2: npt.ArrayLike) -> FloatArray:
        """Give the second-order ALE of an additive model: 0 everywhere.

        Parameters
        ----------
        x1, x2 : array_like
            Values of the features; the two are broadcast against each other.

        Returns
        -------
        ndarray of the broadcast shape
            Zeros.
        """
        return np.zeros(np.broadcast_shapes(_values("x1", x1).shape, _values("x2", x2).shape))

    def _pd(self, feature: int, x: FloatArray) -> FloatArray:
        return x**3 - 15 * x**2 + 74 * x - 120 if feature == 1 else x**3 - 295

    def _ale(self, feature: int, x: FloatArray) -> FloatArray:
        return self._pd(feature, x)

    def _m(self, feature: int, x: FloatArray) -> FloatArray:
        if feature == 1:
            return self._pd(1, x) + x**3 + 9 * x - 295
        if np.any((x <= -3) | (x >= 13)):
            bad = x[(x <= -3) | (x >= 13)].flat[0]
            raise ValueError(f"x must lie strictly between -3 and 13 for feature 2, got {bad:g}")
        low, high = np.maximum(0.0, x - 3) - 5, np.minimum(10.0, x + 3) - 5
        integral = (high**4 - low**4) / 4 - (high**2 - low**2) / 2
        return np.asarray(x**3 - 295 + integral / (high - low))


@dataclass(frozen=True)
class Step:
    """A narrow step that few intervals cannot see.

    ``X1 ~ U(start, end)``, ``f = height`` where ``low <= x1 <= high`` and 0 elsewhere.

    Parameters
    ----------
    low, high : float
        Ends of the step.
    height : float
        Height of the step, in units of the prediction.
    start, end : float
        Range of the feature.

    Raises
    ------
    TypeError
        If a parameter is not a number.
    ValueError
        If a parameter is not finite, or not ``start <= low < high <= end``.

    Notes
    -----
    The population effect is ``f - E f``, the same for ALE, partial dependence and M-plot. An
    estimated ALE on a grid sees the step only where a grid point lies inside it. With 100 rows
    a quantile grid of K = 20 misses the default step in about two thirds of all draws, and one
    of K = 50 shows it in about two thirds.
    """

    low: float = 4.9
    high: float = 5.1
    height: float = 10.0
    start: float = 0.0
    end: float = 10.0

    def __post_init__(self) -> None:
        _require_finite_fields(self)
        if not self.start <= self.low < self.high <= self.end:
            raise ValueError(
                "start <= low < high <= end must hold, got "
                f"start = {self.start:g}, low = {self.low:g}, high = {self.high:g}, "
                f"end = {self.end:g}"
            )

    def prediction(self, x1: npt.ArrayLike) -> FloatArray:
        """Evaluate the step.

        Parameters
        ----------
        x1 : array_like
            Values of the feature.

        Returns
        -------
        ndarray of the shape of `x1`
            Predictions.
        """
        return np.where(self._inside(_values("x1", x1)), self.height, 0.0)

    def mean(self) -> float:
        """Give ``height (high - low) / (end - start)``."""
        return self.height * (self.high - self.low) / (self.end - self.start)

    def ale(self, x1: npt.ArrayLike) -> FloatArray:
        """Evaluate the centred effect ``f - E f``.

        Parameters
        ----------
        x1 : array_like
            Values of the feature.

        Returns
        -------
        ndarray of the shape of `x1`
            Effect in units of the prediction.
        """
        return self.prediction(x1) - self.mean()

    def seen_by(self, z: npt.ArrayLike) -> bool:
        """Tell whether an ALE estimated on a grid can show the step.

        Parameters
        ----------
        z : array_like of shape (K + 1,)
            Grid points.

        Returns
        -------
        bool
            True if a grid point lies inside the step.
        """
        return bool(np.any(self._inside(_values("z", z))))

    def _inside(self, x: FloatArray) -> npt.NDArray[np.bool_]:
        return (self.low <= x) & (x <= self.high)


@dataclass(frozen=True)
class LofoOracle:
    """Importances of X1, as increases of the mean squared error.

    Parameters
    ----------
    lofo : float
        Leave-one-feature-out with a refit.
    marginal_permutation : float
        Permutation of X1 over all rows.
    conditional_permutation : float
        Permutation of X1 among rows with the same X2.
    """

    lofo: float
    marginal_permutation: float
    conditional_permutation: float


def lofo_oracle(b1: float, rho: float) -> LofoOracle:
    r"""Give the importances of X1 for the model that knows the truth.

    The response is ``b1 X1 + b2 X2 + noise`` with normal features of variance 1.

    Parameters
    ----------
    b1 : float
        Coefficient of X1; the coefficient of X2 does not matter.
    rho : float
        Correlation of the features, from -1 to 1.

    Returns
    -------
    LofoOracle
        :math:`b_1^2 (1 - \rho^2)` for LOFO, :math:`2 b_1^2` for marginal permutation and
        :math:`2 b_1^2 (1 - \rho^2)`, twice LOFO, for conditional permutation, in squared units
        of the prediction.

    Raises
    ------
    TypeError
        If a parameter is not a number.
    ValueError
        If `b1` is not finite or `rho` lies outside -1 to 1.
    """
    _require_finite("b1", b1)
    _require_finite("rho", rho)
    _require_correlation(rho)
    unexplained = 1 - rho**2
    return LofoOracle(
        lofo=b1**2 * unexplained,
        marginal_permutation=2 * b1**2,
        conditional_permutation=2 * b1**2 * unexplained,
    )


def _bilinear(
    b0: float, b1: float, b2: float, b3: float, x1: npt.ArrayLike, x2: npt.ArrayLike
) -> FloatArray:
    first, second = _values("x1", x1), _values("x2", x2)
    return np.asarray(b0 + b1 * first + b2 * second + b3 * first * second)


def _log_density(x: FloatArray, s: float) -> FloatArray:
    """Evaluate the log density of U(0, 1) + N(0, s^2), exact far in the tails."""
    # Mirrored to the left half, the two terms differ in size and do not cancel.
    left = 0.5 - np.abs(x - 0.5)
    upper = log_ndtr(left / s)
    return np.asarray(upper + np.log1p(-np.exp(log_ndtr((left - 1) / s) - upper)))


def _edge_density(x: FloatArray, edge: float, s: float) -> FloatArray:
    """Evaluate s phi((x - edge) / s) over the density of U(0, 1) + N(0, s^2)."""
    log_normal = -(((x - edge) / s) ** 2) / 2 - math.log(math.sqrt(2 * math.pi))
    return np.asarray(s * np.exp(log_normal - _log_density(x, s)))


def _uniform_given_noisy(x: FloatArray, s: float) -> FloatArray:
    """Evaluate E[U | U + N(0, s^2) = x] for U ~ U(0, 1)."""
    return x + _edge_density(x, 0.0, s) - _edge_density(x, 1.0, s)


def _squared_uniform_given_noisy(x: FloatArray, s: float) -> FloatArray:
    """Evaluate E[U^2 | U + N(0, s^2) = x] for U ~ U(0, 1)."""
    return x * _uniform_given_noisy(x, s) + s**2 - _edge_density(x, 1.0, s)


def _entropy(s: float) -> float:
    """Integrate -p log p for the density p of U(0, 1) + N(0, s^2)."""

    def integrand(x: float) -> float:
        log_density = float(_log_density(np.asarray(x), s))
        return -math.exp(log_density) * log_density

    # p is symmetric about 1/2, below 1e-32 from 12 s outside an edge, and 1 from 12 s inside.
    half, _ = quad(integrand, -12 * s, min(12 * s, 0.5), epsabs=0, epsrel=1e-12, limit=200)
    return 2 * float(half)


def _checked_feature(feature: int) -> int:
    """Check that a feature is 1 or 2."""
    if isinstance(feature, bool) or feature not in (1, 2):
        raise ValueError(f"feature must be 1 or 2, got {feature!r}")
    return int(feature)


def _values(name: str, x: npt.ArrayLike) -> FloatArray:
    """Give `x` as an array of floats."""
    try:
        return np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must hold numbers, got {x!r}") from None


def _require_finite(name: str, value: object) -> None:
    if isinstance(value, bool | np.bool_) or not isinstance(
        value, int | float | np.integer | np.floating
    ):
        raise TypeError(f"{name} must be a number, got {value!r}")
    if not math.isfinite(value):
        raise ValueError(f"{name} must be finite, got {value}")


def _require_finite_fields(case: Any) -> None:
    for field in dataclasses.fields(case):
        _require_finite(field.name, getattr(case, field.name))


def _require_positive(name: str, value: float) -> None:
    if value <= 0:
        raise ValueError(f"{name} must be positive, got {value:g}")


def _require_correlation(rho: float) -> None:
    if not -1 <= rho <= 1:
        raise ValueError(f"rho must lie between -1 and 1, got {rho:g}")
