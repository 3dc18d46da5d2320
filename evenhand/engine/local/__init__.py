"""Models that run on this machine. Only this package imports torch."""
