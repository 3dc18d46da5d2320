"""Looks at the test part of a dataset: how often its figures were shown, and to whom."""
