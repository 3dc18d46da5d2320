"""How far campaigns are: votes, days, pace, effort, and what is left for one person."""
