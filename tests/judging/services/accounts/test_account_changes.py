"""Changes to accounts, and the last active admin."""

import pytest

from evenhand.refusals import Refused
from judging.models import User
from judging.services.accounts.account_changes import (
    active_admins,
    change_account,
    create_account,
    deactivate_account,
    restore_account,
    set_roles,
)
from tests.factories import make_user

pytestmark = pytest.mark.django_db
LAST = 'account: "ada" is the last active admin; make somebody else an admin first'


def state_in_database(account):
    stored = User.objects.get(pk=account.pk)
    return stored.is_active, set(stored.roles), stored.is_superuser


@pytest.mark.parametrize(
    "change",
    [
        lambda ada: deactivate_account(ada),
        lambda ada: set_roles(ada, roles=["researcher"]),
        lambda ada: change_account(ada, roles=["annotator"], active=False),
    ],
)
def test_the_last_active_admin_stays_an_active_admin(change):
    ada, former = make_user("ada", "admin"), make_user("former", "admin")
    User.objects.filter(pk=former.pk).update(is_active=False)

    with pytest.raises(Refused) as refusal:
        change(ada)

    assert refusal.value.problems == (LAST,)
    assert state_in_database(ada) == (True, {"admin"}, False)


def test_a_superuser_who_is_the_last_admin_stays_one():
    ada = User.objects.create_superuser("ada", password="ada")

    with pytest.raises(Refused, match="last active admin"):
        set_roles(ada, roles=["researcher"])

    assert state_in_database(ada) == (True, {"admin"}, True)


def test_an_admin_can_be_demoted_or_deactivated_while_another_one_is_active():
    ada, alan, alice = make_user("ada", "admin"), make_user("alan", "admin"), make_user("alice", "admin")

    set_roles(alan, roles=["researcher"])
    deactivate_account(alice)

    assert list(active_admins()) == [ada]
    assert alan.roles == {"researcher"}


def test_accounts_without_the_role_admin_change_on_a_site_without_admins():
    ann = make_user("ann", "annotator")

    deactivate_account(ann)

    assert state_in_database(ann)[0] is False


def test_a_restored_account_has_its_roles_again():
    ann, ben = make_user("ann", "annotator"), make_user("ben", "annotator")
    deactivate_account(ann)
    deactivate_account(ben)

    restore_account(ann)

    assert state_in_database(ann) == (True, {"annotator"}, False)
    assert state_in_database(ben)[0] is False


def test_a_new_account_has_no_password_until_one_is_chosen():
    account = create_account(name=" olaf ", roles=["researcher"], email="olaf@example.org")

    assert (account.username, account.email, account.roles) == ("olaf", "olaf@example.org", {"researcher"})
    assert not account.has_usable_password()


def test_a_new_account_is_refused_with_every_problem():
    make_user("olaf", "researcher")

    with pytest.raises(Refused) as refusal:
        create_account(name="olaf", roles=["reader"], email="nowhere", password="1234")

    problems = "\n".join(refusal.value.problems)
    assert "name: A user with that username already exists." in problems
    assert "email: Enter a valid email address." in problems
    assert 'roles: "reader" is unknown' in problems
    assert "password: This password is too short" in problems
    assert User.objects.count() == 1
