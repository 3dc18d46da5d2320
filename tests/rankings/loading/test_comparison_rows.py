"""Rows of comparisons stay in memory between pages, and follow every change."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judging.models import Comparison
from rankings.loading.run_answers import comparison_rows
from rankings.report_cache import forget_figures
from tests.factories import note_answers
from tests.rankings.studies import answers, compared, make_dataset, one_context

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    return compared(make_dataset(one_context(3, 2, 1)), answers("a b 0.75", "b a 0.5", "a c 0.75"))


def report(client, run):
    """The first row of the report, computed anew, and whether comparisons were read from the database."""
    forget_figures()
    with CaptureQueriesContext(connection) as captured:
        rows = client.get(f"/api/datasets/{run.dataset_id}/report/").json()["rows"]
    return rows[0], any('"judging_comparison"."second_id"' in query["sql"] for query in captured)


def states_read(captured):
    return sum('AS "answer_changes"' in query["sql"] for query in captured)


def test_second_page_computes_from_the_rows_of_the_first(client, researcher, run):
    first, was_read = report(client, run)
    second, was_read_again = report(client, run)

    assert (was_read, was_read_again) == (True, False)
    assert first == second
    assert first["comparisons"] == 3


def test_page_after_another_answer_reads_the_rows_again(client, researcher, run):
    report(client, run)
    c, a = (run.dataset.contexts.get().candidates.get(key=key) for key in "ca")
    Comparison.objects.create(run=run, context=c.context, first=c, second=a, outcome="answered", p_first=0.25)
    note_answers(run)

    row, was_read = report(client, run)

    assert was_read
    assert row["comparisons"] == 4


def test_rows_are_read_only_and_read_anew_outside_of_pages(run):
    with CaptureQueriesContext(connection) as captured:
        one, other = comparison_rows(run), comparison_rows(run)

    assert sum('"choice"' in query["sql"] for query in captured) == 2
    assert one["answer"].tolist() == other["answer"].tolist() == [0.75, 0.5, 0.75]
    with pytest.raises(ValueError, match="read-only"):
        one["answer"][0] = 1.0


@pytest.mark.usefixtures("forget_reports")
def test_a_page_reads_the_state_of_its_runs_once(client, researcher, run):
    with CaptureQueriesContext(connection) as captured:
        client.get(f"/runs/{run.pk}/diagnostics/")

    assert states_read(captured) == 1
