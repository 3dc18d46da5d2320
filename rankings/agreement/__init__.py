"""Agreement of people and judges: figures, pages, API."""
