"""Asks a judge slice by slice. The answers of each are stored while the next is asked and the chunk is leased."""

import logging
import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain, islice, pairwise
from types import TracebackType
from typing import Self

from django.db import InterfaceError, OperationalError, connection, connections, transaction

from evenhand.engine import Answer, Question, ScoreAnswer
from judging.services.execution.bulk_insert import insert
from judging.services.execution.claimed_chunk import ClaimedChunk, LeaseLost, RunStopped, SliceCost, require_budget
from judging.services.execution.judgment_kinds import JudgmentKind
from judging.services.execution.worker_reports import count_answers
from judging.services.plans.generation_settings import sampling_of
from judging.services.plans.question_texts import CandidateIds, QuestionSource, WrittenText

logger = logging.getLogger(__name__)

PATIENCE = 30.0
"""Seconds that a slice waits for a database that restarts or whose disk is full. A default lease lasts as long."""
SECONDS_BETWEEN_TRIES = 0.5


class SliceWriter:
    """Stores slices in order, each while the next one is asked. At most one slice waits.

    A thread with its own database connection stores them; the block ends once all are stored. Inside a transaction,
    which that connection could not see, slices are stored before `store` returns.
    """

    def __init__(self) -> None:
        self._thread: ThreadPoolExecutor | None = None
        self._pending: Future[None] | None = None

    def store(self, writes: Sequence[Callable[[], None]], *, is_last: bool) -> None:
        """Wait for the previous slice, then start to store this one. The last slice is stored before returning.

        Raises the errors of the previous slice, and those of this one if it is stored before returning.
        """
        self._wait()
        if is_last or connection.vendor != "postgresql" or connection.in_atomic_block:
            _call_each(writes)
            return
        self._thread = self._thread or ThreadPoolExecutor(1, thread_name_prefix="slice writer")
        self._pending = self._thread.submit(_call_each, writes)

    def _wait(self) -> None:
        pending, self._pending = self._pending, None
        if pending is not None:
            pending.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._wait()
        except Exception as failure:
            if error is None:
                raise
            logger.warning("a slice is not stored, and will be asked again: %s", failure)  # the caller reports `error`
        finally:
            if self._thread is not None:
                self._thread.submit(connections.close_all)
                self._thread.shutdown()


def _call_each(writes: Sequence[Callable[[], None]]) -> None:
    """Call each write; again, on a new connection, while the database is away. Each must bear a second call."""
    ends_at = time.monotonic() + PATIENCE
    for write in writes:
        while not _is_done(write, may_wait=time.monotonic() < ends_at and not connection.in_atomic_block):
            connection.close()
            time.sleep(SECONDS_BETWEEN_TRIES)


def _is_done(write: Callable[[], None], *, may_wait: bool) -> bool:
    try:
        write()
    except (InterfaceError, OperationalError) as error:
        if not may_wait:
            raise
        logger.warning("a slice waits for the database: %s", error)
        return False
    return True


EndedRuns = dict[int, LeaseLost | RunStopped]
"""Run id -> why nothing more is asked for the run."""

NextQuestions = Callable[[Sequence[ClaimedChunk], int], list[Question]]
"""Returns the questions after the last slice, about at most this many items."""


@dataclass(frozen=True, slots=True, eq=False)
class ChunkItems:
    """The items of one run's chunk: pairs or single candidates, in the order to ask, with the judge's reasoning."""

    claimed: ClaimedChunk
    items: Sequence[CandidateIds]
    reasonings: Mapping[CandidateIds, WrittenText]

    @property
    def source(self) -> QuestionSource:
        return QuestionSource(self.claimed.run.asked_method, self.claimed.prompt, self.claimed.texts, self.reasonings)


def ask_in_slices(
    kind: JudgmentKind, chunks: Sequence[ChunkItems], next_questions: NextQuestions = lambda claimed, most: []
) -> EndedRuns:
    """Ask slice by slice. All chunks' questions about an item go into one call, because they share a prefix.

    Items whose reasoning or criteria are missing are stored as errors. If a lease is lost or a run is stopped, the
    other runs go on; returns the reasons by run. Raises RunStopped if this process must end.

    next_questions: the questions that probably follow the last slice.
    """
    ended: EndedRuns = {}
    askable = {chunk: _store_unaskable(kind, chunk, ended) for chunk in chunks}
    left = list(dict.fromkeys(chain.from_iterable(askable.values())))
    with SliceWriter() as writer:
        while left and len(ended) < len(chunks):
            active = {chunk: items for chunk, items in askable.items() if chunk.claimed.run.pk not in ended}
            texts_at_once = len(active) * (chunks[0].claimed.run.samples or 1)
            most = max(1, chunks[0].claimed.pace.size // texts_at_once)
            size = slice_size(left, most)
            items, left = left[:size], left[size:]
            chunks[0].claimed.engine.expect(partial(_upcoming_questions, active, left, most, next_questions))
            writes = _ask_slice(kind, active, items, ended)
            writer.store(writes, is_last=not left)
            _end_slice([chunk.claimed for chunk in active], ended, is_last=not left)
    return ended


def slice_size(items: Sequence[CandidateIds], most: int) -> int:
    """Return the size of the next slice: `most`, or down to half of it to end with the last pair of a first candidate.

    Pairs with the same first candidate share a prefix, which an engine computes once per slice.
    """
    if len(items) <= most:
        return len(items)
    ends = (n for n in range(most, most // 2, -1) if items[n - 1][0] != items[n][0])
    return next(ends, most)


def _store_unaskable(kind: JudgmentKind, chunk: ChunkItems, ended: EndedRuns) -> dict[CandidateIds, None]:
    """Store errors for items without reasoning or criteria, and return the other items in order."""
    problems = {item: problem for item in chunk.items if (problem := chunk.source.problem(item))}
    if problems:
        answers = [kind.answer(error=problem) for problem in problems.values()]
        _store(kind, chunk.claimed, list(problems), answers, SliceCost(), ended)
    return {item: None for item in chunk.items if item not in problems}


def _upcoming_questions(
    askable: Mapping[ChunkItems, Container[CandidateIds]],
    left: Sequence[CandidateIds],
    most: int,
    next_questions: NextQuestions,
) -> list[Question]:
    """Return the questions of the next slice, at the current slice size; none that a whole reply answers."""
    if any(chunk.claimed.run.asks_one_reply for chunk in askable):
        return []
    if not left:
        return next_questions([chunk.claimed for chunk in askable], most)
    items = left[: slice_size(left, most)]
    return [chunk.source.question(item) for chunk, wanted in askable.items() for item in items if item in wanted]


def _ask_slice(
    kind: JudgmentKind,
    askable: Mapping[ChunkItems, Container[CandidateIds]],
    items: Sequence[CandidateIds],
    ended: EndedRuns,
) -> list[Callable[[], None]]:
    """Ask one slice, and return one function per chunk that stores its answers."""
    items_of = [(chunk, [item for item in items if item in wanted]) for chunk, wanted in askable.items()]
    questions = [chunk.source.question(item) for chunk, chunk_items in items_of for item in chunk_items]
    if not questions:
        return []
    claimed = items_of[0][0].claimed
    started = time.monotonic()
    batch = kind.ask(claimed.engine, questions, sampling_of(claimed.run))
    seconds = time.monotonic() - started
    texts = claimed.run.samples or 1  # for each question
    claimed.pace.record(len(questions) * texts, seconds)
    answers: Iterator[Answer | ScoreAnswer] = iter(batch.answers)
    split = [(chunk.claimed, chunk_items, list(islice(answers, len(chunk_items)))) for chunk, chunk_items in items_of]
    prompt_tokens = [sum(answer.prompt_tokens for answer in chunk_answers) for _, _, chunk_answers in split]
    whole = sum(prompt_tokens)
    bounds = [batch.computed_tokens * above // whole if whole else 0 for above in accumulate(prompt_tokens)]
    computed_tokens = [above - below for below, above in pairwise([0, *bounds])]
    costs = [
        SliceCost(prompt, computed, seconds * len(chunk_items) / len(questions), len(chunk_items) * texts)
        for (_, chunk_items, _), prompt, computed in zip(split, prompt_tokens, computed_tokens, strict=True)
    ]
    return [partial(_store, kind, *part, cost, ended) for part, cost in zip(split, costs, strict=True)]


def _end_slice(claimed: Sequence[ClaimedChunk], ended: EndedRuns, *, is_last: bool) -> None:
    claimed[0].on_slice()
    for chunk in claimed:
        try:
            chunk.require_active_run()
            if not is_last:
                require_budget(chunk.run)
        except (LeaseLost, RunStopped) as end:
            ended.setdefault(chunk.run.pk, end)


def _store(
    kind: JudgmentKind,
    claimed: ClaimedChunk,
    items: Sequence[CandidateIds],
    answers: Sequence[Answer | ScoreAnswer],
    cost: SliceCost,
    ended: EndedRuns,
) -> None:
    """Store a slice's answers and its cost, both or neither. Existing rows stay; if all exist, so does their cost."""
    rows = [kind.to_row(claimed, item, answer) for item, answer in zip(items, answers, strict=True)]
    try:
        with transaction.atomic():
            is_new = insert(kind.model, rows, skip_known=True)
            claimed.add_cost(cost if is_new else SliceCost())
        count_answers(row.problem or row.outcome for row in rows if is_new)
    except LeaseLost as lost:
        ended[claimed.run.pk] = lost
