"""Solvers of the models behind the rankings."""
