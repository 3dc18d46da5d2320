"""Prompts: finding, adding and previewing them."""
