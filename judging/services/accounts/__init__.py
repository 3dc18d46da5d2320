"""Accounts: creating, changing and listing them, and links to choose a password."""
