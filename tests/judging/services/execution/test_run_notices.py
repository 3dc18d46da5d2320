"""A webhook hears once that a run is done or failed; one that does not answer stops nothing."""

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from django.core.cache import cache
from django.core.management import call_command

from judging import tasks
from judging.models import Run
from judging.services.runs.run_lifecycle import tell_of_end
from tests.factories import make_dataset, make_judge, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_told():
    cache.clear()


@contextmanager
def listener(status=200):
    """A server that keeps what is posted. Yields its address and the posts."""
    posts = []

    class Kept(BaseHTTPRequestHandler):
        def do_POST(self):
            posts.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Kept) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/secret", posts
        server.shutdown()
        thread.join()


def test_end_of_a_run_is_posted_once(settings, judge, tmp_path):
    done, failed = make_run(judge=judge), make_run(make_dataset("Other"), judge=make_judge("b", model=str(tmp_path)))
    make_run(make_dataset("Third"), judge=judge)

    with listener() as (settings.RUN_WEBHOOK, posts):
        for run in (done, done, failed, failed):
            tasks.judge_chunk(run.chunks.get().pk)

    failed.refresh_from_db()
    assert failed.error
    assert posts == [
        {"run": done.pk, "status": "done", "error": "", "dataset": "Summaries", "judge": judge.name},
        {"run": failed.pk, "status": "failed", "error": failed.error, "dataset": "Other", "judge": "b"},
    ]


def test_end_by_a_command_and_after_the_death_of_a_worker_is_posted(settings, judge):
    dead = make_run(make_dataset("Other"))
    dead.chunks.update(status="done")
    make_dataset()

    with listener() as (settings.RUN_WEBHOOK, posts):
        call_command("judge", "--dataset", "Summaries", "--judge", judge.name)
        tasks.sweep()

    assert [(one["dataset"], one["status"]) for one in posts] == [("Summaries", "done"), ("Other", "done")]


def test_run_that_goes_on_is_not_posted():
    with listener() as (webhook, posts):
        tell_of_end(webhook, pk=make_run().pk)

    assert posts == []


@pytest.mark.parametrize("webhook", ["broken", "refused", "closed"])
def test_webhook_that_fails_is_logged_without_its_address(caplog, webhook):
    run = make_run()
    Run.objects.filter(pk=run.pk).update(status="done")

    with listener(status=500) as (address, _):
        tell_of_end({"broken": "secret", "refused": address}.get(webhook, "http://127.0.0.1:1/secret"), pk=run.pk)

    assert [one.message.split(": ")[0] for one in caplog.records] == [
        f"RUN_WEBHOOK did not take that run {run.pk} is done"
    ]
    assert "secret" not in caplog.text
