"""`resume --errors`: ask again the comparisons with an error, in this process."""

import json

import pytest
from django.core.management import CommandError, call_command

from judging.models import Run
from tests.factories import make_dataset, make_judge
from tests.judging.workers import assert_each_pair_answered_once


@pytest.fixture
def run(tiny_model):
    """A run that is done. One of its two comparisons is an error."""
    make_dataset(candidates=(2,))
    make_judge(model=str(tiny_model))
    call_command("judge", "--dataset", "Summaries", "--judge", "tiny")
    run = Run.objects.get()
    run.comparisons.filter(pk=run.comparisons.first().pk).update(outcome="error", p_first=None, error="too long")
    return run


def resumed(capsys, run, *options):
    capsys.readouterr()
    call_command("resume", str(run.pk), "--json", *options)
    return json.loads(capsys.readouterr().out)["runs"]


@pytest.mark.django_db
def test_resume_asks_errors_again(capsys, run):
    (unchanged,) = resumed(capsys, run)
    (again,) = resumed(capsys, run, "--errors")

    assert [(row["comparisons"], row["errors"], row["reused"]) for row in (unchanged, again)] == [(1, 1, 2), (2, 0, 1)]
    assert_each_pair_answered_once(run)


@pytest.mark.django_db
def test_resume_prints_the_first_error_and_how_to_ask_again(capsys, run):
    capsys.readouterr()

    call_command("resume", str(run.pk))

    assert capsys.readouterr().err.splitlines()[-2:] == [
        f"run {run.pk}: first of 1 errors: too long",
        f"Correct the cause, then ask again with: evenhand resume {run.pk} --errors",
    ]


@pytest.mark.django_db
def test_resume_keeps_errors_if_this_process_would_answer_differently(run):
    Run.objects.filter(pk=run.pk).update(environment=run.environment | {"torch": "1.0"})

    with pytest.raises(CommandError, match="this process may give other answers than the one that began the run"):
        call_command("resume", str(run.pk), "--errors")

    run.refresh_from_db()
    assert (run.status, run.comparisons.filter(outcome="error").count()) == ("done", 1)
