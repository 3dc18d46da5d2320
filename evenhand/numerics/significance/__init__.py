"""Tests of differences between judges."""
