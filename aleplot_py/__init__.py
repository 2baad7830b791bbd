"""Accumulated local effects and their relatives, equal to R's ALEPlot and iml."""
