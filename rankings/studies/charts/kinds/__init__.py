"""The kinds of charts of a study, each with its record."""
