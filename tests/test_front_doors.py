"""One law for every front door: options, columns, spellings, warnings, one check of the rows."""

import ast
import importlib
import inspect
import re
import textwrap
import threading
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpydoc.docscrape import FunctionDoc
from sklearn.linear_model import LinearRegression

import aleplot_py
from aleplot_py import (
    ALEPlot,
    ale,
    association_matrix,
    bootstrap_bands,
    datasets,
    decompose,
    first_order_prediction,
    ice,
    interaction_strength,
    intervals,
    k_sensitivity,
    learner_bands,
    m_plot,
    order_sensitivity,
    partial_dependence,
    random_variable_null,
    regional_effects,
    typing,
)
from aleplot_py.errors import FeatureError
from aleplot_py.inputs import problem
from aleplot_py.inputs.options import Options
from aleplot_py.plots import visuals

# In another grouping of the rows sums round differently; the curves are of order 1.
ROUNDING = 1e-13

# Everything that can be imported by a public name, once.
MODULES = [aleplot_py] + [
    importlib.import_module(f"aleplot_py.{name}")
    for name in ("datasets", "gradient", "importance", "intervals", "r_random", "theory")
]
PUBLIC = {id(thing): thing for m in MODULES for thing in map(vars(m).get, m.__all__)}.values()
FUNCTIONS = [thing for thing in PUBLIC if inspect.isfunction(thing)]
METHODS = [
    method
    for thing in PUBLIC
    if inspect.isclass(thing) and thing.__module__.startswith("aleplot_py.")
    for name, member in vars(thing).items()
    if not name.startswith("_") and inspect.isfunction(method := inspect.unwrap(member))
]


def takes(thing, parameter, *types):
    """Whether a function has a parameter of a type, as its annotation names it."""
    annotation = str(getattr(inspect.signature(thing).parameters.get(parameter), "annotation", ""))
    return any(re.search(rf"\b{name}\b", annotation) for name in types)


def takes_model(thing):
    """Whether some parameter is a black box, an estimator, or how R hands one over."""
    models = ("Predictor", "FittedModel", "Estimator", "Fitter")
    parameters = inspect.signature(thing).parameters
    return "pred_fun" in parameters or any(takes(thing, name, *models) for name in parameters)


# A front door takes the caller's rows; most take a black box or an estimator besides.
DOORS = [thing for thing in FUNCTIONS if takes(thing, "X", "FrameLike", "Data", "Table")]
MODEL_DOORS = [thing for thing in DOORS if takes_model(thing)]
by_name = pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)

# In the order in which they are read everywhere.
COMMON = (
    "K",
    "grid",
    "outside",
    "centre",
    "gradient",
    "order",
    "collapse",
    "categorical",
    "sample_weight",
    "target",
    "response_method",
    "missing",
    "batch_rows",
    "n_jobs",
    "progress",
    "random_state",
)
DEFAULTS = {
    "outside": "error",
    "gradient": None,
    "order": None,
    "collapse": None,
    "categorical": None,
    "sample_weight": None,
    "target": None,
    "response_method": "auto",
    "missing": "error",
    "batch_rows": None,
    "n_jobs": None,
    "progress": True,
    "random_state": None,
}
ASKED = ("sample_weight", "missing", "batch_rows", "n_jobs", "progress", "random_state")
ASKED_OF_MODELS = ("target", "response_method", "categorical")


def rows(n=60, seed=3):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "age": rng.uniform(size=n),
            "kind": rng.choice(["p", "q", "r"], size=n),
        }
    )


def product(frame):
    return frame["size"] * frame["age"] + (frame["kind"] == "q") * frame["age"]


def test_the_doors_are_those_meant():
    names = {door.__name__ for door in DOORS}
    assert names - {door.__name__ for door in MODEL_DOORS} == {
        "association_matrix",
        "first_order_prediction",
    }
    assert names == {
        "ALEPlot",
        "PDPlot",
        "ale",
        "association_matrix",
        "bootstrap_bands",
        "conditional_permutation_importance",
        "decompose",
        "effect_panel",
        "first_order_prediction",
        "fit",
        "h_statistics",
        "ice",
        "interaction_strength",
        "k_sensitivity",
        "learner_bands",
        "leave_two_out_importance",
        "lofo_importance",
        "m_plot",
        "order_sensitivity",
        "partial_dependence",
        "permutation_importance",
        "random_variable_null",
        "refit_with_permuted",
        "regional_effects",
        "sequential_elimination",
    }


def reasons(door):
    """Options that a docstring says why not to take."""
    lines = re.findall(r"^ *Takes no (`\w+`(?:, `\w+`)*): \S+", door.__doc__, re.MULTILINE)
    return [name for line in lines for name in re.findall(r"\w+", line)]


@by_name
def test_common_options_are_there_or_the_docstring_says_why_not(door):
    parameters, absent = inspect.signature(door).parameters, reasons(door)
    assert len(set(absent)) == len(absent)
    asked = [*ASKED, *(ASKED_OF_MODELS if door in MODEL_DOORS else ())]
    assert [name for name in asked if (name in parameters) == (name in absent)] == []
    assert set(absent) <= set(asked)


@by_name
def test_options_are_keywords_in_one_order_with_one_default(door):
    parameters = inspect.signature(door).parameters
    kinds = {parameter.kind for parameter in parameters.values()}
    assert not kinds & {inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL}
    shown = [name for name in parameters if name in COMMON]
    if door.__module__ != "aleplot_py.r.api":  # R's order
        assert shown == sorted(shown, key=COMMON.index)
        assert all(parameters[name].kind is inspect.Parameter.KEYWORD_ONLY for name in shown)
    for name in shown:
        assert parameters[name].default == DEFAULTS.get(name, parameters[name].default), name
        assert re.search(rf"^(?=\S)[^:\n]*\b{name}\b", inspect.getdoc(door), re.MULTILINE), name


def test_options_are_those_of_ale():
    parameters = inspect.signature(ale).parameters
    assert all(
        parameters[name].default == option.default
        for name, option in Options.__dataclass_fields__.items()
    )


# --- docstrings and signatures ----------------------------------------------------------------

SHARE = {"ids": lambda thing: thing.__qualname__}
DISPLAYS = {
    visuals.EffectPlotOptions: aleplot_py.AleDisplay,
    visuals.KSensitivityPlotOptions: aleplot_py.KSensitivityDisplay,
    visuals.OrderSensitivityPlotOptions: aleplot_py.OrderSensitivityDisplay,
    visuals.EffectPanelPlotOptions: aleplot_py.EffectPanelDisplay,
    visuals.HeatmapPlotOptions: aleplot_py.HeatmapDisplay,
    visuals.ImportancePlotOptions: aleplot_py.ImportanceDisplay,
    visuals.EliminationPlotOptions: aleplot_py.EliminationDisplay,
}
OLD = (visuals.OldVisuals, visuals.OldColor, visuals.OldCmap, visuals.OldAxes)
OPTIONS = {
    typing.AleOptions: ale,
    typing.PartialDependenceOptions: partial_dependence,
    typing.IceOptions: ice,
    typing.MPlotOptions: m_plot,
    typing.BootstrapOptions: bootstrap_bands,
    typing.LearnerOptions: learner_bands,
} | {options: display.plot for options, display in DISPLAYS.items()}


def documented(doc, section):
    """Names in a section of a docstring, several of which may share an entry."""
    return [name for entry in doc[section] for name in re.split(r",\s*", entry.name) if name]


def public_name(name):
    """What a name of a docstring stands for: below the package or one of its public modules."""
    path = name.removeprefix("aleplot_py.").split(".")
    for module in MODULES:
        found = module
        for part in path:
            found = getattr(found, part, None)
        if found is not None:
            return found
    return None


def raising(thing):
    """Whether the body of a function raises by itself."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(thing))))
    return any(isinstance(node, ast.Raise) for node in ast.walk(tree))


@pytest.mark.parametrize("thing", [*FUNCTIONS, *METHODS], **SHARE)
def test_docstrings_name_the_parameters_in_their_order(thing):
    doc = FunctionDoc(thing)
    kinds = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    parameters = inspect.signature(thing).parameters.values()
    expected = [kinds.get(p.kind, "") + p.name for p in parameters if p.name not in ("self", "cls")]
    assert documented(doc, "Parameters") == expected


@pytest.mark.parametrize("thing", [*FUNCTIONS, *METHODS], **SHARE)
def test_docstrings_say_what_comes_back_and_what_is_raised(thing):
    doc = FunctionDoc(thing)
    gives = inspect.signature(thing).return_annotation not in ("None", None)
    # A line is enough for a method that takes nothing and gives what its name says.
    if "\n" in thing.__doc__.strip() or thing in FUNCTIONS:
        assert bool(doc["Returns"]) == gives
    if thing in DOORS or raising(thing):
        assert doc["Raises"]


@pytest.mark.parametrize(
    "thing", [f for f in FUNCTIONS if ".datasets." not in f.__module__], **SHARE
)
def test_relatives_are_named_and_can_be_found(thing):
    """Data sets and closed forms stand alone; everything else has a relative."""
    named = [name for entry in FunctionDoc(thing)["See Also"] for name, _ in entry[0]]
    assert named
    assert [name for name in named if public_name(name) in (None, thing)] == []


@pytest.mark.parametrize("thing", [*FUNCTIONS, *METHODS], **SHARE)
def test_what_changed_is_still_there(thing):
    """Arguments that a docstring calls new are arguments."""
    told = re.findall(r"\.\. versionchanged:: [\d.]+\n(.+)", thing.__doc__)
    named = [name for line in told for name in re.findall(r"(?<!`)`(\w+)`(?!`)", line)]
    assert set(named) <= set(inspect.signature(thing).parameters)
    assert bool(told) == bool(named)


@pytest.mark.parametrize("thing", [*FUNCTIONS, *METHODS], **SHARE)
def test_signatures_say_their_types(thing):
    signature = inspect.signature(thing)
    parameters = [p for p in signature.parameters.values() if p.name not in ("self", "cls")]
    said = {p.name: p.annotation for p in parameters} | {"return": signature.return_annotation}
    bare = (inspect.Signature.empty, "Any", Any)
    assert [name for name, annotation in said.items() if annotation in bare] == []


IN_PARTS = {
    typing.AleOptions: typing.PartsOptions,
    typing.PartialDependenceOptions: typing.PointPartsOptions,
}


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: options.__name__)
def test_options_for_checkers_are_the_keywords_of_the_function(options):
    parameters = inspect.signature(OPTIONS[options]).parameters.values()
    keywords = {p.name: p.annotation for p in parameters if p.kind is p.KEYWORD_ONLY}
    said = {name: one.__forward_arg__ for name, one in options.__annotations__.items()}
    old = {name for options in OLD for name in options.__annotations__}
    if options in IN_PARTS:  # whose rows may come in parts takes more, by an overload of its own
        parts = {n: one.__forward_arg__ for n, one in IN_PARTS[options].__annotations__.items()}
        assert (parts.keys() - said.keys(), said.keys() - keywords.keys()) == (
            {"checkpoint"},
            set(),
        )
        weights = f"Numbers | {parts['sample_weight']}"
        said |= {"checkpoint": parts["checkpoint"], "sample_weight": weights}
    assert {name: text for name, text in said.items() if name not in old} == keywords


# --- old spellings ----------------------------------------------------------------------------

CENTRED = [
    lambda **how: ale(product, rows(), "size", **how).f_values,
    lambda **how: decompose(product, rows(), pairs=None, **how).components.to_numpy(),
    lambda **how: interaction_strength(product, rows(), **how),
    lambda **how: regional_effects(product, rows(), "size", min_rows=10, **how).effect.f_values,
]
SEEDED = [
    datasets.simulate_groemping,
    datasets.simulate_gkolemis_interaction,
    datasets.simulate_gkolemis_piecewise,
]


@pytest.mark.parametrize(
    ("call", "old", "new", "value"),
    [(call, "centering", "centre", "paper") for call in CENTRED]
    + [(call, "rng", "random_state", 4) for call in SEEDED],
)
def test_old_spellings_give_the_same_and_name_the_new_one(call, old, new, value):
    with pytest.warns(DeprecationWarning, match=f"{old}= is now spelled {new}=") as caught:
        found = call(**{old: value})
    assert [warning.filename for warning in caught] == [__file__]
    np.testing.assert_array_equal(found, call(**{new: value}))
    with pytest.raises(TypeError, match=f"got {new}= and {old}="):
        call(**{old: value, new: value})


@pytest.mark.parametrize("door", [ale, decompose, interaction_strength, regional_effects])
def test_old_spellings_are_not_in_the_signature(door):
    assert "centering" not in inspect.signature(door).parameters
    assert "centering" not in re.sub(r"\.\. versionchanged::.*\n.*", "", door.__doc__)
    with pytest.raises(TypeError, match="unexpected keyword argument 'centring'"):
        door(product, rows(), "size", centring="paper")


# --- warnings ---------------------------------------------------------------------------------

ALIKE = pd.DataFrame({"c": list("abab"), "x": [1.0, 1.0, 2.0, 2.0]})
WARNING_CALLS = {
    "ale": lambda: ale(lambda f: f["x"], ALIKE, "c"),
    "ale pair": lambda: ale(lambda f: f["x"], ALIKE, ("c", "x")),
    "ale all": lambda: ale(lambda f: f["x"], ALIKE.assign(one=1.0), ["x", "c"]),
    "left out": lambda: ale(lambda f: f["x"], ALIKE[["x"]].assign(one=1.0), "all"),
    "pd": lambda: partial_dependence(lambda f: f["x"], ALIKE, "c", order="similarity"),
    "pd left out": lambda: partial_dependence(
        lambda f: f["x"], ALIKE[["x"]].assign(one=1.0), "all"
    ),
    "ice": lambda: ice(lambda f: f["x"], ALIKE, "c", order="similarity"),
    "m_plot": lambda: m_plot(lambda f: f["x"], ALIKE, "c", order="similarity"),
    "decompose": lambda: decompose(lambda f: f["x"], ALIKE, pairs=None),
    "strength": lambda: interaction_strength(lambda f: f["x"], ALIKE),
    "regional": lambda: regional_effects(lambda f: f["x"], ALIKE, "c", min_rows=2),
    "ALEPlot": lambda: ALEPlot(ALIKE, None, lambda model, f: f["x"], "c", plot=False),
    "null": lambda: random_variable_null(
        lambda X, y: lambda f: np.zeros(len(f)), ALIKE[["x"]], [1.0, 2, 3, 4], n=2, random_state=0
    ),
}


@pytest.mark.parametrize("call", WARNING_CALLS.values(), ids=WARNING_CALLS)
def test_a_warning_is_about_the_line_of_the_caller(call):
    first = inspect.getsourcelines(call)[1]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert caught
    for warning in caught:
        assert warning.filename == __file__
        assert first <= warning.lineno <= first + 3


# --- columns ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "names",
    [
        ["size", "age"],
        [0, 1],
        np.array(["size", "age"]),
        np.array([0, 1]),
        pd.Index(["size", "age"]),
        pd.Series(["size", "age"], index=[7, 9]),
        pd.array(["size", "age"], dtype="string"),
    ],
    ids=lambda names: type(names).__name__,
)
def test_a_list_of_columns_may_be_of_any_kind(names):
    X = rows()
    for door in (ale, partial_dependence, m_plot):
        assert list(door(product, X, names, K=3)) == ["size", "age"]
    parts = decompose(product, X, features=names, K=3)
    assert list(parts.mains) == ["size", "age"]
    assert list(parts.pairs) == [("size", "age")]
    regions = regional_effects(product, X, "size", candidates=names[1:], min_rows=10)
    assert {region.split.feature for region in regions if region.split} == {"age"}
    matrix = association_matrix(X, rows=names, columns=[2])
    assert (matrix.rows, matrix.columns) == (("size", "age"), ("kind",))


def test_a_position_stands_for_a_column_everywhere():
    X = rows()
    slopes = {0: lambda frame: frame["age"]}
    for option in (
        {"K": {0: 3}},
        {"grid": {0: [-9.0, 0.0, 9.0]}},
        {"gradient": slopes},
        {"categorical": 1},
    ):
        assert ale(product, X, 0, **option).features == ("size",)
    curve = ale(product, X, "size", K={0: 3}, gradient=slopes)
    assert curve.K == (3,)
    assert list(ale(product, X, 2, order={2: ["r", "q", "p"]}).x_values[0]) == ["r", "q", "p"]
    assert m_plot(product, X, 0, neighbourhood="kernel", bandwidth={0: 0.5}).features == ("size",)
    assert list(decompose(product, X, features=[0, 1], pairs=[(0, 1)]).pairs) == [("size", "age")]
    assert k_sensitivity(product, X, 0, Ks=(2, 4)).feature == "size"
    assert intervals.fit(product, X, 0).feature == "size"
    array = X[["size", "age"]].to_numpy()
    effects = ale(lambda a: a[:, 0], array, "all", K=3)
    assert len(first_order_prediction(effects, X[["size", "age"]])) == len(X)


def test_a_column_given_by_name_and_by_position_is_given_twice():
    with pytest.raises(FeatureError, match="column 'size' is given twice"):
        ale(product, rows(), "size", K={"size": 3, 0: 4})


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sizes", "feature 'sizes' is not a column of X: nearest of its 3 columns: 'size'$"),
        ("SIZE", "nearest of its 3 columns: 'size'$"),
        ("width", "feature 'width' is not a column of X: it has 3 columns, 'size', 'age', 'kind'$"),
    ],
)
def test_an_unknown_column_is_answered_with_the_nearest(name, message):
    X = rows()
    calls = [
        lambda: ale(product, X, name),
        lambda: partial_dependence(product, X, ["age", name]),
        lambda: ale(product, X, "age", K={name: 3}),
        lambda: ale(product, X, "age", categorical=[name]),
        lambda: ale(product, X, "age", gradient={name: product}),
        lambda: decompose(product, X, pairs=[("age", name)]),
        lambda: interaction_strength(product, X, features=[name]),
        lambda: regional_effects(product, X, "age", candidates=[name]),
        lambda: k_sensitivity(product, X, name),
        lambda: association_matrix(X, rows=name),
        lambda: ALEPlot(X, None, lambda model, frame: product(frame), name, plot=False),
    ]
    for call in calls:
        with pytest.raises(FeatureError, match=message):
            call()


# --- rows, batches and threads ----------------------------------------------------------------


class Watched:
    """A black box that remembers its largest call and the threads that called it."""

    def __init__(self, together=1):
        self.largest, self.threads = 0, set()
        self._meeting = threading.Barrier(together, timeout=600)
        self._first = threading.local()

    def __call__(self, frame):
        self.largest = max(self.largest, len(frame))
        self.threads.add(threading.get_ident())
        if not getattr(self._first, "seen", False):  # every thread waits once for the others
            self._first.seen = True
            self._meeting.wait()
        return product(frame)


AVERAGING = {
    "ale": lambda f, X, **how: ale(f, X, "size", K=6, **how).f_values,
    "pair": lambda f, X, **how: ale(f, X, ("size", "age"), K=4, **how).f_values,
    "pd": lambda f, X, **how: partial_dependence(f, X, "size", K=6, **how).f_values,
    "ice": lambda f, X, **how: ice(f, X, "size", K=6, **how).individual,
    "m_plot": lambda f, X, **how: m_plot(f, X, "size", K=6, **how).f_values,
    "kernel": lambda f, X, **how: m_plot(f, X, "size", K=6, neighbourhood="kernel", **how).f_values,
}


@pytest.mark.parametrize("call", AVERAGING.values(), ids=AVERAGING)
def test_threads_and_batches_change_nothing_but_the_calls(call):
    X = rows(200)
    expected = call(product, X)
    alone, together = Watched(), Watched(together=2)
    found = call(alone, X, batch_rows=23)
    assert alone.largest <= 23
    np.testing.assert_allclose(found, expected, rtol=0, atol=ROUNDING)
    found = call(together, X, n_jobs=2)
    assert len(together.threads) == 2
    np.testing.assert_allclose(found, expected, rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("door", [ale, partial_dependence, ice, m_plot])
def test_jobs_are_checked_at_every_door(door):
    with pytest.raises(ValueError, match="n_jobs must be a positive integer, got 0"):
        door(product, rows(), "size", n_jobs=0)


def test_a_refit_takes_batches_and_threads():
    X = rows()[["size", "age"]]
    y = X["size"] + X["age"]
    effect = ale(LinearRegression().fit(X, y), X, "size", K=3)
    sizes = []

    def refit(data, response):
        model = LinearRegression().fit(data, response)
        return lambda frame: (sizes.append(len(frame)), model.predict(frame))[1]

    how = {"n_boot": 3, "refit": refit, "X": X, "y": y, "random_state": 1}
    whole = bootstrap_bands(effect, **how)
    assert max(sizes) == len(X)
    sizes.clear()
    parts = bootstrap_bands(effect, batch_rows=20, n_jobs=2, **how)
    assert max(sizes) == 20
    np.testing.assert_allclose(parts.lower, whole.lower, rtol=0, atol=ROUNDING)


def holes():
    X = rows(80)
    X.loc[3:9, "size"] = np.nan
    X.loc[[8, 20], "kind"] = None
    return X.assign(one=1.0, none=np.nan)


def filled(frame):
    return product(frame.fillna({"size": 0.0, "kind": "p"}))


@pytest.mark.parametrize("door", [decompose, interaction_strength])
def test_missing_rows_are_refused_with_an_advice_that_exists(door):
    with pytest.raises(FeatureError, match="missing='drop'"):
        door(filled, holes(), features=["size", "age"])


@pytest.mark.parametrize(
    ("asked", "used"),
    [
        ({}, ["size", "age", "kind"]),
        ({"features": ["size", "age"]}, ["size", "age"]),
        ({"features": "age", "pairs": [("age", "kind")]}, ["age", "kind"]),
        ({"features": "age", "pairs": None}, ["age"]),
    ],
)
@pytest.mark.filterwarnings("ignore:left out:UserWarning")
def test_a_decomposition_without_the_rows_that_are_missing(asked, used):
    X = holes()
    known = X.dropna(subset=used)
    weights = np.arange(1.0, len(X) + 1)
    found = decompose(filled, X, missing="drop", sample_weight=weights, K=5, **asked)
    inside = weights[X.index.isin(known.index)]
    explained = known.drop(columns="none")  # refused unless missing="drop"
    expected = decompose(filled, explained, sample_weight=inside, K=5, **asked)
    pd.testing.assert_frame_equal(found.to_frame(), expected.to_frame(), check_exact=True)
    assert found.weights.tolist() == inside.tolist()
    assert list(found.components.index) == list(known.index)


@pytest.mark.filterwarnings("ignore:left out:UserWarning")
def test_interaction_strength_without_the_rows_that_are_missing():
    X = holes()
    known = X.dropna(subset=["size", "age", "kind"]).drop(columns="none")
    found = interaction_strength(filled, X, missing="drop", K=5)
    assert found == interaction_strength(filled, known, K=5)


@pytest.mark.parametrize("door", [ale, partial_dependence, m_plot])
def test_a_column_without_a_value_is_left_out_of_all(door):
    with pytest.warns(UserWarning, match="left out") as caught:
        effects = door(filled, holes(), "all", missing="drop", K=4)
    assert list(effects) == ["size", "age", "kind"]
    assert [str(warning.message) for warning in caught] == [
        "left out: column 'one' has a single value, 1.0: an effect needs at least two",
        "left out: no row is left where 'none' is known",
    ]


# --- behind the checks ------------------------------------------------------------------------


def plain_effect():
    return ale(product, rows(200), "size", K=6, local_effects=True)


DERIVED = {
    "decompose": lambda X: decompose(product, X, K=4),
    "strength": lambda X: interaction_strength(product, X, K=4),
    "k_sensitivity": lambda X: k_sensitivity(product, X, "size", Ks=(2, 4, 8)),
    "order_sensitivity": lambda X: order_sensitivity(product, X, "kind"),
    "regional": lambda X: regional_effects(product, X, "size", min_rows=10),
    "ice": lambda X: ice(product, X, ["size", "age"], K=4),
}


@pytest.mark.parametrize("call", DERIVED.values(), ids=DERIVED)
def test_rows_are_checked_once(call, monkeypatch):
    seen = []
    check = problem.as_table
    monkeypatch.setattr(problem, "as_table", lambda X: (seen.append(len(X)), check(X))[1])
    call(rows(200))
    assert seen == [200]


def test_resamples_are_not_checked_again(monkeypatch):
    effect = plain_effect()

    def refuse(X):
        raise AssertionError("a resample knocked at the front door")

    monkeypatch.setattr(problem, "as_table", refuse)
    X = rows(200)
    how = {"n_boot": 3, "X": X, "random_state": 1}
    assert bootstrap_bands(effect, grid="redrawn", predict=product, **how).n_boot == 3
    null = random_variable_null(
        LinearRegression(), X[["size", "age"]], product(X), n=3, random_state=1
    )
    assert len(null.statistics) == 3


def test_the_null_takes_weights_as_its_effects_do():
    X = rows(50)[["size", "age"]]
    y = X["size"] + X["age"] ** 2
    how = {"n": 4, "K": 5, "random_state": 2, "response": y}
    one = random_variable_null(LinearRegression(), X, y, sample_weight=np.full(50, 2.0), **how)
    none = random_variable_null(LinearRegression(), X, y, **how)
    np.testing.assert_allclose(one.statistics, none.statistics, rtol=0, atol=ROUNDING)
    some = np.where(np.arange(50) < 25, 1.0, 0.0)
    part = random_variable_null(LinearRegression(), X, y, sample_weight=some, **how)
    assert not np.allclose(part.statistics["aled"], none.statistics["aled"])
