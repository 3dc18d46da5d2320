"""A judge's answers pair by pair, beside people's preferences."""
