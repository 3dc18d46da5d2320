"""Accounts, invitations and consent in a browser."""

import pytest
from playwright.sync_api import expect

from judging.models import Enrolment, User
from judging.services.invitations.consent import set_consent_text
from judging.services.invitations.invitation_setup import create_invitation
from tests.browser.looks import faults, violations_in_both_schemes
from tests.browser.page_addresses import invite_people
from tests.browser.voting import PHONE, press_and_wait, rest
from tests.campaigns import small_campaign

pytestmark = pytest.mark.django_db(transaction=True)
PARTICIPANT = "?PROLIFIC_PID=5f1c&STUDY_ID=s1&SESSION_ID=t1"


def test_an_admin_invites_a_person_who_chooses_a_password(page, sign_in):
    sign_in("admin")

    page.goto("/")
    page.get_by_role("link", name="Accounts", exact=True).first.click()
    page.get_by_role("link", name="New account").click()
    page.get_by_label("Name", exact=True).fill("olaf")
    page.get_by_role("button", name="Create the account").click()
    link = page.get_by_label("Link to send").input_value()
    page.context.clear_cookies()
    page.goto(link)
    page.get_by_label("New password", exact=True).fill("an-unusual-word-7")
    page.get_by_label("Repeat the new password").fill("an-unusual-word-7")
    page.get_by_role("button", name="Save the password").click()

    expect(page.get_by_role("link", name="olaf")).to_be_visible()
    assert User.objects.get(username="olaf").roles == {"annotator"}


def test_a_visitor_goes_from_the_invitation_to_the_completion_code(page):
    campaign = small_campaign(pairs=2, votes_per_pair=1, guidelines="Look for order.")
    set_consent_text(campaign, text="We store votes.", created_by=None)
    invitation = create_invitation(campaign, admission="registration", created_by=None, completion_code="C1X9QK")

    page.goto(invitation.get_absolute_url())
    page.get_by_label("Name", exact=True).fill("cleo")
    page.get_by_label("Password", exact=True).fill("an-unusual-word-7")
    page.get_by_label("Password again").fill("an-unusual-word-7")
    page.get_by_role("button", name="Create the account and join").click()
    page.get_by_role("button", name="I accept: continue").click()
    page.get_by_role("button", name="I have read this: start").click()
    rest(page)
    press_and_wait(page, "a")
    press_and_wait(page, "b")

    expect(page.get_by_text("C1X9QK")).to_be_visible()
    assert Enrolment.objects.get(annotator__username="cleo").completed_at is not None


def test_a_participant_without_scripts_reaches_the_first_pair(chromium, live_server):
    campaign = small_campaign(guidelines="Look for order.")
    set_consent_text(campaign, text="We store votes.", created_by=None)
    link = create_invitation(campaign, admission="platform", created_by=None).get_absolute_url()
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False, viewport=PHONE)
    page = context.new_page()

    page.goto(link + PARTICIPANT)
    for button in ("Start", "I accept: continue", "I have read this: start"):
        page.get_by_role("button", name=button).click()

    expect(page.get_by_role("button", name="Summary 1")).to_be_visible()
    context.close()
    assert Enrolment.objects.get().platform_person == "5f1c"


def test_pages_behind_an_invitation_have_no_faults(page):
    campaign = small_campaign()
    invite_people(campaign)
    links = {one.admission: one.get_absolute_url() for one in campaign.invitations.filter(withdrawn_at=None)}
    closed = campaign.invitations.exclude(withdrawn_at=None).get().get_absolute_url()
    addresses = [*links.values(), f"{links['platform']}{PARTICIPANT}", closed, "/join/forged/"]

    found = {address: faults(page, address) for address in addresses}

    assert found == {address: [] for address in addresses}


def test_page_of_consent_has_no_faults(page, sign_in):
    campaign = small_campaign()
    campaign.participations.create(annotator=sign_in("annotator"))
    invite_people(campaign)

    assert faults(page, f"/campaigns/{campaign.pk}/consent/") == []


def test_a_link_that_no_longer_works_passes_axe(page):
    page.goto("/account/choose/MQ/abc-123/")

    assert violations_in_both_schemes(page) == []
