"""Audits of a judge's reasoning on wrong verdicts."""
