"""Accounts over HTTP, for admins."""

import pytest
from django.utils import timezone

from judging.models import User
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def test_an_admin_creates_an_account_and_a_link_for_its_password(admin):
    body = {"name": "olaf", "roles": ["researcher"], "email": "olaf@example.org"}

    made = admin.post("/api/accounts/", body, format="json")
    link = admin.post(f"/api/accounts/{made.json()['id']}/link/").json()["link"]

    assert made.status_code == 201
    assert made.json() | {"id": 0, "date_joined": ""} == {
        "id": 0,
        "name": "olaf",
        "email": "olaf@example.org",
        "roles": ["researcher"],
        "state": "invited",
        "last_seen": None,
        "last_login": None,
        "failed_sign_ins": 0,
        "date_joined": "",
    }
    assert link.startswith("http://testserver/account/choose/")


def test_accounts_are_listed_by_role_state_and_part_of_a_name_or_address(admin):
    make_user("rita", "researcher"), make_user("ann", "annotator"), make_user("gone-rita")
    User.objects.filter(username="ann").update(is_active=False, email="ann@rita.example")
    User.objects.filter(username="gone-rita").update(is_active=False, deleted_at=timezone.now())

    listed = {
        query: admin.get(f"/api/accounts/?{query}").json()["results"]
        for query in ("role=researcher", "state=deactivated", "name=RITA", "state=deleted")
    }

    assert {query: [row["name"] for row in rows] for query, rows in listed.items()} == {
        "role=researcher": ["rita"],
        "state=deactivated": ["ann"],
        "name=RITA": ["ann", "rita"],
        "state=deleted": ["gone-rita"],
    }


def test_roles_and_state_of_an_account_change(admin):
    olaf, rita = make_user("olaf", "researcher"), make_user("rita", "researcher")

    changed = admin.patch(f"/api/accounts/{olaf.pk}/", {"roles": ["annotator"], "active": False}, format="json").json()

    assert (changed["roles"], changed["state"]) == (["annotator"], "deactivated")
    assert User.objects.get(pk=rita.pk).roles == {"researcher"}


@pytest.mark.parametrize("change", [{"active": False}, {"roles": []}, {"roles": ["researcher"], "active": False}])
def test_the_last_active_admin_is_kept(admin, change):
    answer = admin.patch(f"/api/accounts/{admin.user.pk}/", change, format="json")

    assert answer.status_code == 400
    assert "is the last active admin" in answer.json()["problems"][0]
    stored = User.objects.get(pk=admin.user.pk)
    assert (stored.is_active, stored.roles) == (True, {"admin"})


def test_sign_in_is_unlocked(admin, client, settings):
    settings.AXES_ENABLED, settings.AXES_FAILURE_LIMIT = True, 1
    rita = make_user("rita", "researcher")
    client.post("/account/sign-in/", {"username": "rita", "password": "wrong"})
    before = admin.get(f"/api/accounts/{rita.pk}/").json()

    admin.post(f"/api/accounts/{rita.pk}/unlock/")

    assert (before["state"], before["failed_sign_ins"]) == ("locked", 1)
    assert admin.get(f"/api/accounts/{rita.pk}/").json()["state"] == "active"
