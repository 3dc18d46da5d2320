"""The ranking curves of a study."""
