"""Ranking curves: agreement with people against the number of comparisons."""
