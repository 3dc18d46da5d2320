"""Ranking curves of a run: figures and page."""
