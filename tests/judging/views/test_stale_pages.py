"""Answers from a page that is out of date, or forged: a plain message, nothing lost, nothing stored twice."""

import re
from uuid import uuid4

import pytest
from django.urls import reverse

from judging.models import Assignment, Vote
from judging.services.campaigns.campaign_states import change_state
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.skips_and_undo import reopen_pair, skip_pair
from judging.services.campaigns.votes import change_vote
from judging.services.invitations.consent import set_consent_text
from tests.campaigns import answer, expire, make_annotator, make_ready_campaign, shown_in, vote
from tests.factories import make_dataset
from tests.judging.views.pages import page, posted_fields

pytestmark = pytest.mark.django_db

OUT_OF_DATE = "This page is out of date. Nothing was saved; please answer again."
ANSWERS = ("vote-record", "pair-skip", "pair-reopen")
FORMS = (*ANSWERS, "pair-differences", "break-dismiss", "visible-time")


@pytest.fixture
def campaign(ann):
    return make_ready_campaign(ann)


def post(client, name, *args, **fields) -> str:
    """Post a form and return the page that follows."""
    return client.post(reverse(name, args=args), fields, follow=True).content.decode()


def open_fields(client, campaign) -> dict[str, str]:
    """Return the fields of a vote on the pair that the voting page shows."""
    return posted_fields(page(client, "annotate", campaign.pk)) | {"choice": "first", "reason": "other"}


def test_an_unknown_pair_is_refused_and_the_open_one_stays(client, campaign):
    fields = open_fields(client, campaign)

    for name in (*ANSWERS, "pair-differences"):
        html = post(client, name, campaign.pk, **fields | {"pair": str(uuid4())})

        assert OUT_OF_DATE in html
        assert posted_fields(html)["pair"] == fields["pair"]
    assert [one.status for one in Assignment.objects.all()] == ["open"]


def test_a_pair_that_was_released_takes_the_vote_while_it_has_a_place(client, campaign):
    fields = open_fields(client, campaign)
    expire(Assignment.objects.get())
    next_pair(campaign, annotator=make_annotator("ben"))

    post(client, "vote-record", campaign.pk, **fields)

    assert [str(one.assignment.key) for one in Vote.objects.all()] == [fields["pair"]]


def test_a_vote_on_a_pair_that_others_completed_is_refused_and_the_next_pair_follows(client, ann):
    ben = make_annotator("ben")
    campaign = make_ready_campaign(ann, ben, dataset=make_dataset(candidates=(2, 2)), votes_per_pair=1)
    fields = open_fields(client, campaign)
    expire(Assignment.objects.get())
    for _ in range(2):
        vote(campaign, ben)

    html = post(client, "vote-record", campaign.pk, **fields)

    assert "This pair received all its votes from others in the meantime. Your answer was not saved." in html
    assert "No pairs left" in html
    assert [one.user for one in Vote.objects.all()] == [ben, ben]


def test_a_pair_that_was_answered_in_another_tab_keeps_its_first_vote(client, campaign):
    fields = open_fields(client, campaign)
    answer(Assignment.objects.get(), "second")

    html = post(client, "vote-record", campaign.pk, **fields)

    assert "You already voted on this pair, perhaps in another tab. Your first vote is kept" in html
    assert [one.choice for one in Vote.objects.all()] == ["second"]


def test_a_vote_that_was_changed_in_another_tab_is_shown_as_changed_last(client, campaign, ann):
    mine = vote(campaign, ann, "first")
    shown = shown_in(mine.assignment)
    fields = {"pair": str(mine.assignment.key), "first": shown.first, "second": shown.second, "choice": "tie"}
    change_vote(mine.assignment, choice="second", shown=shown)

    html = post(client, "vote-change", campaign.pk, mine.assignment.key, **fields)

    assert "Your vote is saved as shown here." in html
    assert [one.choice for one in Vote.objects.all()] == ["tie"]
    assert [one.choice for one in mine.assignment.events.order_by("pk")] == ["first", "second", "tie"]


@pytest.mark.parametrize("withdraw", [reopen_pair, lambda one: skip_pair(one, reason="other")], ids=["undo", "skip"])
def test_a_vote_that_was_withdrawn_in_another_tab_is_not_changed(client, campaign, ann, withdraw):
    mine = vote(campaign, ann, "first")
    shown = shown_in(mine.assignment)
    fields = {"pair": str(mine.assignment.key), "first": shown.first, "second": shown.second, "choice": "tie"}
    withdraw(mine.assignment)

    html = post(client, "vote-change", campaign.pk, mine.assignment.key, **fields)

    assert "You have no vote on this pair to change: perhaps you withdrew it in another tab." in html
    assert '<h1 tabindex="-1">Your votes</h1>' in html
    assert not Vote.objects.exists()


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_no_answer_changes_in_a_campaign_that_is_not_open(client, campaign, ann, state):
    mine = vote(campaign, ann, "first")
    shown = shown_in(mine.assignment)
    fields = {"pair": str(mine.assignment.key), "first": shown.first, "second": shown.second}
    change_state(campaign, state=state)
    addresses = [reverse(name, args=[campaign.pk]) for name in ("pair-skip", "pair-reopen")]
    addresses.append(reverse("vote-change", args=[campaign.pk, mine.assignment.key]))

    for address in addresses:
        refused = client.post(address, fields | {"choice": "tie", "reason": "other"})

        assert refused.status_code == 423
        assert f"This campaign is {state}." in refused.content.decode()
        assert "All your earlier votes are kept." in refused.content.decode()
    assert [one.choice for one in Vote.objects.all()] == ["first"]


def test_a_vote_given_before_a_new_consent_text_is_kept(client, campaign, ann):
    fields = open_fields(client, campaign)
    set_consent_text(campaign, text="We publish votes.", created_by=None)

    assert "We publish votes." in post(client, "vote-record", campaign.pk, **fields)
    assert Vote.objects.count() == 1


@pytest.mark.parametrize("name", ANSWERS)
def test_somebody_who_was_signed_out_returns_to_the_voting_page(client, campaign, name):
    fields = open_fields(client, campaign)
    voting = reverse("annotate", args=[campaign.pk])
    client.logout()

    headers = {"accept": "text/html", "referer": f"http://testserver{voting}"}
    response = client.post(reverse(name, args=[campaign.pk]), fields, headers=headers)
    sign_in = client.get(response.url).content.decode()
    next_page = re.search(r'name="next" value="([^"]*)"', sign_in).group(1)
    signed_in = client.post(reverse("account_login"), {"username": "ann", "password": "ann", "next": next_page})

    assert "You were signed out. Nothing was saved; please sign in and send it again." in sign_in
    assert signed_in.url == f"http://testserver{voting}"
    assert [one.status for one in Assignment.objects.all()] == ["open"]


def test_a_link_to_the_address_of_a_form_leads_to_the_voting_page(client, campaign):
    opened = {name: client.get(reverse(name, args=[campaign.pk])) for name in FORMS}

    voting = (302, reverse("annotate", args=[campaign.pk]))
    assert {name: (one.status_code, one.url) for name, one in opened.items()} == dict.fromkeys(FORMS, voting)


def test_a_script_that_reports_time_after_signing_out_leaves_no_message(client, campaign):
    fields = open_fields(client, campaign)
    client.logout()

    client.post(reverse("visible-time", args=[campaign.pk]), fields | {"milliseconds": "5"}, headers={"accept": "*/*"})

    assert "You were signed out" not in page(client, "account_login")


def test_a_skip_from_an_outdated_page_keeps_the_vote_of_another_tab(client, campaign):
    fields = open_fields(client, campaign)
    post(client, "vote-record", campaign.pk, **fields)

    html = post(client, "pair-skip", campaign.pk, **fields)

    assert "You already answered this pair, perhaps in another tab. Your vote is kept" in html
    assert [one.status for one in Assignment.objects.order_by("pk")] == ["voted", "open"]
    assert Vote.objects.get().choice == "first"
