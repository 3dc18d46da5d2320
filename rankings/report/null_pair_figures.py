"""Comparisons of each candidate with itself, which show what a judge prefers where nothing differs."""

from dataclasses import dataclass

import numpy as np

from evenhand.numerics import Figure
from evenhand.numerics.decisions import decide
from evenhand.numerics.figure import IntervalFigure, defined
from evenhand.numerics.intervals import pooled_share
from judging.models import Run
from judging.models.runs import NULL_PAIRS, RunQuerySet
from rankings.loading import CandidateTable
from rankings.loading.run_answers import BOUNDED_ANSWER, comparison_rows
from rankings.report.pages.sentences_and_cards import Card
from rankings.report.printed_numbers import percent

NO_NULL_PAIRS = "no run of this judge and prompt compares texts with themselves; judge with --selection null-pairs"
NO_NULL_ANSWER = "no comparison of a text with itself has an answer"
NULL_CARDS = {
    "p_first": ("P(first) of null pairs", "Decisions for the first where a text stands beside itself. Half is fair."),
    "ties": ("Ties of null pairs", "Share of ties where a text stands beside itself."),
}


@dataclass(frozen=True)
class NullPairs:
    """Decisions of a judge where a candidate stands beside itself. n: their number."""

    p_first: IntervalFigure
    ties: IntervalFigure
    n: int

    @property
    def cards(self) -> list[Card]:
        """Return the cards of both shares; none without a decision."""
        cards = ((getattr(self, name), *texts) for name, texts in NULL_CARDS.items())
        return [Card(title, one, meaning, True, "diagnostics/#null_pairs") for one, title, meaning in cards if self.n]

    @property
    def sentence(self) -> str:
        """Write how often the judge prefers the first of two equal texts."""
        first = self.p_first
        if first.value is None:
            return f"No preference between equal texts: {first.undefined}."
        ends = "" if first.low is None else f" (95 % interval {percent(first.low)} to {percent(defined(first.high))})"
        return f"Beside itself, a text is preferred in first place in {percent(first.value)}{ends} (n = {self.n:,})."


def null_run_of(run: Run, runs: RunQuerySet) -> Run | None:
    """Return the run itself if it asks null pairs, else the latest that asks its judge and prompt about them."""
    if run.asks_null_pairs:
        return run
    alike = {"attribute": run.attribute_id, "judge": run.judge_id, "method": run.method, "prompt": run.prompt_id}
    return runs.filter(selection=NULL_PAIRS, prompt_name=run.prompt_name, **alike).order_by("-pk").first()


NO_NULL_RUN = NullPairs(Figure.missing(NO_NULL_PAIRS, n=0), Figure.missing(NO_NULL_PAIRS, n=0), 0)


def null_pairs(table: CandidateTable, run: Run) -> NullPairs:
    """Return the shares of first and tie decisions of a run on null pairs, with intervals over contexts."""
    rows = comparison_rows(run)
    rows = rows[table.has(rows["first"]) & (rows["answer"] >= 0)]
    decisions = decide(rows["answer"] - BOUNDED_ANSWER * (rows["answer"] >= BOUNDED_ANSWER))
    contexts = table.contexts[table.numbers(rows["first"])]
    p_first, ties = (
        pooled_share(contexts, shares, table.n_contexts, if_empty=NO_NULL_ANSWER)
        for shares in (decisions, (decisions == 0.5).astype(np.float64))
    )
    return NullPairs(p_first, ties, len(rows))
