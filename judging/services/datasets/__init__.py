"""Datasets: import, uploads, recorded judgments."""
