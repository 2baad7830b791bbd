"""Names that R would change, or run: R never sees them, and the black box gets them back."""

import numpy as np
import pandas as pd
import pytest

from validation import compare_with_r, r_effects
from validation.compare import METHODS

N = 60
TOUCH = "`system`('touch {}')"
NAMES = {
    "runs code": TOUCH,
    "runs code in a call": "system('touch {}')",
    "spaces": "fixed acidity",
    "brackets": "body-mass (g)",
    "a number": 5,
    "an underscore": "_x",
    "a leading digit": "1st",
    "a word of R": "if",
    "iml's value": ".value",
    "iml's id": ".id",
    "iml's ale": ".ale",
    "iml's type": ".type",
    "a name given in R": "V2",
    "R's own": "R",
    "beyond ASCII": "Körpermasse ♀ نام",
    "nothing": "",
    "a line break": "a\nb",
    "quotes": "a\"b'c`d\\",
    "a tuple": ("mass", "g"),
}
METHODS_AND_TIERS = [
    pytest.param(method, marks=pytest.mark.aleplot_r if "ALEPlot" in asked else pytest.mark.iml_r)
    for method, (asked, _, _) in METHODS.items()
]


def rows(name: object) -> pd.DataFrame:
    """Numbers, a category and a boolean; the first two and the category can be explained."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=N)
    columns = [x, x + rng.normal(size=N), rng.choice(["a", "b", "c"], N), x > 0.5]
    frame = pd.DataFrame(dict(enumerate(columns)))
    frame.isetitem(2, frame.iloc[:, 2].astype("category"))
    # An object index, in which a tuple is a name and not a level.
    names = np.empty(4, dtype=object)
    names[:] = [name, "z", "g", "flag"]
    frame.columns = pd.Index(names, tupleize_cols=False)
    return frame


def box(own: pd.DataFrame):
    """Black box that refuses any names or types but its own."""

    def predict(X: pd.DataFrame) -> np.ndarray:
        assert list(X.columns) == list(own.columns)
        assert list(X.dtypes)[2:] == list(own.dtypes)[2:]
        x, z, g, flag = (X.iloc[:, j] for j in range(4))
        return (x**2 * z + g.cat.codes * z + flag * z).to_numpy(dtype=np.float64)

    return predict


@pytest.mark.parametrize("method", METHODS_AND_TIERS)
@pytest.mark.parametrize("hostile", NAMES)
@pytest.mark.parametrize("kind", ["number", "category", "beside", "pair"])
def test_hostile_names(method, hostile, kind, tmp_path):
    """The comparison is equal, whatever a column is called; no shell command is run."""
    touched = tmp_path / "touched"
    name = NAMES[hostile]
    name = name.format(touched) if isinstance(name, str) and "{}" in name else name
    X = rows(name)
    if kind == "category":  # the name belongs to the category
        names = X.columns.to_numpy(copy=True)
        names[0], names[2] = "x", name
        X.columns = pd.Index(names, tupleize_cols=False)
    asked = {"number": name, "category": name, "beside": "z", "pair": (name, "z")}[kind]
    if isinstance(asked, tuple) and asked == name:  # a tuple asks for a pair: ask by position
        asked = {"number": 0, "category": 2}[kind]
    comparison = compare_with_r(box(X), X, asked, K=4, method=method, quiet=True)
    assert comparison.equal
    assert str(comparison).endswith("EQUAL to R") or "rounding" in str(comparison)
    assert not touched.exists()


@pytest.mark.parametrize("method", METHODS_AND_TIERS)
@pytest.mark.parametrize("asked", ["flag", "word", "x", ("flag", "x"), ("word", "x")])
@pytest.mark.parametrize("dtype", [bool, "boolean", object])
def test_booleans_and_text_are_factors_in_r(method, asked, dtype):
    """R explains factors only; the black box gets its own booleans and text."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=N)
    X = pd.DataFrame(
        {
            "x": x,
            "flag": pd.Series(x > 0.4).astype(dtype),
            "word": rng.choice(["u", "v", "`w`"], N).tolist(),
        }
    )

    def predict(rows: pd.DataFrame) -> np.ndarray:
        assert list(rows.dtypes)[1:] == list(X.dtypes)[1:]
        flag = rows["flag"].to_numpy(dtype=np.float64)
        return (rows["x"] * (1 + flag) + rows["word"].map({"u": 0, "v": 1, "`w`": 3})).to_numpy()

    assert compare_with_r(predict, X, asked, K=4, method=method, quiet=True).equal


@pytest.mark.parametrize("method", METHODS_AND_TIERS)
def test_hostile_levels(method, tmp_path):
    """Levels are text that nothing evaluates."""
    touched = tmp_path / "touched"
    levels = [TOUCH.format(touched), "", "a\nb", ".ale", "نام"]
    rng = np.random.default_rng(5)
    codes = rng.integers(0, len(levels), 200)
    X = pd.DataFrame({"g": pd.Categorical.from_codes(codes, levels)}).assign(
        x=codes**2 + rng.normal(size=200)
    )

    def predict(rows: pd.DataFrame) -> np.ndarray:
        return (rows["x"] * (1.0 + rows["g"].cat.codes)).to_numpy()

    assert compare_with_r(predict, X, "g", K=4, method=method, quiet=True).equal
    assert not touched.exists()


@pytest.mark.parametrize("name", ["R", "Python", "difference"])
@pytest.mark.aleplot_r
def test_a_feature_called_like_a_column_of_the_report(name):
    """The table keeps the points and the values apart."""
    X = rows(name)
    comparison = compare_with_r(box(X), X, name, K=4, quiet=True)
    frame = comparison.to_frame()
    assert list(frame.columns) == [f"feature {name}", "R", "Python", "difference"]
    assert frame[f"feature {name}"].tolist() == comparison.effect.x_values[0].tolist()


@pytest.mark.base_r
@pytest.mark.parametrize("hostile", NAMES)
def test_the_definition_in_base_r_sees_no_names_either(hostile):
    """What R gets is called V1, V2, ...; its order of levels is found without names."""
    name = NAMES[hostile]
    X = rows(name)
    seen = r_effects.definition(box(X), X, [0], 4)
    assert len(seen.f_values) == 5
    assert r_effects.level_distances(X, 2).shape == (3, 3)
    assert r_effects.names_in_r(X) == ["V1", "V2", "V3", "V4"]
