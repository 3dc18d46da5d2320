"""Verbs: whatever writes more than one row."""
