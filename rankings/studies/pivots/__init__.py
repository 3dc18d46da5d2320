"""The pivot table of a study: its dimensions, cells and marks."""
