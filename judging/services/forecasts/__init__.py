"""Forecasts: prompts, tokens, time and cost of runs before they start."""
