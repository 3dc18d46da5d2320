"""Second factors: adding one, signing in with it, who must have one, and what happens when it is lost."""

import base64
import hashlib
import hmac
import re
import struct
import time
from urllib.parse import unquote

import pytest
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from judging.models import Activity
from judging.services.accounts.account_list import reset_second_factor
from tests.commands import printed
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def code_of(secret, *, steps=0):
    """Return the code that an app shows for a secret (RFC 6238). steps: of 30 seconds, later than now."""
    counter = struct.pack(">Q", int(time.time()) // 30 + steps)
    digest = hmac.new(base64.b32decode(secret), counter, hashlib.sha1).digest()
    number = struct.unpack(">I", digest[digest[-1] & 15 :][:4])[0] & 0x7FFFFFFF
    return f"{number % 10**6:06}"


def sign_in(name, client=None):
    """Return a browser that sent a name with its password, and the answer."""
    browser = client or Client()
    return browser, browser.post(reverse("account_login"), {"username": name, "password": name}, follow=True)


def confirm(browser, name):
    browser.post(reverse("account_reauthenticate"), {"password": name})


def add_app(browser, name):
    """Add an app to the account that is signed in; return its secret and the recovery codes."""
    confirm(browser, name)
    secret = browser.get(reverse("mfa_activate_totp")).context["form"].secret
    page = browser.post(reverse("mfa_activate_totp"), {"code": code_of(secret)}, follow=True)
    return secret, page.context["unused_codes"]


@pytest.fixture
def rita(django_capture_on_commit_callbacks):
    """Rita, whose account has an app, and her secret and recovery codes; Rob's has none."""
    person = make_user("rita", "researcher")
    make_user("rob", "researcher")
    browser, _ = sign_in("rita")
    with django_capture_on_commit_callbacks(execute=True):
        person.secret, person.codes = add_app(browser, "rita")
    cache.clear()
    return person


def test_a_code_of_the_app_is_asked_after_the_password(rita):
    browser, asked = sign_in("rita")
    before = browser.get(reverse("dataset-list")).status_code
    wrong = browser.post(reverse("mfa_authenticate"), {"code": "000000"})
    browser.post(reverse("mfa_authenticate"), {"code": code_of(rita.secret, steps=1)})

    assert asked.request["PATH_INFO"] == reverse("mfa_authenticate")
    assert (before, wrong.context["form"].errors) == (302, {"code": ["Incorrect code."]})
    assert browser.get(reverse("dataset-list")).context["user"] == rita


def test_the_page_that_was_asked_for_follows_the_code(rita):
    browser = Client()
    browser.post(reverse("account_login"), {"username": "rita", "password": "rita", "next": reverse("run-list")})

    answer = browser.post(reverse("mfa_authenticate"), {"code": code_of(rita.secret, steps=1)})

    assert answer.headers["Location"] == reverse("run-list")


def test_other_people_sign_in_by_password_alone(rita):
    _, page = sign_in("rob")

    assert page.request["PATH_INFO"] == reverse("home")


def test_a_recovery_code_lets_in_once(rita):
    answers = []
    for _ in range(2):
        browser, _ = sign_in("rita")
        browser.post(reverse("mfa_authenticate"), {"code": rita.codes[0]})
        answers.append(browser.get(reverse("run-list")).status_code)

    assert (len(rita.codes), answers) == (10, [200, 302])


def test_codes_cannot_be_guessed(rita, settings):
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": "5/5m/key"}
    browser, _ = sign_in("rita")
    for _ in range(5):
        browser.post(reverse("mfa_authenticate"), {"code": "000000"})

    refused = browser.post(reverse("mfa_authenticate"), {"code": code_of(rita.secret, steps=1)})

    assert refused.context["form"].errors == {"code": ["Too many failed login attempts. Try again later."]}


@pytest.mark.parametrize(
    "name", ["mfa_activate_totp", "mfa_deactivate_totp", "mfa_view_recovery_codes", "mfa_add_webauthn"]
)
def test_changes_need_the_password_again(client, rita, name):
    if name == "mfa_activate_totp":
        reset_second_factor(rita)
    client.force_login(rita)

    asked = client.get(reverse(name))
    wrong = client.post(asked.headers["Location"], {"password": "wrong"})
    right = client.post(asked.headers["Location"], {"password": "rita"})

    assert unquote(asked.headers["Location"]) == f"{reverse('account_reauthenticate')}?next={reverse(name)}"
    assert wrong.context["form"].errors == {"password": ["Incorrect password."]}
    assert right.headers["Location"] == reverse(name)


def test_an_app_that_is_removed_takes_the_recovery_codes_with_it(client, rita):
    client.force_login(rita)
    confirm(client, "rita")

    client.post(reverse("mfa_deactivate_totp"))

    assert not Authenticator.objects.filter(user=rita).exists()


def test_a_token_by_password_alone_is_refused(client, rita):
    answers = [client.post("/api/token/", {"username": name, "password": name}) for name in ("rita", "rob")]

    assert [one.status_code for one in answers] == [403, 200]
    assert "needs a second factor" in answers[0].json()["detail"]


def test_a_role_may_need_a_second_factor(client, settings):
    settings.SECOND_FACTOR_ROLES = ["researcher"]
    client.force_login(make_user("rob", "researcher"))

    page, answer = client.get(reverse("run-list"), follow=True), client.get("/api/runs/")
    token = client.post("/api/token/", {"username": "rob", "password": "rob"})
    add_app(client, "rob")

    assert page.request["PATH_INFO"] == reverse("mfa_index")
    assert "Your role needs a second factor. Add one to go on." in page.content.decode()
    assert (answer.status_code, token.status_code) == (403, 403)
    assert (client.get(reverse("run-list")).status_code, client.get("/api/runs/").status_code) == (200, 200)


def test_other_roles_and_participants_without_a_password_need_none(client, settings):
    settings.SECOND_FACTOR_ROLES = ["researcher"]
    ann, participant = make_user("ann", "annotator"), make_user("participant", "researcher")
    participant.set_unusable_password()
    participant.save()

    for person in (ann, participant):
        client.force_login(person)
        assert client.get(reverse("account")).status_code == 200


def test_an_admin_resets_a_lost_second_factor(client, rita):
    client.force_login(make_user("ada", "admin"))
    shown = client.get(reverse("account-detail", args=[rita.pk])).content.decode()

    client.post(reverse("account-second-factor", args=[rita.pk]))
    _, page = sign_in("rita")

    assert "Reset the second factor" in shown
    assert page.request["PATH_INFO"] == reverse("home")
    done = Activity.objects.filter(who__username="ada", action="change").values_list("on", flat=True)
    assert list(done) == [f"account {rita.pk}: second factor reset"]


def test_a_command_resets_the_second_factor_of_the_last_admin(rita, capsys):
    printed(capsys, "change_account", "rita", "--reset-factor")

    assert not Authenticator.objects.filter(user=rita).exists()


def test_changes_are_in_the_activity(client, rita, django_capture_on_commit_callbacks):
    client.force_login(rita)
    confirm(client, "rita")
    with django_capture_on_commit_callbacks(execute=True):
        client.post(reverse("mfa_generate_recovery_codes"))
    client.post(reverse("mfa_deactivate_totp"))

    noted = Activity.objects.filter(who=rita, action="change").order_by("pk").values_list("on", flat=True)

    assert [re.sub(r"account \d+: ", "", line) for line in noted] == [
        "totp authenticator added",
        "recovery codes added",
        "recovery codes replaced",
        "totp authenticator removed",
        "recovery codes removed",
    ]
