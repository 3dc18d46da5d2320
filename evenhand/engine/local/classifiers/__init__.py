"""Sequence classifiers: models that give numbers for a whole text, and write none."""
