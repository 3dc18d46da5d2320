"""Headers and cookies by which browsers stay safe over HTTPS, from a real process."""

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import json, django
from django.test import Client
django.setup()
from django.core.management import call_command
from judging.models import User
call_command("migrate", verbosity=0)
User.objects.create_user("rita", password="a long one")
client, secure = Client(), {"secure": True, "headers": {"host": "localhost"}}
page = client.get("/account/sign-in/", **secure)
client.post("/account/sign-in/", {"username": "rita", "password": "a long one"}, **secure)
cookies = {one.key: {name: value for name, value in one.items() if value} for one in client.cookies.values()}
print(json.dumps(dict(page.items()) | {"cookies": cookies}))
"""


@pytest.fixture(scope="module")
def answer(tmp_path_factory):
    environment = os.environ | {"HTTPS": "1", "EVENHAND_DATA": str(tmp_path_factory.mktemp("data"))}
    environment |= {"DJANGO_SETTINGS_MODULE": "evalsite.settings", "DATABASE_URL": "", "REDIS_URL": ""}
    environment["ALOWED_HOSTS"] = "evenhand.example.org"
    return subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)


@pytest.fixture
def headers(answer):
    return json.loads(answer.stdout)


def test_browser_keeps_to_https_for_a_year(headers):
    assert headers["Strict-Transport-Security"] == "max-age=31536000"


def test_pages_run_show_and_send_only_what_is_of_this_site(headers):
    assert dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; ")) == {
        **dict.fromkeys(("default-src", "script-src", "style-src", "base-uri", "form-action"), "'self'"),
        **dict.fromkeys(("object-src", "frame-ancestors"), "'none'"),
        "img-src": "'self' data: blob:",
    }


def test_pages_may_use_no_camera_microphone_or_place(headers):
    policy = headers["Permissions-Policy"]

    assert [name for name in ("camera", "geolocation", "microphone") if f"{name}=()" not in policy] == []


def test_cookies_belong_to_this_host_alone_and_a_session_ends_after_two_weeks(headers):
    cookies = headers["cookies"]

    of_session, of_form = (cookies[f"__Host-{name}"] for name in ("sessionid", "csrftoken"))
    assert (of_session["secure"], of_form["secure"], of_session["httponly"]) == (True, True, True)
    assert (of_session["path"], of_session["samesite"], of_session["max-age"]) == ("/", "Lax", 14 * 24 * 3600)
    assert {"domain"} & {*of_session, *of_form} == set()


def test_misspelt_setting_is_named_at_the_start(answer):
    assert "ALOWED_HOSTS has no effect; did you mean ALLOWED_HOSTS?" in answer.stderr
