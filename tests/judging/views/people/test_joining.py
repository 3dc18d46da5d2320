"""The page behind an invitation link."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judging.models import Enrolment, Invitation, User
from judging.services.campaigns.campaign_setup import set_annotators
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.skips_and_undo import skip_pair
from judging.services.campaigns.vote_exclusions import exclude_rater
from judging.services.invitations.invitation_setup import create_invitation, withdraw_invitation
from tests.campaigns import make_annotator, make_campaign, small_campaign, vote
from tests.factories import make_user

pytestmark = pytest.mark.django_db
ACCOUNT = {"name": "cleo", "password": "an-unusual-word-7", "password_again": "an-unusual-word-7"}
PARTICIPANT = {"PROLIFIC_PID": "5f1", "STUDY_ID": "s1", "SESSION_ID": "t1"}


@pytest.fixture
def campaign():
    return make_campaign()


def link_to(campaign, admission="registration", **limits):
    return create_invitation(campaign, admission=admission, created_by=None, **limits).get_absolute_url()


def members(campaign):
    return [one.username for one in campaign.annotators.all()]


def test_a_visitor_creates_an_account_and_is_led_to_the_first_pair(client, campaign):
    page = client.post(link_to(campaign), ACCOUNT)

    assert page.headers["Location"] == reverse("annotate", args=[campaign.pk])
    assert (members(campaign), User.objects.get(username="cleo").roles) == (["cleo"], {"annotator"})
    assert client.get(reverse("account")).context["user"].username == "cleo"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"password_again": "another-word-7"}, "The two passwords differ."),
        ({"password": "1234", "password_again": "1234"}, "This password is too short"),
        ({"name": "taken"}, "A user with that username already exists."),
    ],
)
def test_a_refused_account_shows_why(client, campaign, change, problem):
    make_user("taken")

    page = client.post(link_to(campaign), ACCOUNT | change)

    assert problem in page.content.decode()
    assert members(campaign) == []


def test_an_annotator_who_is_signed_in_joins_by_a_button(client, campaign):
    ann, link = make_annotator("ann"), link_to(campaign, "account")
    client.force_login(ann)

    shown = client.get(link)
    before = members(campaign)
    client.post(link)

    assert "You are signed in as <strong>ann</strong>" in shown.content.decode()
    assert (before, members(campaign)) == ([], ["ann"])


def test_a_link_leads_those_who_take_part_back_to_their_pairs_even_when_it_is_closed(client, campaign):
    link = link_to(campaign)
    client.post(link, ACCOUNT)
    withdraw_invitation(Invitation.objects.get())

    assert client.get(link).headers["Location"] == reverse("annotate", args=[campaign.pk])


def test_a_visitor_with_an_account_signs_in_and_returns_to_the_link(client, campaign):
    link = link_to(campaign, "account")

    page = client.get(link).content.decode()

    assert f"{reverse('account_login')}?next={link}" in page
    assert "Create an account" not in page


def test_the_page_of_an_invitation_names_no_dataset_and_no_system(client, campaign):
    page = client.get(link_to(campaign)).content.decode()

    assert campaign.name.replace("?", "") in page
    assert not [word for word in ("Summaries", "system-a", "system-b") if word in page]


@pytest.mark.parametrize(
    ("close", "reason"),
    [
        ({"expires_at": timezone.now() - timedelta(days=1)}, "This invitation has expired."),
        ({"withdrawn_at": timezone.now()}, "The researcher has withdrawn this invitation."),
        ({"most_people": 1}, "This invitation has reached its limit of people."),
    ],
)
@pytest.mark.parametrize("admission", ["account", "registration", "platform"])
def test_a_closed_link_gets_a_plain_page_that_says_what_to_do(client, campaign, admission, close, reason):
    link = link_to(campaign, admission)
    Enrolment.objects.create(campaign=campaign, annotator=make_annotator("ann"), invitation=Invitation.objects.get())
    Invitation.objects.update(**close)

    answers = [client.get(link, PARTICIPANT), client.post(link, ACCOUNT | PARTICIPANT)]

    assert [answer.status_code for answer in answers] == [410, 410]
    for answer in answers:
        assert reason in answer.content.decode()
        assert "ask the person who sent you the link for a new one" in answer.content.decode()
    assert members(campaign) == []
    assert User.objects.count() == 1


def test_a_forged_link_gets_a_plain_page(client, campaign):
    link_to(campaign)

    answer = client.post(reverse("join", args=["forged"]), ACCOUNT)

    assert answer.status_code == 404
    assert "This invitation does not exist. Perhaps a part of the link is missing." in answer.content.decode()
    assert not User.objects.exists()


def test_a_researcher_without_the_role_annotator_is_told_so(client, researcher, campaign):
    answer = client.get(link_to(campaign))

    assert answer.status_code == 410
    assert "it lacks the role annotator" in answer.content.decode()


def test_somebody_who_was_removed_is_told_so(client, campaign):
    link = link_to(campaign)
    client.post(link, ACCOUNT)
    set_annotators(campaign, annotators=[])

    answer = client.post(link)

    assert answer.status_code == 410
    assert "The researcher has removed you from this campaign. Your votes stay." in answer.content.decode()


def test_a_participant_starts_without_a_password(client, campaign):
    link = link_to(campaign, "platform")

    shown = client.get(link, PARTICIPANT).content.decode()
    page = client.post(link, PARTICIPANT)

    kept = Enrolment.objects.get()
    assert "Your participant id: <strong>5f1</strong>" in shown
    assert page.headers["Location"] == reverse("annotate", args=[campaign.pk])
    assert (kept.platform_person, kept.platform_study, kept.platform_session) == ("5f1", "s1", "t1")


@pytest.mark.parametrize("session", [{"SESSION_ID": "t2"}, {"SESSION_ID": ""}])
def test_a_link_and_the_identifier_of_somebody_open_none_of_their_votes(client, campaign, session):
    link, other = link_to(campaign, "platform"), Client()
    client.post(link, PARTICIPANT)

    answer = other.post(link, PARTICIPANT | session)

    assert answer.status_code == 410
    assert "You began in another browser." in answer.content.decode()
    assert other.get(reverse("vote-list", args=[campaign.pk])).headers["Location"].startswith(reverse("account_login"))
    assert client.post(link, PARTICIPANT | session).headers["Location"] == reverse("annotate", args=[campaign.pk])


def test_a_participant_goes_on_in_another_browser_after_the_invitation_has_expired(client, campaign):
    link = link_to(campaign, "platform")
    client.post(link, PARTICIPANT)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    assert Client().post(link, PARTICIPANT).headers["Location"] == reverse("annotate", args=[campaign.pk])
    assert Enrolment.objects.count() == 1


def test_a_cookie_that_somebody_wrote_opens_nothing(client, campaign):
    link, other = link_to(campaign, "platform"), Client()
    client.post(link, PARTICIPANT)
    other.cookies["participants"] = f"{Enrolment.objects.get().annotator_id}:forged"

    assert other.post(link, PARTICIPANT | {"SESSION_ID": "t2"}).status_code == 410


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ({"workerId": "A1", "hitId": "H1", "assignmentId": "3X"}, ("mturk", "A1", "H1", "3X")),
        ({"survey_code": "4711"}, ("sona", "4711", "", "")),
    ],
)
def test_participants_of_other_platforms_come_by_the_parameters_of_these(client, sent, kept):
    campaign = small_campaign()
    invitation = create_invitation(campaign, admission="platform", created_by=None, completion_code="C1")
    shown = client.get(invitation.get_absolute_url(), sent).content.decode()
    client.post(invitation.get_absolute_url(), sent)
    client.post(reverse("guidelines", args=[campaign.pk]), {"version": 1})
    enrolment = Enrolment.objects.get()
    vote(campaign, enrolment.annotator)

    page = client.get(reverse("annotate", args=[campaign.pk])).content.decode()

    platform = enrolment.platform, enrolment.platform_person, enrolment.platform_study, enrolment.platform_session
    assert platform == kept
    assert all(f'name="{name}" value="{value}"' in shown for name, value in sent.items())
    assert '<p class="completion-code">C1</p>' in page
    assert "app.prolific.com" not in page


def test_opening_a_platform_link_creates_nothing(client, campaign):
    client.get(link_to(campaign, "platform"), PARTICIPANT)

    assert not User.objects.exists()


def test_two_participants_at_one_browser_are_two_people(client, campaign):
    link = link_to(campaign, "platform")

    for person in ("5f1", "6a2", "5f1"):
        client.get(link, PARTICIPANT | {"PROLIFIC_PID": person})
        client.post(link, PARTICIPANT | {"PROLIFIC_PID": person})

    assert sorted(Enrolment.objects.values_list("platform_person", flat=True)) == ["5f1", "6a2"]
    first = Enrolment.objects.get(platform_person="5f1").annotator
    assert client.get(reverse("account")).context["user"] == first


def test_a_platform_link_does_not_use_the_account_that_is_signed_in(client, researcher, campaign):
    link = link_to(campaign, "platform")

    page = client.post(link, PARTICIPANT).content.decode()

    assert "You are signed in as <strong>rita</strong>. Sign out" in page
    assert members(campaign) == []


@pytest.mark.parametrize("person", [{}, {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"}])
def test_a_platform_link_without_participant_says_what_to_do(client, campaign, person):
    answer = client.get(link_to(campaign, "platform"), person)

    assert answer.status_code == 410
    assert "Open the study from there again" in answer.content.decode()


def test_the_voting_page_ends_after_the_persons_part_and_keeps_its_code_after_an_exclusion(client):
    campaign = small_campaign(pairs=3)
    invitation = create_invitation(campaign, admission="platform", created_by=None, most_pairs=1, completion_code="C1")
    client.post(invitation.get_absolute_url(), PARTICIPANT)
    client.post(reverse("guidelines", args=[campaign.pk]), {"version": 1})
    annotate = reverse("annotate", args=[campaign.pk])

    first = client.get(annotate).content.decode()
    person = Enrolment.objects.get().annotator
    vote(campaign, person)
    last = client.get(annotate).content.decode()
    exclude_rater(campaign.dataset, rater=person.rater_name, reason="too quick")
    excluded = client.get(annotate).content.decode()

    assert "0 of 1 done" in first
    assert "That is your whole part of this campaign." in last
    assert '<p class="completion-code">C1</p>' in last
    assert '<p class="completion-code">C1</p>' in excluded
    assert Enrolment.objects.get().completed_at is not None


def test_the_voting_page_says_what_is_missing_for_the_code(client):
    campaign = small_campaign()
    invitation = create_invitation(campaign, admission="platform", created_by=None, completion_code="C1")
    client.post(invitation.get_absolute_url(), PARTICIPANT)
    client.post(reverse("guidelines", args=[campaign.pk]), {"version": 1})
    skip_pair(next_pair(campaign, annotator=Enrolment.objects.get().annotator), reason="other")

    page = client.get(reverse("annotate", args=[campaign.pk])).content.decode()

    assert "You have given no vote, so there is no completion code. You can still take up what you skipped." in page
    assert "completion-code" not in page


@pytest.mark.parametrize("code", ["", "C1"])
def test_the_last_page_offers_no_undo_of_a_vote_after_the_code(client, code):
    campaign = small_campaign()
    invitation = create_invitation(campaign, admission="platform", created_by=None, completion_code=code)
    client.post(invitation.get_absolute_url(), PARTICIPANT)
    client.post(reverse("guidelines", args=[campaign.pk]), {"version": 1})
    vote(campaign, Enrolment.objects.get().annotator)

    page = client.get(reverse("annotate", args=[campaign.pk])).content.decode()

    assert ("completion-code" in page, reverse("pair-reopen", args=[campaign.pk]) in page) == (bool(code), not code)


@pytest.mark.parametrize("goes_on", [False, True])
def test_an_excluded_person_reads_a_pair_and_the_code_only_if_they_go_on(client, goes_on):
    campaign = small_campaign(pairs=3)
    invitation = create_invitation(campaign, admission="platform", created_by=None, most_pairs=2, completion_code="C1")
    client.post(invitation.get_absolute_url(), PARTICIPANT)
    client.post(reverse("guidelines", args=[campaign.pk]), {"version": 1})
    person = Enrolment.objects.get().annotator
    vote(campaign, person)
    exclude_rater(campaign.dataset, rater=person.rater_name, reason="too quick", goes_on=goes_on)

    def shown():
        page = client.get(reverse("annotate", args=[campaign.pk])).content.decode()
        sentences = "1 of 2 done", "There are no further pairs for you.", "completion-code", "exclu"
        return tuple(sentence in page for sentence in sentences)

    assert shown() == (goes_on, not goes_on, False, False)
    vote(campaign, person)
    assert shown() == (False, False, goes_on, False)
