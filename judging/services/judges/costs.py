"""What tokens cost at an endpoint's prices, and what a run has cost so far."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Sum

from judging.engine.questions.pair_questions import ANSWER_TOKENS
from judging.models import Criteria, Judge, Reasoning, Run

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """Of a million tokens, in any currency."""

    asked: float
    written: float

    def of(self, *, asked: float, written: float) -> float:
        """What so many tokens cost."""
        return (asked * self.asked + written * self.written) / MILLION


def prices_of(judge: Judge) -> Prices | None:
    """None for a judge without."""
    if judge.price_input is None or judge.price_output is None:
        return None
    return Prices(judge.price_input, judge.price_output)


def cost_at_most(run: Run, *, asked: int) -> float | None:
    """In the currency of the judge's prices; None where it has none.

    asked: answers that the run has. Each counts as long as it may be, and a text that was written first counts even
    where another run paid for it: an endpoint's bill is not higher, but for attempts that brought no reply.
    """
    prices = prices_of(run.judge)
    if prices is None:
        return None
    written = asked * ANSWER_TOKENS * (run.samples or 1) + _written_first(run)
    return prices.of(asked=run.prompt_tokens, written=written)


def _written_first(run: Run) -> int:
    """Tokens of first steps and metrics."""
    kept = (Reasoning.objects.of_run(run), Criteria.objects.of_run(run))
    return sum(rows.aggregate(tokens=Sum("generated_tokens"))["tokens"] or 0 for rows in kept)
