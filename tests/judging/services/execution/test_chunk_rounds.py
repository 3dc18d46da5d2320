"""Adaptive runs: each round is stored before it is asked."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from evenhand.engine import Answer
from judging.models import Chunk, Exclusion, Reasoning
from judging.services.execution.chunk_rounds import draw_next_round
from judging.services.execution.claimed_chunk import LeaseLost
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.runs.run_lifecycle import cancel, create_or_continue, resume
from judging.services.runs.run_request import RunRequest
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import answer_run, make_dataset, make_run
from tests.judged_runs import judge_all

pytestmark = pytest.mark.django_db

ADAPTIVE = SelectionSettings("bt-optimal", comparisons=18, seed=5, hold_out=0.25)


@pytest.fixture
def dataset():
    """Two contexts of 6 candidates: of 18 comparisons each, 3 and 2 pairs are held out in both orders, 6 a round."""
    return make_dataset(candidates=(6, 6))


def pairs_of(run):
    """Return the pairs as keys, so that runs of equal datasets can be compared."""
    return list(run.comparisons.order_by("pk").values_list("context__key", "first__key", "second__key"))


def held_out(run):
    return [pair for chunk in run.chunks.all() for pair in chunk.held_out]


def test_adaptive_run_without_a_system_never_asks_about_it(dataset):
    left_out = Exclusion(systems=("system-c",))
    run = make_run(dataset, selection=replace(ADAPTIVE, comparisons=20, exclusion=left_out))

    judge_all(run)

    assert (run.status, run.comparisons.count()) == ("done", 40)
    assert "c" not in {key for _, *pair in pairs_of(run) for key in pair}


def test_held_out_pairs_do_not_depend_on_answers(dataset):
    one, other = (make_run(dataset, selection=ADAPTIVE) for _ in range(2))

    judge_all(one, FakeEngine(lambda question: 0.9))
    judge_all(other)

    assert held_out(one) == held_out(other)
    assert pairs_of(one)[:22] == pairs_of(other)[:22]
    assert pairs_of(one)[22:] != pairs_of(other)[22:]


def test_adaptive_run_asks_the_same_for_the_same_seed_and_answers(dataset):
    one, again, reseeded = (
        make_run(dataset, selection=SelectionSettings("bt-optimal", 18, seed=seed)) for seed in (1, 1, 2)
    )

    for run in (one, again, reseeded):
        judge_all(run)

    assert pairs_of(one) == pairs_of(again)
    assert sorted(pairs_of(one)) != sorted(pairs_of(reseeded))


def test_adaptive_run_ignores_other_runs(dataset):
    def answer(question):
        return Answer(error="too long") if "Summary A: Summary a" in question.text else 0.7

    alone = make_run(dataset, selection=ADAPTIVE)
    judge_all(alone, FakeEngine(answer))
    for other in (dataset, make_dataset("Others", candidates=(6, 6))):
        answer_run(make_run(other, prompt="comparative-2"), p_first=0.05)

    in_company = make_run(dataset, selection=ADAPTIVE)
    judge_all(in_company, FakeEngine(answer))

    assert pairs_of(in_company) == pairs_of(alone)


def test_round_is_drawn_after_the_previous_round_is_asked(dataset):
    run = make_run(dataset, selection=ADAPTIVE)
    rows_when_drawn = {}

    def answer(question):
        rows_when_drawn.setdefault(len(run.chunks.get().pairs), run.comparisons.count())
        return 0.7

    judge_all(run, FakeEngine(answer))

    assert rows_when_drawn == {22: 0, 34: 22, 36: 34}  # 6 more of each context, then the last 2 of the second


def test_stopped_adaptive_run_continues_with_the_same_pairs(dataset):
    whole, stopped = (make_run(dataset, selection=ADAPTIVE) for _ in range(2))
    judge_all(whole)

    slices = iter(range(100))
    judge_all(stopped, on_slice=lambda: next(slices) == 2 and cancel(stopped))
    there = stopped.comparisons.count()
    judge_all(resume(stopped))

    assert 22 < there < 36
    assert pairs_of(stopped) == pairs_of(whole)
    assert held_out(stopped) == held_out(whole)


def test_death_between_rounds_repeats_no_question(dataset):
    run = make_run(dataset, selection=ADAPTIVE)
    engine = FakeEngine()
    execute_until_answered(run, engine, rows=22)
    Chunk.objects.update(status="running", lease_until=timezone.now() - timedelta(seconds=1))

    judge_all(run, engine)

    assert (run.status, len(engine.asked)) == ("done", 36)


def execute_until_answered(run, engine, *, rows):
    def stop():
        if run.comparisons.count() >= rows:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge_all(run, engine, on_slice=stop)


def test_round_of_a_lost_lease_is_not_stored(dataset):
    run = make_run(dataset, selection=ADAPTIVE)
    lost = Chunk.objects.claim(run.chunks.get().pk, duration=timedelta(seconds=-1))
    Chunk.objects.claim(run.chunks.get().pk, duration=timedelta(seconds=30))
    before = run.chunks.get().pairs

    with pytest.raises(LeaseLost):
        draw_next_round(run.chunks.get(), lost)

    assert run.chunks.get().pairs == before


def test_adaptive_run_of_prepair_writes_about_each_candidate_once(dataset):
    run = make_run(dataset, prompt="prepair-1", selection=ADAPTIVE)

    judge_all(run)

    assert (run.status, run.comparisons.count()) == ("done", 36)
    assert (run.reasonings_planned, Reasoning.objects.count()) == (12, 12)


def test_adaptive_settings_are_in_the_spec(dataset):
    run = make_run(dataset, selection=SelectionSettings("bt-optimal", 18))

    assert run.spec["adaptive"] == {"hold_out": 0.1, "round_per_candidate": 1}
    assert run.hold_out == 0.1
    assert asked_again(run, SelectionSettings("bt-optimal", 18, hold_out=0.1)) == run
    assert asked_again(run, SelectionSettings("bt-optimal", 18, hold_out=0.2)) != run


def asked_again(run, selection):
    return create_or_continue(RunRequest(run.dataset, run.attribute, run.judge, run.prompt, selection))
