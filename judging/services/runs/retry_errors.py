"""Asking again what ended as an error: its rows are taken away, and the chunks that asked it are free again.

What has no row is asked by whoever takes its chunk up, under a lease, as in any run: so its answer is there once.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Model

from judging.exceptions import Refused
from judging.models import Chunk, Comparison, ContextMetrics, Outcome, Reasoning, Run, Score

ROWS_AT_ONCE = 10_000

Asked = tuple[int, ...]


@transaction.atomic
def forget_errors(run: Run) -> int:
    """Take away the errors of a run that may go on, and make it ready to ask them again; how many there were.

    Unparsed answers stay: the judge did answer, and the same question gets the same again. Raises Refused while
    somebody judges the run, who would not ask again what was looked at before.
    """
    if Chunk.objects.filter(run=run).held().exists():
        raise _in_hand(run)
    errors = _errors(run)
    chunks = [pk for pk, asked in run.chunks.values_list("pk", "pairs") if any(tuple(one) in errors for one in asked)]
    if Chunk.objects.reopen(chunks) < len(chunks):
        raise _in_hand(run)
    if errors:
        _forget_failed_analyses(run)
        _delete(run, list(errors.values()))
        Run.objects.filter(pk=run.pk).update(status=Run.Status.PENDING, error="", finished_at=None, queued_at=None)
    return len(errors)


def _errors(run: Run) -> dict[Asked, int]:
    """What ended as an error, a pair or a candidate alone as its chunk has it, and the id of its row."""
    if run.is_scoring:
        scores = Score.objects.filter(run=run, outcome=Outcome.ERROR).values_list("candidate", "pk")
        return {(candidate,): pk for candidate, pk in scores}
    comparisons = Comparison.objects.filter(run=run, outcome=Outcome.ERROR).values_list("first", "second", "pk")
    return {(first, second): pk for first, second, pk in comparisons}


def _forget_failed_analyses(run: Run) -> None:
    """What is written in a first step is asked for again too, or comparisons would fail for the same reason."""
    ContextMetrics.objects.of_run(run).exclude(error="").delete()
    Reasoning.objects.of_run(run).exclude(error="", text__gt="").delete()


def _delete(run: Run, rows: Sequence[int]) -> None:
    """These rows and no others: what another process adds meanwhile stays."""
    model: type[Model] = Score if run.is_scoring else Comparison
    for start in range(0, len(rows), ROWS_AT_ONCE):
        model._default_manager.filter(pk__in=rows[start : start + ROWS_AT_ONCE]).delete()


def _in_hand(run: Run) -> Refused:
    return Refused(f"run {run.pk} is being judged; wait for it, or cancel it first")
