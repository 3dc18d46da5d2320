"""Pages about the labelling of a campaign."""
