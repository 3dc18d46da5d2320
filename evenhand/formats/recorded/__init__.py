"""Readers of recorded judgments: comparisons and scores that were made elsewhere."""
