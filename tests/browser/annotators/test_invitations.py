"""Invitation links that are forged, or that close while somebody looks at them."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from judging.models import Campaign, Enrolment, Invitation, User
from judging.services.invitations.invitation_setup import create_invitation
from tests.browser.voting import answers, press_and_wait, rest
from tests.campaigns import make_annotator, small_campaign

pytestmark = pytest.mark.django_db(transaction=True)
PARTICIPANT = "?PROLIFIC_PID=5f1c&STUDY_ID=s1&SESSION_ID=t1"
ASK_FOR_A_LINK = "ask the person who sent you the link for a new one"


@pytest.fixture
def campaign() -> Campaign:
    return small_campaign(pairs=3, guidelines="Look for order.")


def expire() -> None:
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))


def withdraw() -> None:
    Invitation.objects.update(withdrawn_at=timezone.now())


def use_up() -> None:
    """Let somebody else take the last place of the invitation."""
    invitation = Invitation.objects.get()
    Enrolment.objects.create(campaign=invitation.campaign, annotator=make_annotator("ben"), invitation=invitation)
    Invitation.objects.update(most_people=1)


def register(page: Page) -> None:
    for label, text in (("Name", "cleo"), ("Password", "an-unusual-word-7"), ("Password again", "an-unusual-word-7")):
        page.get_by_label(label, exact=True).fill(text)
    page.get_by_role("button", name="Create the account and join").click()


def expect_refusal(page: Page, reason: str) -> None:
    expect(page.get_by_role("heading", name="You cannot join by this link")).to_be_visible()
    expect(page.get_by_text(reason)).to_be_visible()
    expect(page.get_by_text(ASK_FOR_A_LINK)).to_be_visible()


def test_a_forged_invitation_says_that_it_does_not_exist(page, campaign):
    link = create_invitation(campaign, admission="registration", created_by=None).get_absolute_url()

    page.goto(link[:-2] + "/")

    expect_refusal(page, "This invitation does not exist. Perhaps a part of the link is missing.")
    expect(page.locator("main form")).to_have_count(0)


@pytest.mark.parametrize(
    ("close", "reason"),
    [
        (expire, "This invitation has expired."),
        (withdraw, "The researcher has withdrawn this invitation."),
        (use_up, "This invitation has reached its limit of people."),
    ],
)
def test_an_invitation_that_closes_while_the_form_is_filled_in_creates_no_account(page, campaign, close, reason):
    page.goto(create_invitation(campaign, admission="registration", created_by=None).get_absolute_url())
    close()

    register(page)

    expect_refusal(page, reason)
    assert not User.objects.filter(username="cleo").exists()
    assert not campaign.participations.exists()


def test_a_participant_goes_on_after_the_invitation_has_expired(page, campaign):
    link = create_invitation(campaign, admission="platform", created_by=None).get_absolute_url() + PARTICIPANT
    page.goto(link)
    for button in ("Start", "I have read this: start"):
        page.get_by_role("button", name=button).click()
    rest(page)
    press_and_wait(page, "a")
    page.context.clear_cookies()
    expire()

    page.goto(link)
    page.get_by_role("button", name="Start").click()
    rest(page)
    press_and_wait(page, "b")

    assert [choice for *_, choice in answers()] == ["first", "second"]
    assert Enrolment.objects.count() == 1


def test_another_participant_is_refused_after_the_invitation_has_expired(page, campaign):
    link = create_invitation(campaign, admission="platform", created_by=None).get_absolute_url()
    page.goto(link + PARTICIPANT)
    expire()

    page.get_by_role("button", name="Start").click()

    expect_refusal(page, "This invitation has expired.")
    assert not User.objects.exists()
