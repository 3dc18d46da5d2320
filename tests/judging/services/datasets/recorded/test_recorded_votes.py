"""Votes given elsewhere."""

import pytest

from evenhand.file_problems import Problem
from evenhand.formats import RecordedVote, VoteRecord
from evenhand.refusals import Refused
from judging.models import Vote
from judging.services.datasets.recorded.recorded_votes import ImportedVotes, import_votes
from judging.services.datasets.vote_records import load_votes
from tests.campaigns import make_annotator, make_campaign, make_ready_campaign, vote
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db


def voted(first="a", second="b", choice="first", *, line=1, context="c0", rater="h1", occurrence=0, **details):
    record = VoteRecord("coherence", first, second, choice, rater, **details)
    return RecordedVote("votes.csv", line, context, record, occurrence)


def refusals(records, **options) -> list[str]:
    with pytest.raises(Refused) as caught:
        import_votes(records, **options)
    return list(caught.value.problems)


def test_import_votes_stores_every_field():
    dataset, _ = make_dataset(), make_dataset("Others")
    details = {"strength": 3, "confidence": 0.5, "comment": "So.", "seconds": 1.2345}
    record = voted(choice="cannot-judge", **details, campaign="May", guidelines="v1", excluded=True)

    assert import_votes([record], dataset=dataset) == ImportedVotes(votes=1, raters=1, repeated=0)

    stored = Vote.objects.get()
    assert (stored.context.dataset, stored.attribute.dataset, stored.user) == (dataset, dataset, None)
    assert [one.vote for one in load_votes(dataset)] == [record.vote]


def test_import_votes_stores_an_equal_vote_once_and_refuses_another_answer_on_the_same_ordered_pair():
    dataset = make_dataset()
    import_votes([voted()], dataset=dataset)

    again = import_votes([voted(), voted(), voted("b", "a"), voted("b", "a"), voted(rater="h2")], dataset=dataset)
    (problem,) = refusals([voted(rater="h3"), voted(choice="tie", line=2)], dataset=dataset)

    assert again == ImportedVotes(votes=2, raters=2, repeated=3)
    assert list(Vote.objects.values_list("first__key", "rater")) == [("a", "h1"), ("b", "h1"), ("a", "h2")]
    assert problem == (
        'votes.csv:2: "a" against "b" by "h1" — expected the vote that the dataset has already: choice "first"'
    )


def test_import_votes_reports_problems_of_the_file_and_of_the_dataset():
    found = [Problem("votes.csv", 2, "choice", '"x"', "a choice")]

    problems = refusals([voted("z", line=1), voted(context="c9", line=3)], dataset=make_dataset(), problems=found)

    assert problems == [
        'votes.csv:1: first: "z" — expected a candidate of context "c0"',
        'votes.csv:2: choice: "x" — expected a choice',
        'votes.csv:3: context: "c9" — expected a context of the dataset',
    ]
    assert not Vote.objects.exists()


def test_import_votes_refuses_an_empty_file():
    assert refusals([], dataset=make_dataset()) == ["there are no votes to import"]


def test_load_votes_names_the_campaign_and_the_version_of_its_guidelines():
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann, dataset=make_dataset(), name="May", guidelines="Mind the facts.")
    vote(campaign, ann, milliseconds=2500)

    (loaded,) = load_votes(campaign.dataset)

    assert (loaded.vote.campaign, loaded.vote.guidelines, loaded.vote.seconds) == ("May", "67afe102d5d3", 2.5)


def test_votes_of_a_campaign_may_be_imported_into_their_own_dataset():
    ann = make_annotator("ann")
    campaign = make_campaign(make_dataset(), guidelines="Mind the facts.", annotators=[ann])
    vote(campaign, ann, milliseconds=2500)

    imported = import_votes(list(load_votes(campaign.dataset)), dataset=campaign.dataset)

    assert imported == ImportedVotes(votes=0, raters=1, repeated=1)
