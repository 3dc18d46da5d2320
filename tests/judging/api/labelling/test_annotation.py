"""Annotating over HTTP: the guidelines, the next pair, votes and skips."""

from uuid import uuid4

import pytest

from judging.models import Assignment, Vote
from tests.campaigns import let_time_pass, make_annotator, make_campaign, make_ready_campaign, vote
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db


def ask_next(client, campaign):
    return client.post(f"/api/own-campaigns/{campaign.pk}/next-pair/")


def pair_address(pair, verb="vote"):
    return f"/api/own-campaigns/{pair['campaign']}/pairs/{pair['key']}/{verb}/"


def answer(client, pair, choice="first", *, method="post", **fields):
    body = {"choice": choice, "first": pair["first"]["name"], "second": pair["second"]["name"], **fields}
    return getattr(client, method)(pair_address(pair), body, format="json")


@pytest.fixture
def campaign(annotator):
    """One pair, and another campaign of somebody else."""
    make_ready_campaign(make_annotator("ben"), dataset=make_dataset("Others"), name="Not theirs")
    return make_ready_campaign(annotator.user, dataset=make_dataset(candidates=(2,)), name="Theirs")


def test_own_campaigns_show_guidelines_and_progress_but_not_the_dataset(annotator, campaign):
    vote(campaign, annotator.user)

    [shown] = annotator.get("/api/own-campaigns/").json()["results"]

    assert (shown["name"], shown["votes"], shown["skips"], shown["left"]) == ("Theirs", 1, 0, 0)
    assert "dataset" not in shown
    assert annotator.get(f"/api/own-campaigns/{campaign.pk}/").json() == shown


def test_guidelines_are_read_before_the_first_pair(annotator):
    campaign = make_campaign(annotators=[annotator.user])

    refused = ask_next(annotator, campaign)
    annotator.post(f"/api/own-campaigns/{campaign.pk}/guidelines-read/")

    assert refused.status_code == 400
    assert refused.json()["problems"][0].startswith("guidelines: read them first")
    assert ask_next(annotator, campaign).status_code == 200


def test_a_pair_is_shown_without_its_origin_until_it_is_answered(annotator, campaign):
    pair = ask_next(annotator, campaign).json()

    details = "strength confidence comment"
    named = "key campaign attribute question context first second status choice"
    fields = f"{named} {details} rating skip_reason held_until answered_at"
    assert list(pair) == fields.split()
    assert (sorted(pair["first"]), pair["context"]) == (["name", "text"], "Article 0.")
    assert (pair["status"], pair["choice"]) == ("open", None)
    assert ask_next(annotator, campaign).json()["key"] == pair["key"]
    answer(annotator, pair)
    assert ask_next(annotator, campaign).status_code == 204


def test_a_vote_is_cast_changed_and_withdrawn(annotator, campaign):
    pair = ask_next(annotator, campaign).json()
    let_time_pass(2500)

    cast = answer(annotator, pair, "second", seconds=2.5).json()
    changed = answer(annotator, pair, "tie", method="patch").json()

    assert (cast["status"], cast["choice"], changed["choice"]) == ("voted", "second", "tie")
    stored = Vote.objects.get(user=annotator.user)
    assert (stored.choice, stored.seconds, stored.assignment.key.hex) == ("tie", 2.5, pair["key"].replace("-", ""))
    withdrawn = annotator.delete(pair_address(pair)).json()
    assert (withdrawn["status"], withdrawn["choice"]) == ("open", None)
    assert not Vote.objects.exists()


def test_a_vote_names_the_reading_aids_that_were_used(annotator, campaign):
    pair = ask_next(annotator, campaign).json()

    refused = answer(annotator, pair, reading_aids=["magnifier"])
    answer(annotator, pair, reading_aids=["scrolling", "differences"])

    assert (refused.status_code, refused.json()["problems"][0].split(":")[0]) == (400, "reading_aids")
    assert Vote.objects.get(user=annotator.user).reading_aids == "differences scrolling"


def test_a_pair_is_skipped_for_a_reason_and_listed(annotator, campaign):
    pair = ask_next(annotator, campaign).json()

    assert annotator.post(pair_address(pair, "skip"), {"reason": "bored"}, format="json").status_code == 400
    annotator.post(pair_address(pair, "skip"), {"reason": "language"}, format="json")

    answers = f"/api/own-campaigns/{campaign.pk}/answers/"
    [skipped] = annotator.get(answers, {"status": "skipped"}).json()["results"]
    assert (skipped["key"], skipped["skip_reason"]) == (pair["key"], "language")
    assert annotator.get(answers, {"status": "voted"}).json()["results"] == []
    assert Assignment.objects.get().status == "skipped"


def test_nobody_answers_pairs_of_others(annotator, campaign):
    ben = make_annotator("olga")
    other = make_ready_campaign(ben, annotator.user, dataset=campaign.dataset, name="Another")
    own = vote(other, ben)
    pair = {"campaign": other.pk, "key": own.assignment.key, "first": {"name": "x"}, "second": {"name": "y"}}

    statuses = [answer(annotator, pair).status_code, annotator.delete(pair_address(pair)).status_code]

    assert statuses == [404, 404]
    assert annotator.delete(pair_address({"campaign": campaign.pk, "key": uuid4()})).status_code == 404
    assert Vote.objects.get() == own


def test_a_vote_takes_the_details_that_the_campaign_asks_for_and_a_change_keeps_them(annotator):
    campaign = make_ready_campaign(annotator.user, allow_both_bad=True, strength_levels=3, take_comments=True)
    own = f"/api/own-campaigns/{campaign.pk}"
    pair = annotator.post(f"{own}/next-pair/").json()
    body = {"choice": "first", "first": pair["first"]["name"], "second": pair["second"]["name"]}
    address = f"{own}/pairs/{pair['key']}/vote/"

    refused = annotator.post(address, body | {"strength": 4}, format="json")
    voted = annotator.post(address, body | {"strength": 2, "comment": "Clear."}, format="json").json()
    changed = annotator.patch(address, body | {"choice": "both-bad"}, format="json").json()

    assert (refused.status_code, annotator.get(f"{own}/").json()["strength_levels"]) == (400, 3)
    assert (voted["choice"], voted["strength"], voted["confidence"], voted["comment"]) == ("first", 2, None, "Clear.")
    assert (changed["choice"], changed["strength"], changed["comment"]) == ("both-bad", 2, "Clear.")
