"""Storing answers without replacing existing ones."""

import pytest

from evenhand.engine import Generation
from judging.models import Comparison
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.execution.claimed_chunk import SliceCost
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_run

pytestmark = pytest.mark.django_db


def test_answer_stored_meanwhile_is_kept():
    run = make_run(make_dataset(candidates=(3,)))
    chunk = run.chunks.get()
    first, second = chunk.pairs[-1]

    def answer(question):
        ours = {"run": run, "context": run.dataset.contexts.get(), "first_id": first, "second_id": second}
        Comparison.objects.get_or_create(**ours, defaults={"outcome": "answered", "p_first": 0.125})
        return 0.5

    execute_chunk(chunk.pk, load=lambda settings: FakeEngine(answer))

    run.refresh_from_db()
    assert run.status == "done"
    assert sorted(run.comparisons.values_list("p_first", flat=True)) == [0.125, 0.5, 0.5, 0.5, 0.5, 0.5]
    assert run.comparisons.get(first=first, second=second).p_first == 0.125


def test_cost_of_generations_excludes_shared_tokens():
    written = [
        Generation("one", prompt_tokens=10, generated_tokens=4, shared_tokens=0),
        Generation("two", prompt_tokens=10, generated_tokens=3, shared_tokens=8),
    ]

    whole = SliceCost(prompt_tokens=20, computed_tokens=19, seconds=2.5, requests=2)
    assert SliceCost.of_generations(written, 2.5) == whole
