"""Plots of effects, in the manner of scikit-learn's displays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, Literal, Self, Unpack

import numpy as np

from aleplot_py.inputs.checks import check_switches
from aleplot_py.plots.base import Display, check_names, new_axes
from aleplot_py.plots.colouring import Colouring, colourings
from aleplot_py.plots.curves import Band, draw_effect, is_ale_main
from aleplot_py.plots.look import Array, Look, cycle_style, is_centred
from aleplot_py.plots.overlay import (
    Lines,
    check_same_feature,
    draw_overlay,
    kinds_of,
    moved,
    texts_of,
)
from aleplot_py.plots.slices import finish, look_of_slices, slices_of
from aleplot_py.plots.visuals import (
    OLD_NAMES,
    OldVisuals,
    Visuals,
    checked_visuals,
    with_old_names,
)
from aleplot_py.results.bands import Bands
from aleplot_py.results.effects import AleResult, Effect, key_of
from aleplot_py.typing import (
    AleOptions,
    AxesLike,
    Effects,
    Feature,
    FeatureList,
    Features,
    FrameLike,
    Limits,
    Predictor,
    Values,
)


class AleDisplay(Display):
    """Plot of one or more effects, which keeps what it drew.

    Parameters
    ----------
    effects : Effect, sequence of Effect, or EffectCollection
        ALE, partial dependence (with individual curves, if the result has them), M-plots; main
        effects and pairs, of any kind of feature, and ALE of three features, in slices.

    Attributes
    ----------
    effects : tuple of Effect
        What is drawn.
    figure_ : Figure
        The figure of the first axes.
    axes_ : ndarray of Axes, shape (number of effects,)
        One for each effect; of three features one for each slice, as in the lists that follow.
    lines_, bars_, meshes_, contours_, colorbars_, rugs_, zero_lines_, individual_, bands_, \
empty_cells_, points_, counts_, heterogeneity_axes_, heterogeneity_ : list
        Artists, one entry for each effect, None where an effect has none: the curve (Line2D), the
        bars, the coloured cells (QuadMesh), contour lines, colour bar, rug (EventCollection; for a
        pair a list of two), zero line, individual curves (LineCollection), bands, rectangles of
        cells without rows (PatchCollection), observed points (PathCollection), number of rows at
        the levels (list of texts), panel of the local effects' standard deviation and its steps.

    Raises
    ------
    TypeError
        If something given is not an effect.
    ValueError
        If there is none.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from aleplot_py import AleDisplay, ale
    >>> X = pd.DataFrame({"x": np.arange(1.0, 11.0)})
    >>> effect = ale(lambda frame: frame["x"] ** 2, X, "x", K=4)
    >>> display = AleDisplay(effect).plot(units="rentals")
    >>> display.lines_[0].get_xdata()
    array([ 1.,  3.,  5.,  8., 10.])
    """

    lines_: list[Any]
    bars_: list[Any]
    meshes_: list[Any]
    contours_: list[Any]
    colorbars_: list[Any]
    rugs_: list[Any]
    zero_lines_: list[Any]
    individual_: list[Any]
    bands_: list[Any]
    empty_cells_: list[Any]
    points_: list[Any]
    counts_: list[Any]
    heterogeneity_axes_: list[Any]
    heterogeneity_: list[Any]

    def __init__(self, effects: Effects) -> None:
        self.effects = _as_effects(effects)

    @classmethod
    def from_estimator(
        cls,
        predict: Predictor,
        X: FrameLike,
        features: Features,
        *,
        ax: AxesLike | None = None,
        plot_options: Mapping[str, Any] | None = None,
        **ale_options: Unpack[AleOptions],
    ) -> Self:
        """Compute accumulated local effects and draw them.

        Parameters
        ----------
        predict, X, features
            As in `aleplot_py.ale`.
        ax : Axes or sequence of Axes, optional
            Where to draw.
        plot_options : mapping, optional
            Other options of `plot`.
        **ale_options
            Options of `aleplot_py.ale`: ``K``, ``grid``, ``order``, ``target`` ...

        Returns
        -------
        AleDisplay
            Drawn.
        """
        from aleplot_py.effects.ale import ale

        effects = ale(predict, X, features, **ale_options)
        return cls(effects).plot(ax=ax, **(plot_options or {}))

    @classmethod
    def from_results(
        cls,
        results: Effects,
        *,
        ax: AxesLike | None = None,
        plot_options: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw effects that were computed before, of any kind.

        Parameters
        ----------
        results : Effect, sequence of Effect, or EffectCollection
            What to draw.
        ax : Axes or sequence of Axes, optional
            Where to draw.
        plot_options : mapping, optional
            Other options of `plot`.

        Returns
        -------
        AleDisplay
            Drawn.
        """
        return cls(results).plot(ax=ax, **(plot_options or {}))

    @classmethod
    def overlay(
        cls,
        effects: Effects,
        *,
        labels: Sequence[str] | Mapping[Any, str] | None = None,
        align: Literal["mean", "none"] = "mean",
        ax: AxesLike | None = None,
        n_cols: int = 3,
        figsize: tuple[float, float] | None = None,
        ylim: tuple[float, float] | None = None,
        band: Mapping[Any, Limits] | None = None,
        empty: Literal["hatch", "fade", "black", "none"] = "none",
        level_labels: Mapping[Any, str] | None = None,
        xlabel: str | None = None,
        ylabel: str | None = None,
        value_label: str | None = None,
        units: str | None = None,
        title: str | Sequence[str] | None = None,
        visuals: Visuals | None = None,
    ) -> Self:
        """Draw several main effects of one feature on one axes, with a legend.

        .. versionadded:: 0.2

        Parameters
        ----------
        effects : sequence of Effect, mapping of str to Effect, or EffectCollection
            Of models, classes, groups of rows, or methods; the keys of a mapping are the labels. A
            collection by group or output has one axes for each feature, and one legend.
        labels : sequence of str, or mapping of group, output or feature to str, optional
            Texts of the legend, one for each line; in a mapping those of features stand along
            their axes. By default the group or output, else what kind of effect it is, and the
            class it explains.
        align : {"mean", "none"}
            ``"mean"``: every effect has mean 0 over the rows behind it (each counted once), so that
            an uncentred partial dependence lies over an ALE; not where `X` came in parts, whose
            rows are not kept. ``"none"``: as they are.
        ax : Axes, or sequence of Axes, optional
            Where to draw; it keeps its style. By default a new figure in the style of `STYLE`.
        n_cols, figsize, ylim
            As in `plot`.
        band : mapping of label to Bands or (low, high), optional
            Limits around single effects, which move with them; by the keys of a collection.
        empty, level_labels, xlabel, ylabel, value_label, units, title
            As in `plot`.
        visuals : mapping of layer to bool or mapping, optional
            As in `plot`, and ``legend`` (options of ``Axes.legend``). The rug is drawn where it is
            that of all effects.

        Returns
        -------
        AleDisplay
            Drawn; its lists have one entry for each effect, `axes_` the same axes for each.

        Raises
        ------
        ValueError, TypeError
            If the effects are not main effects of one feature over the same kind of axis, the
            labels do not tell them apart, or an option does not fit.

        Examples
        --------
        >>> import numpy as np, pandas as pd
        >>> from aleplot_py import AleDisplay, ale, partial_dependence
        >>> X = pd.DataFrame({"x": np.arange(1.0, 11.0)})
        >>> f = lambda frame: frame["x"] ** 2
        >>> both = [ale(f, X, "x", K=4), partial_dependence(f, X, "x", K=4)]
        >>> display = AleDisplay.overlay(both, units="rentals")
        >>> [text.get_text() for text in display.axes_[0].get_legend().get_texts()]
        ['ALE', 'PD']
        """
        if align not in ("mean", "none"):
            raise ValueError(f"align must be 'mean' or 'none', got {align!r}")
        display = cls(effects)
        lines = Lines.of(effects, display.effects)
        display.effects = lines.effects
        if isinstance(effects, Mapping) and labels is None and not lines.names:
            labels = [str(key) for key in effects]
        for one in lines.axes:
            check_same_feature(one)
        texts = texts_of(lines, labels)
        _check_options("effect", "points", empty, None, None, n_cols)
        of_features = labels if isinstance(labels, Mapping) else {}
        features = [effect.features[0] for effect in display.effects]
        check_names("labels", of_features, [*lines.names, *features])
        _check_texts(display.effects, {}, level_labels or {})
        aligned, shifts = zip(*(moved(one, align) for one in display.effects), strict=True)
        bands = _bands(band or {}, display.effects, lines.keys or texts)
        n = len(lines.axes)
        look = Look(
            individual=False,
            empty=empty,
            labels=of_features,
            level_labels=level_labels or {},
            xlabel=xlabel,
            ylabel=ylabel,
            value_label=kinds_of(lines) if value_label is None else value_label,
            units="units of the prediction" if units is None else units,
            visuals=checked_visuals(visuals, (*LAYERS, "legend"), always=("line", "bars")),
        )
        lowered = [
            band and Band(band.low - shift, band.high - shift, band.label)
            for band, shift in zip(bands, shifts, strict=True)
        ]
        firsts = [one[0] for one in lines.axes]
        n_cols = min(n_cols, n)
        size = figsize or _figsize(firsts, n_cols, False)
        titles = [given or own for given, own in zip(_titles(title, n), lines.titles, strict=True)]
        fullest = max(range(n), key=lambda i: (len(lines.axes[i]), -i))  # has the legend
        drawn: list[Any] = []
        with display._drawing(ax, n, lambda: new_axes(n, n_cols, size), "overlay") as axes:
            for i, numbers in enumerate(lines.numbers):
                mine = slice(len(drawn), len(drawn) + len(numbers))
                drawn += draw_overlay(
                    axes[i],
                    aligned[mine],
                    [texts[number] for number in numbers],
                    look if i == fullest else look.without("legend"),
                    lowered[mine],
                    None if n == 1 else list(map(cycle_style, numbers)),
                )
                axes[i].set_title(titles[i])
                if ylim is not None:
                    axes[i].set_ylim(ylim)
            if ax is None:
                _share_y(axes, firsts, n_cols)
            if isinstance(title, str) and n > 1:
                display.figure_.suptitle(title)
            display.axes_ = np.repeat(display.axes_, [len(one) for one in lines.axes])
            display._take(drawn)
        return display

    def plot(
        self,
        *,
        ax: AxesLike | None = None,
        n_cols: int = 3,
        figsize: tuple[float, float] | None = None,
        sharey: bool = True,
        ylim: tuple[float, float] | None = None,
        clim: tuple[float, float] | None = None,
        individual: bool | int = True,
        colour_by: Feature | FeatureList | None = None,
        local_effects: bool | int = False,
        heterogeneity: bool = False,
        band: Limits | Mapping[Any, Limits] | None = None,
        show: Literal["effect", "count", "standard_error"] = "effect",
        cells: Literal["points", "intervals"] = "points",
        slices: int | Values | Mapping[Any, str] | None = None,
        empty: Literal["hatch", "fade", "black", "none"] | None = None,
        min_count: float | None = None,
        labels: Mapping[Any, str] | None = None,
        level_labels: Mapping[Any, str] | None = None,
        xlabel: str | None = None,
        ylabel: str | None = None,
        value_label: str | None = None,
        units: str | None = None,
        title: str | Sequence[str] | None = None,
        visuals: Visuals | None = None,
        **old: Unpack[OldVisuals],
    ) -> Self:
        """Draw the effects.

        .. versionchanged:: 0.2
           `visuals` is new: layers were arguments of their own. `colour_by` and `slices` are new.

        Parameters
        ----------
        ax : Axes or sequence of Axes, optional
            One for each effect (`overlay` draws several on one), for each slice of an effect of
            three features; they keep their style. By default
            a new figure with a grid of axes, in the style of `STYLE`, which also holds when it is
            saved.
        n_cols : int, default 3
            Largest number of columns of a new grid.
        figsize : (width, height), optional
            Inches of a new figure.
        sharey : bool, default True
            Whether the main effects on a new grid share one y axis.
        ylim : (low, high), optional
            Ends of the y axis of main effects.
        clim : (low, high), optional
            Ends of the colours of pairs, in units of the prediction. Where 0 has a meaning, the
            colours run as far below it as above.
        individual : bool or int, default True
            Draw the individual curves of a partial dependence that has them: all of them, or
            those of as many rows, drawn with a fixed seed. The mean is over all rows.
        colour_by : name of another feature, or array_like of shape (n,), optional
            Colours of the individual curves: by numbers, with a colour bar, or by a few levels,
            with a legend. A result that was read from a file knows no other feature by name.
        local_effects : bool or int, default False
            Draw the local effects of main effects of the ALE kind that keep them: for every row, or
            for a sample of as many, a stroke over its interval that starts on the curve, the
            counterpart of an individual curve.
        heterogeneity : bool, default False
            Add a panel below each main effect of the ALE kind with the standard deviation of the
            local effects in each interval (between neighbouring levels).
        band : Bands or (low, high), or mapping of feature or pair to these, optional
            Limits, each of the shape of ``f_values``: those of `aleplot_py.bootstrap_bands`, or
            the caller's own. A ribbon behind a curve, error bars on bars; over a pair, dots at the
            points whose band holds 0. The artist's label is that of the `Bands`.
        show : {"effect", "count", "standard_error"}
            What the colours of a pair of the ALE kind mean: its effect; or, for every cell between
            the points, the rows behind it, or the standard error of its mean local effect.
        cells : {"points", "intervals"}
            Cells of a pair. ``"points"``: one around each grid point, with its value, up to the
            middle between neighbouring points (as R draws). ``"intervals"``: one for each pair of
            intervals, between their true edges, with the mean of its four corners.
        slices : int, array_like, or mapping of value to str, optional
            An effect of three features is drawn as pairs of the first two, in a panel for each of
            some values of the third, with one scale of colours (`AleResult.transpose` makes
            another feature the third): so many of its points, evenly from the first to the last,
            or these values, or values with the texts above them. By default all levels, or 6
            points.
        empty : {"hatch", "fade", "black", "none"}, optional
            How to mark the intervals, levels or cells in which there is no row: where the effect is
            extrapolated. They lie between the edges of the intervals. By default hatched for ALE.
        min_count : float, optional
            Mark also those with fewer rows (or less weight) than this.
        labels : mapping of feature to str, optional
            Text for the features drawn.
        level_labels : mapping of level to str, optional
            Text for the levels drawn.
        xlabel, ylabel : str, optional
            Text at the axes instead of the feature's and the effect's name.
        value_label : str, optional
            Text at the values (y axis, or colour bar of a pair) without the units.
        units : str, optional
            Units of the prediction; ``""`` for none.
        title : str or sequence of str, optional
            Above the axes, one for each effect; a single one for several axes stands above the
            figure.
        visuals : mapping of layer to bool or mapping, optional
            Which layers are drawn, and how: False leaves one out, True adds it, a mapping adds it
            with options of matplotlib. See Notes.
        **old
            Layers as arguments of their own, as up to 0.1.0: deprecated.

        Returns
        -------
        AleDisplay
            This display.

        Raises
        ------
        ValueError, TypeError
            If an option is unknown, or does not fit the effects.

        Notes
        -----
        The layers of ``visuals``:

        ================ ============================== ======================================
        layer            drawn                          options are those of
        ================ ============================== ======================================
        line             for a numeric feature          ``Axes.plot``
        bars             for a categorical feature      ``Axes.bar``
        mesh             for a pair                     ``Axes.pcolormesh``: ``cmap`` ...
        individual       as ``individual``,             ``LineCollection``
                         ``local_effects`` say
        band             as ``band`` says               ``fill_between``, ``errorbar``,
                                                        ``scatter``
        empty_cells      as ``empty`` says              ``PatchCollection``
        heterogeneity    as ``heterogeneity`` says      ``Axes.stairs``
        rug              for main effects               ``EventCollection``
        zero_line        for centred main effects       ``Axes.axhline``
        contours         for pairs of numeric features  ``Axes.contour``: ``levels``, about how
                                                        many or at which values ...
        contour_labels   with the contours              ``Axes.clabel``
        colorbar         for a pair                     ``Figure.colorbar``
        counts           on request: the number of      ``Axes.annotate``
                         rows beside each bar
        points           on request: the observed       ``Axes.scatter``
                         pairs of values
        ================ ============================== ======================================

        The rug has a stroke at every distinct observed value; for more than 2,000 of them, at most
        500 strokes over the range, the darker the more rows. On request it is drawn along both axes
        of a pair.

        Nothing is shown or saved, and matplotlib's global settings stay as they are. A new figure
        is known to pyplot, so that ``plt.show()`` shows it.
        """
        effects = self.effects
        layers = with_old_names(visuals, old, OLD_NAMES, self.plot)
        _check_options(show, cells, empty, clim, min_count, n_cols)
        check_switches(sharey=sharey, heterogeneity=heterogeneity)
        _check_samples(individual=individual, local_effects=local_effects)
        _check_there_is_one(effects, show, bool(local_effects), heterogeneity)
        colours = colourings(effects, colour_by)
        _check_texts(effects, labels or {}, level_labels or {}, colours)
        titles = _titles(title, len(effects))
        _check_slices(effects, slices, band)
        look = Look(
            individual=individual,
            local_effects=local_effects,
            heterogeneity=heterogeneity,
            show=show,
            cells=cells,
            empty=empty,
            min_count=min_count,
            clim=clim,
            labels=labels or {},
            level_labels=level_labels or {},
            xlabel=xlabel,
            ylabel=ylabel,
            value_label=value_label,
            units="units of the prediction" if units is None else units,
            visuals=checked_visuals(layers, LAYERS, always=("line", "bars", "mesh")),
            shared=len(effects) > 1,
            titled=all(titles) and len({effect.target for effect in effects}) > 1,
        )
        bands = _bands(band, effects, [key_of(effect) for effect in effects])
        parts = [_panels(effect, slices, look) for effect in effects]
        looks = [
            look_of_slices([one for one, _ in part], look) if len(effect.features) == 3 else look
            for effect, part in zip(effects, parts, strict=True)
        ]
        of = [i for i, part in enumerate(parts) for _ in part]  # effect of each panel
        panels = [one for part in parts for one, _ in part]
        n = len(panels)
        n_cols = min(n_cols, n)
        size = figsize or _figsize(panels, n_cols, heterogeneity)
        each = "effect" if n == len(effects) else "panel"
        with self._drawing(ax, n, lambda: new_axes(n, n_cols, size), each) as axes:
            drawn = [
                draw_effect(one, panel, replace(looks[i], colouring=colours[i]), bands[i])
                for one, panel, i in zip(axes, panels, of, strict=True)
            ]
            texts = [text for part in parts for _, text in part]
            for one, text, panel, i in zip(axes, texts, panels, of, strict=True):
                above = [None if isinstance(title, str) and n > 1 else titles[i], text]
                if any(above):
                    one.set_title(", ".join(filter(None, above)))
                if ylim is not None and len(panel.features) == 1:
                    one.set_ylim(ylim)
            for i, effect in enumerate(effects):
                if isinstance(effect, AleResult) and len(effect.features) == 3:
                    mine = [at for at in range(n) if of[at] == i]
                    last = drawn[mine[-1]]
                    columns = n_cols if ax is None else 0
                    last["colorbars_"] = finish(axes, mine, effect, last["meshes_"], look, columns)
            self._take(drawn)
            if ax is None and sharey:
                _share_y(axes, panels, n_cols)
            if isinstance(title, str) and len(axes) > 1:
                self.figure_.suptitle(title)
        return self

    def _take(self, drawn: Sequence[Mapping[str, Any]]) -> None:
        """Keep the artists of every effect."""
        for name in _ARTISTS:
            setattr(self, name, [None] * len(drawn))
        for i, artists in enumerate(drawn):
            for name, artist in artists.items():
                getattr(self, name)[i] = artist


LAYERS = (
    "line",
    "bars",
    "mesh",
    "individual",
    "band",
    "empty_cells",
    "heterogeneity",
    "rug",
    "zero_line",
    "contours",
    "contour_labels",
    "colorbar",
    "counts",
    "points",
)

_ARTISTS = (
    "lines_",
    "bars_",
    "meshes_",
    "contours_",
    "colorbars_",
    "rugs_",
    "zero_lines_",
    "individual_",
    "bands_",
    "empty_cells_",
    "points_",
    "counts_",
    "heterogeneity_axes_",
    "heterogeneity_",
)


def _as_effects(effects: Any) -> tuple[Effect, ...]:
    if isinstance(effects, Effect):
        return (effects,)
    if isinstance(effects, Mapping):
        effects = effects.values()
    if not isinstance(effects, Iterable):
        raise TypeError(f"effects must be results such as ale returns, got {effects!r}")
    listed = tuple(effects)
    if not listed:
        raise ValueError("effects must hold at least one result, got none")
    for effect in listed:
        if not isinstance(effect, Effect):
            raise TypeError(f"effects must be results such as ale returns, got {effect!r}")
    return listed


def _check_options(
    show: Any, cells: Any, empty: Any, clim: Any, min_count: Any, n_cols: Any
) -> None:
    if show not in ("effect", "count", "standard_error"):
        raise ValueError(f"show must be 'effect', 'count' or 'standard_error', got {show!r}")
    if cells not in ("points", "intervals"):
        raise ValueError(f"cells must be 'points' or 'intervals', got {cells!r}")
    if empty not in (None, "hatch", "fade", "black", "none"):
        raise ValueError(f"empty must be 'hatch', 'fade', 'black' or 'none', got {empty!r}")
    if clim is not None and not (len(clim) == 2 and -np.inf < clim[0] < clim[1] < np.inf):
        raise ValueError(f"clim must be two finite increasing numbers, got {clim!r}")
    if min_count is not None and not (isinstance(min_count, Real) and float(min_count) > 0):
        raise ValueError(f"min_count must be a positive number, got {min_count!r}")
    if not isinstance(n_cols, (int, np.integer)) or n_cols < 1:
        raise ValueError(f"n_cols must be a positive integer, got {n_cols!r}")


def _check_samples(**options: Any) -> None:
    for name, value in options.items():
        if isinstance(value, (bool, np.bool_)):
            continue
        rule = f"{name} must be True, False or a number of rows, at least 1"
        if not isinstance(value, (int, np.integer)):
            raise TypeError(f"{rule}, got {value!r}")
        if value < 1:
            raise ValueError(f"{rule}, got {value!r}")


def _check_there_is_one(
    effects: Sequence[Effect], show: str, local_effects: bool, heterogeneity: bool
) -> None:
    """Refuse what none of the effects can show."""
    mains = [effect for effect in effects if is_ale_main(effect)]
    if heterogeneity and not mains:
        raise ValueError("heterogeneity needs a main effect of the ALE kind, there is none")
    if local_effects and all(effect.local_effects is None for effect in mains):
        raise ValueError(
            "local_effects needs a main effect that keeps them: compute it with "
            "ale(..., local_effects=True)"
        )
    pairs = [effect for effect in effects if len(effect.features) == 2]
    if show != "effect" and not any(isinstance(effect, AleResult) for effect in pairs):
        raise ValueError(f"show={show!r} needs a pair of the ALE kind, there is none")


def _check_slices(effects: Sequence[Effect], slices: Any, band: Any) -> None:
    """Refuse what cannot be drawn in slices, and slices of what has none."""
    for effect in effects:
        if len(effect.features) > 3:
            raise ValueError(
                f"plot draws effects of up to three features, got one of {effect.features}: "
                "to_frame() has its values"
            )
    triples = [effect for effect in effects if len(effect.features) == 3]
    if slices is not None and not triples:
        raise ValueError("slices needs an effect of three features, there is none")
    number = isinstance(slices, (int, np.integer)) and not isinstance(slices, bool)
    if isinstance(slices, str) or not (slices is None or number or np.iterable(slices)):
        raise TypeError(f"slices must be a number of panels or values, got {slices!r}")
    if isinstance(slices, (int, np.integer)) and slices < 1:
        raise ValueError(f"slices must be at least 1, got {slices}")
    if triples and band is not None:
        raise ValueError(
            f"band is drawn around main effects and pairs, not around {triples[0].features}"
        )


def _panels(effect: Effect, slices: Any, look: Look) -> list[tuple[Effect, str | None]]:
    """What is drawn of an effect, each on axes of its own, with the text above it."""
    if isinstance(effect, AleResult) and len(effect.features) == 3:
        return [(one, text) for one, text in slices_of(effect, slices, look)]
    return [(effect, None)]


def _check_texts(
    effects: Sequence[Effect],
    labels: Mapping[Any, str],
    level_labels: Mapping[Any, str],
    colours: Sequence[Colouring | None] = (),
) -> None:
    named = [colouring for colouring in colours if colouring is not None]
    features = [name for effect in effects for name in effect.features]
    check_names("labels", labels, [*features, *(colouring.name for colouring in named)])
    levels = [
        level
        for effect in effects
        for points, kind in zip(effect.x_values, effect.kinds, strict=True)
        if kind == "categorical"
        for level in points
    ]
    levels += [level for colouring in named for level in colouring.levels or ()]
    check_names("level_labels", level_labels, levels)


def _titles(title: str | Sequence[str] | None, n: int) -> list[str | None]:
    if title is None or isinstance(title, str):
        return [title if n == 1 else None] * n
    if len(title) != n:
        raise ValueError(f"title must be one text for each of {n} effect(s), got {len(title)}")
    return list(title)


def _bands(band: Any, effects: Sequence[Effect], keys: Sequence[Any]) -> list[Band | None]:
    """Limits and label of the band of every effect."""
    if band is None:
        return [None] * len(effects)
    if not isinstance(band, Mapping):
        if len(effects) > 1:
            raise ValueError("band must be a mapping of feature to (low, high) for several effects")
        band = {keys[0]: band}
    unknown = [key for key in band if key not in keys]
    if unknown:
        raise ValueError(f"band names {unknown[0]!r}, which is not an effect here")
    limits: list[Band | None] = []
    for key, effect in zip(keys, effects, strict=True):
        given, label = band.get(key), "band"
        if given is None:
            limits.append(None)
            continue
        if isinstance(given, Bands):
            if given.features != effect.features:
                raise ValueError(f"band of {key!r} is that of {given.features!r}")
            if not all(map(np.array_equal, given.effect.x_values, effect.x_values)):
                raise ValueError(f"band of {key!r} is that of an effect at other points")
            label = given.label
            given = given.lower, given.upper
        try:
            low, high = (np.asarray(limit, dtype=np.float64) for limit in given)
        except (TypeError, ValueError):
            raise TypeError(
                f"band of {key!r} must be Bands or (low, high), got {given!r}"
            ) from None
        for limit in (low, high):
            if limit.shape != effect.f_values.shape:
                raise ValueError(
                    f"band of {key!r} must have shape {effect.f_values.shape}, got {limit.shape}"
                )
        if (low > high).any():
            raise ValueError(f"band of {key!r} must not have its low end above its high end")
        limits.append(Band(low, high, label))
    return limits


def _figsize(effects: Sequence[Effect], n_cols: int, panel: bool) -> tuple[float, float]:
    """Inches of a new figure."""
    n = len(effects)
    pairs = any(len(effect.features) == 2 for effect in effects)
    width, height = (3.6, 2.9) if pairs else (3.5, 2.5)
    if n > 1:
        width, height = (2.9, 2.3) if pairs else (2.3, 2.0)
    return n_cols * width, -(-n // n_cols) * height * (1.35 if panel else 1)


def _share_y(axes: Array, effects: Sequence[Effect], n_cols: int) -> None:
    """Give main effects of one kind the same y axis, labelled at the left of each row."""
    kinds = [
        (type(effect), is_centred(effect)) if len(effect.features) == 1 else None
        for effect in effects
    ]
    for i, kind in enumerate(kinds):
        if kind is None:
            continue
        first = kinds.index(kind)
        if i > first:
            axes[i].sharey(axes[first])
            axes[i].autoscale_view(scalex=False)
        if i % n_cols and kinds[i - 1] == kind:
            axes[i].tick_params(labelleft=False)
            axes[i].set_ylabel("")
