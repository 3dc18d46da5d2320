"""Reasoning: the judge writes it before its answers, about each candidate, each pair, or the task, and once for all
runs that request the same.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Model, Q

from evenhand.engine import Generation, Request
from evenhand.prompting.methods import METHODS
from judging.models import Reasoning, Run
from judging.models.reasonings import WrittenByJudge
from judging.services.execution.bulk_insert import storable
from judging.services.execution.claimed_chunk import ClaimedChunk, SliceCost
from judging.services.execution.slice_storage import SliceWriter
from judging.services.judges.loaded_engine import Pace
from judging.services.plans.generation_settings import generation_in
from judging.services.plans.question_texts import CandidateIds, WrittenText, reasoning_request, reasoning_subjects

NOTHING_WRITTEN = "the judge wrote nothing"
FIRST_SLICE_TEXTS, SLICE_SECONDS = 4, 20.0  # texts that are generated together take little longer than one

T = TypeVar("T")


def write_reasonings(claimed: ClaimedChunk, items: Sequence[CandidateIds]) -> dict[CandidateIds, WrittenText]:
    """Return subject -> reasoning for these items; the judge writes those that are not stored yet.

    The stored rows are used, so that two workers use the same text about a candidate.
    Raises LeaseLost and RunStopped.
    """
    run = claimed.run
    subjects = list(dict.fromkeys(subject for item in items for subject in reasoning_subjects(run.asked_method, item)))
    before = stored_reasonings(run, subjects)
    missing = [subject for subject in subjects if subject not in before]
    delete_removed(_rows_about(run, missing))
    write_in_slices(claimed, missing, request=partial(_request, claimed), row=partial(_to_row, run))
    # Retrying errors in another run may have deleted a failed row since; for this chunk it stays failed.
    return before | stored_reasonings(run, subjects)


def write_in_slices(
    claimed: ClaimedChunk, items: Sequence[T], *, request: Callable[[T], Request], row: Callable[[T, Generation], Model]
) -> None:
    """Have the judge write a text for each item, and store the texts slice by slice.

    request: builds an item's request. row: builds the row to store; an existing row stays.
    Raises LeaseLost and RunStopped.
    """
    pace = claimed.pace if claimed.run.in_batches else Pace(first=FIRST_SLICE_TEXTS, seconds=SLICE_SECONDS)
    left = list(items)
    with SliceWriter() as writer:
        while left:
            size = pace.size
            batch, left = left[:size], left[size:]
            started = time.monotonic()
            generations = claimed.engine.generate([request(item) for item in batch])
            seconds = time.monotonic() - started
            pace.record(len(batch), seconds)
            rows = [row(item, generation) for item, generation in zip(batch, generations, strict=True)]
            cost = SliceCost.of_generations(generations, seconds)
            writer.store([partial(_store, claimed, rows, cost)], is_last=not left)
            claimed.end_slice()


def _store(claimed: ClaimedChunk, rows: Sequence[Model], cost: SliceCost) -> None:
    with transaction.atomic():
        claimed.add_cost(cost)
        type(rows[0])._default_manager.bulk_create(rows, ignore_conflicts=True)


def stored_reasonings(run: Run, subjects: Iterable[CandidateIds]) -> dict[CandidateIds, WrittenText]:
    """Load subject -> reasoning, also those that other runs had written."""
    rows = _rows_about(run, subjects)
    return {row.candidate_ids: written_text(row.text, row.error) for row in rows if not row.is_removed}


def _rows_about(run: Run, subjects: Iterable[CandidateIds]) -> list[Reasoning]:
    wanted = set(subjects)
    if not wanted:
        return []
    about = Q(candidate__in={subject[0] for subject in wanted if subject})
    rows = Reasoning.objects.of_run(run).filter(about | Q(candidate=None) if () in wanted else about)
    return [row for row in rows if row.candidate_ids in wanted]


def delete_removed(rows: Iterable[WrittenByJudge]) -> None:
    """Delete rows whose text was removed because of its age, so that the judge can write it again."""
    for row in rows:
        if row.is_removed:
            row.delete()


def to_written_text(generation: Generation) -> WrittenText:
    """Convert an engine's reply to the text that is stored."""
    return written_text(storable(generation.text), storable(generation.error))


def written_text(text: str, error: str) -> WrittenText:
    """Return a judge's text; an empty text is an error, because no answer can rest on it."""
    return WrittenText(text, error or ("" if text.strip() else NOTHING_WRITTEN))


def evaluation_steps(run: Run) -> Reasoning | None:
    """Return the judge's reasoning about the task; None if its method has none or it is not written yet."""
    if run.prompt_id is None or not METHODS[run.method].reasons_once:
        return None
    return Reasoning.objects.of_run(run).filter(candidate=None).first()


def _max_new_tokens(run: Run) -> int:
    return int(run.spec["method"]["max_new_tokens"])


def _request(claimed: ClaimedChunk, subject: CandidateIds) -> Request:
    run = claimed.run
    request = reasoning_request(claimed.prompt, claimed.texts, subject, max_new_tokens=_max_new_tokens(run))
    return generation_in(run.spec).apply_to(request, seed=run.seed)


def _to_row(run: Run, subject: CandidateIds, generation: Generation) -> Reasoning:
    return Reasoning(
        question_sha256=run.reasoning_sha256,
        candidate_id=subject[0] if subject else None,
        second_id=subject[1] if len(subject) > 1 else None,
        max_new_tokens=_max_new_tokens(run),
        **written_columns(run, generation),
    )


def written_columns(run: Run, generation: Generation) -> dict[str, Any]:
    """Return the columns that reasoning and criteria of a run have in common."""
    written = to_written_text(generation)
    return {
        "judge_id": run.judge_id,
        "revision": run.revision,
        "text": written.text,
        "thinking": storable(generation.thinking),
        "error": written.error,
        "generated_tokens": generation.generated_tokens,
        "complete": generation.complete,
        **run.decoding,
    }
