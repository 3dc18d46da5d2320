"""Answers of runs as rows and files."""
