"""Who is at the door: the client's address behind proxies, addresses that try many names, and requests a minute."""

import pytest
from axes.models import AccessFailureLog
from django.core.cache import cache
from django.test import RequestFactory
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.test import APIClient

from judging.web.limits.clients import TRIED_NAMES, RequestRate, address_of
from tests.factories import make_user

PROXY, CLIENT, FORGED = "10.0.0.1", "203.0.113.9", "198.51.100.7"


@pytest.fixture
def behind(settings):
    """Set the number of proxies."""
    return lambda count: setattr(settings, "REST_FRAMEWORK", settings.REST_FRAMEWORK | {"NUM_PROXIES": count})


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, CLIENT, PROXY),
        (1, CLIENT, CLIENT),
        (1, f"{FORGED}, {CLIENT}", CLIENT),
        (2, f"{FORGED}, {CLIENT}, 10.0.0.2", CLIENT),
        (1, "", PROXY),
        (1, "not an address", PROXY),
    ],
)
def test_address_is_what_the_outermost_proxy_saw(behind, proxies, forwarded, address):
    behind(proxies)
    headers = {"x-forwarded-for": forwarded} if forwarded else {}

    assert address_of(RequestFactory(headers=headers).get("/", REMOTE_ADDR=PROXY)) == address


def sign_in(client, name, password, address=CLIENT):
    sent = {"username": name, "password": password}
    return client.post(reverse("account_login"), sent, REMOTE_ADDR=PROXY, headers={"x-forwarded-for": address})


@pytest.fixture
def door(settings, behind, db):
    """The sign-in page behind one proxy, with locks, and Rita's account."""
    behind(1)
    settings.AXES_ENABLED = True
    return make_user("rita", "researcher")


def test_a_lock_behind_a_proxy_meets_one_address_alone(client, door):
    locked = [sign_in(client, "rita", "wrong").status_code for _ in range(11)][-1]

    assert (locked, sign_in(client, "rita", "rita", FORGED).status_code) == (429, 302)


def test_an_address_that_tries_many_names_is_locked_for_all_names(client, door):
    sign_in(client, "somebody", "wrong")
    tried = AccessFailureLog.objects.get(ip_address=CLIENT)
    for number in range(1, TRIED_NAMES):
        assert sign_in(client, "rita", "wrong", FORGED).status_code in (200, 429)
        AccessFailureLog.objects.create(
            username=f"name {number}", ip_address=CLIENT, user_agent=tried.user_agent, path_info=tried.path_info
        )

    page = sign_in(client, "rita", "rita")
    answer = APIClient(headers={"x-forwarded-for": CLIENT}).post("/api/token/", {"username": "a", "password": "b"})

    assert (page.status_code, answer.status_code) == (429, 429)
    assert "from this address" in page.content.decode()
    assert answer.json()["detail"] == "too many wrong names from this address; try again in 15 minutes"
    assert sign_in(client, "rita", "rita", "203.0.113.10").status_code == 302


@pytest.fixture
def rate(monkeypatch):
    """Three requests a minute."""
    cache.clear()
    monkeypatch.setattr(RequestRate, "THROTTLE_RATES", {"user": "3/min"})


def test_requests_of_a_person_are_limited_at_any_address(rate, db):
    rita, rob = APIClient(), APIClient()
    rita.force_authenticate(make_user("rita", "researcher"))
    rob.force_authenticate(make_user("rob", "researcher"))

    answers = [rita.get("/api/runs/", REMOTE_ADDR=f"203.0.113.{number}") for number in range(4)]

    assert [one.status_code for one in answers] == [200, 200, 200, 429]
    assert 0 < int(answers[-1]["Retry-After"]) <= 60
    assert rob.get("/api/runs/").status_code == 200


def test_requests_of_an_address_without_a_person_are_limited(rate, behind):
    behind(1)
    requests = [
        Request(RequestFactory(headers={"x-forwarded-for": address}).get("/"), authenticators=[])
        for address in [CLIENT] * 4 + [FORGED]
    ]

    assert [RequestRate().allow_request(one, None) for one in requests] == [True, True, True, False, True]
