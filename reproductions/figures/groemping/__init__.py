"""Figures after Grömping 2020 on ALE and models with interactions."""
