"""Execution of runs: claim a chunk, ask the judge, store the answers."""
