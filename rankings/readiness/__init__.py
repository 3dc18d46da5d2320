"""Figures of a dataset that have an interval now, and what would unblock the others."""
