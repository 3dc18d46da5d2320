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
