"""Intervals over candidates, of a row with a single context."""

from itertools import permutations

import pytest
from django.urls import reverse

from tests.factories import make_user
from tests.rankings import studies
from tests.rankings.report.report_figures import report_json

pytestmark = pytest.mark.django_db

CANDIDATES = "abcde"


def study(n_contexts, candidates=CANDIDATES):
    """Every ordered pair is answered; the judge is wrong on the pairs that show candidate a first."""
    dataset = studies.make_dataset(
        [
            {
                "context": f"c{number}",
                "text": f"Article {number}",
                "candidates": [
                    {"candidate": key, "text": f"Text {key} of {number}.", "scores": {"overall": place + 1}}
                    for place, key in enumerate(candidates)
                ],
            }
            for number in range(n_contexts)
        ]
    )
    lines = [
        f"c{number},overall,{first},{second},{0.9 if first == 'a' or first > second else 0.2}"
        for number in range(n_contexts)
        for first, second in permutations(candidates, 2)
    ]
    return studies.compared(dataset, "\n".join(["context,attribute,first,second,p_first", *lines]) + "\n")


def test_row_of_few_contexts_has_intervals_over_candidates():
    run = study(1)

    [row] = report_json(run.dataset, runs=[run])

    over_candidates = row["over_candidates"]
    assert over_candidates["interval_unit"] == "candidates"
    assert row["accuracy"]["low"] is None
    for name in ("accuracy", "p_first"):
        figure = over_candidates[name]
        assert (figure["value"], figure["n"]) == (pytest.approx(row[name]["value"]), 20)
        assert figure["low"] < figure["value"] < figure["high"]


def test_two_candidates_have_no_interval_and_say_why():
    run = study(1, "ab")

    [row] = report_json(run.dataset, runs=[run])

    accuracy = row["over_candidates"]["accuracy"]
    assert (accuracy["low"], accuracy["high"]) == (None, None)
    assert accuracy["undefined"] == "an interval over candidates needs at least 3 of them"


@pytest.mark.parametrize(("n_contexts", "is_named"), [(1, True), (2, False)])
def test_page_names_what_the_intervals_of_few_contexts_draw(client, n_contexts, is_named):
    client.force_login(make_user("rita", "researcher"))
    run = study(n_contexts)

    page = client.get(reverse("run-results", args=[run.pk])).content.decode()

    assert ("Intervals over candidates" in page) == is_named
