"""The time of the pages of results, cold and warm, for datasets of several shapes."""
