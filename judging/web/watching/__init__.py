"""Readiness and figures of a server, for programs that watch it."""
