"""Frozen results: numbers, tables, interpolation, files."""
