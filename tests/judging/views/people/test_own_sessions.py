"""One's own sessions: listed with their browsers, ended one by one or all, and by a new password."""

from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judging.models import Activity
from judging.services.trimming import trim
from judging.templatetags.browsers import browser
from judging.web import authentication
from tests.factories import make_user

pytestmark = pytest.mark.django_db
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
EDGE = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0"


@pytest.fixture
def rita():
    return make_user("rita", "researcher")


def signed_in(name, user_agent=FIREFOX):
    client = Client(headers={"user-agent": user_agent})
    client.post(reverse("account_login"), {"username": name, "password": name})
    return client


def is_in(client):
    return client.get(reverse("account")).status_code == 200


def listed(client):
    return client.get(reverse("usersessions_list")).context["sessions"]


def test_sessions_are_listed_with_their_browsers_and_none_of_somebody_else(rita):
    here, _ = signed_in("rita"), signed_in("rita", EDGE)
    make_user("rob", "researcher")
    signed_in("rob")

    page = here.get(reverse("usersessions_list")).content.decode()

    assert len(listed(here)) == 2
    assert ("Firefox on Linux" in page, "Edge on Windows" in page) == (True, True)


def test_one_session_is_ended_and_then_all_others_at_once(rita):
    here, elsewhere, third = signed_in("rita"), signed_in("rita", EDGE), signed_in("rita")
    ended = UserSession.objects.get(session_key=elsewhere.session.session_key)

    here.post(reverse("session-end", args=[ended.pk]))

    assert (is_in(here), is_in(elsewhere), is_in(third)) == (True, False, True)
    assert f"account {rita.pk}: session ended" in Activity.objects.values_list("on", flat=True)

    fourth = signed_in("rita", EDGE)
    here.post(reverse("usersessions_list"))

    assert (is_in(here), is_in(third), is_in(fourth)) == (True, False, False)


def test_session_of_somebody_else_and_the_current_one_cannot_be_ended_there(rita):
    make_user("rob", "researcher")
    here, other = signed_in("rita"), signed_in("rob")

    answers = [
        here.post(reverse("session-end", args=[UserSession.objects.get(session_key=one.session.session_key).pk]))
        for one in (here, other)
    ]

    assert [one.status_code for one in answers] == [404, 404]
    assert (is_in(here), is_in(other)) == (True, True)


def test_a_new_password_ends_all_other_sessions(rita):
    here, elsewhere = signed_in("rita"), signed_in("rita", EDGE)
    new = "a longer secret 7"

    here.post(reverse("account_change_password"), {"oldpassword": "rita", "password1": new, "password2": new})

    assert (is_in(here), is_in(elsewhere)) == (True, False)
    assert [one.session_key for one in listed(here)] == [here.session.session_key]


def test_last_use_of_a_session_is_stored_at_most_once_in_five_minutes(rita):
    authentication.USED_SESSIONS.clear()
    here, long_ago = signed_in("rita"), timezone.now() - timedelta(days=1)
    times = []
    for _ in range(2):
        UserSession.objects.update(last_seen_at=long_ago)
        here.get(reverse("account"))
        times.append(UserSession.objects.get().last_seen_at > long_ago)

    assert times == [True, False]


def test_sessions_that_are_gone_are_trimmed(rita):
    here, elsewhere = signed_in("rita"), signed_in("rita", EDGE)
    Session.objects.filter(session_key=elsewhere.session.session_key).delete()

    trim(activity_kept=timedelta(days=1))

    assert list(UserSession.objects.values_list("session_key", flat=True)) == [here.session.session_key]


@pytest.mark.parametrize(
    ("user_agent", "named"),
    [(FIREFOX, "Firefox on Linux"), (EDGE, "Edge on Windows"), ("curl/8", "Another program on another system")],
)
def test_browser_is_named_in_plain_words(user_agent, named):
    assert browser(user_agent) == named
