"""Bounds that the figures of a run must clear, for pipelines."""
