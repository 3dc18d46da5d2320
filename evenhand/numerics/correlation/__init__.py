"""Correlation of scores with human scores."""
