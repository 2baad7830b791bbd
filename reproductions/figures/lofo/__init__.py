"""Molnar, Interpretable Machine Learning, 3rd edition: figures of the LOFO chapter 24."""
