"""Juries: runs made from the answers of other runs on the same pairs."""
