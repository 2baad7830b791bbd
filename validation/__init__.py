"""Validation against R: stored results, R itself running live, and the report of both."""
