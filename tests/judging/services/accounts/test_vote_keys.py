"""Keys of the voting page that a person chooses."""

import pytest

from evenhand.refusals import Refused
from judging.services.accounts.vote_keys import USUAL_KEYS, choose_keys, keys_of, use_usual_keys
from tests.campaigns import make_annotator

pytestmark = pytest.mark.django_db


def test_chosen_keys_are_stored_and_other_actions_keep_theirs():
    ann, ben = make_annotator("ann"), make_annotator("ben")

    choose_keys(ann, {"first": ["J", "é"], "second": ["k"], "tie": []})

    ann.refresh_from_db()
    expected = {"first": ("j", "é"), "second": ("k",), "tie": ()}
    assert keys_of(ann) == USUAL_KEYS | expected
    assert keys_of(ben) == USUAL_KEYS


def test_usual_keys_are_not_stored():
    ann = make_annotator("ann")

    choose_keys(ann, USUAL_KEYS | {"skip": ["j"]})

    assert ann.vote_keys == {"skip": ["j"]}


def test_the_usual_keys_come_back():
    ann = make_annotator("ann")
    choose_keys(ann, {"first": ["j"]})

    use_usual_keys(ann)

    ann.refresh_from_db()
    assert keys_of(ann) == USUAL_KEYS


def test_a_chosen_key_is_no_usual_key_of_an_action_that_came_later():
    ann = make_annotator("ann")
    ann.vote_keys = {"first": ["u"]}

    assert keys_of(ann)["undo"] == ()


@pytest.mark.parametrize(
    ("keys", "problems"),
    [
        (
            {"first": ["s"]},
            [
                'first: "S" is also a key of "skip". Give it to one of them',
                'skip: "S" is also a key of "first text". Give it to one of them',
            ],
        ),
        ({"skip": ["Enter"]}, ['skip: "enter" cannot be chosen. Use single characters; arrows scroll']),
        ({"skip": [" "]}, ['skip: " " cannot be chosen. Use single characters; arrows scroll']),
        ({"skip": ["↑"]}, ['skip: "↑" cannot be chosen. Use single characters; arrows scroll']),
        ({"skip": list("fgijkv")}, ["skip: 6 keys; at most 5"]),
        (
            {"jump": ["j"]},
            [f"jump: unknown; there are: {', '.join(USUAL_KEYS)}"],
        ),
    ],
)
def test_keys_that_cannot_be_used_are_refused_and_the_old_ones_stay(keys, problems):
    ann = make_annotator("ann")
    choose_keys(ann, {"undo": ["z"]})

    with pytest.raises(Refused) as refused:
        choose_keys(ann, keys)

    ann.refresh_from_db()
    assert list(refused.value.problems) == problems
    assert ann.vote_keys == {"undo": ["z"]}
