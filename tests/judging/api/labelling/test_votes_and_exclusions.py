"""Votes over HTTP."""

import pytest

from judging.models import Vote
from tests.rankings import studies

pytestmark = pytest.mark.django_db


def test_votes_are_listed_for_researchers(researcher):
    studies.make_dataset()

    shown = researcher.get("/api/votes/").json()

    fields = ("dataset", "attribute", "context", "first", "second", "choice", "rater")
    assert shown["count"] == 3
    assert [shown["results"][0][field] for field in fields] == ["Study", "overall", "c1", "a", "b", "second", "h1"]


def test_annotators_get_only_their_own_votes_without_dataset_fields(annotator):
    studies.make_dataset()
    own = Vote.objects.last()
    Vote.objects.filter(pk=own.pk).update(user=annotator.user)

    shown = annotator.get("/api/votes/").json()

    assert shown["count"] == 1
    assert sorted(shown["results"][0]) == [
        "assignment",
        "changed_at",
        "choice",
        "id",
        "reading_aids",
        "seconds",
        "voted_at",
    ]
    assert shown["results"][0]["id"] == own.pk


def test_annotators_cannot_filter_votes(annotator):
    studies.make_dataset()
    Vote.objects.filter(rater="h3").update(user=annotator.user)

    there, not_there = (annotator.get("/api/votes/", {"context": key}) for key in ("c0", "no such context"))

    assert (there.status_code, not_there.status_code) == (400, 400)
    assert there.json() == not_there.json()


def test_vote_list_needs_the_same_queries_for_any_number_of_votes(researcher, django_assert_num_queries):
    studies.make_dataset()

    with django_assert_num_queries(4):  # token, roles, count, rows
        researcher.get("/api/votes/", {"limit": 1})
    with django_assert_num_queries(4):
        researcher.get("/api/votes/")
