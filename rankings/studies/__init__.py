"""The pivot table of a study: any figure of its runs, by any two dimensions."""
