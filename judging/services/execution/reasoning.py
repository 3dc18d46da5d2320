"""The first step of methods that have one: what a judge writes about each candidate alone, about each pair, or before
it is shown anything; once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeVar

from django.db import transaction
from django.db.models import Model, Q

from judging.engine import Generation, Request
from judging.models import Reasoning, Run
from judging.prompting.methods import METHODS
from judging.services.execution.claimed_chunk import Work
from judging.services.execution.slice_storage import Storing
from judging.services.execution.slices import Cost, book, storable
from judging.services.judges.loaded_engine import Pace
from judging.services.plans.generation_settings import writing_in
from judging.services.plans.question_texts import Analysis, Shown, reasoned, reasoning_request

NOTHING_WRITTEN = "the judge wrote nothing"
FIRST_TEXTS, WRITING_SECONDS = 16, 20.0  # of a slice: texts that are written together take little longer than one

T = TypeVar("T")


def write_analyses(work: Work, items: Sequence[Shown]) -> dict[Shown, Analysis]:
    """What is written for some pairs, or candidates that are scored alone, by what it is about; only that is written
    which nobody has written yet.

    What is stored counts, so that two workers who write about one candidate use the same text.
    Raises LeaseLost and RunStopped.
    """
    asked = list(dict.fromkeys(shown for item in items for shown in reasoned(work.run.method, item)))
    there = stored_analyses(work.run, asked)
    missing = [shown for shown in asked if shown not in there]
    write_in_slices(work, missing, request=partial(_request, work), row=partial(_row, work.run))
    # One that failed may have been taken away since, for a run that asks it again; here it failed.
    return there | stored_analyses(work.run, asked)


def write_in_slices(
    work: Work, items: Sequence[T], *, request: Callable[[T], Request], row: Callable[[T, Generation], Model]
) -> None:
    """Have the judge write about each of some items, and store what it writes, slice by slice.

    request: what it is asked to write about an item. row: what is stored of it; what is there already stays.
    Raises LeaseLost and RunStopped.
    """
    left, pace = list(items), Pace(first=FIRST_TEXTS, seconds=WRITING_SECONDS)
    with Storing() as storing:
        while left:
            size = pace.size
            some, left = left[:size], left[size:]
            started = time.monotonic()
            written = work.engine.generate([request(item) for item in some])
            seconds = time.monotonic() - started
            pace.record(len(some), seconds)
            rows = [row(item, one) for item, one in zip(some, written, strict=True)]
            storing.store([partial(_store, work, rows, Cost.of_texts(written, seconds))], is_last=not left)
            work.end_slice()


def _store(work: Work, rows: Sequence[Model], cost: Cost) -> None:
    with transaction.atomic():
        book(work.hold, run_id=work.run.pk, cost=cost)
        type(rows[0])._default_manager.bulk_create(rows, ignore_conflicts=True)


def stored_analyses(run: Run, asked: Iterable[Shown]) -> dict[Shown, Analysis]:
    """What is written about these candidates or pairs, or beforehand, whichever run asked for it."""
    wanted = set(asked)
    about = Q(candidate__in={shown[0] for shown in wanted if shown})
    rows = Reasoning.objects.of_run(run).filter(about | Q(candidate=None) if () in wanted else about) if wanted else ()
    return {row.shown: analysis(row.text, row.error) for row in rows if row.shown in wanted}


def analysis_of(written: Generation) -> Analysis:
    """What became of one request."""
    return analysis(storable(written.text), storable(written.error))


def analysis(text: str, error: str) -> Analysis:
    """What was written; of nothing, nobody can judge, so that it is an error as well."""
    return Analysis(text, error or ("" if text.strip() else NOTHING_WRITTEN))


def steps_of(run: Run) -> Reasoning | None:
    """What the judge wrote before it was shown any text, for a method that has it do so; None before that."""
    method = METHODS.get(run.method)
    if run.prompt_id is None or method is None or not method.reasons_once:
        return None
    return Reasoning.objects.of_run(run).filter(candidate=None).first()


def _max_new_tokens(run: Run) -> int:
    return int(run.spec["method"]["max_new_tokens"])


def _request(work: Work, shown: Shown) -> Request:
    asked = reasoning_request(work.prompt, work.texts, shown, max_new_tokens=_max_new_tokens(work.run))
    return writing_in(work.run.spec).request(asked, seed=work.run.seed)


def _row(run: Run, shown: Shown, written: Generation) -> Reasoning:
    became = analysis_of(written)
    return Reasoning(
        judge_id=run.judge_id,
        revision=run.revision,
        question_sha256=run.reasoning_sha256,
        candidate_id=shown[0] if shown else None,
        second_id=shown[1] if len(shown) > 1 else None,
        text=became.text,
        error=became.error,
        generated_tokens=written.generated_tokens,
        max_new_tokens=_max_new_tokens(run),
        complete=written.complete,
        **run.decoding,
    )
