"""Charts of the results pages, as plotly draws them."""
