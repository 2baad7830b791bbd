"""Figures after Heiß et al., Analyzing Error Sources in Global Feature Effect Estimation (2026)."""
