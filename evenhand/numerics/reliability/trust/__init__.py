"""Checks that a judge answers, and does not only look at the position."""
