"""The options of a new campaign from any door: page, API or command."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evenhand.options import Option, options_of, read_options
from judging.models import Dataset, Run, User
from judging.services.campaigns.campaign_setup import create_campaign
from judging.services.invitations.campaign_people import annotators_to_offer
from judging.web.options import Offered, find_rows

CAMPAIGN_OPTIONS = options_of(create_campaign)


def campaign_settings(
    dataset: Dataset,
    values: Mapping[str, Any],
    *,
    user: User | None,
    options: Iterable[Option] = CAMPAIGN_OPTIONS,
) -> dict[str, Any]:
    """Return the options as `create_campaign` takes them. user: None for the shell.

    Raises Refused with every problem.
    """
    read = read_options(options, values)
    runs = Run.objects.filter(dataset=dataset).select_related("attribute")
    offered = {
        "attribute": Offered(dataset.attributes.select_related("dataset"), f" on {dataset.name}"),
        "run": Offered(runs if user is None else runs.visible_to(user), f" on {dataset.name} that you may see"),
        "annotator": Offered(annotators_to_offer(user)),
    }
    return read | find_rows(options, read, offered)
