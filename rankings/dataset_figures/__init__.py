"""People's scores and judges' answers on the pages of a dataset and of a context."""
