"""The base of the commands that judge runs in this process, or wait for the workers."""

import signal
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import timedelta

from django.conf import settings
from django.core.management.base import CommandError
from django.db import Error, connection

from evenhand.engine import load_engine
from judging import tasks
from judging.management.evenhand_command import EvenhandCommand
from judging.management.run_progress import RunProgress
from judging.management.run_rows import RunRow, describe_judged_run, is_answered, make_judged_run_row
from judging.models import Chunk, Run
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.execution.endpoint_batches import cancel_run_batches
from judging.services.execution.worker_reports import report_answers
from judging.services.judges.loaded_engine import EngineHolder
from judging.services.runs.progress import count_outcomes, progress
from judging.services.runs.run_lifecycle import cancel, tell_of_end, warnings_of

POLL_SECONDS = 0.2
ALL_UNPARSED_STATUS = 3


class JudgingCommand(EvenhandCommand):
    """A command that judges runs to their end."""

    def judge_runs(self, runs: Sequence[Run], *, holder: EngineHolder | None) -> list[RunRow]:
        """Judge runs one after the other and return their rows.

        holder: loads the engine in this process; None to queue the runs for the workers and wait.
        Raises CommandError if a run fails. Ctrl-C, a request to end and a lost
        terminal cancel the unfinished runs and print how to continue.
        """
        if self.is_command_line:
            _end_as_by_ctrl_c()
        reused = {run.pk: sum(count_outcomes(run).values()) for run in runs}
        for warning in warnings_of(runs):
            self.note(warning)
        try:
            for run in runs if holder is None else ():
                tasks.start_run(run.pk)
            with RunProgress(runs, self.stderr_line) as shown:
                for run in runs:
                    self._judge_run(run, holder, shown)
        except (KeyboardInterrupt, Error) as error:
            if not _is_interruption(error):
                raise
            self._cancel(runs)
        return [make_judged_run_row(run, reused=reused[run.pk]) for run in runs]

    def show(self, result: dict[str, list[RunRow]]) -> None:
        for row in result["runs"]:
            self.stdout.write(describe_judged_run(row))

    def _judge_run(self, run: Run, holder: EngineHolder | None, shown: RunProgress) -> None:
        def after_slice() -> None:
            shown.update_if_due(run)
            report_answers()

        while True:
            if holder is not None:
                judge_free_chunks(run, holder, on_slice=after_slice)
                report_answers()
            run.refresh_from_db()
            if not run.is_active:
                break
            shown.update_if_due(run)
            # Other processes hold the remaining chunks, or the endpoint works on their batches.
            time.sleep(settings.BATCH_POLL_SECONDS if run.in_batches and holder is not None else POLL_SECONDS)
        shown.update(run)
        tell_of_end(settings.RUN_WEBHOOK, pk=run.pk)
        if run.status == Run.Status.CANCELLED:
            raise CommandError(describe_cancelled_run(run.pk))
        if run.status != Run.Status.DONE:
            reason = f": {run.error}" if run.error else ""
            advice = f"Correct the cause, then continue with: evenhand resume {run.pk}"
            raise CommandError(f"{run} {run.status}{reason}\n{advice}")
        if (now := progress(run)).errors:
            shown.note(f"run {run.pk}: first of {now.errors} errors: {now.first_error}")
            shown.note(f"Correct the cause, then ask again with: evenhand resume {run.pk} --errors")

    def status_of(self, result: dict[str, list[RunRow]]) -> int:
        """Return a status of its own if no answer of a run could be read. Show what would help where few could."""
        rows = {row["run"]: row for row in result["runs"] if row.get("unparsed")}
        for run in Run.objects.filter(pk__in=rows):
            if reading := progress(run).reading:
                self.stderr.write(f"{run}: {reading}")
        return ALL_UNPARSED_STATUS if any(not is_answered(row) for row in rows.values()) else 0

    def _cancel(self, runs: Sequence[Run]) -> None:
        if not connection.in_atomic_block:
            connection.close()  # Ctrl-C may have come amid a query, and the next would fail
        cancelled = [run.pk for run in runs if cancel(run)]
        for run in runs:
            cancel_run_batches(run)
        raise CommandError("\n".join(map(describe_cancelled_run, cancelled)))


def _end_as_by_ctrl_c() -> None:
    """Let a request to end and a lost terminal do what Ctrl-C does. nohup has chosen to ignore the latter."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)


def _is_interruption(error: BaseException | None) -> bool:
    """True for Ctrl-C, and for what failed after it because it came amid a query."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def open_holder() -> closing[EngineHolder]:
    """Return the holder of this process's engine, which the end of a `with` block closes."""
    return closing(EngineHolder(load_engine, products=settings.MATRIX_PRODUCTS))


def describe_cancelled_run(run_id: int) -> str:
    return f"run {run_id} is cancelled; continue with: evenhand resume {run_id}"


def judge_free_chunks(run: Run, holder: EngineHolder, *, on_slice: Callable[[], None]) -> None:
    """Judge in this process the chunks of a run that no other process holds. Stop if the run is no longer active."""
    lease = timedelta(seconds=settings.LEASE_SECONDS)
    for chunk_id in list(Chunk.objects.unfinished().filter(run=run).values_list("pk", flat=True)):
        execute_chunk(
            chunk_id,
            load=holder.load,
            pace=holder.pace,
            lease_duration=lease,
            poll_seconds=settings.BATCH_POLL_SECONDS,
            on_slice=on_slice,
        )
        if not Run.objects.active().filter(pk=run.pk).exists():
            return
