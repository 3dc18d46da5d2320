"""A worker prefers the model that it holds, and no run and no judge waits for that without end."""

from datetime import timedelta

import pytest

from judging import tasks
from judging.models import Chunk, Run
from judging.services.judges.loaded_engine import EngineHolder
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_judge, make_run
from tests.judging.workers import empty_queues

pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("worker")]


THIRD = 3
"""The first two messages are of the first run, the third of the second."""


@pytest.fixture
def loads(monkeypatch):
    """The models that the worker of this process loads, in order."""
    loaded = []

    def load(settings):
        loaded.append(settings.model)
        return FakeEngine()

    monkeypatch.setattr(tasks, "holder", EngineHolder(load))
    monkeypatch.setattr(tasks, "model_turn", tasks.ModelTurn())
    empty_queues()
    return loaded


def sent_run(model, *, begun=True):
    run = make_run(make_dataset(f"For {model}", candidates=(11,) * 3), judge=make_judge(model, model=model))
    tasks.send_run(run.pk)
    if begun:
        Run.objects.begin(run.pk)
    return run


def work(messages=None):
    """Do what the messages of the queue ask, in order: all of them, or so many."""
    with tasks.app.connection_for_read() as broker:
        while messages != 0 and (message := broker.default_channel.basic_get(tasks.DEFAULT, no_ack=True)):
            tasks.judge_chunk(message.decode()[0][0])
            messages = messages and messages - 1


def statuses():
    return set(Run.objects.values_list("status", flat=True))


def test_two_runs_of_two_judges_load_each_judge_once(loads):
    sent_run("one")
    sent_run("two")

    work()

    assert (loads, statuses()) == (["one", "two"], {"done"})


def test_a_judge_that_waited_for_a_turn_goes_first(loads, monkeypatch):
    monkeypatch.setattr(tasks, "MODEL_TURN_SECONDS", 0.0)
    sent_run("one")
    sent_run("two")

    work(THIRD)

    assert loads == ["one", "two"]


def test_a_run_that_has_not_begun_goes_first(loads):
    sent_run("one")
    sent_run("two", begun=False)

    work(THIRD)

    assert loads == ["one", "two"]


def test_a_judge_that_another_worker_serves_waits_after_the_turn_too(loads, monkeypatch):
    monkeypatch.setattr(tasks, "MODEL_TURN_SECONDS", 0.0)
    sent_run("one")
    other = sent_run("two")
    Chunk.objects.claim(other.chunks.last().pk, duration=timedelta(minutes=1))

    work(THIRD)

    assert loads == ["one"]
    assert other.comparisons.count() == 0
