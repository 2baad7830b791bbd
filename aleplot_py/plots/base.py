"""What all displays share: the axes, the style, names that are checked."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from aleplot_py.errors import listing, warn_caller
from aleplot_py.plots.look import STYLE, TURN, Array, keep_tick_style
from aleplot_py.plots.visuals import nearest

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Display:
    """Drawing that keeps what it drew.

    A display is made of results; ``plot`` draws them, on new axes in the style of `STYLE` or on
    the caller's axes in their own, and returns the display. Names that end in ``_`` hold what was
    drawn and exist from then on.

    Attributes
    ----------
    figure_ : Figure
        The figure of the first axes.
    axes_ : ndarray of Axes
        Where it was drawn.
    """

    figure_: Figure
    axes_: Array

    @contextmanager
    def _drawing(
        self, ax: Any, n: int, make: Callable[[], Array], each: str = "effect"
    ) -> Iterator[Array]:
        """The caller's axes, one for `each`, or new ones of `make`, under the style of theirs."""
        import matplotlib.style

        if ax is None:
            _load_backend()
            with matplotlib.style.context(STYLE):
                yield self._keep(make())
        else:
            yield self._keep(_given_axes(ax, n, each))

    @property
    def ax_(self) -> Axes:
        """The axes; up to 0.1.0, displays with one had it under this name."""
        warn_caller("ax_ of a display is deprecated: it is axes_[0]", DeprecationWarning)
        ax: Axes = self.axes_[0]
        return ax

    def _keep(self, axes: Array) -> Array:
        self.axes_, self.figure_ = axes, axes[0].figure
        return axes


def _load_backend() -> None:
    """Have pyplot load its backend: what a backend sets when it is loaded would end with a style.

    That of notebooks makes pyplot interactive; otherwise only the first figure would be shown.
    """
    import matplotlib.pyplot as plt

    plt.draw_if_interactive()  # type: ignore[no-untyped-call]


def _given_axes(ax: Any, n: int, each: str) -> Array:
    from matplotlib.axes import Axes

    listed = [ax] if isinstance(ax, Axes) else list(np.asarray(ax, dtype=object).ravel())
    for one in listed:
        if not isinstance(one, Axes):
            raise TypeError(f"ax must be matplotlib Axes, one for each {each}, got {one!r}")
    if len(listed) != n:
        raise ValueError(f"ax must be one Axes for each of {n} {each}(s), got {len(listed)}")
    axes = np.empty(n, dtype=object)
    axes[:] = listed
    return axes


def new_axes(n: int, n_cols: int, figsize: tuple[float, float]) -> Array:
    """Axes on a grid of a new figure, which keeps its style and is known to pyplot."""
    import matplotlib.pyplot as plt

    from aleplot_py.plots.figure import StyledFigure

    _, grid = plt.subplots(
        -(-n // n_cols),
        n_cols,
        figsize=figsize,
        squeeze=False,
        layout="constrained",
        FigureClass=StyledFigure,
    )
    for spare in grid.ravel()[n:]:
        spare.remove()
    axes: Array = grid.ravel()[:n]
    for ax in axes:
        keep_tick_style(ax)
    return axes


def check_names(argument: str, given: Mapping[Any, str], known: Iterable[Hashable]) -> None:
    """Refuse texts for names that are not drawn, for they would be left out in silence."""
    listed = list(known)
    for name in given:
        if name not in listed:
            raise ValueError(
                f"{argument} names {name!r}, which is not one of {listing(listed)} drawn here"
                f"{nearest(name, listed)}"
            )


def turn_labels(ax: Axes, texts: Sequence[str]) -> None:
    """Write long texts below 0, 1, ..., turned so that they end there."""
    ax.set_xticks(range(len(texts)), texts, rotation=TURN, rotation_mode="anchor", ha="right")
    ax.tick_params(axis="x", length=0)
