"""The records of analyses, by name."""

from __future__ import annotations

from pkgutil import resolve_name

from rankings.analyses.names import ANALYSES
from rankings.analyses.record import Analysis


def analysis_named(name: str) -> Analysis:
    """Return the record of an analysis. Its module is imported now."""
    record: Analysis = resolve_name(ANALYSES[name])
    return record
