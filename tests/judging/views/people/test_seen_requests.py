"""When an account was last seen: by pages and by tokens."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judging.models import User
from tests.factories import make_token, make_user

pytestmark = pytest.mark.django_db
EARLIER = timezone.now() - timedelta(hours=1)


@pytest.fixture
def rita():
    rita = make_user("rita", "researcher")
    make_user("rob", "researcher")
    User.objects.update(last_seen=EARLIER)
    return rita


def seen_again():
    return set(User.objects.filter(last_seen__gt=EARLIER).values_list("username", flat=True))


def test_a_token_notes_its_owner(client, rita):
    client.get("/api/account/", headers={"Authorization": f"Token {make_token(rita)}"})

    assert seen_again() == {"rita"}


def test_a_visitor_is_nobody(client, rita):
    client.get("/account/sign-in/")

    assert seen_again() == set()


def test_a_page_notes_its_reader_once_in_five_minutes(client, rita):
    client.force_login(rita)
    client.get("/account/")
    assert seen_again() == {"rita"}
    first = User.objects.get(pk=rita.pk).last_seen

    client.get("/account/")

    assert User.objects.get(pk=rita.pk).last_seen == first
