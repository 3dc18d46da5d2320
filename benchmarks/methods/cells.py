"""Cells of the tables: one method with one judge on one dataset."""

import io
import json
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.core.management import CommandError, call_command

from benchmarks.methods.judges import JudgeKind
from benchmarks.methods.methods_and_datasets import Task, Way
from evenhand.prompting.methods import METHODS
from judging.models import Reasoning, Run
from judging.models.reasonings import Criteria


@dataclass(frozen=True)
class Outcome:
    """The result of a command. status: its exit status. seconds: processor time of this process alone."""

    command: str
    status: int
    output: str
    complaint: str
    seconds: float
    elapsed: float


@dataclass
class Cell:
    """The result of one method with one judge on one dataset.

    answered: number of comparisons or scores. written: number of new reasonings. metrics: number of new lists of
    criteria. accuracy: filled in from the report.
    """

    way: str
    method: str
    judge: str
    dataset: str
    command: str
    status: int
    seconds: float
    elapsed: float
    complaint: str = ""
    run: int | None = None
    answered: int = 0
    unparsed: int = 0
    errors: int = 0
    written: int = 0
    written_failed: int = 0
    metrics: int = 0
    reasons: list[str] = field(default_factory=list)
    accuracy: float | None = None

    @property
    def is_metric(self) -> bool:
        return METHODS[self.method].is_metric


def run_command(*arguments: str) -> Outcome:
    """Run one of the project's commands."""
    output, complaints = io.StringIO(), io.StringIO()
    status, started, began = 0, time.process_time(), time.monotonic()
    try:
        call_command(*arguments, stdout=output, stderr=complaints)
    except CommandError as error:
        status, _ = 1, complaints.write(str(error))
    except SystemExit as ended:
        status = int(ended.code or 0)
    return Outcome(
        command=shlex.join(("evenhand", *arguments)),
        status=status,
        output=output.getvalue(),
        complaint=complaints.getvalue() if status else "",
        seconds=time.process_time() - started,
        elapsed=time.monotonic() - began,
    )


def must(*arguments: str) -> Outcome:
    """Run a command, and exit if it fails."""
    outcome = run_command(*arguments)
    if outcome.status:
        raise SystemExit(f"{outcome.command} ended with status {outcome.status}:\n{outcome.complaint}")
    return outcome


def tried(judge: JudgeKind, way: Way, task: Task) -> Cell:
    before = stored()
    asked = ("judge", "--dataset", task.dataset, "--judge", judge.name, "--attribute", task.attribute)
    outcome = run_command(*asked, *way.arguments, *limits(judge, way, task), "--json")
    written, metrics = (now - then for now, then in zip(stored(), before, strict=True))
    asked_by = (way.name, way.method, judge.name, task.dataset)
    cell = Cell(*asked_by, outcome.command, outcome.status, outcome.seconds, outcome.elapsed)
    cell.complaint, cell.written, cell.metrics = outcome.complaint.strip(), written, metrics
    if outcome.status == 0:
        fill_in(cell, json.loads(outcome.output)["runs"])
    return cell


def stored() -> tuple[int, int]:
    return Reasoning.objects.count(), Criteria.objects.count()


def limits(judge: JudgeKind, way: Way, task: Task) -> Sequence[str]:
    """Return the options that limit a cell. Reasoning about one candidate serves all its pairs, so they may be many."""
    method = METHODS[way.method]
    level = judge.writing if method.reasoning or way.samples else judge.asking
    if method.is_scoring:
        return task.contexts[level]
    writes_once = method.reasoning and not method.reasons_about_pairs
    return (*task.contexts[level], *task.pairs[0 if writes_once and not judge.asking else level])


def fill_in(cell: Cell, rows: Sequence[dict[str, object]]) -> None:
    (row,) = rows
    cell.run, cell.unparsed, cell.errors = row["run"], row["unparsed"], row["errors"]
    cell.answered = row["scores" if "scores" in row else "comparisons"]
    run = Run.objects.get(pk=cell.run)
    answers = run.scores if run.is_scoring else run.comparisons
    cell.reasons = sorted(set(answers.exclude(error="").values_list("error", flat=True)))[:3]
    cell.written_failed = Reasoning.objects.of_run(run).exclude(error="").count()
