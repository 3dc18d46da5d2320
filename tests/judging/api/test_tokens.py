"""Signing in for programs, and what a token may do."""

from datetime import timedelta

import pytest
from django.urls import URLResolver
from django.utils import timezone
from rest_framework.test import APIClient

from evalsite.urls import urlpatterns
from judging.models import ApiToken
from judging.services.accounts.api_tokens import SCOPE_OF_ADDRESS
from tests.factories import make_token, make_user

pytestmark = pytest.mark.django_db


def with_token(secret):
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {secret}")
    return client


def sign_in(client, **fields):
    return client.post("/api/token/", fields)


def test_token_is_issued_for_name_and_password(anonymous):
    make_user("rita", "researcher")

    answer = sign_in(anonymous, username="rita", password="rita")

    assert (answer.status_code, [*answer.json()]) == (200, ["token"])
    assert with_token(answer.json()["token"]).get("/api/account/").json()["username"] == "rita"


def test_each_sign_in_makes_a_token_with_its_own_name_scopes_and_end(anonymous):
    make_user("rita", "researcher")
    asked = {"name": "notebook", "scopes": ["read", "judge"], "expires": "2999-01-01"}

    first, second = (
        sign_in(anonymous, username="rita", password="rita", **more).json()["token"] for more in ({}, asked)
    )

    listed = with_token(second).get("/api/account/tokens/").json()["results"]
    assert [(one["token"], one["name"], one["scopes"]) for one in listed] == [
        (second[:15], "notebook", ["read", "judge"]),
        (first[:15], "a program", []),
    ]
    assert listed[0]["expires"] == "2999-01-01T00:00:00Z"


def test_token_is_refused_for_a_wrong_password_and_an_unknown_scope(anonymous):
    make_user("rita", "researcher")

    answer = sign_in(anonymous, username="rita", password="wrong")

    assert (answer.status_code, answer.json()) == (
        400,
        {"detail": "1 problem; no token was issued", "problems": ["Unable to log in with provided credentials."]},
    )
    assert not ApiToken.objects.exists()

    answer = sign_in(anonymous, username="rita", password="rita", scopes=["write"])

    assert answer.json()["problems"] == ['scopes: "write" is unknown; choose one of: read, judge, upload']


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


@pytest.mark.parametrize(
    ("scopes", "statuses"),
    [([], [200, 400, 400, 400]), (["read"], [200, 403, 403, 403]), (["judge"], [403, 400, 403, 403])],
)
def test_a_token_may_do_what_its_scopes_name(scopes, statuses):
    client = with_token(make_token(make_user("ada", "admin"), scopes=scopes))

    answers = [client.get("/api/runs/"), *(client.post(f"/api/{one}/") for one in ("runs", "datasets", "accounts"))]

    assert [one.status_code for one in answers] == statuses


def test_a_refusal_names_the_scope_that_is_missing():
    client = with_token(make_token(make_user("rita", "researcher"), scopes=["read"]))

    assert client.post("/api/datasets/").json()["detail"] == "this token may read; this needs upload"


def test_each_address_of_the_api_has_a_scope_or_is_for_accounts():
    [*apis] = [one for one in urlpatterns if isinstance(one, URLResolver) and str(one.pattern).startswith("api/")]
    first_parts = {str(one.pattern).split("/")[0] for api in apis for one in api.url_patterns}

    assert first_parts - SCOPE_OF_ADDRESS.keys() == {
        "token",
        "account",
        "accounts",
        "activity",
        "workers",
    }  # nothing changes the last two


def test_a_token_that_has_ended_is_refused_and_not_listed():
    user = make_user("rita", "researcher")
    ended, other = make_token(user), make_token(user)
    ApiToken.objects.filter(token_key=ended[:15]).update(expiry=timezone.now() - timedelta(seconds=1))

    assert with_token(ended).get("/api/runs/").status_code == 401
    assert [one["token"] for one in with_token(other).get("/api/account/tokens/").json()["results"]] == [other[:15]]


def test_use_of_a_token_is_noted():
    secret = make_token(make_user("rita", "researcher"))

    with_token(secret).get("/api/runs/")

    assert timezone.now() - ApiToken.objects.get().last_used < timedelta(minutes=1)


def test_a_password_that_is_only_hashed_again_ends_no_token(settings):
    user = make_user("rita", "researcher")
    make_token(user)
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher", *settings.PASSWORD_HASHERS]

    assert user.check_password("rita")

    assert (user.password[:6], ApiToken.objects.count()) == ("pbkdf2", 1)


def test_one_token_is_ended_and_the_others_stay(researcher):
    other = make_token(researcher.user)

    assert researcher.delete(f"/api/account/tokens/{other[:15]}/").status_code == 204
    assert researcher.delete(f"/api/account/tokens/{other[:15]}/").status_code == 400

    assert len(researcher.get("/api/account/tokens/").json()["results"]) == 1
