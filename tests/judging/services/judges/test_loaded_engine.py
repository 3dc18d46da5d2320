"""The engine that a process keeps loaded."""

from dataclasses import replace
from threading import Event

from evenhand.engine import EngineSettings
from judging.services.judges.loaded_engine import EngineHolder
from tests.evenhand.engine.fake_engine import FakeEngine

SETTINGS = EngineSettings("transformers", "a")


class Closing(FakeEngine):
    """Records that it was closed."""

    def __init__(self, settings):
        super().__init__()
        self.settings = settings
        self.closed = Event()

    def close(self):
        self.closed.set()


def test_holder_loads_a_judge_once():
    holder = EngineHolder(Closing)

    with holder.working():
        first = holder.load(SETTINGS)
    with holder.working():
        second = holder.load(replace(SETTINGS))

    assert first is second


def test_holder_lets_go_of_one_judge_before_it_loads_another():
    holder = EngineHolder(Closing)
    one = holder.load(SETTINGS)

    other = holder.load(replace(SETTINGS, model="b"))

    assert (one.closed.is_set(), other.closed.is_set()) == (True, False)


def test_holder_lets_go_of_an_idle_judge_and_loads_it_again_when_it_is_wanted():
    holder = EngineHolder(Closing, idle_seconds=0.001)
    with holder.working():
        engine = holder.load(SETTINGS)

    assert engine.closed.wait(timeout=60)
    with holder.working():
        again = holder.load(SETTINGS)
        assert again is not engine
        assert not again.closed.is_set()


def test_an_alarm_set_before_the_last_work_closes_nothing():
    holder = EngineHolder(Closing, idle_seconds=60)
    with holder.working():
        engine = holder.load(SETTINGS)
    late = holder._alarm
    with holder.working():
        pass

    late.function(*late.args)

    assert not engine.closed.is_set()
    holder.close()


def test_an_alarm_that_rings_before_the_work_has_quite_ended_waits_for_its_end():
    holder = EngineHolder(Closing, idle_seconds=0)
    with holder.working():
        engine = holder.load(SETTINGS)
        holder._set_alarm()
        holder._alarm.join(timeout=0.01)

        assert not engine.closed.is_set()

    assert engine.closed.wait(timeout=60)


def test_holder_without_an_idle_time_keeps_its_judge():
    holder = EngineHolder(Closing)
    with holder.working():
        holder.load(SETTINGS)

    assert holder._alarm is None


def test_every_judge_multiplies_by_the_library_that_was_set():
    holder = EngineHolder(Closing, products="torch")

    assert holder.load(SETTINGS).settings == replace(SETTINGS, products="torch")
    assert holder.load(SETTINGS) is holder.load(SETTINGS)
