"""Accounts, invitations and consent in a browser."""

import pytest
from playwright.sync_api import expect

from judging.models import User
from tests.browser.looks import faults, violations_in_both_schemes
from tests.factories import make_user

pytestmark = pytest.mark.django_db(transaction=True)


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
    page.get_by_label("New password confirmation").fill("an-unusual-word-7")
    page.get_by_role("button", name="Save the password").click()

    expect(page.get_by_role("link", name="olaf")).to_be_visible()
    assert User.objects.get(username="olaf").roles == {"annotator"}


def test_pages_of_accounts_have_no_faults(page, sign_in):
    sign_in("admin")
    olaf = make_user("olaf-with-a-very-long-name-that-hardly-fits", "researcher", "annotator", "admin")
    User.objects.filter(pk=olaf.pk).update(email="olaf-with-a-long-address@an-institute.example.org")

    found = {address: faults(page, address) for address in ("/accounts/", "/accounts/new/", f"/accounts/{olaf.pk}/")}

    assert found == {address: [] for address in found}


def test_a_link_that_no_longer_works_passes_axe(page):
    page.goto("/account/choose/MQ/abc-123/")

    assert violations_in_both_schemes(page) == []
