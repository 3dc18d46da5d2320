"""Figures for Prometheus: who may read them, what they count, and that several web processes count together."""

import os
import subprocess
import sys
from contextlib import contextmanager

import pytest
from django.core.management import call_command
from prometheus_client.parser import text_string_to_metric_families

from judging.management.server_processes import web_server
from judging.models import AnswerCount, Chunk, Comparison, Worker
from judging.services.execution import worker_reports
from judging.services.execution.chunk_execution import execute_chunk
from judging.web.watching.metrics import prometheus_text
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, reply, status
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_judge, make_run
from tests.judging.workers import database_url, wait_until
from tests.servers import free_port, page_at

TOKEN = "a long word that nobody guesses"
REPLY = reply("A", [("A", {"A": -0.2, "B": -1.7})])
ASKED = {"Authorization": f"Bearer {TOKEN}"}


def figures(content):
    """Return the name and labels of each sample -> value."""
    families = text_string_to_metric_families(content.decode())
    return {
        (one.name, *sorted(f"{name}={value}" for name, value in one.labels.items())): one.value
        for family in families
        for one in family.samples
    }


def answers_in(response):
    """Return the kind of stored answers -> how many."""
    return {key[1]: n for key, n in figures(response.content).items() if key[0] == "evenhand_answers_total"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("setting", "headers", "status"),
    [
        ("", ASKED, 404),
        (TOKEN, {}, 401),
        (TOKEN, {"Authorization": "Bearer another"}, 401),
        (TOKEN, {"Authorization": TOKEN}, 401),
        (TOKEN, {"Authorization": "Bearer ünknown"}, 401),
        (TOKEN, ASKED, 200),
    ],
)
def test_figures_need_the_token_and_exist_only_with_one(client, settings, setting, headers, status):
    settings.METRICS_TOKEN = setting

    answer = client.get("/metrics", headers=headers)

    assert (answer.status_code, b"evenhand_ready" in answer.content) == (status, status == 200)
    assert answer.headers.get("WWW-Authenticate") == ("Bearer" if status == 401 else None)


@pytest.mark.django_db
def test_requests_are_counted_by_view_and_not_by_invented_addresses(client, settings):
    settings.METRICS_TOKEN = TOKEN
    settings.MIDDLEWARE = ["judging.web.watching.metrics.measure_requests", *settings.MIDDLEWARE]
    before = figures(prometheus_text())
    for address in ("/livez", "/livez", "/datasets/1/", "/nowhere/1", "/nowhere/2"):
        client.get(address)

    after = figures(client.get("/metrics", headers=ASKED).content)

    grown = {key: value - before.get(key, 0) for key, value in after.items() if "requests_total" in key[0]}
    assert {key: number for key, number in grown.items() if number} == {
        ("evenhand_requests_total", "status=200", "view=livez"): 2,
        ("evenhand_requests_total", "status=302", "view=dataset"): 1,
        ("evenhand_requests_total", "status=404", "view=other"): 2,
    }
    count = ("evenhand_request_seconds_count", "view=livez")
    assert after[count] - before.get(count, 0) == 2
    assert after[("evenhand_web_memory_bytes",)] > 10**7


@pytest.mark.django_db
def test_rows_give_queues_and_runs_and_workers_their_memory():
    Worker.objects.all().delete()
    dataset = make_dataset()
    done, waiting = make_run(dataset), make_run(dataset, judge=make_judge("large", device="cuda"))
    execute_chunk(done.chunks.get().pk, load=lambda _: FakeEngine())
    worker_reports.report_worker("default")
    worker = Worker.objects.get()
    Worker.objects.update(gpus=[{"number": 1, "used": 3, "total": 8, "celsius": 41}])

    found = figures(prometheus_text())

    name = f"worker={worker.name}"
    assert found[("evenhand_runs", "status=done")] == found[("evenhand_runs", "status=pending")] == 1
    assert found[("evenhand_waiting_chunks", "queue=gpu")] == waiting.chunks.count() == 1
    assert found[("evenhand_waiting_chunks", "queue=default")] == 0
    assert found[("evenhand_worker_memory_bytes", name)] == worker.memory
    assert found[("evenhand_gpu_bytes", "gpu=1", "which=total", name)] == 8
    assert found[("evenhand_gpu_celsius", "gpu=1", name)] == 41
    assert found[("evenhand_ready", "part=worker")] == 1
    assert Chunk.objects.unfinished().count() == 1


@pytest.mark.django_db
def test_answers_count_by_kind_whether_a_worker_or_a_command_judges(client, settings):
    settings.METRICS_TOKEN = TOKEN
    worker_reports.report_answers()  # those of earlier tests
    AnswerCount.objects.all().delete()
    execute_chunk(make_run(make_dataset()).chunks.get().pk, load=lambda _: FakeEngine())
    worker_reports.report_worker("default")
    assert answers_in(client.get("/metrics", headers=ASKED)) == {"kind=answered": 12}
    with ServedEndpoint(lambda body: REPLY if len(endpoint.asked) != 5 else status(400)) as endpoint:
        make_judge("refusing", backend="openai", base_url=endpoint.url)
        call_command("judge", "--dataset", "Summaries", "--judge", "refusing")

    assert answers_in(client.get("/metrics", headers=ASKED)) == {"kind=answered": 23, "kind=error": 1}
    assert Comparison.objects.count() == 24


@contextmanager
def served(settings, tmp_path):
    """Serve with two processes on the database of the test; yields the address."""
    settings.METRICS_TOKEN, settings.DATA_DIR, port = TOKEN, tmp_path, free_port()
    server = web_server("127.0.0.1", port, processes=2, threads=2)
    own = {"DATABASE_URL": database_url(), "METRICS_TOKEN": TOKEN, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    process = subprocess.Popen([sys.executable, *server.arguments], env={**server.environment, **os.environ, **own})
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_each_of_several_processes_answers_for_all(settings, tmp_path):
    with served(settings, tmp_path) as address:
        wait_until(lambda: page_at(f"{address}/livez"), what="a page is served")
        refused = []

        def both_have_answered():
            refused.append(page_at(f"{address}/metrics"))  # a new connection, which may reach the other process
            return len(list((tmp_path / "metrics").rglob("counter_*.db"))) == 2

        wait_until(both_have_answered, what="both processes have answered")
        shown = [figures(page_at(f"{address}/metrics", **ASKED).content) for _ in range(10)]
        seen = {one[("evenhand_requests_total", "status=401", "view=metrics")] for one in shown}

    assert seen == {len(refused)}
