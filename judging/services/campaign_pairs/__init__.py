"""The pairs of a campaign: which ones it asks, and the pairs that check annotators."""
