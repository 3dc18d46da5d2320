"""Planning of runs: the spec, the pairs, and the texts of the questions."""
