"""The database of an installation: its schema, and backups of everything that it holds."""
