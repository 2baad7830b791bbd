"""The figures of the literature on accumulated local effects, regenerated from data and models.

``models`` holds models fitted in R and exported with full precision, with R's predictions;
``reference`` holds the numbers R computed for each figure. ``r_models`` evaluates the exported
models in Python. The figures themselves are one script each, run by ``python -m reproductions``.
"""
