"""Sizes of slices, and the questions that the engine gets ahead."""

import pytest

from evenhand.engine import Batch
from judging.models import Run
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.judges.loaded_engine import Pace
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_run

pytestmark = pytest.mark.django_db


def judge_first_chunk(run, engine, **options):
    execute_chunk(run.chunks.first().pk, load=lambda settings: engine, **options)
    run.refresh_from_db()


class SizesOfSlices(FakeEngine):
    def __init__(self):
        super().__init__()
        self.sizes = []
        self.expected = []

    def expect(self, upcoming):
        self.expected.append(upcoming())

    def p_first(self, questions) -> Batch:
        self.sizes.append(len(questions))
        return super().p_first(questions)


def test_slices_start_small_and_grow_and_the_engine_gets_the_questions_of_the_next_one():
    run = make_run(make_dataset(candidates=(11,)))
    engine = SizesOfSlices()

    judge_first_chunk(run, engine)

    assert engine.sizes == [8, 32, 70]
    assert engine.expected == [engine.asked[8:16], engine.asked[40:70], []]


def test_engine_gets_the_first_questions_of_the_next_chunk():
    run = make_run(make_dataset(candidates=(11, 11, 11)))
    engine = SizesOfSlices()
    pace = Pace()
    pace.size = 120

    for chunk in run.chunks.all():
        execute_chunk(chunk.pk, load=lambda settings: engine, pace=pace)

    assert [len(questions) for questions in engine.expected] == [110, 110, 0]
    assert engine.expected[0] + engine.expected[1] == engine.asked[110:]


def test_engine_gets_no_questions_of_a_next_chunk_with_reasoning():
    run = make_run(make_dataset(candidates=(11, 11)), prompt="prepair-1")
    engine = SizesOfSlices()

    judge_first_chunk(run, engine)

    assert engine.expected[-1] == []


def test_slice_ends_where_the_first_candidate_changes():
    run = make_run(make_dataset(candidates=(6,)))
    engine = SizesOfSlices()

    judge_first_chunk(run, engine)

    assert engine.sizes == [5, 25]


def test_pace_follows_the_measured_speed_and_grows_at_most_fourfold():
    pace = Pace()

    pace.record(8, seconds=16.0)
    assert pace.size == 1

    pace.record(1, seconds=0.001)
    assert pace.size == 4

    pace.record(4, seconds=1.0)
    assert pace.size == 8


def test_pace_does_not_shrink_if_smaller_slices_took_as_long():
    pace = Pace()

    pace.record(8, seconds=4.0)
    assert pace.size == 4

    pace.record(4, seconds=4.0)
    assert pace.size == 8

    pace.record(8, seconds=4.0)
    assert pace.size == 8


def test_pace_ignores_the_last_small_slice():
    pace = Pace()

    pace.record(8, seconds=2.0)
    pace.record(1, seconds=2.0)

    assert pace.size == 1


def test_pace_aims_at_its_seconds():
    pace = Pace(first=16, seconds=20.0)

    pace.record(16, seconds=10.0)

    assert pace.size == 32


def test_judging_a_slice_takes_the_same_queries_whatever_its_size(django_assert_max_num_queries):
    run = make_run(make_dataset(candidates=(11,)))
    pace = Pace()
    pace.size = 1000

    with django_assert_max_num_queries(29):
        judge_first_chunk(run, FakeEngine(), pace=pace)

    assert Run.objects.get(pk=run.pk).comparisons.count() == 110
