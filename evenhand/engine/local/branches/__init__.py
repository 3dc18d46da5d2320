"""Shared beginnings by a model's own cache, which is copied for every branch."""
