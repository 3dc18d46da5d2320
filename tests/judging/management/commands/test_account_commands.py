"""The commands about accounts."""

import pytest
from django.core.management import call_command

from judging.models import User
from tests.commands import printed, printed_json, refused
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def test_add_account_prints_a_link_to_choose_a_password(capsys):
    result = printed_json(capsys, "add_account", "olaf", "--role", "researcher", "--site", "https://example.org/")

    assert result["link"].startswith("https://example.org/account/choose/")
    assert (result["account"], result["roles"], result["state"]) == ("olaf", ["researcher"], "invited")
    assert User.objects.get(username="olaf").roles == {"researcher"}


def test_account_without_a_role_is_added_with_a_warning(capsys):
    call_command("add_account", "olaf")

    printed = capsys.readouterr()
    assert 'account "olaf": no role; invited' in printed.out
    assert "No role chosen: this person cannot do anything yet." in printed.err


def test_accounts_lists_roles_and_states(capsys):
    make_user("rita", "researcher")
    User.objects.filter(pk=make_user("ann", "annotator").pk).update(is_active=False, last_seen=None)

    shown = printed(capsys, "accounts").splitlines()

    assert shown[0] == "ann: annotator; deactivated; last seen never"
    assert shown[1].startswith("rita: researcher; active; last seen 20")


def test_change_account_replaces_roles_and_deactivates(capsys):
    make_user("olaf", "researcher"), make_user("rita", "researcher")

    result = printed_json(capsys, "change_account", "olaf", "--role", "annotator", "--deactivate")

    assert result == {"account": "olaf", "roles": ["annotator"], "state": "deactivated"}
    assert User.objects.get(username="rita").roles == {"researcher"}


def test_change_account_suggests_the_name_that_was_meant(capsys):
    make_user("olaf")

    assert refused(capsys, "change_account", "olav", "--restore") == [
        'account: there is no "olav" (did you mean "olaf"?); the command accounts lists them'
    ]
