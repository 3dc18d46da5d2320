"""Backups: everything that an installation holds, in one file."""
