"""Judges one chunk: claims it, asks its unanswered items, and stops when the run or the lease ends.

Chunks of sibling runs, which differ only in their attribute, are judged together: an engine that shares prefixes then
computes the common beginning of their prompts once.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

from django.db import Error as DatabaseFailure

from evalsite.log_lines import number_lines
from evenhand.engine import BatchPending, Engine, EngineError, EngineSettings, Question, in_batches
from evenhand.engine.interruption import Interrupted
from evenhand.refusals import Refused
from judging.models import Chunk, Lease, Run, RunEvent
from judging.services.execution.bulk_insert import storable
from judging.services.execution.chunk_rounds import draw_next_round
from judging.services.execution.claimed_chunk import (
    LEASE_DURATION,
    ClaimedChunk,
    Heartbeat,
    LeaseLost,
    RunStopped,
    release,
    require_budget,
)
from judging.services.execution.endpoint_batches import RunLedger, WholeChunkPace
from judging.services.execution.judgment_kinds import COMPARISON_KIND, SCORE_KIND, unanswered_items
from judging.services.execution.reasoning import FIRST_SLICE_TEXTS, SLICE_SECONDS, write_criteria, write_reasonings
from judging.services.execution.slices import ChunkItems, ask_in_slices, slice_size
from judging.services.judges.endpoint_limits import pause_of
from judging.services.judges.judge_setup import engine_settings, remember_probe
from judging.services.judges.loaded_engine import Pace
from judging.services.plans.generation_settings import thinking_in
from judging.services.plans.long_prompts import warn_of_long_prompts
from judging.services.plans.question_texts import CandidateIds, QuestionTexts, build_question, load_texts_of
from judging.services.plans.run_spec import EnvironmentDiffers, agree_on_environment, worded_prompt

logger = logging.getLogger(__name__)
LoadEngine = Callable[[EngineSettings], Engine]


@contextmanager
def claim_siblings(chunk: Chunk, claimed: ClaimedChunk) -> Iterator[list[tuple[ClaimedChunk, list[CandidateIds]]]]:
    """Claim the same chunk of sibling runs for the duration of the block, with their unanswered items.

    Chunks that another worker holds are left out. Empty if the engine does not share prefixes.
    """
    with ExitStack() as leases:
        claims = [_claim_sibling(sibling, claimed, leases) for sibling in sibling_chunks(chunk, claimed.engine)]
        yield [claim for claim in claims if claim is not None]


def sibling_chunks(chunk: Chunk, engine: Engine) -> list[Chunk]:
    """Return unfinished chunks with the same pairs, of active runs that differ only in their attribute."""
    run = chunk.run
    if len(chunk.pairs) < chunk.planned or not engine.describe().shares_prefixes:
        return []
    others = Run.objects.active().filter(judge=run.judge_id, prompt=run.prompt_id, dataset=run.dataset_id)
    siblings = [
        other.pk
        for other in others.exclude(pk=run.pk)
        if _spec_without_wording(other.spec) == _spec_without_wording(run.spec)
    ]
    chunks = Chunk.objects.unfinished().filter(run__in=siblings, position=chunk.position)
    return [other for other in chunks.select_related("run__judge", "run__prompt") if other.pairs == chunk.pairs]


def _claim_sibling(
    chunk: Chunk, claimed: ClaimedChunk, leases: ExitStack
) -> tuple[ClaimedChunk, list[CandidateIds]] | None:
    """Claim a sibling's chunk until `leases` closes.

    None if another worker holds it, its run is stopped or paused, or its environment differs.
    """
    lease = Chunk.objects.claim(chunk.pk, duration=claimed.lease.duration)
    if lease is None:
        return None
    leases.callback(release, lease)
    leases.enter_context(Heartbeat(lease))
    run = chunk.run
    try:
        if pause_of(run.judge, run.owner_id) or not Run.objects.begin(run.pk):
            return None
        agree_on_environment(run, claimed.engine.describe())
    except EnvironmentDiffers:
        return None  # a worker that claims the chunk by itself reports this
    items = unanswered_items(chunk)
    sibling = replace(claimed, run=run, lease=lease, prompt=worded_prompt(run.spec), texts=load_texts_of(run, items))
    return sibling, items


def _spec_without_wording(spec: dict[str, Any]) -> dict[str, Any]:
    """Return a spec without the attribute and the dataset's nouns."""
    return {name: value for name, value in spec.items() if name != "wording"}


def execute_chunk(
    chunk_id: int,
    *,
    load: LoadEngine,
    pace: Pace | None = None,
    lease_duration: timedelta = LEASE_DURATION,
    poll_seconds: float = 0.0,
    on_slice: Callable[[], None] = lambda: None,
) -> None:
    """Judge the unanswered items of a chunk. Does nothing if it is done or held, or its run is not active.

    A judge that cannot be loaded or that breaks fails the run. Its chunks stay, so that the run can be resumed.

    A run in batches ends early until the endpoint has answered; its chunks are executed again later.

    poll_seconds: shortest time between two questions to the endpoint about a batch.
    on_slice: called after each slice is stored; may raise RunStopped to end the chunk.
    """
    number_lines()
    lease = Chunk.objects.claim(chunk_id, duration=lease_duration)
    if lease is None:
        return
    try:
        with Heartbeat(lease):
            _judge(lease, load=load, pace=pace or Pace(), poll_seconds=poll_seconds, on_slice=on_slice)
    except (LeaseLost, RunStopped, BatchPending, Interrupted) as end:
        logger.info("chunk %s: %s", chunk_id, end)
    except DatabaseFailure:
        raise  # not the judge's fault: the chunk is free again and will be claimed again
    except Exception as error:
        _fail_run(chunk_id, error)
    finally:
        release(lease)


def _judge(lease: Lease, *, load: LoadEngine, pace: Pace, poll_seconds: float, on_slice: Callable[[], None]) -> None:
    chunk = Chunk.objects.select_related("run__judge", "run__prompt", "run__dataset").get(pk=lease.chunk_id)
    run = chunk.run
    number_lines(run=run.pk)
    if not Run.objects.begin(run.pk):
        return

    def start(texts: QuestionTexts) -> ClaimedChunk:
        require_budget(run)
        thinking = thinking_in(run.spec)
        engine = _load(run, partial(load, engine_settings(run.judge, thinking, decides=run.asks_decisions)))
        if run.in_batches:
            engine = in_batches(engine, RunLedger(run, poll_seconds=poll_seconds))
        description = engine.describe()
        if not run.environment:
            warn_of_long_prompts(run)
        agree_on_environment(run, description)
        remember_probe(run.judge, description, thinks=thinking is not None)
        run_pace = _pace_of(run, pace)
        return ClaimedChunk(run, lease, engine, run_pace, worded_prompt(run.spec), texts, on_slice)

    _ask_chunk(chunk, lease, start)
    _complete(lease, run)


def _load(run: Run, load: Callable[[], Engine]) -> Engine:
    """Load the judge. The run's log shows its first load since it was queued, because that may take minutes."""
    last = RunEvent.objects.filter(run=run, kind__in=(RunEvent.Kind.LOADED, RunEvent.Kind.QUEUED)).last()
    if last and last.kind == RunEvent.Kind.LOADED:
        return load()
    RunEvent.objects.record(run.pk, RunEvent.Kind.LOADING)
    engine = load()
    RunEvent.objects.record(run.pk, RunEvent.Kind.LOADED)
    return engine


def _pace_of(run: Run, pace: Pace) -> Pace:
    """Return the slice sizes of a run. Thinking takes long, and little longer for many questions than for one."""
    if run.in_batches:
        return WholeChunkPace()
    return Pace(first=FIRST_SLICE_TEXTS, seconds=SLICE_SECONDS) if run.thinking or run.asks_one_reply else pace


def _complete(lease: Lease, run: Run) -> None:
    if Chunk.objects.complete(lease) and Run.objects.finish(run.pk):
        logger.info("run %s is done", run.pk)


def _ask_chunk(chunk: Chunk, lease: Lease, start: Callable[[QuestionTexts], ClaimedChunk]) -> None:
    """Ask a chunk together with its siblings, then its later rounds. The engine is loaded only if items are left."""
    items: Sequence[CandidateIds] = unanswered_items(chunk) or draw_next_round(chunk, lease)
    if not items:
        return
    kind = SCORE_KIND if chunk.run.is_scoring else COMPARISON_KIND
    claimed = start(load_texts_of(chunk.run, items))
    with claim_siblings(chunk, claimed) as siblings:
        chunks = [_prepare(claimed, items), *_prepare_siblings(siblings)]
        ended = ask_in_slices(kind, chunks, next_questions=partial(_next_chunk_questions, chunk))
        for sibling in (one.claimed for one in chunks[1:] if one.claimed.run.pk not in ended):
            _complete(sibling.lease, sibling.run)
    while chunk.run_id not in ended and (items := draw_next_round(chunk, lease)):
        require_budget(chunk.run)
        ended = ask_in_slices(kind, [_prepare(replace(claimed, texts=load_texts_of(chunk.run, items)), items)])
    if chunk.run_id in ended:
        raise ended[chunk.run_id]


def _next_chunk_questions(chunk: Chunk, claimed: Sequence[ClaimedChunk], most: int) -> list[Question]:
    """Return the first questions of the run's next chunk, which the same worker usually claims next.

    Empty if the judge writes before its answers or in them, or if the next pairs depend on answers.
    """
    run = chunk.run
    writes_first = run.asked_method.reasons or run.criteria_name or run.asks_one_reply
    if writes_first or len(chunk.pairs) < chunk.planned:
        return []
    pending = Chunk.objects.filter(run=run, status=Chunk.Status.PENDING, position__gt=chunk.position)
    following = pending.order_by("position").first()
    all_items = [tuple(item) for item in following.pairs] if following else []
    items = all_items[: slice_size(all_items, most)]
    texts = load_texts_of(run, items)
    return [build_question(one.prompt, texts, item) for one in claimed for item in items]


def _prepare(claimed: ClaimedChunk, items: Sequence[CandidateIds]) -> ChunkItems:
    """Have the judge write the criteria of the contexts, then its reasoning about the items."""
    claimed = write_criteria(claimed)
    with_criteria = [item for item in items if not claimed.texts.criteria_problem(item[0])]
    return ChunkItems(claimed, items, write_reasonings(claimed, with_criteria))


def _prepare_siblings(siblings: Iterable[tuple[ClaimedChunk, list[CandidateIds]]]) -> Iterator[ChunkItems]:
    """Prepare siblings; those whose lease is lost or whose run is stopped are left out."""
    for claimed, items in siblings:
        try:
            yield _prepare(claimed, items)
        except (LeaseLost, RunStopped) as end:
            logger.info("chunk %s: %s", claimed.lease.chunk_id, end)


def _fail_run(chunk_id: int, error: Exception) -> None:
    known = isinstance(error, EngineError | Refused)
    reason = storable(str(error) if known else f"the judge broke: {type(error).__name__}: {error}")
    run_id = Chunk.objects.values_list("run", flat=True).filter(pk=chunk_id).first()
    if run_id is None:
        logger.info("chunk %s was deleted while it was judged: %s", chunk_id, reason)
        return
    logger.error("run %s failed: %s", run_id, reason, exc_info=None if known else error)
    Run.objects.stop(run_id, status=Run.Status.FAILED, error=reason)
