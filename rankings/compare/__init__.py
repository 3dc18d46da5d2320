"""Runs compared on the same pairs: two of them, or all with all."""
