"""Preference for longer texts and for one's own family, in the rows of a report."""

import pytest

from tests.rankings.report.report_figures import report_json
from tests.rankings.studies import answers, compared, make_dataset, scored

pytestmark = pytest.mark.django_db

SYSTEMS = {"a": "gpt-3.5-turbo", "b": "llama-13b", "c": "vicuna-13b"}


def texts(a, b, c, *, systems=SYSTEMS, scores=(3, 2, 1)):
    """One context with three texts of these lengths; people like them in this order."""
    candidates = [
        {"candidate": key, "text": "x" * length, "scores": {"overall": score}}
        | ({"system": systems[key]} if systems else {})
        for key, length, score in zip("abc", (a, b, c), scores, strict=True)
    ]
    return [{"context": "c0", "text": "Article", "candidates": candidates}]


def row_of(contexts, *rows, judge="judge"):
    dataset = make_dataset(contexts)
    compared(dataset, answers(*rows), judge=judge)
    return report_json(dataset)[0]


def share(found):
    return found["value"], found["n"]


def test_length_preference_is_told_beside_that_of_people():
    found = row_of(texts(10, 20, 40), "a b 0.7", "b a 0.6", "c a 0.9", "b c 0.5")["length_preference"]

    assert share(found) == (2.5 / 4, 4)
    assert share(found["human"]) == (0, 4)
    assert found["undefined"] == "an interval needs at least three contexts"


def test_length_preference_splits_accuracy_by_length():
    found = row_of(texts(40, 20, 39), "a b 0.7", "a c 0.2", "b c 0.8")["length_preference"]

    assert share(found["accuracy_longer_right"]) == (1 / 2, 2)
    assert share(found["accuracy_shorter_right"]) == (1, 1)
    assert [(gap["gap_from"], gap["gap_to"], gap["value"], gap["n"]) for gap in found["accuracy_by_gap"]] == [
        (0, 0.1, 0, 1),
        (0.1, 0.25, None, 0),
        (0.25, 0.5, 1, 1),
        (0.5, 1, 1, 1),
    ]
    assert found["accuracy_by_gap"][1]["undefined"] == (
        "no comparison of texts with such lengths has a human preference"
    )


def test_length_preference_needs_texts_of_different_lengths():
    found = row_of(texts(10, 10, 10), "a b 0.7")["length_preference"]

    assert (found["value"], found["n"]) == (found["human"]["value"], found["human"]["n"]) == (None, 0)
    assert found["undefined"] == found["human"]["undefined"] == "no compared pair has texts of different lengths"


def test_length_preference_of_scores_is_of_the_higher_score():
    dataset = make_dataset(texts(10, 20, 40))
    scored(dataset, "context,attribute,candidate,score\nc0,overall,a,5\nc0,overall,b,7\nc0,overall,c,6\n")

    [row] = report_json(dataset)

    assert share(row["length_preference"]) == (2 / 3, 3)


def test_self_preference_is_of_pairs_with_one_text_of_the_family():
    found = row_of(texts(1, 2, 3), "a b 0.7", "c a 0.8", "b c 0.9", judge="gpt-4")["self_preference"]

    assert share(found) == (1 / 2, 2)
    assert share(found["human"]) == (1, 2)
    assert (found["family"], found["judge"], found["systems"]) == ("gpt", "gpt-4", ["gpt-3.5-turbo"])


def test_self_preference_says_that_the_judge_has_no_known_family():
    found = row_of(texts(1, 2, 3), "a b 0.7")["self_preference"]

    assert (found["value"], found["family"], found["systems"]) == (None, None, [])
    assert found["undefined"] == 'the name "judge" shows no known family of models, or several'


@pytest.mark.parametrize("systems", [SYSTEMS, None])
def test_self_preference_says_that_no_system_is_of_the_family(systems):
    found = row_of(texts(1, 2, 3, systems=systems), "a b 0.7", judge="flan-t5-xl")["self_preference"]

    assert (found["value"], found["family"], found["systems"]) == (None, "t5", [])
    assert found["undefined"] == found["human"]["undefined"] == "no system's name shows the judge's family, t5"


def test_self_preference_says_that_no_pair_has_exactly_one_text_of_the_family():
    found = row_of(texts(1, 2, 3), "b c 0.7", judge="gpt-4")["self_preference"]

    assert (found["value"], found["family"]) == (None, "gpt")
    assert found["undefined"] == "no compared pair has exactly one text of the judge's family"


def test_self_preference_of_people_needs_their_word():
    found = row_of(texts(1, 2, 3, scores=(1, 1, 1)), "a b 0.7", judge="gpt-4")["self_preference"]

    assert share(found) == (1, 1)
    assert found["human"]["undefined"] == "people prefer no candidate of a compared pair; collect votes or scores"
