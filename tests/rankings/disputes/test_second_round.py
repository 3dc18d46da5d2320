"""A second round on disputed pairs, and how reports combine both rounds."""

import pytest
from django.urls import reverse

from evenhand.refusals import Refused
from judging.models import Campaign, Vote
from judging.services.campaigns.guidelines import note_guidelines_read
from judging.services.campaigns.next_pair import next_pair
from judging.services.invitations.consent import current_consent_text, set_consent_text
from rankings.disputes.disputed_pairs import DisputeChoice, find_disputes
from rankings.disputes.second_round import round_settings, start_second_round
from tests.campaigns import make_annotator, prefer, vote_by_context
from tests.commands import printed, printed_json
from tests.factories import answer_run, make_run
from tests.rankings.disputes.disputed_campaign import campaign_with_votes
from tests.rankings.pages import read
from tests.rankings.report.report_figures import disputes_json, quality_json

pytestmark = pytest.mark.django_db

AGREED, DISPUTED = "c0", "c1"


@pytest.fixture
def first(researcher):
    """Two people agree on c0 and disagree on c1."""
    votes = ({AGREED: "a", DISPUTED: "a"}, {AGREED: "a", DISPUTED: "b"})
    return campaign_with_votes(*votes, contexts=2, questions={"coherence": "Which is clearer?"}, created_by=researcher)


def second_round_of(first, **options):
    settings = round_settings(first, options, user=None)
    return start_second_round(first, find_disputes(first, DisputeChoice()).chosen, **settings)


def joined(campaign, name):
    """A new annotator who may vote in the campaign."""
    person = make_annotator(name)
    campaign.participations.create(annotator=person)
    note_guidelines_read(campaign, annotator=person)
    return person


def test_second_round_asks_about_the_disputed_pairs_with_the_settings_of_the_first(first, capsys):
    set_consent_text(first, text="You may stop at any time.", created_by=None)
    make_annotator("ann")

    second = second_round_of(first, annotators=["ann"])

    assert [pair.one.context.key for pair in second.pairs.all()] == [DISPUTED]
    assert {pair.purpose for pair in second.pairs.all()} == {"second-round"}
    assert (second.name, second.asked_question, second.votes_per_pair) == (
        "Which is better?, second round",
        "Which is clearer?",
        1,
    )
    assert current_consent_text(second).text == "You may stop at any time."
    assert [person.username for person in second.annotators.all()] == ["ann"]


def test_nobody_gets_a_pair_again_unless_it_is_allowed(first, capsys):
    make_annotator("ann")

    with pytest.raises(Refused, match="p0 saw all 1 pair in the first round"):
        second_round_of(first, annotators=["p0"])
    assert not Campaign.objects.filter(first_round=first).exists()

    second = second_round_of(first, annotators=["p0"], may_repeat=True)
    p0 = second.annotators.get()
    note_guidelines_read(second, annotator=p0)
    assert next_pair(second, annotator=p0).pair.one.context.key == DISPUTED


def test_person_who_saw_some_of_the_pairs_gets_only_the_others(researcher, capsys):
    first = campaign_with_votes({"c0": "a"}, {"c0": "b", "c1": "a"}, {"c0": "a", "c1": "b"}, contexts=2)
    p0 = first.annotators.get(username="p0")

    second = second_round_of(first, annotators=["p0"])

    note_guidelines_read(second, annotator=p0)
    assert next_pair(second, annotator=p0).pair.one.context.key == "c1"
    prefer(second, p0, earlier=True)
    assert next_pair(second, annotator=p0) is None


def test_without_disputed_pairs_there_is_no_second_round(capsys):
    first = campaign_with_votes({AGREED: "a"}, {AGREED: "a"}, contexts=1)

    with pytest.raises(Refused, match="nothing to ask again"):
        second_round_of(first)


def test_majority_counts_both_rounds_and_agreement_the_first_alone(first, capsys):
    run = answer_run(make_run(first.dataset), p_first=0.7)
    before = printed_json(capsys, "report", "--run", run.pk, "--dataset", first.dataset.name)["rows"][0]
    agreement = printed_json(capsys, "agreement", "--dataset", first.dataset.name)
    quality = quality_json(first.dataset.name)[0]
    second = second_round_of(first)

    vote_by_context(second, joined(second, "ann"), {DISPUTED: "b"})

    after = printed_json(capsys, "report", "--run", run.pk, "--dataset", first.dataset.name)["rows"][0]
    assert (before["accuracy"]["n"], after["accuracy"]["n"]) == (2, 4)
    assert after["human"] == before["human"]
    assert after["accuracy_per_vote"] == before["accuracy_per_vote"]
    assert printed_json(capsys, "agreement", "--dataset", first.dataset.name) == agreement
    raters = quality_json(first.dataset.name)[0]["raters"]
    assert [row for row in raters if row["votes"]] == quality["raters"]


def test_votes_of_both_rounds_stand_on_the_page_of_the_first(client, first, capsys):
    second = second_round_of(first)
    vote_by_context(second, joined(second, "ann"), {DISPUTED: "b"})

    [pair] = disputes_json(first)["pairs"]
    page = read(client, "campaign-disputes", first)

    assert [vote["second_round"] for vote in pair["votes"]] == [False, False, True]
    assert (pair["for_first"], pair["for_second"], pair["majority"]) == (1, 1, "second")
    assert "majority of both rounds: B" in page
    assert "1 of 1 votes on 1 pair" in page
    assert f'Second round of <a href="{first.get_absolute_url()}"' in read(client, "campaign", second)


def test_votes_of_a_second_round_keep_their_purpose_in_files(first, capsys, tmp_path):
    second = second_round_of(first)
    vote_by_context(second, joined(second, "ann"), {DISPUTED: "b"})

    file = tmp_path / "votes.jsonl"
    printed(capsys, "export_votes", "--dataset", first.dataset.name, "--output", file)
    Vote.objects.all().delete()
    printed(capsys, "import_votes", file, "--dataset", first.dataset.name)

    assert Vote.objects.filter(purpose="second-round").count() == 1
    assert Vote.objects.filter(purpose="ordinary").count() == 4


def test_one_click_on_the_page_starts_the_round_of_the_filtered_pairs(client, first):
    make_annotator("ann")
    address = reverse("campaign-second-round", args=[first.pk])
    form = {"annotators": "ann", "votes_per_pair": 1, "name": "Again"}

    nothing = client.post(f"{address}?context={AGREED}", form)
    answer = client.post(f"{address}?context={DISPUTED}", form)

    assert "nothing to ask again" in nothing.content.decode()
    second = Campaign.objects.get(name="Again")
    assert answer.url == second.get_absolute_url()
    assert (second.first_round, second.pairs.count()) == (first, 1)
    assert "is not free" in client.post(address, form).content.decode()


def test_api_starts_a_second_round(client, first):
    make_annotator("ann")
    address = reverse("api-campaign-disputes", args=[first.pk])

    unknown = client.post(address, {"annotators": ["bob"]}, content_type="application/json")
    made = client.post(address, {"annotators": ["ann"]}, content_type="application/json")

    assert unknown.status_code == 400
    assert made.json() | {"campaign": 0} == {"campaign": 0, "name": "Which is better?, second round", "pairs": 1}
    detail = client.get(reverse("api-campaign", args=[made.json()["campaign"]])).json()
    assert detail["first_round"] == first.name
