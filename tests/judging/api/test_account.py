"""One's own account over HTTP."""

import pytest

pytestmark = pytest.mark.django_db


def test_an_account_shows_its_names_and_roles(annotator, researcher):
    assert annotator.get("/api/account/").json() == {
        "username": "ann",
        "rater_name": annotator.user.rater_name,
        "roles": ["annotator"],
    }
    assert researcher.get("/api/account/").json()["roles"] == ["researcher"]
