"""Draws with replacement: exactly as many as rows, by the probabilities of a bootstrap."""

import numpy as np
import pytest
from scipy import stats

from aleplot_py.analysis import draws
from aleplot_py.analysis.draws import COUNTS, WORDS, drawn_counts

# Probabilities are products of a few doubles.
ROUNDING = 1e-15
# Five standard deviations of a share of 4,000 resamples of 100 rows, whose counts hardly depend
# on each other.
SHARE = 5 * 0.5 / np.sqrt(400_000)


def all_counts(n, n_boot, seed=0):
    return np.concatenate(list(drawn_counts(n, n_boot, np.random.default_rng(seed))))


@pytest.mark.parametrize("mean", [0.0, 0.3, 0.99])
def test_words_and_what_they_leave_over_have_the_probabilities_of_poisson_counts(mean):
    pairs = draws._PoissonPairs.of(mean)
    place = {pair: i for i, pair in enumerate(pairs.pairs.tolist())}
    by_word = [place[pair] for pair in pairs.of_word[: pairs.given].tolist()]
    found = np.bincount(by_word, minlength=COUNTS**2) + np.diff(pairs.rounded_off, prepend=0)
    both = pairs.pairs.view(np.uint8).reshape(-1, 2).astype(float)
    expected = stats.poisson(mean).pmf(both).prod(axis=1)
    np.testing.assert_allclose(found / WORDS, expected, rtol=0, atol=ROUNDING)
    assert len(place) == COUNTS**2


def test_a_word_that_is_left_over_draws_among_what_was_rounded_off():
    pairs = draws._PoissonPairs.of(0.9)

    class Last:
        """Randomness that gives the last word, and the largest share below 1."""

        def integers(self, high, size, dtype):
            return np.full(size, high - 1, dtype=dtype)

        def random(self, size):
            return np.full(size, 1 - 2.0**-53)

    assert pairs.given < WORDS
    rarest = np.flatnonzero(np.diff(pairs.rounded_off, prepend=0))[-1]
    found = pairs.draw(6, Last())
    np.testing.assert_array_equal(found, np.tile(divmod(rarest, COUNTS), 3))


@pytest.mark.parametrize(("n", "short"), [(1, 3), (7, 3), (100, 3), (101, 3), (100, 0)])
def test_rows_are_drawn_as_often_as_there_are_rows(n, short, monkeypatch):
    monkeypatch.setattr(draws, "SHORT", short)  # 0: half of the Poisson counts are too many
    monkeypatch.setattr(draws, "DRAWS", 1000)
    monkeypatch.setattr(draws, "MADE", 64)
    drawn = all_counts(n, 150)
    assert drawn.shape == (150, n)
    assert (drawn.sum(axis=1) == n).all()


@pytest.mark.parametrize("short", [0, 3])
def test_every_count_is_binomial(short, monkeypatch):
    monkeypatch.setattr(draws, "SHORT", short)
    drawn = all_counts(100, 4000)
    share = np.bincount(drawn.ravel(), minlength=8)[:8] / drawn.size
    np.testing.assert_allclose(share, stats.binom(100, 1 / 100).pmf(np.arange(8)), atol=SHARE)
    # Mean 1, variance 0.99, and covariance -0.01 between rows, neighbours or not.
    covariance = np.cov(drawn.T)
    apart = covariance[~np.eye(100, dtype=bool)]
    assert abs(covariance.diagonal().mean() - 0.99) < 0.01
    assert abs(apart.mean() + 0.01) < 0.001
    assert abs(covariance.diagonal(1)[::2].mean() + 0.01) < 0.01


def test_the_same_seed_gives_the_same_draws():
    np.testing.assert_array_equal(all_counts(50, 30), all_counts(50, 30))
    assert (all_counts(50, 30) != all_counts(50, 30, seed=1)).any()
