"""Judges: adding them, loading them, what they cost."""
