"""The systems of a dataset as the runs of a study rank them."""
