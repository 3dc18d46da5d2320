"""Reliability of a run: calibration, consistency, fit, trust checks."""
