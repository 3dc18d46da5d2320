"""A chunk that this process has leased: its run, engine and texts, its heartbeat, and the cost of its slices."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from threading import Event, Thread
from types import TracebackType
from typing import ClassVar, Self

from django.db import DatabaseError, Error, connection
from django.db.models import F, Q

from evenhand.engine import Engine, Generation
from evenhand.engine.interruption import allow_engines, interrupt_engines
from evenhand.prompting.templates import WordedPrompt
from judging.models import ACTIVE_STATUSES, Chunk, Lease, Run
from judging.services.judges.endpoint_limits import count_use, pause_of
from judging.services.judges.loaded_engine import Pace
from judging.services.plans.question_texts import QuestionTexts

logger = logging.getLogger(__name__)

LEASE_DURATION = timedelta(seconds=30)
BEATS_PER_LEASE = 5
LONGEST_BEAT = 2.0  # seconds; a run that was stopped frees its worker after the next


class LeaseLost(Exception):
    """Raised when another worker has claimed the chunk; that worker asks the rest."""


class RunStopped(Exception):
    """Raised when the run was cancelled, failed elsewhere or is paused. Stored answers stay."""


@dataclass(frozen=True, slots=True)
class SliceCost:
    """Prompt tokens, tokens that went through the model, seconds and requests of one slice."""

    prompt_tokens: int = 0
    computed_tokens: int = 0
    seconds: float = 0.0
    requests: int = 0

    @classmethod
    def of_generations(cls, generations: Sequence[Generation], seconds: float) -> Self:
        """Add up the cost of generated texts."""
        prompt_tokens = sum(one.prompt_tokens for one in generations)
        computed_tokens = prompt_tokens + sum(one.generated_tokens - one.shared_tokens for one in generations)
        return cls(prompt_tokens, computed_tokens, seconds, len(generations))


@dataclass(frozen=True, slots=True)
class ClaimedChunk:
    """A leased chunk of a run and everything that judging it needs. on_slice: called after each slice is stored."""

    run: Run
    lease: Lease
    engine: Engine
    pace: Pace
    prompt: WordedPrompt
    texts: QuestionTexts
    on_slice: Callable[[], None]

    def end_slice(self) -> None:
        """Finish a slice: call `on_slice`. Raises RunStopped if the run was stopped or is paused, and LeaseLost."""
        self.on_slice()
        self.require_active_run()
        require_budget(self.run)

    def require_active_run(self) -> None:
        """Raises RunStopped if the run was cancelled or failed elsewhere, and LeaseLost."""
        if Chunk.objects.of(self.lease).filter(run__status__in=ACTIVE_STATUSES).exists():
            return
        if Run.objects.active().filter(pk=self.run.pk).exists():
            raise LeaseLost(f"chunk {self.lease.chunk_id} was taken over")
        raise RunStopped(f"run {self.run.pk} was stopped")

    def add_cost(self, cost: SliceCost) -> None:
        """Extend the lease, add the cost and note new answers, in the caller's transaction. Raises LeaseLost."""
        if not Chunk.objects.extend(self.lease):
            raise LeaseLost(f"chunk {self.lease.chunk_id} was taken over")
        Run.objects.filter(pk=self.run.pk).update(
            answer_changes=F("answer_changes") + 1,
            prompt_tokens=F("prompt_tokens") + cost.prompt_tokens,
            computed_tokens=F("computed_tokens") + cost.computed_tokens,
            seconds=F("seconds") + cost.seconds,
        )
        requests = 0 if self.run.in_batches else cost.requests  # a batch counts when it is sent
        count_use(self.run, requests=requests, tokens=cost.computed_tokens)


def require_budget(run: Run) -> None:
    """Raises RunStopped while the key or the owner of a run has used up what they may use today."""
    if pause := pause_of(run.judge, run.owner_id):
        raise RunStopped(pause)


def release(lease: Lease) -> None:
    """Free the chunk, on a new connection if this one takes no more queries."""
    try:
        Chunk.objects.release(lease)
    except Error:
        if connection.in_atomic_block:
            raise
        connection.close()  # Ctrl-C may have come amid a query
        Chunk.objects.release(lease)


class Heartbeat:
    """Extends a lease from its own thread, however long one answer or loading the model takes.

    Ends with the block, with the process, or when the lease is lost or its run stopped. Once no lease of the process
    goes on, the engine is interrupted.
    """

    _of_use: ClassVar[set["Heartbeat"]] = set()

    def __init__(self, lease: Lease) -> None:
        self._lease = lease
        self._ended = Event()
        self._thread = Thread(target=self._beat, name=f"heartbeat of chunk {lease.chunk_id}", daemon=True)

    def __enter__(self) -> None:
        self._of_use.add(self)
        self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()
        self._of_use.discard(self)
        if not self._of_use:
            allow_engines()

    @classmethod
    def chunks(cls) -> list[int]:
        """Return the ids of the chunks that this process judges."""
        return sorted(one._lease.chunk_id for one in tuple(cls._of_use))

    def _beat(self) -> None:
        try:
            while not self._ended.wait(min(LONGEST_BEAT, self._lease.duration.total_seconds() / BEATS_PER_LEASE)):
                if self._is_stopped():
                    self._of_use.discard(self)
                    if not self._of_use:
                        interrupt_engines()
                    return
                if not self._extend():
                    return
        finally:
            connection.close()

    def _is_stopped(self) -> bool:
        """Return True if the run was cancelled or failed elsewhere, or if another worker has the chunk."""
        stopped = Q(run__status__in=(Run.Status.CANCELLED, Run.Status.FAILED)) | Q(attempt__gt=self._lease.attempt)
        try:
            return Chunk.objects.filter(stopped, pk=self._lease.chunk_id).exists()
        except DatabaseError:
            return False

    def _extend(self) -> bool:
        try:
            return Chunk.objects.extend(self._lease)
        except DatabaseError as error:  # a later heartbeat may succeed; if none does, the lease expires
            logger.warning("cannot extend the lease of chunk %s: %s", self._lease.chunk_id, error)
            return True
