"""The first step of methods that have one: what a judge writes about each candidate alone, about each pair, or before
it is shown anything; once.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from django.db import transaction
from django.db.models import Q

from judging.engine import Generation
from judging.methods import METHODS
from judging.models import Reasoning, Run
from judging.services.answers import Cost, book, storable
from judging.services.engines import Pace
from judging.services.texts import Analysis, Shown, reasoned, reasoning_request
from judging.services.work import Work
from judging.services.writings import writing_in

NOTHING_WRITTEN = "the judge wrote nothing"


def write_analyses(work: Work, items: Sequence[Shown]) -> dict[Shown, Analysis]:
    """What is written for some pairs, or candidates that are scored alone, by what it is about; only that is written
    which nobody has written yet.

    What is stored counts, so that two workers who write about one candidate use the same text.
    Raises LeaseLost and RunStopped.
    """
    asked = list(dict.fromkeys(shown for item in items for shown in reasoned(work.run.method, item)))
    there = stored_analyses(work.run, asked)
    missing = [shown for shown in asked if shown not in there]
    pace = Pace()
    while missing:
        size = pace.size
        _write_slice(work, missing[:size], pace)
        missing = missing[size:]
    # One that failed may have been taken away since, for a run that asks it again; here it failed.
    return there | stored_analyses(work.run, asked)


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


def _write_slice(work: Work, asked: Sequence[Shown], pace: Pace) -> None:
    longest = _max_new_tokens(work.run)
    writing, seed = writing_in(work.run.spec), work.run.seed
    requests = [
        writing.request(reasoning_request(work.prompt, work.texts, one, max_new_tokens=longest), seed=seed)
        for one in asked
    ]
    started = time.monotonic()
    written = work.engine.generate(requests)
    seconds = time.monotonic() - started
    pace.record(len(asked), seconds)
    rows = [_row(work.run, shown, one) for shown, one in zip(asked, written, strict=True)]
    with transaction.atomic():
        book(work.hold, run_id=work.run.pk, cost=Cost.of_texts(written, seconds))
        Reasoning.objects.bulk_create(rows, ignore_conflicts=True)
    work.end_slice()


def _row(run: Run, shown: Shown, written: Generation) -> Reasoning:
    became = analysis_of(written)
    return Reasoning(
        judge_id=run.judge_id,
        prompt=run.prompt,
        attribute_id=run.attribute_id,
        candidate_id=shown[0] if shown else None,
        second_id=shown[1] if len(shown) > 1 else None,
        text=became.text,
        error=became.error,
        generated_tokens=written.generated_tokens,
        max_new_tokens=_max_new_tokens(run),
        metrics_sha256=run.metrics_sha256,
        complete=written.complete,
        **run.decoding,
    )
