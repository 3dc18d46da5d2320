"""The first stage of PRePair: what a judge writes about each candidate alone, once for all of its comparisons."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from django.db import transaction

from judging.engine import Generation
from judging.models import Reasoning, Run
from judging.services.answers import Cost, book, storable
from judging.services.engines import Pace
from judging.services.plans import Pair
from judging.services.texts import Analysis, reasoning_request
from judging.services.work import Work


def write_analyses(work: Work, pairs: Sequence[Pair]) -> dict[int, Analysis]:
    """candidate -> analysis, for all candidates of some pairs; only those are written that nobody has written yet.

    What is stored counts, so that two workers who write about one candidate use the same text.
    Raises LeaseLost and RunStopped.
    """
    candidates = list(dict.fromkeys(candidate for pair in pairs for candidate in pair))
    there = stored_analyses(work.run, candidates)
    missing = [candidate for candidate in candidates if candidate not in there]
    pace = Pace()
    while missing:
        size = pace.size
        _write_slice(work, missing[:size], pace)
        missing = missing[size:]
    # One that failed may have been taken away since, for a run that asks it again; here it failed.
    return there | stored_analyses(work.run, candidates)


def stored_analyses(run: Run, candidates: Iterable[int]) -> dict[int, Analysis]:
    """The analyses of these candidates that exist, whichever run asked for them."""
    rows = Reasoning.objects.filter(
        judge=run.judge_id,
        prompt=run.prompt_id,
        attribute=run.attribute_id,
        max_new_tokens=_max_new_tokens(run),
        candidate__in=candidates,
    )
    return {pk: Analysis(text, error) for pk, text, error in rows.values_list("candidate", "text", "error")}


def _max_new_tokens(run: Run) -> int:
    return int(run.spec["method"]["max_new_tokens"])


def _write_slice(work: Work, candidates: Sequence[int], pace: Pace) -> None:
    longest = _max_new_tokens(work.run)
    requests = [reasoning_request(work.prompt, work.texts, one, max_new_tokens=longest) for one in candidates]
    started = time.monotonic()
    written = work.engine.generate(requests)
    seconds = time.monotonic() - started
    pace.record(len(candidates), seconds)
    rows = [_row(work.run, candidate, one) for candidate, one in zip(candidates, written, strict=True)]
    with transaction.atomic():
        book(work.hold, run_id=work.run.pk, cost=_cost(written, seconds))
        Reasoning.objects.bulk_create(rows, ignore_conflicts=True)
    work.end_slice()


def _cost(written: Sequence[Generation], seconds: float) -> Cost:
    prompt_tokens = sum(one.prompt_tokens for one in written)
    return Cost(prompt_tokens, prompt_tokens + sum(one.generated_tokens for one in written), seconds)


def _row(run: Run, candidate: int, written: Generation) -> Reasoning:
    return Reasoning(
        judge_id=run.judge_id,
        prompt=run.prompt,
        attribute_id=run.attribute_id,
        candidate_id=candidate,
        text=storable(written.text),
        error=storable(written.error),
        generated_tokens=written.generated_tokens,
        max_new_tokens=_max_new_tokens(run),
        complete=written.complete,
    )
