"""Rankings: comparisons in, one score per candidate out; `registry` lists them."""
