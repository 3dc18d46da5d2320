"""One's own account over HTTP."""

import pytest

pytestmark = pytest.mark.django_db


def test_an_account_shows_its_roles_and_switches_single_keys(annotator, researcher):
    before = annotator.get("/api/account/").json()

    after = annotator.patch("/api/account/", {"single_keys": False}, format="json").json()

    assert before == {
        "username": "ann",
        "rater_name": annotator.user.rater_name,
        "roles": ["annotator"],
        "single_keys": True,
    }
    assert after == before | {"single_keys": False}
    assert researcher.get("/api/account/").json()["single_keys"] is True


def test_a_revoked_token_is_refused(annotator, researcher):
    assert annotator.delete("/api/account/token/").status_code == 204

    assert annotator.get("/api/account/").status_code == 401
    assert researcher.get("/api/account/").status_code == 200
