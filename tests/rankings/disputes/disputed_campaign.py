"""A campaign whose annotators disagree on known pairs."""

from __future__ import annotations

from collections.abc import Mapping

from judging.models import Campaign
from tests.campaigns import make_annotator, make_ready_campaign, vote_by_context
from tests.factories import make_dataset


def campaign_with_votes(*people_votes: Mapping[str, str], contexts: int = 3, **fields: object) -> Campaign:
    """A campaign on contexts of two candidates, a and b. people_votes: for each person, context -> a, b or tie.

    The people are called p0, p1 … Contexts without a vote are left open.
    """
    dataset = make_dataset(candidates=(2,) * contexts)
    people = [make_annotator(f"p{number}") for number in range(len(people_votes))]
    campaign = make_ready_campaign(*people, dataset=dataset, votes_per_pair=len(people) or 1, **fields)
    for person, votes in zip(people, people_votes, strict=True):
        vote_by_context(campaign, person, votes)
    return campaign
