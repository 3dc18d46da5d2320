"""Recorded judgments: comparisons and scores from files."""
