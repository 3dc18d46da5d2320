"""Signing in: old passwords stay good, and a crowd at the door does not stop those who are in."""

from contextlib import ExitStack

import pytest
from django.conf import settings
from django.contrib.auth.hashers import check_password, identify_hasher, make_password
from django.test import override_settings

from evalsite import settings as of_the_site
from judging.web.limits import clients
from tests.factories import make_user

pytestmark = pytest.mark.django_db
PASSWORD = {"username": "rita", "password": "a long one"}


@pytest.fixture
def full(monkeypatch):
    """Two people sign in at this moment, for longer than anybody waits."""
    monkeypatch.setattr(clients, "LONGEST_SIGN_IN_WAIT", 0)
    with ExitStack() as people:
        for _ in range(2):
            people.enter_context(clients.SIGN_IN_PLACES)
        yield


@pytest.fixture
def rita():
    person = make_user("rita", "researcher")
    person.set_password(PASSWORD["password"])
    person.save()
    return person


def test_crowd_at_the_door_is_asked_to_try_again(client, rita, full):
    page, answer = client.post("/account/sign-in/", PASSWORD), client.post("/api/token/", PASSWORD)

    assert (page.status_code, page["Retry-After"], answer.status_code) == (503, "5", 503)
    assert "Your password was not checked." in page.content.decode()
    assert answer.json() == {"detail": "many people sign in just now; try again soon"}


def test_crowd_at_the_door_does_not_stop_those_who_are_in(client, rita, full):
    client.force_login(rita)

    assert client.get("/").status_code == 200
    assert client.get("/account/sign-in/").status_code == 302


def test_place_is_free_again_after_a_wrong_password(client, rita):
    for _ in range(3):
        assert client.post("/account/sign-in/", PASSWORD | {"password": "wrong"}).status_code == 200

    assert client.post("/account/sign-in/", PASSWORD).status_code == 302


def test_old_password_is_stored_by_the_present_rule_once_it_is_used(client, rita):
    with override_settings(PASSWORD_HASHERS=of_the_site.PASSWORD_HASHERS):
        rita.password = make_password(PASSWORD["password"], hasher="pbkdf2_sha256")
        rita.save()

        assert client.post("/account/sign-in/", PASSWORD).status_code == 302
        rita.refresh_from_db()

        assert identify_hasher(rita.password).algorithm == "argon2"
        assert check_password(PASSWORD["password"], rita.password)
    assert settings.PASSWORD_HASHERS != of_the_site.PASSWORD_HASHERS
