"""The list of accounts: states, failed sign-ins, filters."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.forms.people import AccountFilter
from judging.models import User
from judging.services.accounts.account_changes import create_account, unlock_sign_in
from judging.services.accounts.account_list import every_account, state_of
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def fail(client, settings):
    """Try to sign in with a wrong password. The second attempt locks the name."""
    settings.AXES_ENABLED, settings.AXES_FAILURE_LIMIT = True, 2

    def fail(name):
        client.post(reverse("account_login"), {"username": name, "password": "wrong"})

    return fail


def row(name):
    return every_account().get(username=name)


def listed(**filters):
    return AccountFilter(filters, every_account()).qs


def test_failed_sign_ins_are_counted_for_each_account_since_the_last_sign_in(fail):
    make_user("rita", "researcher"), make_user("ann", "annotator")
    fail("rita")
    User.objects.filter(username="rita").update(last_login=timezone.now())
    fail("rita")
    fail("ann")

    assert (row("rita").failed_sign_ins, row("ann").failed_sign_ins) == (1, 1)


def test_a_locked_account_can_be_unlocked(fail):
    rita = make_user("rita", "researcher")
    fail("rita")
    fail("rita")
    locked = state_of(row("rita"))

    unlock_sign_in(rita)

    assert (locked, state_of(row("rita"))) == ("locked", "active")


def test_each_state_lists_its_accounts(fail):
    create_account(name="invited", roles=["annotator"])
    make_user("active", "annotator"), make_user("locked", "annotator")
    User.objects.filter(pk=make_user("deactivated", "annotator").pk).update(is_active=False)
    User.objects.filter(pk=make_user("deleted").pk).update(is_active=False, deleted_at=timezone.now())
    fail("locked")
    fail("locked")

    names = {state: [one.username for one in listed(state=state)] for state in ("invited", "locked", "deleted")}
    assert names == {"invited": ["invited"], "locked": ["locked"], "deleted": ["deleted"]}
    assert [one.username for one in listed(state="deactivated")] == ["deactivated"]
    assert [one.username for one in listed()] == ["active", "deactivated", "invited", "locked"]
    assert {one.username: state_of(one) for one in every_account()} == {name: name for name in names} | {
        name: name for name in ("active", "deactivated")
    }


def test_a_lock_ends_after_a_quarter_of_an_hour(fail, monkeypatch):
    make_user("rita", "researcher")
    fail("rita")
    fail("rita")
    later = timezone.now() + timedelta(minutes=16)
    monkeypatch.setattr("django.utils.timezone.now", lambda: later)

    assert state_of(row("rita")) == "active"


def test_accounts_are_filtered_by_name_e_mail_and_role():
    make_user("rita", "researcher"), make_user("ann", "annotator"), make_user("both", "researcher", "annotator")
    User.objects.filter(username="ann").update(email="rita@example.org")

    assert [one.username for one in listed(name="RITA")] == ["ann", "rita"]
    assert [one.username for one in listed(role="annotator")] == ["ann", "both"]
