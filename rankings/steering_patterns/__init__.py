"""Finds label words, verdicts and instructions to a judge in candidates' texts."""
