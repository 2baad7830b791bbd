"""Figures of the vignette of the R package ALEPlot, Zhu and Apley."""
