"""Runs: requesting, creating, cancelling and resuming them, and their progress."""
