"""Report rows as tables: CSV, LaTeX and plain text."""
