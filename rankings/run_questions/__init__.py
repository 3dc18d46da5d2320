"""Analyses of a run, two files each: the report, and its page with the record."""
