"""Campaigns: set-up, assignments, votes, progress."""
