"""The workers by page and API: whether anything waits that nobody works on, and what each worker does."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from evenhand.report_json import as_json
from judging import tasks
from judging.models import AnswerCount, Chunk, Run, Worker
from judging.services.execution import worker_reports
from judging.services.judges.package_installation import Installation, write_installation
from judging.web.watching.workers import workers_report
from tests.factories import make_dataset, make_judge, make_run, make_user

pytestmark = pytest.mark.django_db

CARD = {"number": 1, "used": 3 * 2**30, "total": 80 * 2**30, "celsius": 41}


@pytest.fixture(autouse=True)
def _data_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


def queued(name="Study", *, judge=None, owner=None, minutes=12):
    """A run that was given to the workers some minutes ago."""
    run = make_run(make_dataset(name, candidates=(11, 11)), judge=judge, owner=owner)
    Run.objects.filter(pk=run.pk).update(queued_at=timezone.now() - timedelta(minutes=minutes))
    return run


def living(name="here:1", **fields):
    now = timezone.now()
    return Worker.objects.create(
        **{"name": name, "queues": "default", "memory": 2**30, "own_clock": now, "seen_at": now} | fields
    )


def claimed(run):
    chunk = run.chunks.first()
    Chunk.objects.claim(chunk.pk, duration=timedelta(seconds=30))
    return chunk


def test_run_of_a_queue_without_a_worker_is_stuck():
    living(queues="default")
    run = queued(judge=make_judge("large", device="cuda"))

    report = workers_report()

    assert (report.is_stuck, report.answer) == (True, "Yes: 1 run. No worker took it for 12 minutes.")
    [waiting] = report.waiting
    assert (waiting.run, waiting.queue, waiting.chunks) == (run.pk, "gpu", 2)
    assert waiting.reason == "No worker serves the queue gpu. Start one: evenhand worker --queues gpu"
    assert [(one.queue, one.chunks, one.workers) for one in report.queues] == [("default", 0, 1), ("gpu", 2, 0)]


def test_run_that_an_idle_worker_does_not_take_is_stuck_after_a_minute_only():
    living()
    old, new = queued("Old", minutes=2), queued("New", minutes=0)

    report = workers_report()

    assert [(one.run, one.is_stuck) for one in report.waiting] == [(old.pk, True), (new.pk, False)]


def test_run_behind_others_is_not_stuck_and_stands_after_stuck_ones():
    worked, behind = queued("Worked"), queued("Behind", minutes=30)
    living(chunks=[claimed(worked).pk])
    stuck = queued("Stuck", judge=make_judge("large", device="cuda"), minutes=5)

    report = workers_report()

    assert [(one.run, one.is_stuck) for one in report.waiting] == [(stuck.pk, True), (behind.pk, False)]
    assert report.waiting[1].reason == "All workers are busy. It comes next."


def test_worker_that_serves_both_queues_and_works_on_one_keeps_the_other_waiting():
    worked = queued("Worked")
    living(queues="default,gpu", chunks=[claimed(worked).pk])
    queued("Behind", judge=make_judge("large", device="cuda"))

    assert workers_report().answer == "No. 1 run will come after others."


def test_run_that_waits_for_packages_is_not_stuck(tmp_path):
    queued()
    living()
    write_installation(tmp_path, Installation(1, 2, "torch", worker_reports.os.getpid()))

    assert [(one.is_stuck, one.reason) for one in workers_report().waiting] == [
        (False, "Local models are being installed.")
    ]


def test_a_worker_is_shown_with_what_it_does_holds_and_how_its_card_is():
    worked = queued("Worked")
    living(chunks=[claimed(worked).pk, 10**6], model=worked.judge.model, per_second=3.5, gpus=[CARD])
    living("gone:1", seen_at=timezone.now() - timedelta(minutes=3))

    [worker] = workers_report().workers

    assert (worker.name, worker.runs, worker.others, worker.per_second) == ("here:1", [worked.pk], 0, 3.5)
    assert worker.judges == [worked.judge.name]
    assert [card.celsius for card in worker.gpus] == [41]
    assert worker.seen < 60


def test_page_and_api_say_the_same_and_name_no_hidden_run(client):
    rita, sam = make_user("rita", "researcher"), make_user("sam", "researcher")
    own = queued("Own", owner=rita, judge=make_judge("large", device="cuda"))
    hidden = queued("Hidden", owner=sam)
    living(chunks=[claimed(hidden).pk], gpus=[CARD])
    client.force_login(rita)

    page = client.get(reverse("worker-list")).text
    api = client.get(reverse("api-workers")).json()
    everything = as_json(workers_report())

    assert [one["run"] for one in api["waiting"]] == [own.pk]
    assert [(one["runs"], one["others"]) for one in api["workers"]] == [([], 1)]
    assert [(one["runs"], one["others"]) for one in everything["workers"]] == [([hidden.pk], 0)]
    assert api["answer"] == everything["answer"] == "Yes: 1 run. No worker took it for 12 minutes."
    assert api["answer"] in page
    assert "GPU 1: 3.0\xa0GB of 80.0\xa0GB, 41 °C" in page
    assert "1 run of others" in page
    assert "Hidden" not in page


def test_page_needs_the_same_queries_for_any_number_of_runs_and_workers(
    django_assert_num_queries, django_assert_max_num_queries
):
    admin = make_user("admin", "admin")
    assert admin.is_admin  # asks once

    def fill(numbers):
        for number in numbers:
            living(f"here:{number}", chunks=[claimed(queued(f"Worked {number}")).pk])
            queued(f"Waiting {number}")

    fill([1])
    with django_assert_max_num_queries(12) as one:
        workers_report(admin)
    fill([2, 3])
    with django_assert_num_queries(len(one)):
        workers_report(admin)


def test_rate_is_of_the_latest_reports(monkeypatch):
    clock = iter([0.0, 15.0, 30.0])
    monkeypatch.setattr(worker_reports.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(worker_reports, "STORED_ANSWERS", type(worker_reports.STORED_ANSWERS)())
    worker_reports._totals.clear()

    rates = []
    for answers in (0, 30, 60):
        worker_reports.count_answers(["answered"] * answers)
        worker_reports.report_worker("default", "m")
        rates.append(Worker.objects.get().per_second)

    assert rates == [0.0, 2.0, 3.0]


def test_second_worker_with_the_same_name_is_named_and_reports_too(caplog):
    for queues in ("default", "default"):
        worker_reports.report_worker(queues)
    assert caplog.messages == []
    Worker.objects.update(own_clock=timezone.now(), queues="gpu")  # the report of another process

    worker_reports.report_worker("default")

    [said] = caplog.messages
    assert said == f"another worker is called {worker_reports.own_name()} too; give its machine a host name of its own"
    assert Worker.objects.get().queues == "default"


def test_worker_that_ends_is_forgotten_at_once_but_not_its_answers():
    worker_reports.report_worker("default")
    living("another:1")
    AnswerCount.objects.all().delete()
    worker_reports.count_answers(["refusal", "refusal"])

    tasks.forget_this_worker()

    assert [one.name for one in Worker.objects.all()] == ["another:1"]
    assert dict(AnswerCount.objects.values_list("kind", "number")) == {"refusal": 2}
