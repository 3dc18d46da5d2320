"""People below a pass mark of the training or of gold pairs get no further pair, and a code of its own."""

import pytest
from django.urls import reverse

from evenhand.formats.recorded.known_pairs import KnownPair
from evenhand.refusals import Refused
from judging.models import Campaign, Enrolment
from judging.services.campaign_pairs.gold_pairs import add_gold_pairs, set_check_shares
from judging.services.campaign_pairs.training import repeat_training, set_training_pairs
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.progress.labelling_pace import assigned_people
from judging.services.invitations.campaign_people import people_in_campaign
from judging.services.invitations.invitation_setup import create_invitation
from judging.services.invitations.screening import screened_out
from tests.campaigns import answer, small_campaign

pytestmark = pytest.mark.django_db

CODES = {"completion_code": "C1", "screening_code": "S1"}
TRAINING, GOLD = 2, 5


def known(places):
    return [KnownPair(f"c{place}", "a", "b", "first") for place in places]


def campaign_with_gold():
    """Fifteen pairs and five gold pairs."""
    campaign = small_campaign(pairs=20, gold_share=1.0)
    add_gold_pairs(campaign, known(range(GOLD)))
    return campaign


def join(client, campaign, **codes):
    """The account of a participant of Prolific who has read the guidelines."""
    invitation = create_invitation(campaign, admission="platform", **codes)
    client.post(invitation.get_absolute_url(), {"PROLIFIC_PID": "5f1", "STUDY_ID": "s", "SESSION_ID": "t"})
    client.post(reverse("guidelines", args=[campaign.pk]), {"version": 1})
    return Enrolment.objects.get().annotator


def shown(client, campaign, page="annotate"):
    return client.get(reverse(page, args=[campaign.pk]), follow=True).content.decode()


def vote_on_gold(campaign, person, *, right):
    """Vote until all gold pairs are answered, so many of them rightly."""
    answered = 0
    while answered < GOLD:
        assignment = next_pair(campaign, annotator=person)
        is_right = assignment.purpose != "gold" or answered < right
        answered += assignment.purpose == "gold"
        answer(assignment, "first" if is_right != assignment.swapped else "second")


@pytest.mark.parametrize(("right", "is_out"), [(2, True), (3, False)])
def test_people_below_the_gold_mark_get_the_screening_code_and_no_further_pair(client, right, is_out):
    campaign = campaign_with_gold()
    set_check_shares(campaign, gold_pass_mark=0.6)
    person = join(client, campaign, **CODES)
    vote_on_gold(campaign, person, right=right)

    html = shown(client, campaign)
    following = client.post(reverse("api-own-next-pair", args=[campaign.pk]))
    completion = client.get(reverse("api-own-completion", args=[campaign.pk])).json()

    assert ("vote-bar" in html, following.status_code == 200) == (not is_out, not is_out)
    assert ('<p class="completion-code">S1</p>' in html, "complete?cc=S1" in html) == (is_out, is_out)
    assert ">C1<" not in html
    assert ("No pair is left for you." in client.get("/").content.decode()) == is_out
    assert assigned_people(campaign).count() == (0 if is_out else 1)
    assert completion["code"] == ("S1" if is_out else None)
    assert [one.state for one in people_in_campaign(campaign)] == ["screened out" if is_out else "takes part"]
    assert Enrolment.objects.get().completed_at is None


def test_without_a_screening_code_people_read_why_they_get_none(client):
    campaign = campaign_with_gold()
    set_check_shares(campaign, gold_pass_mark=1.0)
    vote_on_gold(campaign, join(client, campaign, completion_code="C1"), right=0)

    html = shown(client, campaign)

    assert "Too few of your answers match the known ones, so there is no completion code." in html
    assert "You can still take up" not in html


def test_people_who_saw_their_completion_code_are_not_screened_out_later(client):
    campaign = campaign_with_gold()
    person = join(client, campaign, **CODES, most_pairs=12)
    vote_on_gold(campaign, person, right=0)
    while len(person.votes.all()) < 12:
        answer(next_pair(campaign, annotator=person))
    before = shown(client, campaign)

    set_check_shares(campaign, gold_pass_mark=1.0)

    assert '<p class="completion-code">C1</p>' in before
    assert '<p class="completion-code">C1</p>' in shown(client, campaign)
    assert screened_out(campaign) == set()


@pytest.mark.parametrize("code", ["S1", ""])
def test_a_failed_training_ends_with_the_screening_code_or_is_done_again(client, code):
    campaign = campaign_with_gold()
    set_training_pairs(campaign, known(range(GOLD, GOLD + TRAINING)))
    set_check_shares(campaign, training_pass_mark=1.0)
    person = join(client, campaign, completion_code="C1", screening_code=code)
    for number in range(1, TRAINING + 1):
        client.post(reverse("training", args=[campaign.pk]), {"number": number, "choice": "tie"})

    html = shown(client, campaign)

    assert ('<p class="completion-code">S1</p>' in html) == bool(code)
    assert ("Do the training again" in html) == (not code)
    if code:
        with pytest.raises(Refused):
            repeat_training(campaign, person)
    assert len(screened_out(campaign)) == len(code) // 2


def test_a_gold_mark_without_gold_pairs_is_refused():
    with pytest.raises(Refused, match="has no gold pairs"):
        set_check_shares(small_campaign(pairs=3), gold_pass_mark=0.5)
    assert Campaign.objects.get().gold_pass_mark == 0
