"""Tests that compare with R: stored, base R, ALEPlot, iml, webR."""
