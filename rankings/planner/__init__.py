"""How many votes are enough, before and during a campaign."""
