"""Compare model families as judges with plain transformers: `python -m benchmarks.judging.families --help`."""
