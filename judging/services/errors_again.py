"""Asking again what ended as an error: its rows are taken away, and the chunks that asked it are free again.

A pair without a row is asked by whoever takes its chunk up, under a lease, as in any run: so its answer is there once.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from judging.exceptions import Refused
from judging.models import Chunk, Comparison, Outcome, Prompt, Reasoning, Run

ROWS_AT_ONCE = 10_000


@transaction.atomic
def forget_errors(run: Run) -> int:
    """Take away the errors of a run that may go on, and make it ready to ask them again; how many there were.

    Unparsed answers stay: the judge did answer, and the same question gets the same again. Raises Refused while
    somebody judges the run, who would not ask again what was looked at before.
    """
    if Chunk.objects.filter(run=run).held().exists():
        raise _in_hand(run)
    errors = Comparison.objects.filter(run=run, outcome=Outcome.ERROR).values_list("first", "second", "pk")
    rows = {(first, second): pk for first, second, pk in errors}
    chunks = [pk for pk, pairs in run.chunks.values_list("pk", "pairs") if any(tuple(pair) in rows for pair in pairs)]
    if Chunk.objects.reopen(chunks) < len(chunks):
        raise _in_hand(run)
    if rows:
        _forget_failed_analyses(run)
        _delete(list(rows.values()))
        Run.objects.filter(pk=run.pk).update(status=Run.Status.PENDING, error="", finished_at=None, queued_at=None)
    return len(rows)


def _forget_failed_analyses(run: Run) -> None:
    """What is asked about a candidate alone is asked again too, or its comparisons would fail for the same reason."""
    if run.method == Prompt.Method.PREPAIR:
        of_run = Reasoning.objects.filter(judge=run.judge_id, prompt=run.prompt_id, attribute=run.attribute_id)
        of_run.filter(max_new_tokens=run.spec["method"]["max_new_tokens"]).exclude(error="").delete()


def _delete(rows: Sequence[int]) -> None:
    """These rows and no others: what another process adds meanwhile stays."""
    for start in range(0, len(rows), ROWS_AT_ONCE):
        Comparison.objects.filter(pk__in=rows[start : start + ROWS_AT_ONCE]).delete()


def _in_hand(run: Run) -> Refused:
    return Refused(f"run {run.pk} is being judged; wait for it, or cancel it first")
