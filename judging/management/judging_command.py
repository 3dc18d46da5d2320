"""The base of the commands that judge runs in this process, or wait for the workers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import timedelta

from django.conf import settings
from django.core.management.base import CommandError

from judging import tasks
from judging.management.evenhand_command import EvenhandCommand
from judging.management.run_rows import RunRow, make_judged_run_row
from judging.models import Chunk, Run
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.judges.loaded_engine import EngineHolder
from judging.services.runs.progress import Progress, count_outcomes, progress
from judging.services.runs.run_lifecycle import cancel

POLL_SECONDS = 0.2
PROGRESS_SECONDS = 2.0  # between two lines of progress


class JudgingCommand(EvenhandCommand):
    """A command that judges runs to their end."""

    def judge_runs(self, runs: Sequence[Run], *, holder: EngineHolder | None) -> list[RunRow]:
        """Judge runs one after the other and return their rows.

        holder: loads the engine in this process; None to queue the runs for the workers and wait.
        Raises CommandError if a run fails. Ctrl-C cancels the unfinished runs and prints how to continue.
        """
        reused = {run.pk: sum(count_outcomes(run).values()) for run in runs}
        try:
            for run in runs if holder is None else ():
                tasks.start_run(run.pk)
            for run in runs:
                self._judge_run(run, holder)
        except KeyboardInterrupt:
            self._cancel(runs)
        return [make_judged_run_row(run, reused=reused[run.pk]) for run in runs]

    def _judge_run(self, run: Run, holder: EngineHolder | None) -> None:
        printer = ProgressPrinter(run, self.note)
        while True:
            if holder is not None:
                judge_free_chunks(run, holder, on_slice=printer.print_if_due)
            run.refresh_from_db()
            if not run.is_active:
                break
            printer.print_if_due()
            time.sleep(POLL_SECONDS)  # other processes hold the remaining chunks
        printer.print_now()
        if run.status == Run.Status.CANCELLED:
            raise CommandError(describe_cancelled_run(run.pk))
        if run.status != Run.Status.DONE:
            reason = f": {run.error}" if run.error else ""
            advice = f"Correct the cause, then continue with: evenhand resume {run.pk}"
            raise CommandError(f"{run} {run.status}{reason}\n{advice}")
        if (now := progress(run)).errors:
            self.note(f"run {run.pk}: first of {now.errors} errors: {now.first_error}")
            self.note(f"Correct the cause, then ask again with: evenhand resume {run.pk} --errors")

    def _cancel(self, runs: Sequence[Run]) -> None:
        cancelled = [run.pk for run in runs if cancel(run)]
        raise CommandError("\n".join(map(describe_cancelled_run, cancelled)))


def describe_cancelled_run(run_id: int) -> str:
    return f"run {run_id} is cancelled; continue with: evenhand resume {run_id}"


def judge_free_chunks(run: Run, holder: EngineHolder, *, on_slice: Callable[[], None]) -> None:
    """Judge in this process the chunks of a run that no other process holds. Stop if the run is no longer active."""
    lease = timedelta(seconds=settings.LEASE_SECONDS)
    for chunk_id in list(Chunk.objects.unfinished().filter(run=run).values_list("pk", flat=True)):
        execute_chunk(chunk_id, load=holder.load, pace=holder.pace, lease_duration=lease, on_slice=on_slice)
        if not Run.objects.active().filter(pk=run.pk).exists():
            return


class ProgressPrinter:
    """Prints the progress of a run, at most every PROGRESS_SECONDS."""

    def __init__(self, run: Run, write: Callable[[str], None]) -> None:
        self._run = run
        self._write = write
        self._printed_at = time.monotonic()

    def print_if_due(self) -> None:
        if time.monotonic() - self._printed_at >= PROGRESS_SECONDS:
            self.print_now()

    def print_now(self) -> None:
        self._printed_at = time.monotonic()
        self._run.refresh_from_db()
        self._write(describe_progress(self._run, progress(self._run)))


def describe_progress(run: Run, now: Progress) -> str:
    """Describe the progress of a run on one line."""
    parts = [f"{run}, {run.attribute.name}, {run.prompt_name}: {now.asked} of {now.planned}"]
    if now.reasonings_planned:
        parts.append(f"{now.reasonings_done} of {now.reasonings_planned} reasoning texts")
    if now.unparsed or now.errors:
        parts.append(f"{now.unparsed} unparsed, {now.errors} errors")
    if now.per_second and now.seconds_left is not None:
        parts.append(f"{now.per_second:.1f} a second, {now.seconds_left:.0f} s left")
    if now.stale:
        parts.append("waiting for a worker; start one with: celery -A evalsite worker --pool=solo -Q default,gpu")
    return "; ".join(parts)
