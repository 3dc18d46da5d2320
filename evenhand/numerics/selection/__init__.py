"""Selections: which ordered pairs to ask a judge."""
