"""Recompute a frozen report from the database, and list what differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from math import isclose
from typing import Any

from django.db.models import QuerySet

from judging.exceptions import Refused
from judging.models import Run, Study
from rankings.frozen.certificate import RunStamp, run_stamp
from rankings.frozen.frozen_tables import table_as_json
from rankings.frozen.report_content import FORMAT, choice_of
from rankings.loading import candidate_table
from rankings.report.report_json import as_json
from rankings.studies.charts.chart_queries import ChartQuery, made_charts
from rankings.studies.pivot import pivot

EQUAL_WITHIN = 1e-9
"""Figures that differ by no more are equal: other versions of numpy may round the last bits otherwise."""
MAY_DIFFER = {"run", "judge"}
"""Fields of a run's stamp that another installation may name otherwise."""
PARTS_OF_FIGURE = ("value", "low", "high", "n")
CELL_FIELDS = ("value", "low", "high", "n", "sd")


@dataclass(frozen=True)
class Change:
    """Something that is no longer as in the report. where: in words."""

    where: str
    frozen: object
    now: object

    def __str__(self) -> str:
        return f"{self.where}: {self.frozen} in the report, {self.now} now"


@dataclass(frozen=True)
class Verification:
    """The result of a verification. runs, figures: how many were compared."""

    same: bool
    runs: int
    figures: int
    changes: Sequence[Change]


def verify(content: Mapping[str, Any]) -> Verification:
    """Compare a report with what the database gives now. Raises Refused for data that is no report."""
    if content.get("format") != FORMAT:
        raise Refused(f'file: its format is "{content.get("format")}"; this version reads {FORMAT}')
    stamps = content["certificate"]["runs"]
    found = runs_like(stamps)
    changes = [change for stamp in stamps for change in _changes_of_run(stamp, found[stamp["run"]])]
    runs = [run for run in found.values() if run is not None]
    figures = 0
    for number, table in enumerate(content["tables"], 1):
        figures += sum(len(line) for line in table["pivot"]["cells"])
        changes += _changes_of_table(f"table {number}", table, runs)
    for chart in content.get("charts", ()):  # reports of the first versions have none
        figures += sum(len(row["figures"]) for row in chart["table"]["rows"])
        changes += _changes_of_chart(chart, runs)
    return Verification(not changes, len(stamps), figures, changes)


def runs_like(stamps: Sequence[Mapping[str, Any]]) -> dict[int, Run | None]:
    """Return the number of each stamp's run -> the run here with the same configuration, or None.

    The same number is preferred, then the same judge's name. No run serves two stamps.
    """
    found: dict[int, Run | None] = {}
    for stamp in stamps:
        taken = [run.pk for run in found.values() if run]
        alike = sorted(_alike(stamp).exclude(pk__in=taken), key=partial(_difference, stamp))
        found[stamp["run"]] = alike[0] if alike else None
    return found


def _difference(stamp: Mapping[str, Any], run: Run) -> tuple[bool, bool, int]:
    return run.pk != stamp["run"], run.judge.name != stamp["judge"], run.pk


def _alike(stamp: Mapping[str, Any]) -> QuerySet[Run]:
    runs = Run.objects.filter(
        spec_hash=stamp["spec_sha256"],
        dataset__name=stamp["dataset"],
        attribute__name=stamp["attribute"],
        prompt_name=stamp["prompt"],
    )
    return runs.select_related("dataset", "attribute", "judge")


def _changes_of_run(stamp: Mapping[str, Any], run: Run | None) -> Iterator[Change]:
    name = f"run {stamp['run']} ({stamp['judge']}, {stamp['prompt']})"
    if run is None:
        yield Change(name, "present", "no run with this configuration")
        return
    now = as_json(run_stamp(run, candidate_table(run.dataset)))
    for field in fields(RunStamp):
        if field.name not in MAY_DIFFER and now[field.name] != stamp[field.name]:
            yield Change(f"{name}, {field.name}", stamp[field.name], now[field.name])


def _changes_of_table(name: str, table: Mapping[str, Any], runs: Sequence[Run]) -> Iterator[Change]:
    frozen = table["pivot"]
    try:
        now = as_json(pivot(runs, choice_of(table["choice"]), use_cache=False))
    except Refused as refused:
        yield Change(name, "computed", str(refused))
        return
    for part in ("rows", "columns"):
        if frozen[part] != now[part]:
            yield Change(f"{name}, {part}", ", ".join(frozen[part]), ", ".join(now[part]))
            return
    for row, line, line_now in zip(frozen["rows"], frozen["cells"], now["cells"], strict=True):
        for column, cell, cell_now in zip(frozen["columns"], line, line_now, strict=True):
            for field in CELL_FIELDS:
                if not _is_same(cell[field], cell_now[field]):
                    yield Change(f"{name}, {row}, {column}, {field}", cell[field], cell_now[field])


def _changes_of_chart(chart: Mapping[str, Any], runs: Sequence[Run]) -> Iterator[Change]:
    name, frozen = f"chart {chart['query']}", chart["table"]
    try:
        study = Study(groups=chart["groups"], part=chart["part"])
        made = made_charts(ChartQuery.parse(chart["query"]), study, runs)
    except Refused as refused:
        yield Change(name, "computed", str(refused))
        return
    now = table_as_json(made.tab.table)
    names, names_now = ([" · ".join(row["names"]) for row in one["rows"]] for one in (frozen, now))
    for part, then, here in (("columns", frozen["columns"], now["columns"]), ("rows", names, names_now)):
        if then != here:
            yield Change(f"{name}, {part}", ", ".join(then), ", ".join(here))
            return
    for title, row, row_now in zip(names, frozen["rows"], now["rows"], strict=True):
        for column, figure, figure_now in zip(frozen["columns"], row["figures"], row_now["figures"], strict=True):
            yield from _changes_of_figure(f"{name}, {title}, {column}", figure, figure_now)


def _changes_of_figure(where: str, figure: Mapping[str, Any] | None, now: Mapping[str, Any] | None) -> Iterator[Change]:
    """Compare two figures of a chart. None: an empty cell."""
    for part in PARTS_OF_FIGURE:
        one, other = ((side[part] if side else None) for side in (figure, now))
        if not _is_same(one, other):
            yield Change(f"{where}, {part}", one, other)


def _is_same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return isclose(one, other, rel_tol=0, abs_tol=EQUAL_WITHIN)
