"""The headline of a run: partial while it goes on, empty without answers."""

import pytest
from django.urls import reverse

from judging.models import Run
from tests.factories import answer_run, make_dataset, make_run
from tests.rankings.report.views.scored_runs import read, scored_run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports", "researcher")]


def test_headline_of_a_run_that_goes_on_is_partial_and_asks_again(client, researcher):
    run = answer_run(make_run(make_dataset(candidates=(3,)), owner=researcher))
    Run.objects.filter(pk=run.pk).update(status=Run.Status.RUNNING, planned=12)

    part = client.get(reverse("run-headline", args=[run.pk])).content.decode()

    assert "partial" in part
    assert "6 of 12 answered; figures so far" in part
    assert 'hx-trigger="every 5s, run-ended from:body"' in part
    assert "P(first)" in part


def test_headline_of_a_finished_run_does_not_ask_again(client, researcher):
    run = answer_run(make_run(make_dataset(candidates=(3,)), owner=researcher))
    answer_run(make_run(run.dataset, owner=researcher, prompt="pairwise-1"), p_first=0.1)

    part = client.get(reverse("run-headline", args=[run.pk])).content.decode()

    assert "partial" not in part
    assert "hx-trigger" not in part
    assert "100.0" in part


def test_headline_of_a_run_without_answers_is_empty(client, researcher):
    run = make_run(make_dataset(), owner=researcher)

    assert "<dl" not in client.get(reverse("run-headline", args=[run.pk])).content.decode()


def test_results_of_a_run_without_an_answer_say_so_and_not_that_people_are_missing(client, researcher):
    waiting = make_run(scored_run(researcher).dataset, owner=researcher)

    page = read(client, "run-results", waiting.pk)

    assert "The run has no answer yet." in page
    assert "these pairs have no human preference" not in page
