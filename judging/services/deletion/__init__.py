"""Deleting datasets, runs, judges and accounts, with all that rests on them."""
