"""Votes of campaigns by day, and skips by reason."""

from datetime import UTC, date, datetime

import pytest

from judging.models import Assignment, Purpose
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.progress.campaign_progress import (
    LabellingDay,
    SkipCount,
    campaign_progress,
    labelling_days,
    skip_counts,
)
from judging.services.campaigns.skips_and_undo import skip_pair
from tests.campaigns import make_annotator, make_campaign, vote

pytestmark = pytest.mark.django_db


def vote_on(day: int, campaign, annotator, *, hour: int = 12, purpose: str = Purpose.ORDINARY) -> None:
    """Vote on a day of March 2026."""
    time = datetime(2026, 3, day, hour, tzinfo=UTC)
    given = vote(campaign, annotator)
    Assignment.objects.filter(pk=given.assignment_id).update(answered_at=time, purpose=purpose)


def test_labelling_days_count_votes_people_and_the_running_total():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = make_campaign()
    vote_on(4, campaign, ann)
    vote_on(1, campaign, ann, hour=0)
    vote_on(1, campaign, ben, hour=23)
    vote_on(1, campaign, ben)

    days = labelling_days(campaign)

    assert days == [
        LabellingDay(date(2026, 3, 1), votes=3, people=2, total=3),
        LabellingDay(date(2026, 3, 4), votes=1, people=1, total=4),
    ]
    assert days[-1].total == campaign_progress(campaign).done


def test_labelling_days_leave_out_checks_and_other_campaigns():
    ann = make_annotator("ann")
    campaign = make_campaign()
    other = make_campaign(name="other", allow_repeats=True)
    vote_on(1, campaign, ann)
    vote_on(1, campaign, ann, purpose=Purpose.REPEAT)
    vote_on(1, other, ann)

    assert labelling_days(campaign) == [LabellingDay(date(2026, 3, 1), votes=1, people=1, total=1)]


def test_labelling_days_of_a_campaign_without_votes_are_none():
    assert labelling_days(make_campaign()) == []


def test_skip_counts_list_reasons_in_use_the_most_frequent_first():
    ann = make_annotator("ann")
    campaign = make_campaign()
    other = make_campaign(name="other", allow_repeats=True)
    for reason in ("broken", "subject", "subject"):
        skip_pair(next_pair(campaign, annotator=ann), reason=reason)
    skip_pair(next_pair(other, annotator=ann), reason="broken")

    assert skip_counts(campaign) == [
        SkipCount("subject", text="I do not know enough about the subject", skips=2),
        SkipCount("broken", text="A text is missing or broken", skips=1),
    ]
