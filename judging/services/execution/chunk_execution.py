"""Judging one chunk: claim it, ask what has no answer, stop when told to."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

from django.db import Error as DatabaseFailure

from judging.engine import Engine, EngineError, EngineSettings, Question
from judging.models import Chunk, Hold, Run
from judging.prompting.methods import METHODS
from judging.services.execution.adaptive_rounds import next_round
from judging.services.execution.claimed_chunk import LeaseLost, RunStopped, Work
from judging.services.execution.comparison_answers import COMPARISONS
from judging.services.execution.criteria import knowing_metrics
from judging.services.execution.heartbeat import LEASE, Heartbeat
from judging.services.execution.joint_attributes import taken_up_beside
from judging.services.execution.reasoning import write_analyses
from judging.services.execution.score_answers import SCORES
from judging.services.execution.slices import Kind, Part, ask_in_slices, slice_size, storable
from judging.services.judges.judge_setup import engine_settings
from judging.services.judges.loaded_engine import Pace
from judging.services.plans.question_texts import Shown, Texts, question_of, texts_of
from judging.services.plans.run_environment import agree_on_environment
from judging.services.plans.run_spec import worded_prompt

logger = logging.getLogger(__name__)

Load = Callable[[EngineSettings], Engine]


def execute_chunk(
    chunk_id: int,
    *,
    load: Load,
    pace: Pace | None = None,
    lease: timedelta = LEASE,
    on_slice: Callable[[], None] = lambda: None,
) -> None:
    """Judge what a chunk still lacks. Returns at once where it is done, in other hands, or its run not wanted.

    A judge that cannot be loaded, or that breaks, fails the run; its chunks stay, so that it can be resumed.
    """
    hold = Chunk.objects.claim(chunk_id, lease=lease)
    if hold is None:
        return
    try:
        with Heartbeat(hold):
            _judge(hold, load=load, pace=pace or Pace(), on_slice=on_slice)
    except (LeaseLost, RunStopped) as end:
        logger.info("chunk %s: %s", chunk_id, end)
    except DatabaseFailure:
        raise  # says nothing about the judge: the chunk is free again, and is taken up again
    except Exception as error:
        _fail(chunk_id, error)
    finally:
        Chunk.objects.release(hold)


def _judge(hold: Hold, *, load: Load, pace: Pace, on_slice: Callable[[], None]) -> None:
    chunk = Chunk.objects.select_related("run__judge", "run__prompt").get(pk=hold.chunk_id)
    run = chunk.run
    if not Run.objects.begin(run.pk):
        return

    def start(texts: Texts) -> Work:
        engine = load(engine_settings(run.judge))
        agree_on_environment(run, engine.describe())
        return Work(run, hold, engine, pace, worded_prompt(run.spec), texts, on_slice)

    kind: Kind[Any] = SCORES if run.is_scoring else COMPARISONS
    _ask(kind, chunk, hold, start)
    _complete(hold, run)


def _complete(hold: Hold, run: Run) -> None:
    if Chunk.objects.complete(hold) and Run.objects.finish(run.pk):
        logger.info("run %s is done", run.pk)


def _ask(kind: Kind[Any], chunk: Chunk, hold: Hold, start: Callable[[Texts], Work]) -> None:
    items: Sequence[Shown] = kind.lacking(chunk) or next_round(chunk, hold)
    if not items:
        return
    work = start(texts_of(items))
    with taken_up_beside(chunk, work, kind=kind) as siblings:
        parts = [_part(work, items), *_parts(siblings)]
        ended = ask_in_slices(kind, parts, following=partial(_following, chunk))
        for sibling in (part.work for part in parts[1:] if part.work.run.pk not in ended):
            _complete(sibling.hold, sibling.run)
    while chunk.run_id not in ended and (items := next_round(chunk, hold)):
        ended = ask_in_slices(kind, [_part(replace(work, texts=texts_of(items)), items)])
    if chunk.run_id in ended:
        raise ended[chunk.run_id]


def _following(chunk: Chunk, works: Sequence[Work], most: int) -> list[Question]:
    """What the next chunk asks first, which most often comes next to the same worker.

    Nothing where something has to be written first, or where what comes next rests on answers.
    """
    run = chunk.run
    writes_first = METHODS[run.method].reasons or run.metrics_name
    if writes_first or len(chunk.pairs) < chunk.planned:
        return []
    after = Chunk.objects.filter(run=run, status=Chunk.Status.PENDING, part__gt=chunk.part).order_by("part").first()
    items = [tuple(item) for item in after.pairs] if after else []
    some = items[: slice_size(items, most)]
    texts = texts_of(some)
    return [question_of(work.prompt, texts, item) for work in works for item in some]


def _part(work: Work, items: Sequence[Shown]) -> Part:
    """A part with all that is written first: metrics for contexts, then texts about candidates or pairs."""
    knowing = knowing_metrics(work)
    shown = [item for item in items if not knowing.texts.why_no_metrics(item[0])]
    return Part(knowing, items, write_analyses(knowing, shown))


def _parts(siblings: Iterable[tuple[Work, list[Shown]]]) -> Iterator[Part]:
    """Those of them that are still wanted, once what they need is written."""
    for work, items in siblings:
        try:
            yield _part(work, items)
        except (LeaseLost, RunStopped) as end:
            logger.info("chunk %s: %s", work.hold.chunk_id, end)


def _fail(chunk_id: int, error: Exception) -> None:
    known = isinstance(error, EngineError)
    reason = storable(str(error) if known else f"the judge broke: {type(error).__name__}: {error}")
    run_id = Chunk.objects.values_list("run", flat=True).get(pk=chunk_id)
    logger.error("run %s failed: %s", run_id, reason, exc_info=None if known else error)
    Run.objects.stop(run_id, status=Run.Status.FAILED, error=reason)
