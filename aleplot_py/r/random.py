"""R's random numbers: Mersenne-Twister, Inversion and Rejection, R's defaults since 3.6.0.

Simulated data and train/test splits of the literature were drawn with ``set.seed``; with this
module they are redrawn in Python without R.

>>> rng = set_seed(1)
>>> rng.runif(2).tolist()
[0.2655086631421, 0.37212389963679016]
>>> set_seed(1).sample_int(10).tolist()
[9, 4, 7, 1, 2, 5, 3, 10, 6, 8]
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


IntArray = npt.NDArray[np.int64]


_LARGEST_SEED = 2**31 - 1
_STATE_WORDS = 624
_WARM_UP_STEPS = 50
_UNIT = 2.0**-32
# R moves a uniform of exactly 0 to half of its own rounding of 1 / (2^32 - 1).
_SMALLEST_UNIFORM = 0.5 * 2.328306437080797e-10
_NORMAL_STEPS = 2.0**27
_LARGEST_POPULATION = 4.5e15
_LARGEST_TABLE = 2**31 - 1
_HASH_ABOVE = 10**7
_LN2 = math.log(2.0)


# Entry k is the sum of (ln 2)^i / i! for i = 1, ..., k + 1; the limit, 1, closes the table.
_EXPONENTIAL_STEPS = (
    *(math.fsum(_LN2**i / math.factorial(i) for i in range(1, k + 1)) for k in range(1, 16)),
    1.0,
)


class RRandom:
    """One random stream of R, as left by ``set.seed(seed)``.

    The object holds the whole state: draws from two objects never disturb each other, and
    calls in the same order as in R give R's values.

    Parameters
    ----------
    seed : int
        R's seed, from ``-(2**31 - 1)`` to ``2**31 - 1``.

    Raises
    ------
    TypeError
        If the seed is not an integer (R would truncate it silently).
    ValueError
        If the seed is outside the range of R's integers.

    Notes
    -----
    ``runif``, ``sample`` and ``sample_int`` equal R bit for bit. ``rnorm`` inverts the normal
    distribution by Wichura's algorithm AS 241 as R does, and ``rexp`` is the algorithm SA of
    Ahrens and Dieter (1972).

    References
    ----------
    Matsumoto, M. and Nishimura, T. (1998). Mersenne twister. ACM TOMACS 8, 3-30.
    Wichura, M. J. (1988). Algorithm AS 241. Applied Statistics 37, 477-484.
    Ahrens, J. H. and Dieter, U. (1972). Computer methods for sampling from the exponential and
    normal distributions. Communications of the ACM 15, 873-882.
    """

    def __init__(self, seed: SupportsIndex) -> None:
        self._twister = np.random.MT19937()
        self._twister.state = {
            "bit_generator": "MT19937",
            "state": {"key": _initial_state(_checked_seed(seed)), "pos": _STATE_WORDS},
        }

    def runif(
        self,
        n: SupportsIndex,
        min: float | npt.ArrayLike = 0.0,  # noqa: A002 - R's name
        max: float | npt.ArrayLike = 1.0,  # noqa: A002 - R's name
    ) -> FloatArray:
        """Draw from uniform distributions, like R's ``runif``.

        Parameters
        ----------
        n : int
            Number of draws.
        min, max : float or array_like of shape (n,)
            Ends of the interval. Where they are equal the draw is that value and, as in R,
            nothing is taken from the stream.

        Returns
        -------
        ndarray of shape (n,)
            The draws.

        Raises
        ------
        TypeError
            If `n` is not an integer.
        ValueError
            If `n` is negative, or an end is not finite, or `min` exceeds `max`.
        """
        count = _checked_count("n", n)
        low = _per_draw("min", min, count)
        high = _per_draw("max", max, count)
        if np.any(low > high):
            at = int(np.argmax(low > high))
            raise ValueError(
                f"min must not exceed max, got min = {low[at]:g} and max = {high[at]:g}"
            )
        draws = low.copy()
        open_interval = low < high
        unit = self._uniforms(int(open_interval.sum()))
        draws[open_interval] += (high - low)[open_interval] * unit
        return draws

    def rnorm(
        self,
        n: SupportsIndex,
        mean: float | npt.ArrayLike = 0.0,
        sd: float | npt.ArrayLike = 1.0,
    ) -> FloatArray:
        """Draw from normal distributions by inversion, like R's ``rnorm``.

        Parameters
        ----------
        n : int
            Number of draws.
        mean, sd : float or array_like of shape (n,)
            Means and standard deviations. Where `sd` is 0 the draw is the mean and, as in R,
            nothing is taken from the stream.

        Returns
        -------
        ndarray of shape (n,)
            The draws.

        Raises
        ------
        TypeError
            If `n` is not an integer.
        ValueError
            If `n` is negative, or a mean or sd is not finite, or an sd is negative.
        """
        count = _checked_count("n", n)
        draws = _per_draw("mean", mean, count).copy()
        scale = _per_draw("sd", sd, count)
        if np.any(scale < 0.0):
            raise ValueError(f"sd must not be negative, got {scale.min():g}")
        spread = scale > 0.0
        pairs = self._uniforms(2 * int(spread.sum())).reshape(-1, 2)
        levels = (np.floor(_NORMAL_STEPS * pairs[:, 0]) + pairs[:, 1]) / _NORMAL_STEPS
        draws[spread] += scale[spread] * _normal_quantiles(levels)
        return draws

    def rexp(self, n: SupportsIndex, rate: float | npt.ArrayLike = 1.0) -> FloatArray:
        """Draw from exponential distributions, like R's ``rexp``.

        Parameters
        ----------
        n : int
            Number of draws.
        rate : float or array_like of shape (n,)
            Rates; the mean of a draw is ``1 / rate``.

        Returns
        -------
        ndarray of shape (n,)
            The draws.

        Raises
        ------
        TypeError
            If `n` is not an integer.
        ValueError
            If `n` is negative or a rate is not finite and positive.
        """
        count = _checked_count("n", n)
        rates = _per_draw("rate", rate, count)
        if np.any(rates <= 0.0):
            raise ValueError(f"rate must be positive, got {rates.min():g}")
        unit = np.array([self._standard_exponential() for _ in range(count)], dtype=np.float64)
        return (1.0 / rates) * unit

    def sample(
        self,
        x: SupportsIndex | Sequence[Any] | npt.NDArray[Any],
        size: SupportsIndex | None = None,
        replace: bool = False,
    ) -> npt.NDArray[Any]:
        """Draw elements with equal probabilities, like R's ``sample``.

        Parameters
        ----------
        x : int or one-dimensional array_like
            The population; an integer stands for ``1, ..., x`` as in R. Unlike in R, a sequence
            that holds a single number is a population of one.
        size : int, optional
            Number of draws; by default the size of the population (a permutation).
        replace : bool
            Whether an element may be drawn more than once.

        Returns
        -------
        ndarray of shape (size,)
            The elements drawn.

        Raises
        ------
        TypeError
            If `x` is neither an integer nor one-dimensional, or `size` is not an integer.
        ValueError
            If `x` is empty or below 1, `size` is negative, or `size` exceeds the population
            without replacement.
        """
        if _is_number(x):
            return self._sample_positions("x", _checked_count("x", x), size, replace) + 1
        population = np.asarray(x)
        if population.ndim != 1:
            raise TypeError(
                "x must be an integer or one-dimensional, "
                f"got {type(x).__name__} with {population.ndim} dimensions"
            )
        return population[self._sample_positions("len(x)", population.size, size, replace)]

    def sample_int(
        self, n: SupportsIndex, size: SupportsIndex | None = None, replace: bool = False
    ) -> IntArray:
        """Draw from ``1, ..., n`` with equal probabilities, like R's ``sample.int``.

        Parameters
        ----------
        n : int
            Size of the population, at most 4.5e15 as in R.
        size : int, optional
            Number of draws; by default `n` (a permutation).
        replace : bool
            Whether a number may be drawn more than once.

        Returns
        -------
        ndarray of int64, shape (size,)
            The numbers drawn, counted from 1 as in R.

        Raises
        ------
        TypeError
            If `n` or `size` is not an integer.
        ValueError
            If `n` is below 1 or too large, `size` is negative, or `size` exceeds `n` without
            replacement.
        """
        return self._sample_positions("n", _checked_count("n", n), size, replace) + 1

    def _sample_positions(
        self, name: str, n: int, size: SupportsIndex | None, replace: bool
    ) -> IntArray:
        """Draw 0-based positions; `name` is what the caller called the population size."""
        if n < 1:
            raise ValueError(f"{name} must be at least 1 to draw from, got {n}")
        if n > _LARGEST_POPULATION:
            raise ValueError(f"{name} must not exceed 4.5e15, got {n}")
        count = n if size is None else _checked_count("size", size)
        if not isinstance(replace, bool | np.bool_):
            raise TypeError(f"replace must be True or False, got {replace!r}")
        if replace:
            return self._indices_below(n, count)
        if count > n:
            raise ValueError(
                f"size must not exceed {name} = {n} without replacement, got size = {count}"
            )
        # R's sample.int changes its method, and hence its stream, at exactly this point.
        if n > _HASH_ABOVE and count <= n / 2:
            return self._distinct_indices(n, count)
        if n > _LARGEST_TABLE:
            raise ValueError(
                f"size must not exceed half of {name} = {n} without replacement when {name} is "
                f"2^31 or more, got size = {count}"
            )
        return self._shuffled_indices(n, count)

    def _indices_below(self, n: int, count: int) -> IntArray:
        """Draw `count` independent indices below `n`."""
        bits = _bits_for(n)
        accepted: list[npt.NDArray[np.uint64]] = []
        missing = count
        # At least `missing` more attempts are needed, so no block takes too much of the stream.
        while missing > 0:
            block = self._bit_strings(bits, missing)
            block = block[block < n]
            accepted.append(block)
            missing -= block.size
        return np.concatenate([np.empty(0, np.uint64), *accepted]).astype(np.int64)

    def _distinct_indices(self, n: int, count: int) -> IntArray:
        """Draw indices below `n`, again whenever one was drawn before (R's hashing method)."""
        bits = _bits_for(n)
        drawn: dict[int, None] = {}
        while len(drawn) < count:
            block = self._bit_strings(bits, count - len(drawn))
            drawn.update(dict.fromkeys(block[block < n].tolist()))
        return np.fromiter(drawn, dtype=np.int64, count=count)

    def _shuffled_indices(self, n: int, count: int) -> IntArray:
        """Draw slots without replacement; a drawn slot is filled with the last remaining value."""
        drawn: list[int] = []
        # Only slots whose value is no longer their own number.
        slots: dict[int, int] = {}
        left = n
        while len(drawn) < count:
            bits = _bits_for(left)
            same_bits = left - ((1 << bits) >> 1)
            for slot in self._bit_strings(bits, min(count - len(drawn), same_bits)).tolist():
                if slot < left:
                    drawn.append(slots.get(slot, slot))
                    left -= 1
                    slots[slot] = slots.pop(left, left)
        return np.array(drawn, dtype=np.int64)

    def _bit_strings(self, bits: int, count: int) -> npt.NDArray[np.uint64]:
        """Draw `count` strings of `bits` random bits, gathered 16 at a time as R does."""
        chunks = bits // 16 + 1
        pieces = (self._twister.random_raw(count * chunks) >> np.uint64(16)).reshape(count, chunks)
        values = np.zeros(count, dtype=np.uint64)
        for piece in pieces.T:
            values = (values << np.uint64(16)) | piece
        return values & np.uint64((1 << bits) - 1)

    def _uniforms(self, count: int) -> FloatArray:
        """Draw `count` uniforms strictly between 0 and 1."""
        unit = self._twister.random_raw(count) * _UNIT
        return np.where(unit > 0.0, unit, _SMALLEST_UNIFORM)

    def _uniform(self) -> float:
        """Draw one uniform strictly between 0 and 1."""
        return self._twister.random_raw() * _UNIT or _SMALLEST_UNIFORM

    def _standard_exponential(self) -> float:
        """Draw one standard exponential by Ahrens and Dieter's algorithm SA."""
        fraction = self._uniform()
        whole = 0.0
        # Leading zero bits of the first uniform count multiples of ln 2.
        while (fraction := 2.0 * fraction) <= 1.0:
            whole += _LN2
        fraction -= 1.0
        if fraction <= _LN2:
            return whole + fraction
        smallest = self._uniform()
        for step in _EXPONENTIAL_STEPS[1:]:
            smallest = min(smallest, self._uniform())
            if fraction <= step:
                break
        return whole + smallest * _LN2


def set_seed(seed: SupportsIndex) -> RRandom:
    """Start one of R's random streams, like R's ``set.seed`` but without global state.

    Parameters
    ----------
    seed : int
        R's seed, from ``-(2**31 - 1)`` to ``2**31 - 1``.

    Returns
    -------
    RRandom
        The stream.

    Raises
    ------
    TypeError
        If the seed is not an integer.
    ValueError
        If the seed is outside the range of R's integers.

    See Also
    --------
    RRandom : The stream, with R's generators.
    """
    return RRandom(seed)


def _initial_state(seed: int) -> npt.NDArray[np.uint32]:
    """Scramble a seed by R's linear congruential generator into the (624,) state."""
    word = seed % 2**32
    words = []
    # The word after the warm-up is the place where R keeps its position: it is not state.
    for _ in range(_WARM_UP_STEPS + 1 + _STATE_WORDS):
        word = (69069 * word + 1) % 2**32
        words.append(word)
    return np.array(words[-_STATE_WORDS:], dtype=np.uint32)


def _bits_for(n: int) -> int:
    """Give the number of bits R takes for an index below `n`."""
    # The logarithm in floating point, as in R: near 4.5e15 it may round down to one bit fewer.
    return math.ceil(math.log2(n))


def _normal_quantiles(levels: FloatArray) -> FloatArray:
    """Invert the standard normal distribution function by AS 241, to the last bit as R."""
    inverse = NormalDist().inv_cdf
    return np.array([inverse(p) if p < 1.0 else math.inf for p in levels.tolist()], np.float64)


def _is_number(value: object) -> bool:
    """Tell whether a value is a scalar number rather than a sequence."""
    return isinstance(value, bool | int | float | np.number | np.bool_)


def _as_integer(name: str, value: object) -> int:
    """Give `value` as an int, or say that it is not one."""
    if isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {value!r}") from None


def _checked_seed(seed: object) -> int:
    """Check that a seed is one of R's integers."""
    value = _as_integer("seed", seed)
    if abs(value) > _LARGEST_SEED:
        raise ValueError(f"seed must be between -(2^31 - 1) and 2^31 - 1, got {value}")
    return value


def _checked_count(name: str, value: object) -> int:
    """Check that a number of draws or of elements is an integer of at least 0."""
    count = _as_integer(name, value)
    if count < 0:
        raise ValueError(f"{name} must not be negative, got {count}")
    return count


def _per_draw(name: str, value: float | npt.ArrayLike, n: int) -> FloatArray:
    """Give one finite parameter value per draw, shape (n,)."""
    try:
        values = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number or {n} numbers, got {value!r}") from None
    if values.shape not in ((), (n,)):
        raise ValueError(f"{name} must be a number or have shape ({n},), got shape {values.shape}")
    if not np.all(np.isfinite(values)):
        bad = values[~np.isfinite(values)].flat[0]
        raise ValueError(f"{name} must be finite, got {bad}")
    return np.broadcast_to(values, (n,))
