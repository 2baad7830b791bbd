"""Examples on ALE of the seminar book Limitations of Interpretable Machine Learning Methods."""
