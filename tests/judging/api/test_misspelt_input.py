"""Unknown names in requests to the HTTP API are refused: ignoring them would change the question."""

import pytest

from tests.factories import make_dataset, make_run

pytestmark = pytest.mark.django_db


def problems_of(answer):
    assert answer.status_code == 400
    return answer.json()["problems"]


def test_unknown_field_is_refused_with_all_other_problems(researcher):
    problems = problems_of(researcher.post("/api/runs/", {"dataset": "Articles", "budjet": 5}, format="json"))

    assert problems[1] == "judge: needed"
    start, _, known = problems[0].partition("; there are: ")
    assert start == "budjet: unknown"
    assert {"dataset", "attribute", "attributes", "judge", "samples", "thinking"} < {*known.split(", ")}


def test_figures_are_not_computed_by_default_where_a_choice_is_misspelt(researcher):
    run = make_run(make_dataset(candidates=(2,)), owner=researcher.user)

    problems = problems_of(researcher.get(f"/api/runs/{run.pk}/scores/", {"ranking": "win-ratio", "debiased": "true"}))

    assert problems == [
        'debiased: unknown (did you mean "debias"?); there are: '
        "ranking, debias, average_orders, without_system, without_context"
    ]


def test_pages_and_the_format_of_an_answer_may_be_named(researcher):
    assert researcher.get("/api/runs/", {"limit": 1, "offset": 0, "format": "json"}).status_code == 200
