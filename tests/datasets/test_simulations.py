"""The simulations of the figures: R's draws, closed forms, seeds and arguments."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reproductions
from aleplot_py import datasets
from aleplot_py.errors import FeatureError

pytestmark = pytest.mark.usefixtures("no_network")

# Sums of normal draws: R's normal quantile and ours agree to 1e-14.
NORMAL_DRAWS = 1e-13
# Arithmetic on numbers below 1,000.
ROUNDING = 1e-11
MODELS = Path(reproductions.__file__).parent / "models"
REFERENCE = MODELS.parent / "reference"


class TestSimulations:
    @pytest.mark.stored
    @pytest.mark.parametrize(
        ("n", "seed", "file"),
        [
            (100, 1, "fig20_1_points.csv"),
            (25, 12, "fig20_3_points.csv"),
            (25, 1, "fig20_4_points.csv"),
        ],
    )
    def test_book_points_are_those_of_r(self, n, seed, file):
        expected = np.loadtxt(REFERENCE / file, delimiter=",", skiprows=1)
        points = datasets.simulate_book_points(n, seed=seed)
        np.testing.assert_array_equal(points["x1"], expected[:, 0])
        np.testing.assert_allclose(points["x2"], expected[:, 1], rtol=0, atol=NORMAL_DRAWS)

    def test_book_extrapolation_model(self):
        frame = pd.DataFrame({"x2": [0.2, 0.3, 0.2], "x1": [0.8, 0.8, 0.7]})
        assert datasets.book_extrapolation_model(frame).tolist() == [2.0, 0.8 + 0.3, 0.7 + 0.2]

    # Drawn in R 4.2.2 in the order runif x1, x2, x3, x4, rnorm after set.seed(1).
    def test_vignette_example_1(self):
        frame = datasets.simulate_vignette_example1()
        assert frame.shape == (5000, 5)
        assert frame["x4"].tolist()[:2] == [0.21336392755620182, 0.96935703512281179]
        expected = [0.30031759833322047, 3.4579277565267237, 4.2118358762447334]
        np.testing.assert_allclose(
            frame["y"].iloc[[0, 1, 4999]], expected, rtol=0, atol=NORMAL_DRAWS
        )

    def test_vignette_example_2(self):
        frame = datasets.simulate_vignette_example2()
        expected = [1.8099673324677885, 3.7136732327143873, 3.7828955850594888]
        np.testing.assert_allclose(
            frame["y"].iloc[[0, 1, 4999]], expected, rtol=0, atol=NORMAL_DRAWS
        )

    # Drawn in R 4.2.2 in the order runif, rnorm x1, rnorm x2, rnorm y after set.seed(3).
    def test_vignette_example_4(self):
        frame = datasets.simulate_vignette_example4(seed=3)
        assert frame.shape == (200, 3)
        expected = [0.19890902876355518, 0.10507258666290399, -0.0040349140760731206]
        np.testing.assert_allclose(frame.iloc[0], expected, rtol=0, atol=NORMAL_DRAWS)
        assert abs(frame["y"].iloc[199] - 0.50354880722897843) <= NORMAL_DRAWS

    def test_groemping(self):
        frame = datasets.simulate_groemping(20_000, random_state=1)
        # Five standard errors of a mean, a variance and a correlation of 20,000 rows.
        assert np.abs(frame.mean() - [10, -5]).max() < 5 / np.sqrt(20_000)
        assert np.abs(frame.var() - 1).max() < 5 * np.sqrt(2 / 20_000)
        assert abs(frame.corr().iloc[0, 1] + 0.9) < 5 * (1 - 0.9**2) / np.sqrt(20_000)
        by_hand = pd.DataFrame({"x1": [10.0, 0.0], "x2": [-5.0, 2.0]})
        assert datasets.groemping_model(by_hand).tolist() == [162.5, 199.0]

    def test_groemping_with_full_correlation(self):
        frame = datasets.simulate_groemping(50, rho=-1.0, random_state=1)
        np.testing.assert_allclose(frame["x1"] + frame["x2"], 5.0, rtol=0, atol=ROUNDING)

    def test_groemping_correlation_out_of_range(self):
        with pytest.raises(ValueError, match=r"rho must be between -1 and 1, got 1\.5"):
            datasets.simulate_groemping(rho=1.5, random_state=1)

    def test_gkolemis_interaction(self):
        frame = datasets.simulate_gkolemis_interaction(500, random_state=1)
        assert frame.shape == (500, 3)
        assert frame.abs().max().max() <= 1.0
        assert (frame.min() < -0.9).all()
        by_hand = pd.DataFrame({"x1": [0.5, 0.5], "x2": [0.2, 0.2], "x3": [0.0, 0.1]})
        np.testing.assert_allclose(
            datasets.gkolemis_interaction_model(by_hand), [-0.9, 1.1], rtol=0, atol=ROUNDING
        )

    def test_gkolemis_piecewise(self):
        frame = datasets.simulate_gkolemis_piecewise(500, random_state=1)
        assert frame["x1"].equals(frame["x2"].rename("x1"))
        # Five standard errors of a standard deviation of 500 rows.
        assert abs(frame["x3"].std() - 0.5) < 5 * 0.5 / np.sqrt(2 * 500)
        half = np.array([0.0, 0.125, 0.25, 0.375, 0.5, 0.75, 1.0])
        line = pd.DataFrame({"x1": half, "x2": half})
        assert datasets.gkolemis_piecewise_model(line).tolist() == [0, 0.25, 0.5, 0.25, 0, 0, 0]

    @pytest.mark.parametrize(
        "simulate",
        [
            datasets.simulate_groemping,
            datasets.simulate_gkolemis_interaction,
            datasets.simulate_gkolemis_piecewise,
        ],
    )
    def test_seed_decides_and_the_global_state_is_left_alone(self, simulate):
        state = np.random.get_state()[1].tolist()  # noqa: NPY002 - it must not change
        first = simulate(5, random_state=1)
        pd.testing.assert_frame_equal(first, simulate(5, random_state=np.random.default_rng(1)))
        assert not first.equals(simulate(5, random_state=2))
        assert np.random.get_state()[1].tolist() == state  # noqa: NPY002

    @pytest.mark.parametrize(
        "simulate",
        [
            datasets.simulate_groemping,
            datasets.simulate_gkolemis_interaction,
            datasets.simulate_gkolemis_piecewise,
        ],
    )
    def test_number_of_rows_must_be_a_positive_integer(self, simulate):
        with pytest.raises(ValueError, match="n must be at least 1, got 0"):
            simulate(0, random_state=1)
        for n in (2.0, True):
            with pytest.raises(TypeError, match=f"n must be an integer, got {n}"):
                simulate(n, random_state=1)

    @pytest.mark.parametrize(
        "model",
        [
            datasets.book_extrapolation_model,
            datasets.groemping_model,
            datasets.gkolemis_interaction_model,
            datasets.gkolemis_piecewise_model,
        ],
    )
    def test_models_name_a_missing_column(self, model):
        with pytest.raises(FeatureError, match=r"needs a column 'x2', got columns \['x1'\]"):
            model(pd.DataFrame({"x1": [0.5]}))
