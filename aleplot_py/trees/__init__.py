"""Models made of trees: their predictions for moved rows, from one walk down each tree."""

from aleplot_py.trees.flat import FlatTrees

__all__ = ["FlatTrees"]
