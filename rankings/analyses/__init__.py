"""Analyses: a record for each question about a run or a dataset, and what serves them all."""
