"""Decoder-only models over a prefix tree: shared beginnings are computed once."""
