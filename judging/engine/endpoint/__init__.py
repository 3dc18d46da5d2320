"""Judges behind an OpenAI-compatible endpoint.

dialects.py: request fields, the place to add a dialect. retries.py: when to retry and how long to wait.
"""
