"""Prompts over HTTP."""

import pytest

pytestmark = pytest.mark.django_db

TERSE = {"name": "terse", "method": "comparative", "template": " <A>\n<B> ", "label_first": " A", "label_second": " B"}


def test_prompt_is_added_verbatim(researcher):
    added = researcher.post("/api/prompts/", TERSE, format="json")

    shown = researcher.get(f"/api/prompts/{added.json()['id']}/").json()
    assert added.status_code == 201
    assert shown == added.json()
    assert {name: shown[name] for name in TERSE} == TERSE
    assert (shown["version"], shown["owner"]) == (1, "rita")


def test_a_version_is_added_by_its_owner_alone(researcher, other_researcher):
    researcher.post("/api/prompts/", TERSE, format="json")

    theirs = other_researcher.post("/api/prompts/", TERSE | {"version": 2}, format="json")
    own = researcher.post("/api/prompts/", TERSE | {"version": 2}, format="json")

    assert (theirs.status_code, own.status_code) == (400, 201)


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_a_stored_prompt_is_never_changed(researcher, method):
    prompt = researcher.post("/api/prompts/", TERSE, format="json").json()

    answer = getattr(researcher, method)(f"/api/prompts/{prompt['id']}/", {"template": "<B><A>"}, format="json")

    assert answer.status_code == 405
    assert researcher.get(f"/api/prompts/{prompt['id']}/").json() == prompt
