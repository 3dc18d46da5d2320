"""One's own account over HTTP."""

import pytest

from judging.services.accounts.vote_keys import USUAL_KEYS

pytestmark = pytest.mark.django_db


def test_an_account_shows_its_roles_and_switches_single_keys(annotator, researcher):
    before = annotator.get("/api/account/").json()

    after = annotator.patch("/api/account/", {"single_keys": False}, format="json").json()

    assert before == {
        "username": "ann",
        "rater_name": annotator.user.rater_name,
        "roles": ["annotator"],
        "single_keys": True,
        "vote_keys": {
            "first": ["a"],
            "second": ["b"],
            "tie": ["t"],
            "both-bad": ["x"],
            "cannot-judge": ["c"],
            "strength": ["m"],
            "confidence": ["h"],
            "comment": ["n"],
            "skip": ["s"],
            "undo": ["u"],
            "differences": ["d"],
            "scrolling": ["l"],
            "help": ["?"],
        },
    }
    assert after == before | {"single_keys": False}
    assert researcher.get("/api/account/").json()["single_keys"] is True


def test_an_account_chooses_keys_and_gets_the_usual_ones_back(annotator, researcher):
    usual = annotator.get("/api/account/").json()["vote_keys"]

    chosen = annotator.patch("/api/account/", {"vote_keys": {"first": ["j"], "second": ["K"]}}, format="json").json()
    back = annotator.patch("/api/account/", {"vote_keys": None}, format="json").json()

    assert chosen["vote_keys"] == usual | {"first": ["j"], "second": ["k"]}
    assert back["vote_keys"] == researcher.get("/api/account/").json()["vote_keys"] == usual


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"vote_keys": {"skip": ["u"]}}, 'vote_keys.skip: "U" is also a key of "undo". Give it to one of them'),
        ({"vote_keys": {"jump": ["j"]}}, f"vote_keys.jump: unknown; there are: {', '.join(USUAL_KEYS)}"),
        ({}, "name single_keys or vote_keys"),
    ],
)
def test_wrong_changes_of_an_account_are_refused(annotator, body, problem):
    answer = annotator.patch("/api/account/", body, format="json")

    assert answer.status_code == 400
    assert answer.json()["problems"][0].endswith(problem)
    assert annotator.get("/api/account/").json()["vote_keys"]["skip"] == ["s"]


def test_a_password_is_changed_with_the_old_one_and_ends_all_tokens(researcher):
    passwords = {"old_password": "rita", "new_password": "an-unusual-word-7"}

    assert researcher.post("/api/account/password/", passwords, format="json").status_code == 204

    researcher.user.refresh_from_db()
    assert researcher.user.check_password("an-unusual-word-7")
    assert researcher.get("/api/account/").status_code == 401


@pytest.mark.parametrize(
    ("passwords", "problem"),
    [
        ({"old_password": "wrong", "new_password": "an-unusual-word-7"}, "old_password: Your old password was entered"),
        ({"old_password": "rita", "new_password": "12345678"}, "new_password: This password is too common."),
        ({"old_password": "rita"}, "new_password: This field is required."),
    ],
)
def test_a_password_is_not_changed_without_the_old_one_or_to_a_weak_one(researcher, passwords, problem):
    answer = researcher.post("/api/account/password/", passwords, format="json")

    assert answer.status_code == 400
    assert any(one.startswith(problem) for one in answer.json()["problems"])
    researcher.user.refresh_from_db()
    assert researcher.user.check_password("rita")


def test_a_revoked_token_is_refused(annotator, researcher):
    assert annotator.delete("/api/account/token/").status_code == 204

    assert annotator.get("/api/account/").status_code == 401
    assert researcher.get("/api/account/").status_code == 200


def test_own_data_are_returned_to_their_owner(annotator, researcher):
    data = annotator.get("/api/account/data/").json()

    assert data["account"]["username"] == "ann"
    assert data["answers"] == data["consents"] == []


def test_an_annotator_deletes_the_account_with_the_password(annotator, researcher):
    refused = annotator.post("/api/account/delete/", {"password": "wrong"}, format="json")
    deleted = annotator.post("/api/account/delete/", {"password": "ann"}, format="json")

    assert (refused.status_code, refused.json()["problems"]) == (400, ["password: wrong"])
    assert deleted.status_code == 204
    assert annotator.get("/api/account/").status_code == 401
    assert researcher.post("/api/account/delete/", {"password": "rita"}, format="json").status_code == 400
    assert researcher.get("/api/account/").status_code == 200
