"""`plan_study`: plan a study by a file, estimate it, and start its runs."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from evenhand.refusals import Refused, did_you_mean, raise_if_any
from evenhand.units import counted
from judging.management.judging_command import JudgingCommand, open_holder
from judging.management.run_rows import describe_judged_run
from judging.models import Run, Study
from judging.services.names import row_of_name
from judging.services.studies.study_cells import PlanCell, estimate_row, plan_cells
from judging.services.studies.study_changes import create_study, set_groups
from judging.services.studies.study_plan import PLAN_FIELDS, StudyPlan
from judging.services.studies.study_start import resume_runs, set_plan, start_study

TEXT_FIELDS = ("name", "description", "thinking", "reasoning_effort", "cut_thinking", "metrics")
WHOLE_NUMBER_FIELDS = ("contexts", "samples", "thinking_tokens")
FILE_FIELDS = ("name", "description", *PLAN_FIELDS, "groups")


@dataclass(frozen=True, slots=True)
class StudyFile:
    """A study as its file describes it. plan: by names, as `StudyPlan.by_names` reads them."""

    name: str
    plan: Mapping[str, Any]
    description: str = ""
    groups: Sequence[str] = field(default_factory=tuple)


def read_study_file(path: Path) -> StudyFile:
    """Read a study from a TOML file. Raises Refused with every problem."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Refused(f"{path}: {error.strerror or error} — expected a TOML file that can be read") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Refused(f"{path}: {error} — expected TOML") from error
    raise_if_any([f"{path}: {problem}" for problem in _problems(values)])
    return StudyFile(
        name=values["name"],
        plan={name: values[name] for name in PLAN_FIELDS if name in values},
        description=values.get("description", ""),
        groups=values.get("groups", ()),
    )


def _problems(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the types and names of the values."""
    if "name" not in values:
        yield 'name: missing — give the study a name, for example name = "Table 1"'
    for name, value in values.items():
        if name not in FILE_FIELDS:
            yield f'"{name}" is unknown{did_you_mean(name, FILE_FIELDS)}; there are: {", ".join(FILE_FIELDS)}'
        elif expected := _expected_type(name, value):
            yield f"{name}: {value!r} — expected {expected}"


def _expected_type(name: str, value: object) -> str:
    """Return the type that a value should have, in words; empty if it has it."""
    if name in TEXT_FIELDS:
        return "" if isinstance(value, str) else "a text"
    if name in WHOLE_NUMBER_FIELDS:
        return "" if _is_whole(value) else "a whole number"
    if name == "temperature":
        return "" if _is_whole(value) or isinstance(value, float) else "a number"
    if name == "seeds":
        return "" if isinstance(value, list) and all(map(_is_whole, value)) else "a list of whole numbers"
    return "" if isinstance(value, list) and all(isinstance(one, str) for one in value) else "a list of texts"


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


class Command(JudgingCommand):
    help = (
        "Plan a study: all combinations of datasets, attributes, judges, prompts, pairs and seeds of a TOML file "
        "(docs/how-to/study.md). With --start, judge the runs that it lacks. Repeated, only new combinations start."
    )
    examples = ("plan_study table1.toml --dry-run", "plan_study table1.toml --start --queue")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="TOML file with the name and the plan of the study")
        parser.add_argument(
            "--dry-run", action="store_true", help="print the combinations and the estimate; store nothing"
        )
        parser.add_argument("--start", action="store_true", help="judge the runs that the study lacks")
        parser.add_argument(
            "--queue", action="store_true", help="with --start: queue the runs for the workers and wait"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        _refuse_conflicting_options(options)
        file = read_study_file(options["file"])
        plan = StudyPlan.by_names(file.plan, user=None)
        study = row_of_name(Study.objects.all(), file.name.strip(), None)
        if options["dry_run"]:
            cells = plan_cells(plan, user=None, study=study)
            return _planned_row(file.name, cells) | estimate_row(cells, user=None)
        study = store_study(study, file, plan)
        if not options["start"]:
            return _planned_row(study.name, plan_cells(plan, user=None, study=study))
        return self._start(study, queue=options["queue"])

    def _start(self, study: Study, *, queue: bool) -> dict[str, Any]:
        """Judge all runs of the study that lack answers."""
        started = start_study(study, user=None)
        runs = study.runs.select_related("dataset", "attribute", "judge", "prompt").order_by("memberships__position")
        resume_runs(list(runs))
        active = [run for run in runs.all() if run.is_active]
        row = {
            "study": study.name,
            "new": [run.pk for run in started.new],
            "reused": [run.pk for run in started.reused],
            "impossible": [_cell_row(cell) for cell in started.impossible],
        }
        return row | {"runs": self._judge(active, queue=queue)}

    def _judge(self, runs: list[Run], *, queue: bool) -> list[dict[str, Any]]:
        if queue:
            return self.judge_runs(runs, holder=None)
        with open_holder() as holder:
            return self.judge_runs(runs, holder=holder)

    def status_of(self, result: dict[str, Any]) -> int:
        return super().status_of(result) if "runs" in result else 0

    def show(self, result: dict[str, Any]) -> None:
        if "cells" in result:
            self.stdout.write("\n".join(_plan_lines(result)))
        else:
            self.stdout.write("\n".join(_started_lines(result)))


@transaction.atomic
def store_study(study: Study | None, file: StudyFile, plan: StudyPlan) -> Study:
    """Create the study of a file, or give an existing one the file's plan, description and groups."""
    if study is None:
        study = create_study(file.name, description=file.description, groups=file.groups)
    elif file.description or file.groups:
        set_groups(study, file.groups or study.groups)
        study.description = file.description or study.description
        study.save(update_fields=["description"])
    set_plan(study, plan)
    return study


def _refuse_conflicting_options(options: dict[str, Any]) -> None:
    problems = []
    if options["dry_run"] and options["start"]:
        problems.append("start: a dry run starts nothing; leave one of the two out")
    if options["queue"] and not options["start"]:
        problems.append("queue: it belongs to a start; add --start")
    raise_if_any(problems)


def _planned_row(name: str, cells: list[PlanCell]) -> dict[str, Any]:
    return {"study": name, "cells": [_cell_row(cell) for cell in cells]}


def _cell_row(cell: PlanCell) -> dict[str, Any]:
    return {
        **cell.key._asdict(),
        "state": cell.state,
        "questions": cell.questions,
        "problems": list(cell.problems),
        "run": cell.run.pk if cell.run else None,
    }


def _plan_lines(result: dict[str, Any]) -> Iterator[str]:
    """Yield the combinations and the estimate of a plan, for people."""
    cells = result["cells"]
    states = {state: sum(cell["state"] == state for cell in cells) for state in ("new", "reused", "present")}
    impossible = [cell for cell in cells if cell["problems"]]
    yield (
        f"{result['study']}: {counted(states['new'], 'new run')}, {states['reused']} reused, "
        f"{states['present']} in the study, {len(impossible)} impossible"
    )
    for cell in cells:
        name = ", ".join(str(cell[part]) for part in ("dataset", "attribute", "judge", "prompt", "selection", "seed"))
        detail = cell["problems"][0] if cell["problems"] else f"{cell['questions']:,} questions"
        run = f" (run {cell['run']})" if cell["run"] else ""
        yield f"  {cell['state']}: {name}: {detail}{run}"
    for row in result.get("estimate", ()):
        yield f"{row['judge']}: {counted(row['runs'], 'run')}, {row['questions']:,} questions. {row['sentence']}"
    yield from (f"warning: {warning}" for warning in result.get("warnings", ()))


def _started_lines(result: dict[str, Any]) -> Iterator[str]:
    yield (
        f"{result['study']}: {counted(len(result['new']), 'new run')}, {len(result['reused'])} reused, "
        f"{len(result['impossible'])} impossible"
    )
    for cell in result["impossible"]:
        yield f"  impossible: {cell['judge']}, {cell['prompt']}, {cell['attribute']}: {cell['problems'][0]}"
    yield from map(describe_judged_run, result["runs"])
