"""Analyses of a dataset, two files each: the report, and its page with the record."""
