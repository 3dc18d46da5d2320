"""Backups of everything that an installation holds."""
