"""All that draws: imports matplotlib inside functions, and is imported inside ``.plot()`` only."""
