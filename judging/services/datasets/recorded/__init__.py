"""Judgments that were made elsewhere: reading and storing them."""
