"""Reading aids that annotators use, stored with their votes."""

import pytest

from judging.models import ReadingAid, Vote
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.skips_and_undo import reopen_pair
from judging.services.campaigns.votes import note_reading_aid, record_vote
from judging.services.exports.exported_votes import every_vote
from tests.campaigns import answer, make_annotator, make_ready_campaign, shown_in, vote

pytestmark = pytest.mark.django_db


def test_a_vote_stores_the_aids_of_its_pair_and_those_reported_with_it():
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann)
    pair = next_pair(campaign, annotator=ann)
    note_reading_aid(pair, ReadingAid.DIFFERENCES)
    note_reading_aid(pair, ReadingAid.DIFFERENCES)

    aided = record_vote(pair, choice="first", shown=shown_in(pair), reading_aids=["scrolling"])
    unaided = vote(campaign, ann)

    assert (aided.reading_aids, unaided.reading_aids) == ("differences scrolling", "")


def test_aids_stay_with_a_pair_that_is_opened_again():
    ann = make_annotator("ann")
    pair = next_pair(make_ready_campaign(ann), annotator=ann)
    note_reading_aid(pair, ReadingAid.DIFFERENCES)
    answer(pair)

    reopen_pair(pair)

    assert answer(pair, "second").reading_aids == "differences"


def test_an_aid_that_is_used_after_the_vote_is_not_stored():
    ann = make_annotator("ann")
    pair = next_pair(make_ready_campaign(ann), annotator=ann)
    answer(pair)

    note_reading_aid(pair, ReadingAid.DIFFERENCES)

    pair.refresh_from_db()
    assert (Vote.objects.get().reading_aids, pair.reading_aids) == ("", "")


def test_aids_are_exported_with_their_votes():
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann)
    vote(campaign, ann)
    pair = next_pair(campaign, annotator=ann)
    note_reading_aid(pair, ReadingAid.DIFFERENCES)

    answer(pair)

    assert [row["reading_aids"] for row in every_vote(campaign.dataset)] == [None, "differences"]
