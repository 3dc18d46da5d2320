"""Preferences of a judge: for a length, a system, another answer after thinking."""
