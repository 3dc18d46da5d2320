"""What a run has cost so far."""

import pytest

from judging.models import Reasoning
from judging.services.judges.costs import cost_at_most
from tests.factories import make_dataset, make_judge, make_run, shipped_prompt

pytestmark = pytest.mark.django_db


def test_cost_counts_prompts_and_the_longest_possible_answers():
    judge = make_judge("gpt", backend="openai", base_url="http://localhost/v1", price_input=2.5, price_output=10)
    run = make_run(make_dataset(candidates=(2,)), judge=judge, prompt=shipped_prompt("prepair-1"))
    run.prompt_tokens = 1_000_000
    candidate = run.dataset.contexts.first().candidates.first()
    Reasoning.objects.create(
        judge=judge,
        question_sha256=run.reasoning_sha256,
        candidate=candidate,
        generated_tokens=184,
        max_new_tokens=256,
    )

    cost = cost_at_most(run, asked=2)

    assert cost == pytest.approx(2.5 + (2 * 8 + 184) * 10 / 1_000_000)


def test_cost_of_a_judge_without_prices_is_not_known():
    assert cost_at_most(make_run(), asked=2) is None
