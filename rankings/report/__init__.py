"""The report of a run: rows, pages, API, tables."""
