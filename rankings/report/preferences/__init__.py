"""Preferences for longer texts and for texts of the judge's own family."""
