"""Figures of Molnar et al., General Pitfalls of Model-Agnostic Interpretation Methods (2022)."""
