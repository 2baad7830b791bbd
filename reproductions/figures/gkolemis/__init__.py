"""Figures after Gkolemis et al. 2023 on automatic intervals."""
