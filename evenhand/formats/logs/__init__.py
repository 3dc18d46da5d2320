"""Logs and exports of other tools, turned into rows of our own formats. Pure."""
