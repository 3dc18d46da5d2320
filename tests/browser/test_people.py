"""Signing in, accounts, invitations and consent in a browser."""

from playwright.sync_api import expect

from judging.models import User
from tests.browser.looks import faults
from tests.browser.page_addresses import invite_people
from tests.campaigns import small_campaign
from tests.factories import make_user

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


def test_pages_behind_an_invitation_have_no_faults(page, sign_in):
    campaign = small_campaign()
    campaign.participations.create(annotator=make_user("annotator", "annotator"))
    invite_people(campaign)
    links = {one.admission: one.get_absolute_url() for one in campaign.invitations.filter(withdrawn_at=None)}
    closed = campaign.invitations.exclude(withdrawn_at=None).get().get_absolute_url()
    unknown = "/join/forged/", "/account/choose/MQ/abc-123/"
    addresses = links["account"], links["platform"], f"{links['platform']}{PARTICIPANT}", closed, *unknown

    found = {address: faults(page, address) for address in addresses}
    sign_in(person=User.objects.get(username="annotator"))
    consent = f"/campaigns/{campaign.pk}/consent/"
    found[consent] = faults(page, consent)

    assert found == {address: [] for address in (*addresses, consent)}


def test_sign_in_leads_to_the_page_that_was_asked_for_and_its_first_stop_skips_to_the_content(page):
    make_user("rita", "researcher")

    page.goto("/datasets/")
    page.get_by_label("Name").fill("rita")
    page.get_by_label("Password").fill("rita")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Datasets")
    page.keyboard.press("Tab")

    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
