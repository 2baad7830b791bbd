"""Certificates: a curve, what it was computed from, and a script by which plain R checks it.

A certificate is three files. ``NAME.json`` says what was asked of R and of this library, on which
data (digests), what both answered (hexadecimal numbers, exact), and with which versions. ``NAME.R``
holds the predictions, as R's ``dput`` writes values. ``certificate_check.R`` computes R's curve
from them in base R alone::

    Rscript certificate_check.R NAME.R
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import aleplot_py
from aleplot_py import ale, partial_dependence
from aleplot_py.datasets.files import values_sha256
from aleplot_py.inputs.arrays import numbers_of
from aleplot_py.inputs.axes import levels_of
from aleplot_py.inputs.black_box import as_black_box
from aleplot_py.results.effects import AleResult, Effect
from reproductions.engine import files
from validation import bridge
from validation.agreement import in_order, texts
from validation.asked import Asked, asked_for, lenders, points_of
from validation.r_effects import frame_for_r

if TYPE_CHECKING:
    from validation.compare import RComparison

FORMAT = "aleplot-certificate/1"
#: What can be certified.
METHODS = ("ALEPlot", "PDPlot")
SCRIPT = Path(__file__).with_name("certificate_check.R")

Array = np.ndarray[Any, Any]


class CertificateError(ValueError):
    """A certificate does not belong to the data, the model or the file that it is held against."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a comparison was computed from, as R was asked.

    Parameters
    ----------
    effect : AleResult or PartialDependenceResult
        This library's result, features and levels in R's order.
    asked : Asked
        The predictions.
    frame : DataFrame of shape (n, d)
        The data, as R got them.
    """

    effect: Effect
    asked: Asked
    frame: pd.DataFrame

    @property
    def names(self) -> list[Any]:
        """The features as columns of `frame`; those of an array are known by position."""
        columns: list[Any] = list(self.frame.columns)
        features: tuple[Any, ...] = self.effect.features
        return [name if name in columns else columns[name] for name in features]


def gather(box: Callable[[Any], Any], X: Any, effect: Effect) -> Evidence:
    """Ask the black box once more for what an effect was computed from.

    Parameters
    ----------
    box : callable
        The black box.
    X : DataFrame or ndarray of shape (n, d)
        The data.
    effect : AleResult or PartialDependenceResult
        The effect, features and levels in R's order.

    Returns
    -------
    Evidence
        Effect, predictions and data.
    """
    return Evidence(effect, asked_for(box, X, effect), frame_for_r(X))


def digests(X: Any) -> dict[str, str]:
    """SHA-256 of each column: of numbers as doubles, of anything else as text.

    Parameters
    ----------
    X : DataFrame or ndarray of shape (n, d)
        The data.

    Returns
    -------
    dict of str to str
        Digest in hexadecimal by column name.
    """
    frame = frame_for_r(X)
    found = {}
    for position, name in enumerate(map(str, frame.columns)):
        column = frame.iloc[:, position]
        numbers = numbers_of(column)
        plain: Any = numbers
        if numbers is None:
            plain = pd.Categorical(column.astype(object).map(str, na_action="ignore"))
        else:
            plain = np.asarray(numbers, dtype=np.float64)
        found[name] = values_sha256(pd.DataFrame({name: plain}))
    return found


def _digest(predictions: Array) -> str:
    return hashlib.sha256(np.ascontiguousarray(predictions, dtype="<f8").tobytes()).hexdigest()


def _hex(values: Any) -> Any:
    """Numbers as hexadecimal text, levels as they are, nested like the array."""
    if isinstance(values, np.ndarray):
        return [_hex(value) for value in values]
    return values if isinstance(values, str) else float(values).hex()


def write(comparison: RComparison, evidence: Evidence, path: str | Path) -> list[Path]:
    """Write a certificate; see `RComparison.certificate`."""
    path = Path(path)
    if path.suffix != ".json":
        raise ValueError(f"path of a certificate must end in .json, got {str(path)!r}")
    function = comparison.asked.removeprefix("ALEPlot::")
    if function not in METHODS:
        raise ValueError(f"a certificate is of one of {METHODS}, got {comparison.asked!r}")
    effect, in_r = evidence.effect, _in_r_order(comparison, evidence.effect)
    answers = _dput(function, comparison.K, evidence, in_r).encode("ascii")
    bits = bridge.call("function() .Machine$longdouble.digits")
    identical = bool(comparison.agreement.points_equal and np.array_equal(effect.f_values, in_r))
    content = {
        "format": FORMAT,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "call": {
            "function": function,
            "features": [str(name) for name in evidence.names],
            "kinds": list(effect.kinds),
            "K": comparison.K,
            "rows": comparison.n,
        },
        "digests": {
            "algorithm": "SHA-256",
            "data": digests(evidence.frame),
            "predictions": _digest(evidence.asked.predictions),
            path.with_suffix(".R").name: hashlib.sha256(answers).hexdigest(),
        },
        "points": [_hex(points) for points in points_of(effect.axes)],
        "values": {"R": _hex(in_r), "Python": _hex(effect.f_values)},
        "verdict": {
            "status": "identical" if identical else comparison.agreement.status,
            "largest_difference": float(np.max(np.abs(effect.f_values - in_r))),
            "levels": comparison.agreement.order,
        },
        "versions": {
            **comparison.versions,
            "aleplot_py": aleplot_py.__version__,
            "R's long double": f"{bits[0]} bits of mantissa",
        },
    }
    files.write_json(path, content)
    files.write(path.with_suffix(".R"), answers)
    files.write(path.with_name(SCRIPT.name), SCRIPT.read_bytes())
    return [path, path.with_suffix(".R"), path.with_name(SCRIPT.name)]


def _in_r_order(comparison: RComparison, effect: Effect) -> Array:
    """R's values, features in the order of the effect, levels too."""
    swapped = effect.features != comparison.effect.features
    axes = comparison.r_effect.x_values[:: -1 if swapped else 1]
    values = comparison.r_effect.f_values.T if swapped else comparison.r_effect.f_values
    if values.shape != effect.f_values.shape:
        raise CertificateError("R has other points than this library: there is nothing to certify")
    for axis, (kind, levels) in enumerate(zip(effect.kinds, axes, strict=True)):
        if kind == "categorical":
            values = in_order(values, axis, list(levels), texts(effect.x_values[axis]))
    return np.asarray(values)


# --- R's words ------------------------------------------------------------------------------------


def _dput(function: str, K: int, evidence: Evidence, in_r: Array) -> str:
    """The predictions and the curve as R writes values with ``dput``."""
    effect = evidence.effect
    columns = [_column(evidence.frame, name) for name in evidence.names]
    empty = lenders(effect) + 1 if isinstance(effect, AleResult) else np.empty(0)
    items = {
        "format": _r_text(FORMAT),
        "fun": _r_text(function),
        "K": str(K),
        "points": f"list({', '.join(map(_r, points_of(effect.axes)))})",
        "x": f"list({', '.join(map(_r, columns))})",
        "y": _r(evidence.asked.predictions),
        "lender": _r(empty),
        "f.values": _r(in_r),
        "python": _r(effect.f_values),
    }
    return "list(\n" + ",\n".join(f"{name} = {text}" for name, text in items.items()) + ")\n"


def _column(frame: pd.DataFrame, name: str) -> Array:
    """A feature's values as doubles or text."""
    column = frame[name]
    numbers = numbers_of(column)
    if numbers is None:
        return np.array([str(value) for value in column], dtype=object)
    return np.asarray(numbers, dtype=np.float64)


def _r(values: Array) -> str:
    """R code of an array, in R's order of memory, numbers exact."""
    flat = values.ravel(order="F")
    listed = [_r_text(v) if isinstance(v, str) else float(v).hex() for v in flat]
    vector = f"c({', '.join(listed)})"
    if values.ndim == 1:
        return vector
    return f"structure({vector}, dim = c({', '.join(map(str, values.shape))}))"


def _r_text(text: str) -> str:
    """R code of a text, in ASCII, so that the reader's locale does not matter."""
    plain = (json.dumps(c)[1:-1] if c.isascii() else f"\\U{{{ord(c):x}}}" for c in text)
    return f'"{"".join(plain)}"'


# --- checking -------------------------------------------------------------------------------------


def verify_certificate(
    path: str | Path,
    X: Any,
    predict: Any = None,
    *,
    target: Any = None,
    response_method: str = "auto",
) -> dict[str, Any]:
    """Hold a certificate against data, and against a black box if there is one.

    Parameters
    ----------
    path : str or Path
        The JSON file; its ``.R`` file lies beside it.
    X : DataFrame or ndarray of shape (n, d)
        The data that it should be of.
    predict : callable or fitted model, optional
        The black box that it should be of: it is asked again, and its effect computed again.
    target, response_method
        As in `aleplot_py.ale`.

    Returns
    -------
    dict
        Content of the JSON file.

    Raises
    ------
    CertificateError
        If the file is no certificate, or belongs to other data, predictions or values, or to
        another ``.R`` file: with the name of what differs, and both digests.
    """
    path = Path(path)
    content = files.read_json(path)
    if content.get("format") != FORMAT:
        raise CertificateError(
            f"{path} is no certificate: format must be {FORMAT!r}, got {content.get('format')!r}"
        )
    known, found = content["digests"], digests(X)
    if list(found) != list(known["data"]):
        raise CertificateError(
            f"{path} is of data with columns {list(known['data'])}, got columns {list(found)}"
        )
    for name, digest in found.items():
        _must_be(path, f"digest of column {name!r}", known["data"][name], digest)
    beside = path.with_suffix(".R")
    if not beside.is_file():
        raise CertificateError(f"{path} must have {beside.name} beside it, which is missing")
    in_file = hashlib.sha256(beside.read_bytes()).hexdigest()
    _must_be(path, f"digest of {beside.name}", known.get(beside.name), in_file)
    if predict is not None:
        box = as_black_box(predict, target=target, response_method=response_method)
        effect = _effect_again(box, X, content)
        asked = asked_for(box, X, effect)
        _must_be(path, "digest of predictions", known["predictions"], _digest(asked.predictions))
        for what, known_values, values in (
            ("points", content["points"], [_hex(points) for points in points_of(effect.axes)]),
            ("values of Python", content["values"]["Python"], _hex(effect.f_values)),
        ):
            _must_be(path, what, known_values, values)
    return content


def _must_be(path: Path, what: str, known: Any, got: Any) -> None:
    if known != got:
        raise CertificateError(f"{path} is of something else: {what} must be {known}, got {got}")


def _effect_again(box: Any, X: Any, content: dict[str, Any]) -> Effect:
    """Effect of this library for the call of a certificate, levels in its order."""
    call, frame = content["call"], frame_for_r(X)
    names = [str(name) for name in frame.columns]
    positions = [names.index(name) for name in call["features"]]
    features = [X.columns[j] if isinstance(X, pd.DataFrame) else j for j in positions]
    order = {}
    for feature, j, kind, points in zip(
        features, positions, call["kinds"], content["points"], strict=True
    ):
        if kind == "categorical":
            by_text = {str(level): level for level in levels_of(frame.iloc[:, j])[0]}
            order[feature] = [by_text[text] for text in points]
    asked = tuple(features) if len(features) == 2 else features[0]
    options: dict[str, Any] = {"K": call["K"], "order": order or None}
    if call["function"] == "ALEPlot":
        effect: Effect = ale(box, X, asked, **options)
    else:
        effect = partial_dependence(box, X, asked, centre="pdplot", **options)
    return effect


# --- the command ----------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """Arguments of the command."""
    arguments = argparse.ArgumentParser(
        prog="python -m validation certify",
        description="Ask R and this library for an effect and write a certificate of the "
        "comparison, which plain R can check; or, with --check, hold one against data.",
    )
    add = arguments.add_argument
    add("--data", type=Path, required=True, metavar="CSV", help="the data; text is categorical")
    add("--predict", metavar="MODULE:NAME", help="the black box or fitted model, imported")
    add("--features", nargs="+", metavar="NAME", help="one column, or two")
    add("--K", type=int, default=40, help="intervals, or points of a partial dependence (40)")
    add("--method", choices=METHODS, default=METHODS[0], help="what R is asked (ALEPlot)")
    add("--target", metavar="LABEL", help="which of several outputs")
    add("--out", type=Path, metavar="JSON", help="file to write; others are written beside it")
    add("--check", type=Path, metavar="JSON", help="certificate to hold against the data")
    return arguments


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str
        Arguments after ``certify``.

    Returns
    -------
    int
        0 if the certificate was written and says equal, or holds; 1 if not.
    """
    from validation.compare import compare_with_r

    arguments = parser()
    options = arguments.parse_args(argv)
    try:
        X = _read(options.data)
        predict = None if options.predict is None else _imported(options.predict)
    except (OSError, ValueError, ImportError, AttributeError) as error:
        arguments.error(str(error))
    if options.check is not None:
        try:
            content = verify_certificate(options.check, X, predict, target=options.target)
        except CertificateError as error:
            print(error)
            return 1
        what = "its data" if predict is None else "its data, predictions and values"
        print(f"{options.check} belongs to {what}: {content['verdict']['status']}")
        return 0
    for name in ("predict", "features", "out"):
        if getattr(options, name) is None:
            arguments.error(f"argument --{name} is needed to write a certificate")
    features = options.features[0] if len(options.features) == 1 else tuple(options.features)
    try:
        comparison = compare_with_r(
            predict, X, features, options.K, method=options.method, target=options.target
        )
        for file in comparison.certificate(options.out):
            print(f"written: {file}")
    except (bridge.RUnavailableError, bridge.RCallError, ValueError, TypeError) as error:
        print(error)
        return 1
    return int(not comparison.equal)


def _read(path: Path) -> pd.DataFrame:
    # Since pandas 3 numbers are read exactly anyway, and the option is gone.
    exact: Any = {} if int(pd.__version__.split(".")[0]) >= 3 else {"float_precision": "round_trip"}
    frame = pd.read_csv(path, **exact)
    for name in frame.columns:
        if numbers_of(frame[name]) is None:
            frame[name] = frame[name].astype("category")
    return frame


def _imported(text: str) -> Any:
    module, _, name = text.partition(":")
    if not name:
        raise ValueError(f"argument --predict must be MODULE:NAME, got {text!r}")
    return getattr(importlib.import_module(module), name)
