"""Judges behind an OpenAI-compatible endpoint.

dialects/: names of request fields, one file for each dialect. probe.py: which of them an endpoint takes.
retries.py: when to retry and how long to wait.
"""
