"""How much a ranking depends on the one system that all others are compared with."""
