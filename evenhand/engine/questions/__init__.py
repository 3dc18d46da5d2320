"""Questions to a judge: their values, their rendered text and their tokens."""
