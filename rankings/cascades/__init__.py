"""Cascades of recorded runs: the cheap judge where it is sure, the strong one where it is not, people for the rest."""
