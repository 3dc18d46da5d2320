"""What the commands about runs share: how they are printed, and how one is judged or waited for."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from judging import tasks
from judging.management.base import EvenhandCommand
from judging.models import Chunk, Outcome, Run
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.judges.loaded_engine import EngineHolder
from judging.services.runs.progress import Progress, count_outcomes, progress
from judging.services.runs.run_lifecycle import cancel

POLL_SECONDS = 0.2
TELL_SECONDS = 2.0

RunRow = dict[str, Any]


def run_row(run: Run) -> RunRow:
    """What every command says of a run."""
    outcomes = count_outcomes(run)
    return {
        "run": run.pk,
        "judge": run.judge.name,
        "method": run.method,
        "prompt": run.prompt_name,
        "attribute": run.attribute.name,
        "scores" if run.is_scoring else "comparisons": outcomes[Outcome.ANSWERED],
        "unparsed": outcomes[Outcome.UNPARSED],
        "errors": outcomes[Outcome.ERROR],
    }


def row_line(row: RunRow) -> str:
    """A run for people, on one line."""
    noun = "scores" if "scores" in row else "comparisons"
    return (
        f"run {row['run']}: {row['judge']}, {row['method']}, {row['prompt']}, {row['attribute']}: "
        f"{row[noun]} {noun}, {row['unparsed']} unparsed, {row['errors']} errors"
    )


class JudgingCommand(EvenhandCommand):
    """A command that sees runs through: in this process, or by waiting for the workers."""

    def see_through(self, runs: Sequence[Run], *, holder: EngineHolder | None) -> list[RunRow]:
        """Judge runs, one after the other; without a holder of an engine, hand them to the workers and wait.

        Raises CommandError where one fails. Ctrl-C cancels what is left, and says how to go on.
        """
        reused = {run.pk: sum(count_outcomes(run).values()) for run in runs}
        try:
            for run in runs if holder is None else ():
                tasks.start_run(run.pk)
            for run in runs:
                self._see_one_through(run, holder)
        except KeyboardInterrupt:
            self._cancel(runs)
        return [judged_row(run, reused=reused[run.pk]) for run in runs]

    def _see_one_through(self, run: Run, holder: EngineHolder | None) -> None:
        teller = Teller(run, self.note)
        while True:
            if holder is not None:
                judge_here(run, holder, on_slice=teller.tell_now_and_then)
            run.refresh_from_db()
            if not run.is_active:
                break
            teller.tell_now_and_then()
            time.sleep(POLL_SECONDS)  # others hold what is left of it
        teller.tell()
        if run.status == Run.Status.CANCELLED:
            raise CommandError(how_to_go_on(run.pk))
        if run.status != Run.Status.DONE:
            reason = f": {run.error}" if run.error else ""
            raise CommandError(f"{run} {run.status}{reason}\nOnce that is mended, go on with: evenhand resume {run.pk}")
        if (now := progress(run)).errors:
            self.note(f"run {run.pk}: the first of its errors ({now.errors}): {now.first_error}")
            self.note(f"Once that is mended, ask them again with: evenhand resume {run.pk} --errors")

    def _cancel(self, runs: Sequence[Run]) -> None:
        cancelled = [run.pk for run in runs if cancel(run)]
        raise CommandError("\n".join(map(how_to_go_on, cancelled)))


def how_to_go_on(run_id: int) -> str:
    return f"run {run_id} is cancelled; go on with: evenhand resume {run_id}"


def judge_here(run: Run, holder: EngineHolder, *, on_slice: Callable[[], None]) -> None:
    """Judge in this process what of a run nobody else holds."""
    lease = timedelta(seconds=settings.LEASE_SECONDS)
    for chunk_id in list(Chunk.objects.unfinished().filter(run=run).values_list("pk", flat=True)):
        execute_chunk(chunk_id, load=holder.load, pace=holder.pace, lease=lease, on_slice=on_slice)
        if not Run.objects.active().filter(pk=run.pk).exists():
            return


def judged_row(run: Run, *, reused: int) -> RunRow:
    run.refresh_from_db()
    cost = {name: getattr(run, name) for name in ("seconds", "prompt_tokens", "computed_tokens")}
    return run_row(run) | {"reused": reused} | cost


class Teller:
    """Tells how far a run is, not more often than every two seconds."""

    def __init__(self, run: Run, note: Callable[[str], None]) -> None:
        self._run = run
        self._note = note
        self._told_at = time.monotonic()

    def tell_now_and_then(self) -> None:
        if time.monotonic() - self._told_at >= TELL_SECONDS:
            self.tell()

    def tell(self) -> None:
        self._told_at = time.monotonic()
        self._run.refresh_from_db()
        self._note(progress_line(self._run, progress(self._run)))


def progress_line(run: Run, now: Progress) -> str:
    """How far a run is, on one line."""
    parts = [f"{run}, {run.attribute.name}, {run.prompt_name}: {now.asked} of {now.planned}"]
    if now.reasonings_planned:
        parts.append(f"{now.reasonings_done} of {now.reasonings_planned} analyses")
    if now.unparsed or now.errors:
        parts.append(f"{now.unparsed} unparsed, {now.errors} errors")
    if now.per_second and now.seconds_left is not None:
        parts.append(f"{now.per_second:.1f} a second, {now.seconds_left:.0f} s left")
    if now.stale:
        parts.append("no worker has taken it up; start one with: celery -A evalsite worker --pool=solo -Q default,gpu")
    return "; ".join(parts)
