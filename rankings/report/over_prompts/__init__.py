"""Means of figures over the prompts of runs that differ in nothing else."""
