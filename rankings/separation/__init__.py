"""Systems of a ranking that are really apart, with all intervals at once."""
