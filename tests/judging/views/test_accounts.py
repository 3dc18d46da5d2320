"""Signing in, the account, the home page."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from knox.crypto import hash_token

from judging.models import ApiToken
from tests.factories import make_dataset, make_run, make_token, make_user

pytestmark = pytest.mark.django_db


def test_sign_in_with_a_wrong_password_shows_an_error_and_leads_only_to_pages_of_this_site(client):
    make_user("rita", "researcher")

    page = client.post(reverse("account_login"), {"username": "rita", "password": "wrong"}).content.decode()

    assert "Wrong name or password" in page

    answer = client.post(
        reverse("account_login"), {"username": "rita", "password": "rita", "next": "https://elsewhere.example/"}
    )

    assert answer.headers["Location"] == reverse("home")


def test_sign_in_is_locked_after_too_many_attempts(client, settings):
    settings.AXES_ENABLED, settings.AXES_FAILURE_LIMIT = True, 2
    make_user("rita", "researcher")
    for _ in range(2):
        answer = client.post(reverse("account_login"), {"username": "rita", "password": "wrong"})

    assert answer.status_code == 429
    assert "Sign-in locked" in answer.content.decode()


def test_token_is_shown_once(client, researcher):
    first = client.post(reverse("token-create"), {"name": "notebook", "scopes": ["read"]}, follow=True).content.decode()
    again = client.get(reverse("account")).content.decode()

    [secret] = set(re.findall(r"Authorization: Token ([0-9a-f]{64})", first))
    assert ApiToken.objects.get().digest == hash_token(secret)
    assert secret not in again
    assert (secret[:15] in again, "notebook" in again) == (True, True)


def test_token_with_an_end_in_the_past_is_refused_at_its_field(client, researcher):
    page = client.post(reverse("token-create"), {"name": "late", "expires": "2001-02-03T04:05"})

    assert page.context["form"].errors == {"expires": ["2001-02-03 04:05 UTC is past"]}
    assert not ApiToken.objects.exists()


def test_token_of_another_user_stays_and_is_not_shown(client, researcher):
    theirs = make_token(make_user("rob", "researcher"))

    assert theirs[:15] not in client.get(reverse("account")).content.decode()
    client.post(reverse("token-revoke"), {"token": theirs[:15]})

    assert ApiToken.objects.get().token_key == theirs[:15]


def test_revoked_token_is_gone_and_others_stay(client, researcher):
    kept, revoked = make_token(researcher), make_token(researcher)

    client.post(reverse("token-revoke"), {"token": revoked[:15]})

    assert [one.token_key for one in ApiToken.objects.all()] == [kept[:15]]


def test_password_is_changed_with_the_old_one(client, researcher):
    new = "a longer secret 7"
    client.post(
        reverse("account_change_password"), {"oldpassword": "rita", "password1": new, "password2": new}, follow=True
    )

    researcher.refresh_from_db()
    assert researcher.check_password(new)


def test_a_new_password_ends_the_tokens_of_its_person_alone(client, researcher):
    make_token(researcher)
    theirs = make_token(make_user("rob", "researcher"))
    new = "a longer secret 7"

    client.post(reverse("account_change_password"), {"oldpassword": "rita", "password1": new, "password2": new})

    assert [one.token_key for one in ApiToken.objects.all()] == [theirs[:15]]


def test_home_guides_a_researcher_without_a_study(client, researcher):
    make_dataset("Articles")

    page = client.get(reverse("home")).content.decode()

    assert "Articles" in page
    assert "Your first study" in page
    assert reverse("dataset-upload") in page


def test_home_lists_the_latest_runs(client, researcher):
    run = make_run(make_dataset(), owner=researcher)

    assert run.get_absolute_url() in client.get(reverse("home")).content.decode()


def test_home_refers_an_account_without_role_to_an_admin(client):
    client.force_login(make_user("nobody"))

    assert "no role yet" in client.get(reverse("home")).content.decode()


@pytest.mark.parametrize("n", [1, 3])
def test_home_needs_the_same_queries_for_any_number_of_rows(client, researcher, django_assert_num_queries, n):
    for number in range(n):
        make_run(make_dataset(f"Dataset {number}"), owner=researcher)

    with django_assert_num_queries(17):
        client.get(reverse("home"))


def test_refused_host_is_referred_to_the_setting(client, settings):
    settings.ALLOWED_HOSTS = ["localhost"]

    answer = client.get(reverse("home"), headers={"host": "gpu-server:8000"})

    assert answer.status_code == 400
    assert "<code>ALLOWED_HOSTS</code>" in answer.content.decode()


def test_unknown_proxy_is_referred_to_the_settings():
    client = Client(enforce_csrf_checks=True)
    token = "t" * 32
    client.cookies["csrftoken"] = token

    answer = client.post(
        reverse("account_login"), {"csrfmiddlewaretoken": token}, headers={"origin": "https://evenhand.example.org"}
    )

    assert answer.status_code == 403
    assert "<code>CSRF_TRUSTED_ORIGINS</code>" in answer.content.decode()
