"""Prompts in padded batches, for models that share no beginnings."""
