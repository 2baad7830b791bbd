"""Molnar, Interpretable Machine Learning, 2nd edition: figures of section 8.2."""
