"""Answers read from written text: replies of endpoints, and sampled texts."""
