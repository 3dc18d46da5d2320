"""Judges and prompts over HTTP."""

import pytest

from tests.factories import make_judge

pytestmark = pytest.mark.django_db


def test_judges_are_listed_without_endpoint_and_key(researcher):
    judge = make_judge(backend="openai", base_url="https://example.org/v1", api_key_env="EXAMPLE_KEY")

    shown = researcher.get(f"/api/judges/{judge.pk}/").json()

    assert shown["name"] == "tiny"
    assert not {"base_url", "api_key_env"} & set(shown)
    assert [row["name"] for row in researcher.get("/api/judges/").json()["results"]] == ["demo", "tiny"]


def test_a_refused_change_changes_nothing(researcher):
    judge = make_judge("flan", owner=researcher.user)

    answer = researcher.patch(f"/api/judges/{judge.pk}/", {"retired": True, "name": "demo"})

    judge.refresh_from_db()
    assert (answer.status_code, judge.is_retired) == (400, False)
