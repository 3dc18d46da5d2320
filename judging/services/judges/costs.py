"""Cost of tokens at an endpoint's prices, and the cost of a run so far."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Sum

from judging.engine.questions.pair_questions import ANSWER_TOKENS
from judging.models import Criteria, Judge, Reasoning, Run

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class TokenPrices:
    """Prices of a million tokens, in any currency. asked: prompt tokens. written: generated tokens."""

    asked: float
    written: float

    def of(self, *, asked: float, written: float) -> float:
        """Return the cost of these numbers of tokens."""
        return (asked * self.asked + written * self.written) / MILLION


def prices_of(judge: Judge) -> TokenPrices | None:
    """Return the judge's prices, or None if it has none."""
    if judge.price_input is None or judge.price_output is None:
        return None
    return TokenPrices(judge.price_input, judge.price_output)


def cost_at_most(run: Run, *, asked: int) -> float | None:
    """Return an upper bound of the run's cost so far, in the currency of the prices; None without prices.

    asked: number of answers so far. Each counts with its largest length. Reasoning and criteria count even if another
    run paid for them. Failed requests without a reply are not included.
    """
    prices = prices_of(run.judge)
    if prices is None:
        return None
    written = asked * ANSWER_TOKENS * (run.samples or 1) + _reasoning_tokens(run)
    return prices.of(asked=run.prompt_tokens, written=written)


def _reasoning_tokens(run: Run) -> int:
    """Count the generated tokens of reasoning and criteria."""
    texts = (Reasoning.objects.of_run(run), Criteria.objects.of_run(run))
    return sum(rows.aggregate(tokens=Sum("generated_tokens"))["tokens"] or 0 for rows in texts)
