"""Abstaining: which answers of a run can be trusted, and which pairs people should decide."""
