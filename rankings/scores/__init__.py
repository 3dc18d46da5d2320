"""The scores of a run: rows, page, API."""
