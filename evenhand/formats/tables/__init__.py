"""Readers of tables and objects, one file type each; `opening` picks the reader."""
