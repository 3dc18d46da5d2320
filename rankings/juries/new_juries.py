"""The options of a new jury from any door: page, API or command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.options import options_of, read_options
from judging.models import Dataset, Run, User
from judging.web.options import Offered, find_rows
from rankings.juries.stored_juries import make_jury

JURY_OPTIONS = options_of(make_jury)


def jury_settings(dataset: Dataset, values: Mapping[str, Any], *, user: User | None) -> dict[str, Any]:
    """Return the options as `make_jury` takes them. user: None for the shell. Raises Refused with every problem."""
    read = read_options(JURY_OPTIONS, values)
    runs = Run.objects.filter(dataset=dataset).select_related("dataset", "attribute", "judge", "prompt")
    offered = {
        "run": Offered(runs if user is None else runs.visible_to(user), f" on {dataset.name} that you may see"),
        "attribute": Offered(dataset.attributes.all(), f" on {dataset.name}"),
    }
    return read | find_rows(JURY_OPTIONS, read, offered)
