"""The laboratory: a page that computes effects before the eyes of a student."""
