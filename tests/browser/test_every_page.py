"""Every page of each role under axe: light, dark, on a small phone and in print. The console stays empty."""

import pytest
from django.test import Client

from judging.models import Campaign, User
from tests.browser.looks import faults
from tests.browser.page_addresses import fill_campaign, make_rows, opened_by
from tests.factories import make_user

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forget_reports")]

ROLES = ("annotator", "researcher", "admin")
NAMES = {"annotator": "ann-with-a-very-long-name-that-hardly-fits"}
DIFFERENT_BY_ROLE = {"home", "campaign-list", "account"}
OF_SIGN_IN = {
    *("mfa_deactivate_totp", "mfa_view_recovery_codes", "openid_connect_login", "openid_connect_callback"),
    *("github_login", "github_callback"),
}
NEEDS_MORE_ROWS = {"metrics", "readyz"} | OF_SIGN_IN
"""Addresses that no role of this test can open, some of them no pages: they have tests of their own."""


@pytest.fixture(autouse=True)
def uploads(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "uploads"


@pytest.fixture
def people():
    people = {role: make_user(NAMES.get(role, role), role) for role in ROLES}
    User.objects.filter(username=NAMES["annotator"]).update(email=f"{NAMES['annotator']}@an-institute.example.org")
    return people


@pytest.fixture
def rows(people):
    return make_rows(researcher=people["researcher"], annotator=people["annotator"])


def opened_as(person, rows, but_for=()):
    client = Client()
    if person:
        client.force_login(person)
    return opened_by(client, rows, but_for)


def pages_of(opened):
    return {name: one.address for name, one in opened.items() if one.is_page}


def test_every_page_fits_a_small_phone_and_passes_axe(page, sign_in, people, rows):
    """Annotators and admins open the pages that a researcher may not open: the others look the same."""
    opened = {role: opened_as(people.get(role), rows) for role in ("visitor", "researcher")}
    of_visitors, of_researchers = (pages_of(of) for of in opened.values())
    alike = of_researchers.keys() - DIFFERENT_BY_ROLE
    opened |= {role: opened_as(people[role], rows, but_for=alike) for role in ("annotator", "admin")}
    pages = {role: pages_of(of) for role, of in opened.items()}
    pages["researcher"] = {name: of_researchers[name] for name in of_researchers.keys() - of_visitors.keys()}

    found, decided = [], set()
    for role in ("visitor", "annotator", "admin", "researcher"):
        if role == "researcher":
            fill_campaign(Campaign.objects.get(pk=rows["campaign_id"]), people["annotator"])
        if role in people:
            sign_in(person=people[role])
        for name, address in pages[role].items():
            found += [f"{name} of {role}: {fault}" for fault in faults(page, address, decided)]

    refused = set.intersection(*({name for name, one in opened[role].items() if one.is_refused} for role in ROLES))
    assert refused - of_visitors.keys() == NEEDS_MORE_ROWS
    assert found == [], "\n".join(found)
    assert all(len(of) > 2 for of in pages.values())
    assert len(pages["researcher"]) > 80
