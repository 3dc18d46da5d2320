"""Every page of each role under axe: light, dark, on a small phone and in print. The console stays empty."""

import pytest
from django.test import Client

from tests.browser.looks import faults
from tests.browser.page_addresses import make_rows, opened_by
from tests.factories import make_user

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forget_reports")]

ROLES = ("annotator", "researcher", "admin")
NEEDS_MORE_ROWS = {"judge-try"}
"""Addresses that no role of this test can open: they have tests of their own."""


@pytest.fixture(autouse=True)
def uploads(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "uploads"


def test_every_page_of_each_role_fits_a_small_phone_and_passes_axe(page, sign_in):
    """An admin opens the pages that a researcher may not open: the others look the same."""
    people = {role: make_user(role, role) for role in ROLES}
    rows = make_rows(researcher=people["researcher"], annotator=people["annotator"])
    clients = {role: Client() for role in ("visitor", *ROLES)}
    for role, person in people.items():
        clients[role].force_login(person)
    opened = {role: opened_by(client, rows) for role, client in clients.items()}
    pages = {role: {name: one.address for name, one in of.items() if one.is_page} for role, of in opened.items()}
    pages["admin"] = {name: pages["admin"][name] for name in pages["admin"].keys() - pages["researcher"].keys()}

    found = {"visitor": {name: faults(page, address) for name, address in pages["visitor"].items()}}
    for role, person in people.items():
        sign_in(person=person)
        found[role] = {name: faults(page, address) for name, address in pages[role].items()}

    refused = set.intersection(*({name for name, one in opened[role].items() if one.is_refused} for role in ROLES))
    assert refused - pages["visitor"].keys() == NEEDS_MORE_ROWS
    assert {role: {name: lines for name, lines in of.items() if lines} for role, of in found.items()} == {
        role: {} for role in clients
    }
    assert all(len(of) > 2 for of in found.values())
