"""What figure 20.8 and its companion share: effects of body mass, drawing, and claims."""

import numpy as np

from aleplot_py import ale, partial_dependence
from aleplot_py.datasets.loaders import load_penguins
from aleplot_py.plots.display import AleDisplay
from reproductions.engine.figure import decide

SPECIES = ("Adelie", "Chinstrap", "Gentoo")


def mass_effects(predict, K):
    """ALE of body mass over all penguins, and over those of each species."""
    penguins = load_penguins()
    X = penguins.drop(columns="sex")
    effects = {"all": ale(predict, X, "body_mass_g", grid="iml", K=K)}
    for name in SPECIES:
        rows = X[penguins["species"] == name]
        effects[name] = ale(predict, rows, "body_mass_g", grid="iml", K=K)
    return effects


def mass_partial_dependence(predict, K):
    """Partial dependence of the same, by the names of ``mass_effects`` after "pd_"."""
    penguins = load_penguins()
    X = penguins.drop(columns="sex")
    rows = {"all": X} | {name: X[penguins["species"] == name] for name in SPECIES}
    return {
        f"pd_{name}": partial_dependence(predict, some, "body_mass_g", grid="iml", K=K)
        for name, some in rows.items()
    }


def draw_effects(numbers, figure, text, *, ylim):
    """Draw all penguins on the left and the species on the right, on one scale."""
    left, right = figure.subplots(1, 2, sharey=True)
    options = {"xlabel": text("label.body_mass_g"), "ylim": ylim}
    AleDisplay(numbers["all"]).plot(ax=left, ylabel=text("value"), **options)
    for name in SPECIES:
        AleDisplay(numbers[name]).plot(
            ax=right,
            ylabel="",
            visuals={"rug": False, "line": {"label": text(f"level.{name}")}},
            **options,
        )
    right.legend()


def falls_with_mass(numbers):
    """Compare the ends of the curve over all penguins, and look for the largest rise."""
    values = numbers["all"].f_values
    rise = np.diff(values).max()
    drop = values[0] - values[-1]
    return decide(rise <= 0.05 * drop, partly=drop > 0, first=values[0], last=values[-1], rise=rise)


def cut_off_points(numbers):
    """Find where each species' curve passes from above to below 0, and whether once for all."""
    at = {name: _crossing(numbers[name]) for name in SPECIES}
    clear = [np.count_nonzero(np.diff(numbers[name].f_values > 0)) == 1 for name in SPECIES]
    return decide(all(clear), partly=any(clear), clear=sum(clear), n=len(SPECIES), **at)


def similar_to_partial_dependence(numbers):
    """Compare each curve with partial dependence, centred over the same penguins."""
    apart = {}
    for name in ("all", *SPECIES):
        effect, pd = numbers[name], numbers[f"pd_{name}"]
        mass = effect.observed[0]
        centred = pd.evaluate(effect.x_values[0]) - pd.evaluate(mass).mean()
        ours = effect.f_values - effect.evaluate(mass).mean()
        apart[name] = 100 * np.abs(ours - centred).max() / np.ptp(effect.f_values)
    # A quarter of the range: the same shape, not the same curve.
    return decide(max(apart.values()) < 25, partly=min(apart.values()) < 25, **apart)


def _crossing(effect):
    """Mass in the middle of the last passage through 0."""
    x, f = effect.x_values[0], effect.f_values
    last = np.flatnonzero((f[:-1] > 0) & (f[1:] <= 0))[-1]
    return x[last] + (x[last + 1] - x[last]) * f[last] / (f[last] - f[last + 1])
