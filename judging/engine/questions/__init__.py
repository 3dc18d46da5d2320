"""Questions to a judge as values and as tokens."""
