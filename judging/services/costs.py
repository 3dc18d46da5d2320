"""What a run has cost so far at its endpoint's prices."""

from __future__ import annotations

from django.db.models import Sum

from judging.engine.questions import ANSWER_TOKENS
from judging.models import ContextMetrics, Reasoning, Run

MILLION = 1_000_000


def cost_at_most(run: Run, *, asked: int) -> float | None:
    """In the currency of the judge's prices; None where it has none.

    asked: answers that the run has. Each counts as long as it may be, and a text that was written first counts even
    where another run paid for it: an endpoint's bill is not higher, but for attempts that brought no reply.
    """
    price_input, price_output = run.judge.price_input, run.judge.price_output
    if price_input is None or price_output is None:
        return None
    written = asked * ANSWER_TOKENS * (run.samples or 1) + _written_first(run)
    return (run.prompt_tokens * price_input + written * price_output) / MILLION


def _written_first(run: Run) -> int:
    """Tokens of first steps and metrics."""
    kept = (Reasoning.objects.of_run(run), ContextMetrics.objects.of_run(run))
    return sum(rows.aggregate(tokens=Sum("generated_tokens"))["tokens"] or 0 for rows in kept)
