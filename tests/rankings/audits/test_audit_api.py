"""Marks on explanations over HTTP."""

import pytest
from rest_framework.test import APIClient

from judging.models import AuditMark
from tests.factories import make_user
from tests.rankings.audits.explained_runs import explained_run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]


@pytest.fixture
def researcher():
    client = APIClient()
    client.user = make_user("rita", "researcher")
    client.force_authenticate(client.user)
    return client


def explanations(client, run):
    return client.get(f"/api/runs/{run.pk}/explanations/").json()["verdicts"]


def test_explanations_have_texts_and_what_people_prefer(researcher):
    run = explained_run()

    verdicts = explanations(researcher, run)

    assert {(one["first"], one["second"], one["people_prefer"], *one["explanations"]) for one in verdicts} == {
        ("b", "a", "second", "A is short."),
        ("a", "c", "first", "C is off topic."),
        ("a", "b", "second", "A repeats itself."),
    }
    assert {one["mark"] for one in verdicts} == {None}
    assert verdicts[0]["first_text"] == run.comparisons.get(pk=verdicts[0]["comparison"]).first.text


def test_an_own_mark_is_set_changed_and_removed(researcher):
    run = explained_run()
    verdict = explanations(researcher, run)[0]
    address = f"/api/runs/{run.pk}/explanations/{verdict['comparison']}/"
    other = AuditMark.objects.create(
        comparison_id=verdict["comparison"], user=make_user("olga", "researcher"), mark="unsure"
    )

    for mark in ("named", "missed"):
        assert researcher.put(address, {"mark": mark}, format="json").status_code == 204

    assert explanations(researcher, run)[0]["mark"] == "missed"
    assert researcher.delete(address).status_code == 204
    assert explanations(researcher, run)[0]["mark"] is None
    assert list(AuditMark.objects.all()) == [other]


def test_a_mark_on_another_comparison_or_of_another_name_is_refused(researcher):
    run = explained_run()
    right = run.comparisons.get(text="B drifts.")
    verdict = explanations(researcher, run)[0]

    not_asked = researcher.put(f"/api/runs/{run.pk}/explanations/{right.pk}/", {"mark": "named"}, format="json")
    unknown = researcher.put(
        f"/api/runs/{run.pk}/explanations/{verdict['comparison']}/", {"mark": "good"}, format="json"
    )

    assert not_asked.json()["problems"] == [
        f"comparison: {right.pk} is not among the 3 wrong verdicts that people mark"
    ]
    assert unknown.status_code == 400
    assert not AuditMark.objects.exists()
