"""Faults that other people's cases brought to light, by subject, each over its whole kind."""
