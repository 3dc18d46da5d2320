"""Asking a judge about pairs, and storing what it answers: each slice at once, and only while its chunk is ours."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F

from judging.engine import Answer, Question
from judging.models import Chunk, Comparison, Hold, Outcome, Run
from judging.services.engines import Pace
from judging.services.inserting import ComparisonRow, insert
from judging.services.plans import Pair
from judging.services.texts import Analysis, Shown, comparison_question, reasoned
from judging.services.work import Work

NUL = "\x00"  # PostgreSQL stores it in no text


class LeaseLost(Exception):
    """Somebody else holds the chunk now, and answers what is left of it."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a slice cost: tokens of its prompts, tokens that went through the model, seconds."""

    prompt_tokens: int = 0
    computed_tokens: int = 0
    seconds: float = 0.0


def unanswered(chunk: Chunk) -> list[Pair]:
    """The pairs of a chunk that have no row yet, in the order planned."""
    pairs = [(first, second) for first, second in chunk.pairs]
    rows = Comparison.objects.filter(run=chunk.run_id, first__in={first for first, _ in pairs})
    there = set(rows.values_list("first", "second"))
    return [pair for pair in pairs if pair not in there]


def ask_comparisons(work: Work, pairs: Sequence[Pair], *, analyses: Mapping[Shown, Analysis]) -> None:
    """Ask about pairs, slice by slice. analyses: what was written about them, for a method that has a first step.

    A pair with an analysis that failed is not asked; its row says why. Raises LeaseLost and RunStopped.
    """
    failed = {pair: reason for pair in pairs if (reason := _failed_analysis(work, pair, analyses))}
    if failed:
        _store(work, list(failed), [Answer(error=reason) for reason in failed.values()], Cost())
    asked = [pair for pair in pairs if pair not in failed]
    while asked:
        size = slice_size(asked, work.pace)
        _ask_slice(work, asked[:size], analyses)
        asked = asked[size:]


def slice_size(pairs: Sequence[Pair], pace: Pace) -> int:
    """How many pairs come next: as the pace says, but ending with a `first` where that costs at most half.

    Pairs with the same first candidate share the beginning of their prompts, which an engine reads once per slice.
    """
    if len(pairs) <= pace.size:
        return len(pairs)
    ends = (n for n in range(pace.size, pace.size // 2, -1) if pairs[n - 1][0] != pairs[n][0])
    return next(ends, pace.size)


def _ask_slice(work: Work, pairs: Sequence[Pair], analyses: Mapping[Shown, Analysis]) -> None:
    questions = [_question(work, pair, analyses) for pair in pairs]
    started = time.monotonic()
    batch = work.engine.p_first(questions)
    seconds = time.monotonic() - started
    work.pace.record(len(pairs), seconds)
    prompt_tokens = sum(answer.prompt_tokens for answer in batch.answers)
    _store(work, pairs, batch.answers, Cost(prompt_tokens, batch.computed_tokens, seconds))


def _question(work: Work, pair: Pair, analyses: Mapping[Shown, Analysis]) -> Question:
    written = [analyses[shown].text for shown in reasoned(work.run.method, pair)]
    return comparison_question(work.prompt, work.texts, pair, analyses=written)


def _failed_analysis(work: Work, pair: Pair, analyses: Mapping[Shown, Analysis]) -> str:
    failed = [shown for shown in reasoned(work.run.method, pair) if analyses[shown].error]
    return "; ".join(f"the analysis of {_named(work, shown)} failed: {analyses[shown].error}" for shown in failed)


def _named(work: Work, shown: Shown) -> str:
    return "the pair" if len(shown) > 1 else f'candidate "{work.texts.keys[shown[0]]}"'


def _store(work: Work, pairs: Sequence[Pair], answers: Sequence[Answer], cost: Cost) -> None:
    """Store a slice and what it cost, both or neither. A row that is there already stays as it is."""
    rows = [_row(work, pair, answer) for pair, answer in zip(pairs, answers, strict=True)]
    with transaction.atomic():
        book(work.hold, run_id=work.run.pk, cost=cost)
        insert(Comparison, rows, skip_known=True)
    work.end_slice()


def book(hold: Hold, *, run_id: int, cost: Cost) -> None:
    """Extend the hold and add the cost to the run, within the caller's transaction. Raises LeaseLost."""
    if not Chunk.objects.extend(hold):
        raise LeaseLost(f"chunk {hold.chunk_id} was taken over")
    Run.objects.filter(pk=run_id).update(
        prompt_tokens=F("prompt_tokens") + cost.prompt_tokens,
        computed_tokens=F("computed_tokens") + cost.computed_tokens,
        seconds=F("seconds") + cost.seconds,
    )


def _row(work: Work, pair: Pair, answer: Answer) -> ComparisonRow:
    first, second = pair
    return ComparisonRow(
        run=work.run.pk,
        context=work.texts.context_of[first],
        first=first,
        second=second,
        outcome=_outcome(answer).value,
        p_first=answer.p_first,
        raw_first=answer.logprob_first,
        raw_second=answer.logprob_second,
        text=storable(answer.text),
        error=storable(answer.error),
    )


def _outcome(answer: Answer) -> Outcome:
    if answer.p_first is not None:
        return Outcome.ANSWERED
    return Outcome.UNPARSED if answer.unparsed else Outcome.ERROR


def storable(text: str) -> str:
    """A model's text as the database takes it: U+0000 becomes the replacement character."""
    return text.replace(NUL, "\ufffd")
