"""What effects cost beside predictions, peers and 0.1.0: ``python -m validation.benchmarks``.

Everything is compared within one run, in processes of their own that take turns: medians of
processor time on one thread, and peak memory of fresh processes. ``rows.py`` says what is compared
and what the goal is, ``worker.py`` and ``worker.R`` do it, ``run.py`` lets them take turns,
``report.py`` writes what came out.
"""
