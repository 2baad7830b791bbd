"""Effects of data in parts: the estimators of `aleplot_py.effects` over scans."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, replace
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from aleplot_py.effects.ale import CENTRES, Measured, accumulated_effect
from aleplot_py.effects.intervals import as_auto
from aleplot_py.effects.partial_dependence import anchor_of, centred
from aleplot_py.errors import SourceError
from aleplot_py.inputs.axes import GRIDS, POINT_GRIDS
from aleplot_py.inputs.checks import one_of
from aleplot_py.inputs.columns import column_name
from aleplot_py.inputs.options import Options
from aleplot_py.inputs.problem import Problem
from aleplot_py.inputs.requests import (
    Requests,
    categorical_names,
    feature_requests,
    reads_itself,
)
from aleplot_py.results.effects import AleResult, EffectCollection, PartialDependenceResult
from aleplot_py.scale.checkpoint import Checkpoint
from aleplot_py.scale.cluster import Cluster
from aleplot_py.scale.layouts import Facts, lay
from aleplot_py.scale.reading import Local, Reader
from aleplot_py.scale.scans import (
    Averaged,
    Effects,
    Layout,
    LocalEffects,
    Means,
    Moved,
    Profiles,
)
from aleplot_py.scale.sources import Collection, Source, digest_of, head_of, open_source


class _Stream:
    """What the effects of one call share: the data, what is explained, and the weights."""

    def __init__(
        self,
        predict: Any,
        X: Any,
        features: Any,
        options: Options,
        checkpoint: Any,
        question: Any,
        most: int | None = 2,
    ) -> None:
        for K in options.K.values() if isinstance(options.K, Mapping) else [options.K]:
            if as_auto(K) is not None:
                raise ValueError(_refused("K='auto'", "give a number"))
        if options.outside == "iml":
            raise ValueError(_refused("outside='iml'", "take 'error' or 'clip'"))
        _rows_needed(options)
        if options.method in ("trees", "recursion"):
            raise ValueError(_refused(f"method={options.method!r}", "take 'auto' or 'predict'"))
        black_box = options.black_box(predict)
        if black_box.several:
            raise ValueError(_refused("target= of several outputs", "give one label"))
        self.source: Source = open_source(X)
        head = head_of(self.source)
        self.problem = Problem(
            table=head,
            black_box=black_box,
            options=options,
            categorical=categorical_names(options.categorical, head),
        )
        self.requests: Requests = feature_requests(features, head, most)
        self.weights = self._weights()
        self.checkpoint: Checkpoint | None = None
        if checkpoint is not None:
            self.checkpoint = Checkpoint(checkpoint, self._question(question))
        self.reader: Reader
        elsewhere = reads_itself(self.source)
        if checkpoint is not None and (elsewhere or isinstance(self.source, Collection)):
            raise ValueError(_refused("checkpoint=", "a cluster computes again what was lost"))
        if isinstance(self.source, Collection):
            self.reader = Cluster(self.source.frame, self.source.schema, options.batch_rows)
        elif elsewhere:
            self.reader = X
        else:
            self.reader = Local(
                self.source,
                options.batch_rows,
                options.threads,
                self.checkpoint,
                shown=options.progress,
            )

    def _weights(self) -> Hashable | None:
        given = self.problem.options.sample_weight
        if given is None:
            return None
        if not isinstance(given, Hashable):
            raise TypeError(
                "sample_weight must be the name of a column where X comes in parts, got a "
                f"{type(given).__name__}"
            )
        return column_name(given, self.problem.table)

    def _question(self, more: Mapping[str, Any]) -> dict[str, str]:
        """What a checkpoint must be about."""
        head, options = self.problem.table, self.problem.options
        predicted = self.problem.black_box(head.with_columns())
        given = {
            f.name: getattr(options, f.name)
            for f in fields(options)
            if f.name not in ("n_jobs", "progress")
        }
        return {
            "data": _digest(self.source.identity or "", digest_of(head.data)),
            "model": _digest(predicted.tobytes(), repr(self.problem.black_box.outputs)),
            "features": _digest(repr(self.requests.names)),
            "options": _digest(*(f"{k}={_plain(v)}" for k, v in (given | dict(more)).items())),
        }

    def lay(self, **how: Any) -> list[Layout]:
        facts = Facts(self.reader, self.source.schema)
        return lay(facts, self.problem, self.requests, weights=self.weights, **how)

    def found(self, scan: type[Effects], layouts: list[Layout], title: str) -> list[Any]:
        """Tallies of the effects, from one pass."""
        if not layouts:
            return []
        effects = scan(
            self.problem.black_box,
            dict(enumerate(layouts)),
            self.weights,
            self.problem.options.batch_rows,
        )
        tallies = self.reader.read(effects, title)
        for number, layout in enumerate(layouts):
            if tallies[number].rows != layout.axes[0].n:
                raise SourceError(
                    f"X had {tallies[number].rows} rows now, and {layout.axes[0].n} before: it "
                    "must be the same every time"
                )
        if self.checkpoint is not None:
            self.checkpoint.remove()
        return [tallies[number] for number in range(len(layouts))]

    def mean_of(self, layout: Layout) -> Callable[[], float]:
        """Mean prediction over the rows of an effect, computed when it is asked for."""

        def mean() -> float:
            reader = self.reader
            if isinstance(reader, Local):
                reader = Local(reader.source, reader.rows, reader.threads, shown=reader.shown)
            options = self.problem.options
            scan = Means(self.problem.black_box, {0: layout}, self.weights, options.batch_rows)
            return float(reader.read(scan, "mean prediction")[0].mean[0])

        return mean


def _digest(*parts: str | bytes) -> str:
    found = hashlib.sha256()
    for part in parts:
        found.update(part if isinstance(part, bytes) else part.encode())
        found.update(b"\0")
    return found.hexdigest()[:16]


def _plain(value: Any) -> str:
    """Words for an option that tell it from another value, however long it is."""
    if isinstance(value, Mapping):
        return str({str(key): _plain(one) for key, one in value.items()})
    if isinstance(value, (np.ndarray, pd.Series, pd.Index)):
        return repr(np.asarray(value).tolist())
    return repr(value)


def _one_effect_of_each(groups: Any, features: Any) -> None:
    if groups is not None:
        raise ValueError(_refused("groups=", "ask for the effect of each part of the data"))
    if isinstance(features, Mapping):
        raise ValueError(_refused("features={...}", "name columns, a pair of them, or 'all'"))


def _rows_needed(options: Options) -> None:
    """Refuse what is known of levels only once all rows are seen, or predicted."""
    for order in options.order.values() if isinstance(options.order, Mapping) else [options.order]:
        if isinstance(order, str) and order in ("frequency", "mean_prediction"):
            raise ValueError(_refused(f"order={order!r}", "list the levels in their order"))
    if options.collapse is not None:
        raise ValueError(_refused("collapse=", "join rare levels in the data"))


def _refused(what: str, instead: str) -> str:
    return f"{what} has no meaning where X comes in parts: {instead}"


def streamed_ale(
    predict: Any,
    X: Any,
    features: Any,
    options: Options,
    *,
    groups: Any,
    centre: str,
    gradient: Any,
    local_effects: bool,
    checkpoint: str | PathLike[str] | None,
) -> AleResult | EffectCollection[AleResult]:
    """Accumulated local effects of data in parts; see `aleplot_py.ale`."""
    one_of(centre, CENTRES, "centre")
    _one_effect_of_each(groups, features)
    if gradient is not None:
        raise ValueError(_refused("gradient=", "leave it out"))
    if local_effects:
        raise ValueError(_refused("local_effects=True", "the rows are not kept"))
    stream = _Stream(predict, X, features, options, checkpoint, {"centre": centre}, most=None)
    layouts = stream.lay(grids=GRIDS, similar=True, at_points=False)
    # A pair's category comes first, as in R.
    turned = [
        tuple(a.kind for a in layout.axes) == ("numeric", "categorical") for layout in layouts
    ]
    laid = [
        replace(layout, axes=layout.axes[::-1]) if turn else layout
        for layout, turn in zip(layouts, turned, strict=True)
    ]
    found: list[Moved] = stream.found(LocalEffects, laid, "local effects")
    effects = []
    for layout, moved, turn in zip(laid, found, turned, strict=True):
        units = None
        if any(axis.kind == "categorical" for axis in layout.axes):
            units = moved.units.rounded().reshape(tuple(axis.n_units for axis in layout.axes))
        measured = Measured(layout.axes, moved.moments, moved.moments.mean, units=units)
        effect = accumulated_effect(
            measured, stream.problem.black_box, centre, stream.mean_of(layout)
        )
        effects.append(effect.transpose() if turn else effect)
    return EffectCollection(tuple(effects)) if stream.requests.several else effects[0]


def streamed_partial_dependence(
    predict: Any,
    X: Any,
    features: Any,
    options: Options,
    *,
    groups: Any,
    centre: Any,
    kind: str,
    percentiles: tuple[float, float] | None,
    checkpoint: str | PathLike[str] | None,
) -> PartialDependenceResult | EffectCollection[PartialDependenceResult]:
    """Partial dependence of data in parts; see `aleplot_py.partial_dependence`."""
    _one_effect_of_each(groups, features)
    if kind != "average":
        raise ValueError(_refused(f"kind={kind!r}", "individual curves are not kept"))
    if percentiles is not None:
        raise ValueError(_refused("percentiles=", "give the points, grid="))
    stream = _Stream(predict, X, features, options, checkpoint, {"centre": centre})
    layouts = [
        replace(layout, anchor=anchor_of(centre, layout.axes, stream.problem.table))
        for layout in stream.lay(grids=POINT_GRIDS, similar=False, at_points=True)
    ]
    found: list[Averaged] = stream.found(Profiles, layouts, "partial dependence")
    effects = []
    for layout, averaged in zip(layouts, found, strict=True):
        shape = tuple(len(axis.points) for axis in layout.axes)
        average = averaged.total.over(averaged.weight).reshape(shape)
        counts = averaged.units.rounded().reshape(shape)
        kinds = tuple(axis.kind for axis in layout.axes)
        f_values, _, constant = centred(average, counts, kinds, centre)
        effects.append(
            PartialDependenceResult(
                axes=layout.axes,
                f_values=f_values,
                counts=counts,
                target=stream.problem.black_box.outputs[0],
                centre=centre,
                constant=constant,
            )
        )
    return EffectCollection(tuple(effects)) if stream.requests.several else effects[0]
