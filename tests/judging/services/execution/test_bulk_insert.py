"""Bulk inserts: in order, all or none."""

import math
from contextlib import closing

import pytest
from django.db import IntegrityError, connection, transaction

from judging.models import Candidate, Comparison, Score
from judging.services.execution.bulk_insert import ComparisonRow, ScoreAnswerRow, insert
from tests.factories import make_dataset, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    return make_run(make_dataset(candidates=(3,)))


@pytest.fixture
def row(run):
    """Makes a row of the run about candidates by their keys; answered with 0.5 by default."""
    ids = {candidate.key: candidate.pk for candidate in Candidate.objects.filter(context__dataset=run.dataset)}
    context = run.dataset.contexts.get().pk

    def make(first, second, outcome="answered", p_first=0.5, **values):
        return ComparisonRow(run.pk, context, ids[first], ids[second], outcome, p_first, **values)

    return make


def test_rows_are_stored_as_given_and_in_their_order(run, row):
    texts = 'tab\t, line\n, return\r, back\\slash, \\N, "quoted", %s, Grüße 🙂'
    rows = [
        row("b", "a", p_first=0.1 + 0.2, raw_first=-math.inf, raw_second=-1e-300, text=texts),
        row("a", "b", p_first=None, choice="tie"),
        row("c", "a", "error", None, error="line one\nline two"),
    ]

    insert(Comparison, rows)

    assert list(run.comparisons.order_by("pk").values_list(*ComparisonRow._fields)) == rows
    assert all(run.comparisons.values_list("created_at", flat=True))


def test_scores_are_stored_as_given(run, row):
    one = row("a", "b")
    rows = [
        ScoreAnswerRow(run.pk, one.context, one.first, "answered", 4.25, text="4"),
        ScoreAnswerRow(run.pk, one.context, one.second, "unparsed"),
    ]

    insert(Score, rows)

    assert list(run.scores.order_by("pk").values_list(*ScoreAnswerRow._fields)) == rows


def test_inserting_no_rows_does_nothing():
    insert(Comparison, [])

    assert not Comparison.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "constraint"),
    [({"p_first": 1.5}, "p_first_is_a_probability|CHECK"), ({"p_first": None}, "answer_or_none|CHECK")],
)
@pytest.mark.parametrize("skip_known", [False, True])
def test_rows_that_break_a_constraint_are_refused_and_none_is_stored(row, wrong, constraint, skip_known):
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        insert(Comparison, [row("a", "b"), row("a", "c", **wrong)], skip_known=skip_known)

    assert not Comparison.objects.exists()


def test_stored_pair_is_refused_and_nothing_is_stored(run, row):
    insert(Comparison, [row("a", "b", p_first=0.25)])

    with pytest.raises(IntegrityError, match=r"comparison_once_per_run|UNIQUE"), transaction.atomic():
        insert(Comparison, [row("a", "c"), row("a", "b")])

    assert list(run.comparisons.values_list("p_first", flat=True)) == [0.25]


def test_stored_pair_stays_with_skip_known(run, row):
    insert(Comparison, [row("a", "b", p_first=0.25)])
    rows = [row("a", "c"), row("a", "b"), row("b", "a")]

    assert insert(Comparison, rows, skip_known=True) is True
    assert insert(Comparison, rows, skip_known=True) is False

    stored = run.comparisons.order_by("pk").values_list("first__key", "second__key", "p_first")
    assert list(stored) == [("a", "b", 0.25), ("a", "c", 0.5), ("b", "a", 0.5)]


@pytest.mark.parametrize("skip_known", [False, True])
def test_rows_about_a_candidate_of_another_context_or_of_none_are_refused(run, row, skip_known):
    other = Candidate.objects.get(context__dataset=make_dataset("Other", candidates=(1,)))
    gone = row("a", "b")._replace(second=other.pk + 1)

    for wrong in (row("a", "b")._replace(first=other.pk), gone):
        message = rf"there is no candidate \d+ of context {wrong.context}"
        with pytest.raises(IntegrityError, match=message), transaction.atomic():
            insert(Comparison, [row("b", "c"), wrong], skip_known=skip_known)

    assert not Comparison.objects.exists()


def test_scores_of_a_candidate_of_another_context_are_refused(run, row):
    context = make_dataset("Other", candidates=(1,)).contexts.get()

    with pytest.raises(IntegrityError, match=f"there is no candidate {row('a', 'b').first} of context {context.pk}"):
        insert(Score, [ScoreAnswerRow(run.pk, context.pk, row("a", "b").first, "answered", 1.0)])


@transaction.atomic
def insert_and_check_keys(rows):
    insert(Comparison, rows)
    connection.check_constraints()


def test_rows_of_an_unknown_run_are_refused(run, row):
    gone = row("a", "b")._replace(run=run.pk + 1)

    with pytest.raises(IntegrityError):
        insert_and_check_keys([row("a", "b"), gone])

    assert not Comparison.objects.exists()


@transaction.atomic
def delete_by_hand(one):
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {one._meta.db_table} WHERE id = %s", [one.pk])
    connection.check_constraints()


@pytest.mark.parametrize("parent", ["run", "context", "first", "second"])
def test_comparison_protects_its_parents_from_deletion(run, row, parent):
    insert(Comparison, [row("a", "b")])
    run.chunks.all().delete()

    with pytest.raises(IntegrityError):
        delete_by_hand(getattr(run.comparisons.get(), parent))

    assert run.comparisons.count() == 1


@pytest.mark.parametrize("parent", ["run", "context", "candidate"])
def test_score_protects_its_parents_from_deletion(run, row, parent):
    one = row("a", "b")
    insert(Score, [ScoreAnswerRow(run.pk, one.context, one.first, "answered", 1.0)])
    run.chunks.all().delete()

    with pytest.raises(IntegrityError):
        delete_by_hand(getattr(run.scores.get(), parent))

    assert run.scores.count() == 1


def test_deleting_a_run_deletes_its_answers(run, row):
    insert(Comparison, [row("a", "b")])

    run.delete()

    connection.check_constraints()
    assert not Comparison.objects.exists()


@transaction.atomic
def insert_while_the_run_is_deleted(rows, run):
    insert(Comparison, rows)
    with closing(connection.copy()) as other:
        other.cursor().execute("DELETE FROM judging_run WHERE id = %s", [run.pk])


@pytest.mark.postgres
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="DATABASE_URL names no PostgreSQL")
@pytest.mark.django_db(transaction=True)
def test_rows_are_refused_when_their_run_is_deleted_while_they_are_written(run, row):
    run.chunks.all().delete()

    with pytest.raises(IntegrityError, match="judging_run"):
        insert_while_the_run_is_deleted([row("a", "b")], run)

    assert not Comparison.objects.exists()
