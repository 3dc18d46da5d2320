"""Limits on requests: by address and person, by size, and once for each key."""
