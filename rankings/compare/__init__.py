"""Comparisons of runs on the same pairs: two runs, or all runs of an attribute."""
