"""The commands about existing runs: runs, cancel, resume."""

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from judging.models import Chunk, Run
from judging.services.runs.run_lifecycle import cancel
from tests.commands import printed_json, refused
from tests.factories import make_dataset, make_judge, make_run


@pytest.mark.django_db
def test_runs_lists_the_latest_first_and_filters_by_dataset(capsys):
    make_run(make_dataset("One"))
    make_run(make_dataset("Two"))

    assert [row["dataset"] for row in printed_json(capsys, "runs")["runs"]] == ["Two", "One"]
    (row,) = printed_json(capsys, "runs", "--dataset", "One")["runs"]
    assert (row["status"], row["planned"], row["comparisons"]) == ("pending", 12, 0)


@pytest.mark.django_db
def test_cancel_stops_a_run(capsys):
    run = make_run()

    call_command("cancel", str(run.pk))

    run.refresh_from_db()
    assert run.status == "cancelled"
    assert capsys.readouterr().out == f"run {run.pk} is cancelled\n"


@pytest.mark.django_db
def test_resume_completes_a_cancelled_run_in_this_process(capsys, judge):
    run = make_run(judge=judge)
    cancel(run)

    (row,) = printed_json(capsys, "resume", str(run.pk))["runs"]

    assert (row["comparisons"], row["reused"]) == (12, 0)
    run.refresh_from_db()
    assert run.status == "done"


@pytest.mark.django_db
def test_resume_and_cancel_change_only_the_named_run(capsys, judge):
    dataset = make_dataset(candidates=(2,))
    prompts = ("comparative-2", "comparative-1", "comparative-2")
    older, abandoned, newer = (make_run(dataset, judge=judge, prompt=prompt) for prompt in prompts)
    Run.objects.begin(abandoned.pk)
    Chunk.objects.claim(newer.chunks.get().pk, duration=timedelta(seconds=30))

    printed_json(capsys, "resume", str(abandoned.pk))
    call_command("cancel", str(older.pk))

    assert list(Run.objects.order_by("pk").values_list("status", flat=True)) == ["cancelled", "done", "pending"]
    assert [run.comparisons.count() for run in (older, abandoned, newer)] == [0, 2, 0]


@pytest.mark.django_db
def test_resume_prints_why_a_run_failed(tmp_path):
    run = make_run(judge=make_judge(model=str(tmp_path)))
    cancel(run)

    with pytest.raises(CommandError, match=rf"run {run.pk} failed: .*\n.*continue with: evenhand resume {run.pk}"):
        call_command("resume", str(run.pk))


@pytest.mark.django_db
@pytest.mark.parametrize("command", ["cancel", "resume"])
def test_cancel_and_resume_refuse_an_unknown_run(capsys, command):
    assert refused(capsys, command, "77") == ["run: there is no run 77; the command runs lists them"]
