"""Requests to create or change a campaign: their fields, and the rows that they name."""

from __future__ import annotations

from typing import Any

from evenhand.options import Option, read_options
from evenhand.refusals import Refused
from judging.api.new_runs import dataset_named
from judging.models import Campaign, User
from judging.services.campaigns.asked_attributes import LONGEST_QUESTION
from judging.services.campaigns.campaign_setup import create_campaign
from judging.web.api_input import request_of, values_of_body
from judging.web.operations.new_campaigns import CAMPAIGN_OPTIONS, CHANGE_OPTIONS, campaign_changes, campaign_settings

DATASET = Option("Name of the dataset.", longest=200, name="dataset")
NewCampaignSerializer = request_of([DATASET, *CAMPAIGN_OPTIONS], name="NewCampaignSerializer")


def create_from(sent: Any, *, user: User) -> Campaign:  # noqa: ANN401 - a body of JSON or of a form
    """Create a campaign from a request. Raises Refused with every problem."""
    values = values_of_body(sent)
    dataset = dataset_named(read_options([DATASET], {"dataset": values.pop("dataset", None)})["dataset"], user)
    return create_campaign(dataset, user, **campaign_settings(dataset, values, user=user))


_QUESTION = Option("Of a campaign with one attribute.", longest=LONGEST_QUESTION, name="question", default=None)
CampaignChangeSerializer = request_of([*CHANGE_OPTIONS, _QUESTION], name="CampaignChangeSerializer")


def changes_in(sent: Any, campaign: Campaign, *, user: User) -> dict[str, Any]:  # noqa: ANN401 - a body of JSON
    """Return the changes of a request. Raises Refused, also for `question` with several attributes."""
    values = values_of_body(sent)
    question = values.pop("question", None)
    if question is not None:
        names = [attribute.name for attribute in campaign.attributes_in_order()]
        if "questions" in values or len(names) > 1:
            raise Refused("question: give questions, which name the attribute of each, to a campaign with several")
        values["questions"] = {names[0]: question}
    return campaign_changes(campaign, values, user=user)
