"""Studies: collecting runs, planning them and starting them together."""
