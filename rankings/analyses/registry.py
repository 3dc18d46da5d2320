"""The records of all analyses, found by the names of their modules."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from evalsite.command_list import PAGES
from rankings.analyses.record import Analysis


@cache
def analyses() -> Mapping[str, Analysis]:
    """Return name -> record of every analysis. Imports them all: pages need that, a command has its own only."""
    records = (getattr(import_module(module), "ANALYSIS", None) for module in PAGES)
    return {record.name: record for record in records if record}
