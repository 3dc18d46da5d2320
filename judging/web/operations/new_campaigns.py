"""The options of a new campaign, and of its changes, from any door: page, API or command."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from evenhand.options import Option, options_of, read_options
from judging.models import Campaign, CampaignState, Dataset, Run, User
from judging.models.labelling.answer_rules import ANSWER_LIMITS
from judging.services.campaigns.answer_rules import CHANGEABLE
from judging.services.campaigns.campaign_changes import GROWING
from judging.services.campaigns.campaign_setup import create_campaign
from judging.services.invitations.campaign_people import annotators_to_offer
from judging.web.options import Offered, find_rows

CAMPAIGN_OPTIONS = options_of(create_campaign)
_CHANGED = ("guidelines", "questions", *CHANGEABLE, *GROWING, "annotators", "deadline", "wanted_width", *ANSWER_LIMITS)
STATE = Option(
    "People vote only while it is open: draft → open ⇄ paused → closed.",
    name="state",
    choices=dict(CampaignState.choices),
    default=None,
    if_none="as it is",
)
CHANGE_OPTIONS = (
    *(
        replace(one, default=() if one.takes_several else None, if_none="as it is")
        for one in CAMPAIGN_OPTIONS
        if one.name in _CHANGED
    ),
    STATE,
)


def campaign_settings(
    dataset: Dataset, values: Mapping[str, Any], *, user: User | None, options: Iterable[Option] = CAMPAIGN_OPTIONS
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


def campaign_changes(campaign: Campaign, values: Mapping[str, Any], *, user: User | None) -> dict[str, Any]:
    """Return the changes as `change_campaign` takes them. A text, a time or a number may be taken away by None.

    user: None for the shell. Raises Refused with every problem.
    """
    read = read_options(CHANGE_OPTIONS, values)
    people = (annotators_to_offer(user) | campaign.annotators.all()).distinct()
    read |= find_rows([one for one in CHANGE_OPTIONS if read.get(one.name)], read, {"annotator": Offered(people)})
    if isinstance(asked := values.get("questions"), Mapping):
        read["questions"] = {**dict.fromkeys(asked, ""), **(read["questions"] or {})}
    needed = {one.name for one in CHANGE_OPTIONS if one.kind is bool or one.choices is not None} | {"votes_per_pair"}
    return {name: read[name] for name in values if not (name in needed and read[name] is None)}
