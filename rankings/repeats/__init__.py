"""Repeats: the same questions, asked again of the same judge."""
