"""Changes of a campaign: what may be changed, and all changes of one request together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from judging.models import Campaign, User
from judging.models.labelling.answer_rules import ANSWER_LIMITS
from judging.services.campaigns.answer_rules import CHANGEABLE, revise_rules
from judging.services.campaigns.campaign_setup import set_annotators
from judging.services.campaigns.campaign_states import change_deadline, change_state
from judging.services.campaigns.guidelines import change_guidelines


@transaction.atomic
def change_campaign(campaign: Campaign, changes: Mapping[str, Any], *, changed_by: User | None) -> None:
    """Make all changes or none. changes: name of an option of `create_campaign` -> new value; state: the next one.

    What is not named stays. Raises Refused for changes that come too late, and for a state that cannot follow.
    """
    rules = {name: changes[name] for name in CHANGEABLE if name in changes}
    revise_rules(campaign, rules, questions=changes.get("questions") or {})
    if "guidelines" in changes:
        change_guidelines(campaign, text=changes["guidelines"] or "", changed_by=changed_by)
    if "deadline" in changes:
        change_deadline(campaign, deadline=changes["deadline"])
    for name in {"wanted_width", *ANSWER_LIMITS} & changes.keys():
        Campaign.objects.filter(pk=campaign.pk).update(**{name: changes[name]})
        setattr(campaign, name, changes[name])
    if "state" in changes:
        change_state(campaign, state=changes["state"])
    if "annotators" in changes:
        set_annotators(campaign, annotators=changes["annotators"])
