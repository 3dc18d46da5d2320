"""Diagnostics of a run: figures, page, API."""
