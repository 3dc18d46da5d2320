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
page = Client().get("/account/sign-in/", secure=True, headers={"host": "localhost"})
print(json.dumps(dict(page.items()) | {"cookies": page.cookies.output(header="")}))
"""


@pytest.fixture(scope="module")
def headers(tmp_path_factory):
    environment = os.environ | {"HTTPS": "1", "EVENHAND_DATA": str(tmp_path_factory.mktemp("data"))}
    environment |= {"DJANGO_SETTINGS_MODULE": "evalsite.settings", "DATABASE_URL": "", "REDIS_URL": ""}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_browser_keeps_to_https_for_a_year(headers):
    assert headers["Strict-Transport-Security"] == "max-age=31536000"


def test_pages_may_use_no_camera_microphone_or_place(headers):
    policy = headers["Permissions-Policy"]

    assert [name for name in ("camera", "geolocation", "microphone") if f"{name}=()" not in policy] == []


def test_cookies_belong_to_this_host_alone(headers):
    assert headers["cookies"].strip().startswith("__Host-csrftoken=")
    assert "Secure" in headers["cookies"]
    assert "Domain" not in headers["cookies"]
