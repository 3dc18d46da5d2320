"""Asking a judge about pairs, and storing what it answers: each slice at once, and only while its chunk is ours."""

from __future__ import annotations

import time
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, islice, pairwise

from django.db import transaction
from django.db.models import F

from judging.engine import Answer, Batch, Engine, Generation, Question
from judging.engine.samples import Sampling, sample_answers
from judging.models import Chunk, Comparison, Hold, Outcome, Run
from judging.services.inserting import ComparisonRow, insert
from judging.services.plans import Pair
from judging.services.texts import Analysis, Shown, comparison_question, reasoned
from judging.services.work import LeaseLost, RunStopped, Work
from judging.services.writings import sampling_of

NUL = "\x00"  # PostgreSQL stores it in no text


@dataclass(frozen=True, slots=True)
class Cost:
    """What a slice cost: tokens of its prompts, tokens that went through the model, seconds."""

    prompt_tokens: int = 0
    computed_tokens: int = 0
    seconds: float = 0.0

    @classmethod
    def of_texts(cls, written: Sequence[Generation], seconds: float) -> Cost:
        """Of texts that were written."""
        prompt_tokens = sum(one.prompt_tokens for one in written)
        return cls(
            prompt_tokens, prompt_tokens + sum(one.generated_tokens - one.shared_tokens for one in written), seconds
        )


def unanswered(chunk: Chunk) -> list[Pair]:
    """The pairs of a chunk that have no row yet, in the order planned."""
    pairs = [(first, second) for first, second in chunk.pairs]
    rows = Comparison.objects.filter(run=chunk.run_id, first__in={first for first, _ in pairs})
    there = set(rows.values_list("first", "second"))
    return [pair for pair in pairs if pair not in there]


Ended = dict[int, LeaseLost | RunStopped]
"""Runs for which nothing more is asked, and why."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What one run wants to know of a chunk.

    pairs: in the order to ask. analyses: what was written about them, for a method that has a first step.
    """

    work: Work
    pairs: Sequence[Pair]
    analyses: Mapping[Shown, Analysis]


def ask_comparisons(parts: Sequence[Part]) -> Ended:
    """Ask about pairs, slice by slice, in one call what several runs ask about a pair: it begins with the same texts.

    A pair with an analysis that failed is not asked; its row says why. A part that is lost, or whose run was stopped,
    falls out, and the others go on: gives why, by run. Raises RunStopped where this process is to end.
    """
    ended: Ended = {}
    asked = {part: _storing_failed(part, ended) for part in parts}
    left = list(dict.fromkeys(chain.from_iterable(asked.values())))
    while left and len(ended) < len(parts):
        going = {part: pairs for part, pairs in asked.items() if part.work.run.pk not in ended}
        size = slice_size(left, max(1, parts[0].work.pace.size // len(going)))
        _ask_slice(going, left[:size], ended)
        _end_slice([part.work for part in going], ended)
        left = left[size:]
    return ended


def slice_size(pairs: Sequence[Pair], most: int) -> int:
    """How many pairs come next: as many as there may be, but ending with a `first` where that costs at most half.

    Pairs with the same first candidate share the beginning of their prompts, which an engine reads once per slice.
    """
    if len(pairs) <= most:
        return len(pairs)
    ends = (n for n in range(most, most // 2, -1) if pairs[n - 1][0] != pairs[n][0])
    return next(ends, most)


def _storing_failed(part: Part, ended: Ended) -> dict[Pair, None]:
    """The pairs of a part that can be asked, in order; the others are stored as errors."""
    failed = {pair: reason for pair in part.pairs if (reason := _failed_analysis(part, pair))}
    if failed:
        answers = [Answer(error=reason) for reason in failed.values()]
        _store(part.work, list(failed), answers, Cost(), ended)
    return {pair: None for pair in part.pairs if pair not in failed}


def _ask_slice(asked: Mapping[Part, Container[Pair]], pairs: Sequence[Pair], ended: Ended) -> None:
    each = [(part, [pair for pair in pairs if pair in wanted]) for part, wanted in asked.items()]
    questions = [_question(part, pair) for part, mine in each for pair in mine]
    if not questions:
        return
    work = each[0][0].work
    started = time.monotonic()
    batch = answers_of(work.engine, questions, sampling=sampling_of(work.run))
    seconds = time.monotonic() - started
    work.pace.record(len(questions), seconds)
    answers = iter(batch.answers)
    split = [(part.work, mine, list(islice(answers, len(mine)))) for part, mine in each]
    prompt_tokens = [sum(answer.prompt_tokens for answer in mine) for _, _, mine in split]
    computed_tokens = shares(batch.computed_tokens, prompt_tokens)
    for (one, mine, given), prompt, computed in zip(split, prompt_tokens, computed_tokens, strict=True):
        _store(one, mine, given, Cost(prompt, computed, seconds * len(mine) / len(questions)), ended)


def answers_of(engine: Engine, questions: Sequence[Question], *, sampling: Sampling | None) -> Batch:
    """Ask which of two is better, by probability or by sampled texts."""
    return sample_answers(engine, questions, sampling) if sampling else engine.p_first(questions)


def _end_slice(works: Sequence[Work], ended: Ended) -> None:
    works[0].on_slice()
    for work in works:
        try:
            work.require_wanted()
        except RunStopped as stopped:
            ended.setdefault(work.run.pk, stopped)


def shares(total: int, weights: Sequence[int]) -> list[int]:
    """A whole number divided among parts by their weights, into whole numbers that add up to it."""
    whole = sum(weights)
    bounds = [total * above // whole if whole else 0 for above in accumulate(weights)]
    return [above - below for below, above in pairwise([0, *bounds])]


def _question(part: Part, pair: Pair) -> Question:
    written = [part.analyses[shown].text for shown in reasoned(part.work.run.method, pair)]
    return comparison_question(part.work.prompt, part.work.texts, pair, analyses=written)


def _failed_analysis(part: Part, pair: Pair) -> str:
    if reason := part.work.texts.why_no_metrics(pair[0]):
        return reason
    analyses = {shown: part.analyses[shown] for shown in reasoned(part.work.run.method, pair)}
    return "; ".join(
        f"the analysis of {_named(part.work, shown)} failed: {analysis.error}"
        for shown, analysis in analyses.items()
        if analysis.error
    )


def _named(work: Work, shown: Shown) -> str:
    return "the pair" if len(shown) > 1 else f'candidate "{work.texts.keys[shown[0]]}"'


def _store(
    work: Work,
    pairs: Sequence[Pair],
    answers: Sequence[Answer],
    cost: Cost,
    ended: Ended,
) -> None:
    """Store a slice and what it cost, both or neither. A row that is there already stays as it is."""
    rows = [_row(work, pair, answer) for pair, answer in zip(pairs, answers, strict=True)]
    try:
        with transaction.atomic():
            book(work.hold, run_id=work.run.pk, cost=cost)
            insert(Comparison, rows, skip_known=True)
    except LeaseLost as lost:
        ended[work.run.pk] = lost


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
        choice=answer.choice,
        raw_first=answer.logprob_first,
        raw_second=answer.logprob_second,
        raw_tie=answer.logprob_tie,
        text=storable(answer.text),
        error=storable(answer.error),
    )


def _outcome(answer: Answer) -> Outcome:
    if answer.p_first is not None or answer.choice:
        return Outcome.ANSWERED
    return Outcome.UNPARSED if answer.unparsed else Outcome.ERROR


def storable(text: str) -> str:
    """A model's text as the database takes it: U+0000 becomes the replacement character."""
    return text.replace(NUL, "\ufffd")
