"""Guidelines of a campaign: when a change is a new version, who must read it, and which version a vote has."""

import pytest

from evenhand.refusals import Refused
from judging.models import AnswerEvent, Vote
from judging.services.campaigns.guidelines import (
    GuidelinesLine,
    change_guidelines,
    changed_lines,
    current_guidelines,
    guidelines_versions,
    has_read_guidelines,
    note_guidelines_read,
    with_current_guidelines,
)
from judging.services.campaigns.votes import change_vote
from tests.campaigns import make_annotator, make_campaign, make_ready_campaign, shown_in, vote

pytestmark = pytest.mark.django_db


def has_read(campaign, annotator):
    return has_read_guidelines(with_current_guidelines(campaign.participations.all()).get(annotator=annotator))


def test_guidelines_are_read_by_each_and_the_first_time_counts():
    ann, ben = make_annotator("ann"), make_annotator("ben")
    campaign = make_campaign(annotators=[ann, ben])
    note_guidelines_read(campaign, annotator=ann)
    first = campaign.participations.get(annotator=ann).guidelines_read_at

    note_guidelines_read(campaign, annotator=ann)

    times = dict(campaign.participations.values_list("annotator", "guidelines_read_at"))
    assert times == {ann.pk: first, ben.pk: None}


def test_a_change_after_somebody_read_them_is_a_new_version_to_read_and_the_old_one_is_refused(ann):
    campaign = make_ready_campaign(ann, guidelines="Mind the facts.")
    change_guidelines(campaign, text="Mind the style.", changed_by=None)

    with pytest.raises(Refused, match="The guidelines have changed since you opened them"):
        note_guidelines_read(campaign, annotator=ann, version=1)

    assert not has_read(campaign, ann)

    changed = change_guidelines(campaign, text="Mind the style.", changed_by=None)

    assert (changed.version, campaign.guidelines) == (2, "Mind the style.")
    assert not has_read(campaign, ann)
    note_guidelines_read(campaign, annotator=ann)
    assert has_read(campaign, ann)


def test_a_version_that_nobody_has_read_is_replaced(ann):
    campaign = make_campaign(annotators=[ann], guidelines="Mind the facts.")

    change_guidelines(campaign, text="Mind the style.", changed_by=None)

    assert [(one.version, one.text) for one in guidelines_versions(campaign)] == [(1, "Mind the style.")]


def test_the_same_text_makes_no_version(ann):
    campaign = make_ready_campaign(ann, guidelines="Mind the facts.")

    change_guidelines(campaign, text=" Mind the facts.\r\n", changed_by=None)

    assert current_guidelines(campaign).version == 1
    assert has_read(campaign, ann)


def test_each_vote_has_the_version_that_its_annotator_had_read(ann):
    campaign = make_ready_campaign(ann, guidelines="Mind the facts.")
    first = vote(campaign, ann)
    change_guidelines(campaign, text="Mind the style.", changed_by=None)
    late = vote(campaign, ann)  # from a page that was open before
    note_guidelines_read(campaign, annotator=ann)
    second = vote(campaign, ann)

    names = [Vote.objects.get(pk=one.pk).guidelines_name for one in (first, late, second)]

    old, new = campaign.guidelines_texts.all()
    assert names == [old.digest, old.digest, new.digest]
    assert [one.vote_count for one in guidelines_versions(campaign)] == [1, 2]


def test_a_changed_vote_has_the_new_version_and_its_history_the_old_one(ann):
    campaign = make_ready_campaign(ann, guidelines="Mind the facts.")
    assignment = vote(campaign, ann, "first").assignment
    change_guidelines(campaign, text="Mind the style.", changed_by=None)
    note_guidelines_read(campaign, annotator=ann)

    change_vote(assignment, choice="second", shown=shown_in(assignment))

    assert Vote.objects.get().assignment.guidelines.version == 2
    assert list(AnswerEvent.objects.values_list("guidelines__version", flat=True)) == [1, 2]


def test_change_guidelines_refuses_a_text_that_is_too_long():
    campaign = make_campaign()

    with pytest.raises(Refused, match="guidelines: 50,001 characters — give at most 50,000"):
        change_guidelines(campaign, text="x" * 50_001, changed_by=None)


def test_changed_lines_stand_with_two_unchanged_lines_around_them():
    before = "\n".join("abcdefgh")
    now = "\n".join("abcdEfgh")

    lines = changed_lines(before, now)

    same = [GuidelinesLine("same", letter) for letter in "cdfg"]
    change = [GuidelinesLine("removed", "e"), GuidelinesLine("added", "E")]
    assert lines == [GuidelinesLine("gap"), *same[:2], *change, *same[2:]]


def test_changed_lines_of_first_guidelines_are_all_added():
    assert changed_lines("", "One\nTwo") == [GuidelinesLine("added", "One"), GuidelinesLine("added", "Two")]
