"""Asking a judge, and storing what it answers: each slice at once, and only while its chunk is ours."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain, islice, pairwise
from typing import Generic, Protocol, TypeVar

from django.db import transaction
from django.db.models import F

from judging.engine import Answer, Engine, Generation, Question, ScoreAnswer
from judging.engine.replies.sampled_answers import Sampling
from judging.models import Chunk, Comparison, Hold, Run, Score
from judging.services.execution.bulk_insert import Row, insert
from judging.services.execution.claimed_chunk import LeaseLost, RunStopped, Work
from judging.services.execution.slice_storage import Storing
from judging.services.plans.generation_settings import sampling_of
from judging.services.plans.question_texts import Analysis, Shown, Texts, question_of, reasoned

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # U+0000, for PostgreSQL; halves of surrogate pairs, for every database

Given = TypeVar("Given", Answer, ScoreAnswer)
Given_co = TypeVar("Given_co", Answer, ScoreAnswer, covariant=True)


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


class Answered(Protocol[Given_co]):
    """What an engine gives: answers in the order of the questions, and the tokens that it computed for them."""

    @property
    def answers(self) -> tuple[Given_co, ...]: ...

    @property
    def computed_tokens(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Kind(Generic[Given]):
    """What is asked for: the better of two, or a score of each candidate alone.

    lacking: what a chunk has no row about yet, in the order planned. ask: put questions to an engine; they are all of
    runs that differ in the attribute alone. why_not: why there is no question about something, where what was to be
    written about it failed; empty where there is. failed: an answer that is such an error. row: an answer as it is
    stored.
    """

    model: type[Comparison] | type[Score]
    lacking: Callable[[Chunk], list[Shown]]
    ask: Callable[[Engine, Sequence[Question], Sampling | None], Answered[Given]]
    why_not: Callable[[Texts, Mapping[Shown, Analysis]], str]
    failed: Callable[[str], Given]
    row: Callable[[Work, Shown, Given], Row]


Ended = dict[int, LeaseLost | RunStopped]
"""Runs for which nothing more is asked, and why."""

Following = Callable[[Sequence[Work], int], list[Question]]
"""What some runs ask after all that is at hand, about at most so many items."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What one run wants to know of a chunk.

    items: pairs, or candidates alone, in the order to ask. analyses: what was written about them, for a method that has
    a first step.
    """

    work: Work
    items: Sequence[Shown]
    analyses: Mapping[Shown, Analysis]

    def written(self, item: Shown) -> dict[Shown, Analysis]:
        """What was written first of which a question about an item has need."""
        return {shown: self.analyses[shown] for shown in reasoned(self.work.run.method, item)}

    def question(self, item: Shown) -> Question:
        analyses = [analysis.text for analysis in self.written(item).values()]
        return question_of(self.work.prompt, self.work.texts, item, analyses=analyses)


def ask_in_slices(kind: Kind[Given], parts: Sequence[Part], following: Following = lambda works, most: []) -> Ended:
    """Ask slice by slice, in one call what several runs ask about an item: it begins with the same texts.

    An item for which nothing was written is not asked about; its row says why. A part that is lost, or whose run was
    stopped, falls out, and the others go on: gives why, by run. Raises RunStopped where this process is to end.

    following: what will probably be asked after the last slice.
    """
    ended: Ended = {}
    asked = {part: _storing_failed(kind, part, ended) for part in parts}
    left = list(dict.fromkeys(chain.from_iterable(asked.values())))
    with Storing() as storing:
        while left and len(ended) < len(parts):
            going = {part: items for part, items in asked.items() if part.work.run.pk not in ended}
            most = max(1, parts[0].work.pace.size // len(going))
            size = slice_size(left, most)
            some, left = left[:size], left[size:]
            parts[0].work.engine.expect(partial(_upcoming, going, left, most, following))
            writes = _ask_slice(kind, going, some, ended)
            storing.store(writes, is_last=not left)
            _end_slice([part.work for part in going], ended)
    return ended


def slice_size(items: Sequence[Shown], most: int) -> int:
    """How many come next: as many as there may be, but of pairs ending with a `first` where that costs at most half.

    Pairs with the same first candidate share the beginning of their prompts, which an engine reads once per slice.
    """
    if len(items) <= most:
        return len(items)
    ends = (n for n in range(most, most // 2, -1) if items[n - 1][0] != items[n][0])
    return next(ends, most)


def _storing_failed(kind: Kind[Given], part: Part, ended: Ended) -> dict[Shown, None]:
    """The items of a part that can be asked, in order; the others are stored as errors."""
    failed = {item: reason for item in part.items if (reason := _why_not(kind, part, item))}
    if failed:
        answers = [kind.failed(reason) for reason in failed.values()]
        _store(kind, part.work, list(failed), answers, Cost(), ended)
    return {item: None for item in part.items if item not in failed}


def _why_not(kind: Kind[Given], part: Part, item: Shown) -> str:
    texts = part.work.texts
    return texts.why_no_metrics(item[0]) or kind.why_not(texts, part.written(item))


def _upcoming(
    asked: Mapping[Part, Container[Shown]], left: Sequence[Shown], most: int, following: Following
) -> list[Question]:
    """What comes after the slice that is asked now, if it then takes as long as it does now."""
    if not left:
        return following([part.work for part in asked], most)
    items = left[: slice_size(left, most)]
    return [part.question(item) for part, wanted in asked.items() for item in items if item in wanted]


def _ask_slice(
    kind: Kind[Given], asked: Mapping[Part, Container[Shown]], items: Sequence[Shown], ended: Ended
) -> list[Callable[[], None]]:
    """What stores the answers of each part."""
    each = [(part, [item for item in items if item in wanted]) for part, wanted in asked.items()]
    questions = [part.question(item) for part, mine in each for item in mine]
    if not questions:
        return []
    work = each[0][0].work
    started = time.monotonic()
    batch = kind.ask(work.engine, questions, sampling_of(work.run))
    seconds = time.monotonic() - started
    work.pace.record(len(questions), seconds)
    answers = iter(batch.answers)
    split = [(part.work, mine, list(islice(answers, len(mine)))) for part, mine in each]
    prompt_tokens = [sum(answer.prompt_tokens for answer in mine) for _, _, mine in split]
    computed_tokens = shares(batch.computed_tokens, prompt_tokens)
    return [
        partial(_store, kind, one, mine, given, Cost(prompt, computed, seconds * len(mine) / len(questions)), ended)
        for (one, mine, given), prompt, computed in zip(split, prompt_tokens, computed_tokens, strict=True)
    ]


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


def _store(
    kind: Kind[Given], work: Work, items: Sequence[Shown], answers: Sequence[Given], cost: Cost, ended: Ended
) -> None:
    """Store a slice and what it cost, both or neither. A row that is there already stays as it is."""
    rows = [kind.row(work, item, answer) for item, answer in zip(items, answers, strict=True)]
    try:
        with transaction.atomic():
            book(work.hold, run_id=work.run.pk, cost=cost)
            insert(kind.model, rows, skip_known=True)
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


def storable(text: str) -> str:
    """A model's text as the database takes it: what no database stores becomes the replacement character.

    An endpoint may cut what it writes within a character, and send half of it.
    """
    return UNSTORABLE.sub("\ufffd", text)
