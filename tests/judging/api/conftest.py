"""Programs that use the HTTP API, each with the token of a person."""

import pytest
from django.core.cache import cache
from django.utils import timezone
from rest_framework.test import APIClient

from judging.models import ApiToken
from tests.factories import make_token, make_user


def signed_in(user):
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {make_token(user)}")
    ApiToken.objects.filter(user=user).update(last_used=timezone.now())  # so requests do not note it again
    client.user = user
    return client


@pytest.fixture
def researcher(db):
    return signed_in(make_user("rita", "researcher"))


@pytest.fixture
def other_researcher(db):
    return signed_in(make_user("rob", "researcher"))


@pytest.fixture
def admin(db):
    return signed_in(make_user("ada", "admin"))


@pytest.fixture
def annotator(db):
    return signed_in(make_user("ann", "annotator"))


@pytest.fixture
def anonymous(db):
    return APIClient()


@pytest.fixture(autouse=True)
def _no_attempts_before():
    """The rate limit counts in the cache."""
    cache.clear()
