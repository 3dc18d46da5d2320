"""Signing in for programs."""

import pytest
from rest_framework.authtoken.models import Token

from tests.factories import make_user

pytestmark = pytest.mark.django_db


def sign_in(client, **fields):
    return client.post("/api/token/", fields)


def test_token_is_issued_for_name_and_password(anonymous):
    user = make_user("rita", "researcher")

    answer = sign_in(anonymous, username="rita", password="rita")

    assert (answer.status_code, answer.json()) == (200, {"token": Token.objects.get(user=user).key})


def test_token_is_refused_for_a_wrong_password(anonymous):
    make_user("rita", "researcher")

    answer = sign_in(anonymous, username="rita", password="wrong")

    assert (answer.status_code, answer.json()) == (
        400,
        {"detail": "1 problem; no token was issued", "problems": ["Unable to log in with provided credentials."]},
    )
    assert not Token.objects.exists()


def test_token_attempts_from_one_address_are_limited(anonymous):
    make_user("rita", "researcher")

    statuses = [sign_in(anonymous, username="rita", password="wrong").status_code for _ in range(21)]
    right = sign_in(anonymous, username="rita", password="rita", HTTP_X_FORWARDED_FOR="203.0.113.9")

    assert statuses == [400] * 20 + [429]
    assert right.status_code == 429


def test_api_takes_the_session_of_the_pages(client):
    client.force_login(make_user("rita", "researcher"))

    assert client.get("/api/datasets/").json()["results"] == []


def test_api_refuses_an_account_that_was_closed(researcher):
    researcher.user.is_active = False
    researcher.user.save()

    assert researcher.get("/api/datasets/").status_code == 401
