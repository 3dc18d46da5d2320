"""Runs: creating, planning, cancelling and resuming them."""
