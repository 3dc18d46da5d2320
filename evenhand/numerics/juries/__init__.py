"""Juries: the answers of several judges on the same comparisons, combined into one answer each."""
