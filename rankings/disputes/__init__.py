"""Pairs on which people disagree, with their votes and the answers of judges."""
