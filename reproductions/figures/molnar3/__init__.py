"""Molnar, Interpretable Machine Learning, 3rd edition: figures of chapter 20."""
