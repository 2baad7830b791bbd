"""Runs figures: finds the scripts, computes, draws, compares with R, judges claims."""
