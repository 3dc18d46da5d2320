"""Every page of each role under axe: light, dark, on a small phone and in print. The console stays empty."""

import pytest
from django.test import Client

from tests.browser.looks import faults
from tests.browser.page_addresses import make_rows, pages_of, refused_to
from tests.factories import make_user

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forget_reports")]

ROLES = ("visitor", "annotator", "researcher", "admin")
NEEDS_MORE_ROWS = {"judge-try"}
"""Addresses that no role of this test can open: they have tests of their own."""


@pytest.fixture(autouse=True)
def uploads(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "uploads"


def client_of(user) -> Client:
    client = Client()
    if user:
        client.force_login(user)
    return client


@pytest.mark.parametrize("role", ROLES)
def test_every_page_fits_a_small_phone_and_passes_axe(page, sign_in, role):
    """An admin opens the pages that a researcher may not open: the others look the same."""
    user = None if role == "visitor" else sign_in(role)
    people = {name: user if name == role else make_user(f"{name}-2", name) for name in ("researcher", "annotator")}
    rows = make_rows(**people)

    pages = pages_of(client_of(user), rows)
    if role == "admin":
        pages = {name: pages[name] for name in pages.keys() - pages_of(client_of(people["researcher"]), rows).keys()}

    found = {name: faults(page, address) for name, address in pages.items()}

    assert {name: lines for name, lines in found.items() if lines} == {}
    assert len(found) > 2


@pytest.mark.django_db(transaction=True)
def test_every_address_opens_for_some_role():
    people = {name: make_user(name, name) for name in ("researcher", "annotator", "admin")}
    rows = make_rows(researcher=people["researcher"], annotator=people["annotator"])

    refused = set.intersection(*(refused_to(client_of(user), rows) for user in people.values()))

    assert refused - pages_of(client_of(None), rows).keys() == NEEDS_MORE_ROWS
