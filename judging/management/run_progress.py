"""Progress of runs: one bar that stays in its line in a terminal, plain lines elsewhere."""

import logging
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from judging.models import Run
from judging.services.runs.progress import Progress, count_outcomes, progress

BAR_SECONDS, LINE_SECONDS = 0.5, 2.0  # between two updates
SHARE_OF_COUNTING = 0.1  # of the time at most; counting the rows of large runs takes long
OUR_LOGGERS = ("evalsite", "evenhand", "judging", "rankings")


class RunProgress:
    """Shows the progress of several runs, judged one after the other, as long as the context is open.

    write: prints a line where there is no terminal.
    """

    def __init__(self, runs: Sequence[Run], write: Callable[[str], None]) -> None:
        self._runs, self._write = runs, write
        console = Console(stderr=True, highlight=False, markup=False)
        self._bar = _make_bar(console) if console.is_interactive else None
        self._interval = BAR_SECONDS if self._bar else LINE_SECONDS
        self._due_at = 0.0
        self._last_line = ""
        self._open = ExitStack()

    def __enter__(self) -> Self:
        self._open.enter_context(_quiet_logs())
        if self._bar is not None:
            self._open.enter_context(self._bar)
            self._open.enter_context(_logs_to(sys.stderr))  # the bar has replaced it, to print lines above itself
            self._task = self._bar.add_task("", total=sum(run.planned for run in self._runs), state="")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def note(self, line: str) -> None:
        """Print a line, above the bar."""
        if self._bar is not None:
            self._bar.console.print(line, style="yellow")
        else:
            self._write(line)

    def update_if_due(self, run: Run) -> None:
        if time.monotonic() >= self._due_at:
            self.update(run)

    def update(self, run: Run) -> None:
        """Show the progress of the run that is being judged."""
        started = time.monotonic()
        run.refresh_from_db()
        now = progress(run)
        if self._bar is None:
            self._write_new(describe_progress(run, now))
        else:
            done = sum(sum(count_outcomes(one).values()) for one in self._runs)
            self._bar.update(self._task, description=_title(run), completed=done, state="; ".join(_state(now)))
        ended = time.monotonic()
        self._due_at = ended + max(self._interval, (ended - started) / SHARE_OF_COUNTING)

    def _write_new(self, line: str) -> None:
        if line != self._last_line:
            self._write(line)
        self._last_line = line


def describe_progress(run: Run, now: Progress) -> str:
    """Describe the progress of a run on one line."""
    return "; ".join([f"{_title(run)}: {now.asked} of {now.planned}", *_state(now)])


def _title(run: Run) -> str:
    return f"{run}, {run.attribute.name}, {run.prompt_name}"


def _state(now: Progress) -> Iterator[str]:
    """Yield speed, time left, reasoning texts and failures, as far as there are any."""
    if now.per_second and now.seconds_left is not None:
        yield f"{now.per_second:.1f} a second, {timedelta(seconds=round(now.seconds_left))} left"
    if now.reasonings_planned:
        cut = f", {now.reasonings_cut} cut at their limit" if now.reasonings_cut else ""
        yield f"{now.reasonings_done} of {now.reasonings_planned} reasoning texts{cut}"
    if now.unparsed or now.errors:
        yield f"{now.unparsed} unparsed, {now.errors} errors"
    if now.paused:
        yield now.paused
    if now.stale:
        yield "waiting for a worker; start one with: evenhand worker"


def _make_bar(console: Console) -> Bar:
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(complete_style="blue"),
        MofNCompleteColumn(),
        TextColumn("{task.fields[state]}", markup=False),
    )
    return Bar(*columns, console=console, redirect_stdout=False)


@contextmanager
def _quiet_logs() -> Iterator[None]:
    """Let only warnings into the output, unless LOG_LEVEL is set."""
    loggers = [logging.getLogger(name) for name in OUR_LOGGERS if not os.environ.get("LOG_LEVEL")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(max(logger.level, logging.WARNING))
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextmanager
def _logs_to(stream: object) -> Iterator[None]:
    """Write log lines to a stream."""
    handlers = [handler for handler in logging.getLogger().handlers if type(handler) is logging.StreamHandler]
    streams = [handler.setStream(stream) or handler.stream for handler in handlers]
    try:
        yield
    finally:
        for handler, old in zip(handlers, streams, strict=True):
            handler.setStream(old)
