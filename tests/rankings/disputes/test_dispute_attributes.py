"""Disputes, second rounds and plans of a campaign on several attributes: each attribute on its own."""

import pytest

from evenhand.refusals import Refused
from judging.services.campaigns.next_pair import next_pair
from rankings.disputes.disputed_pairs import DisputeChoice, find_disputes
from rankings.disputes.second_round import start_second_round
from tests.campaigns import answer, make_annotator, make_ready_campaign
from tests.commands import printed_json, refused
from tests.factories import answer_run, make_dataset, make_run
from tests.rankings.pages import read
from tests.rankings.report.report_figures import disputes_json

pytestmark = pytest.mark.django_db

PREFERRED = {"p0": {"coherence": "a", "fluency": "a"}, "p1": {"coherence": "a", "fluency": "b"}}
"""person -> attribute -> the candidate that they prefer on every pair."""


@pytest.fixture
def campaign(researcher):
    """Two people agree on coherence and disagree on fluency, on both contexts."""
    dataset = make_dataset(candidates=(2, 2), attributes=("coherence", "fluency"))
    people = [make_annotator(name) for name in PREFERRED]
    campaign = make_ready_campaign(
        *people,
        dataset=dataset,
        attributes=dataset.attributes.all(),
        questions={"fluency": "Which flows?"},
        votes_per_pair=2,
        created_by=researcher,
    )
    for person in people:
        while shown := next_pair(campaign, annotator=person):
            preferred = PREFERRED[person.username][shown.pair.attribute.name]
            answer(shown, "first" if shown.first.key == preferred else "second")
    return campaign


def test_disputes_name_their_attribute_and_are_filtered_by_it(campaign, capsys):
    every = disputes_json(campaign)
    coherence = disputes_json(campaign, attribute="coherence")

    assert [(pair["attribute"], pair["context"]) for pair in every["pairs"]] == [("fluency", "c0"), ("fluency", "c1")]
    assert [len(pair["votes"]) for pair in every["pairs"]] == [2, 2]
    assert (every["compared"], every["disputed"]) == (4, 2)
    assert (coherence["compared"], coherence["disputed"], coherence["pairs"]) == (2, 0, [])
    with pytest.raises(Refused, match='attribute: "style" is unknown; choose one of: coherence, fluency'):
        disputes_json(campaign, attribute="style")


def test_disputed_pairs_show_judges_on_their_attribute_only(campaign, capsys):
    answer_run(make_run(campaign.dataset, attribute="coherence"), p_first=0.8)
    fluency = answer_run(make_run(campaign.dataset, attribute="fluency"), p_first=0.7)

    report = disputes_json(campaign)

    assert [[judge["run"] for judge in pair["judges"]] for pair in report["pairs"]] == [[fluency.pk], [fluency.pk]]


def test_page_counts_disputes_by_attribute(client, campaign):
    page = read(client, "campaign-disputes", campaign)
    of_fluency = read(client, "campaign-disputes", campaign, attribute="fluency")

    assert "with two votes or more: 0 of 2 on coherence, 2 of 2 on fluency." in page
    assert "People disagree on 2 of 2 pairs" in of_fluency


def test_second_round_asks_on_the_attributes_that_are_disputed(campaign):
    second = start_second_round(campaign, find_disputes(campaign, DisputeChoice()).chosen)

    assert second.own_questions() == {"fluency": "Which flows?"}
    assert second.pairs.count() == 2


def test_plans_read_the_votes_on_one_attribute(campaign, capsys):
    named = ("plan_votes", "--dataset", campaign.dataset.name, "--campaign", campaign.name)

    of_fluency = printed_json(capsys, *named, "--attribute", "fluency")["so_far"]

    assert (of_fluency["votes"], of_fluency["figure"]["value"]) == (4, 0)
    assert printed_json(capsys, *named, "--attribute", "coherence")["so_far"]["figure"]["value"] == 1
    assert refused(capsys, *named) == ["attribute: choose one of coherence, fluency"]
