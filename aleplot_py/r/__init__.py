"""R's names and R's random numbers."""
