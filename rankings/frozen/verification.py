"""Freeze a report again from the data of this installation, and compare every byte of its file."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import zip_longest
from typing import Any

from evenhand.refusals import Refused
from judging.models import Run, Study
from judging.services.activity import SHOWN
from rankings.frozen.report_content import FORMAT, choice_of, freeze
from rankings.frozen.report_file import data_in, report_html
from rankings.studies.charts.chart_request import ChartQuery

EQUAL_WITHIN = 1e-12
"""Other versions may round the last bits of figures otherwise."""
WORDING = {"versions", "methods", "title", "sentence", "undefined"}
"""Parts that other versions may word otherwise."""
ENTRIES = {
    "tables": "table {number}",
    "charts": "chart {query}",
    "datasets": "dataset {name}",
    "runs": "run {run} ({judge}, {prompt})",
    "votes": "votes on {dataset} · {attribute}",
}
"""part of the data -> the name of an entry in it."""
FRAMES = {"certificate", "pivot", "table", "cells"}
"""Parts of the data that changes are not named by."""
CHARACTERS = 60
"""The text of a line that a change shows."""
Places = tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """Something that this installation makes otherwise. where: in words."""

    where: str
    frozen: object
    now: object

    def __str__(self) -> str:
        return f"{self.where}: {self.frozen} in the file, {self.now} here"


@dataclass(frozen=True)
class Verification:
    """The result of a verification. other_versions: if there are any, only figures and their names were compared."""

    same: bool
    other_versions: Sequence[Change]
    changes: Sequence[Change]


def verify(html: str) -> Verification:
    """Compare a report with what this installation makes of its data. Raises Refused for a file that is none."""
    content = data_in(html)
    if content.get("format") != FORMAT:
        raise Refused(f'file: its format is "{content.get("format")}"; this version reads {FORMAT}')
    studies: list[Study | None] = [*Study.objects.filter(name=str(content.get("study"))).order_by("pk")] or [None]
    return min((_verified(html, content, study) for study in studies), key=lambda result: len(result.changes))


def _verified(html: str, content: Mapping[str, Any], study: Study | None) -> Verification:
    """Compare a report with what this installation makes of one of the studies of its name."""
    try:
        missing = list(_missing(content, study))
        if missing or study is None:
            return Verification(False, [], missing)
        token = SHOWN.set(("", set(content["runs"])))  # nobody sees the figures, so they are no looks
        try:
            here = _frozen_again(content, study)
        finally:
            SHOWN.reset(token)
        return _compared(html, here, content, data_in(here))
    except (Refused, LookupError, TypeError, ValueError, AttributeError) as error:
        return Verification(False, [], [Change("data", "a report", f"no report is made of it: {error}")])


def _missing(content: Mapping[str, Any], study: Study | None) -> Iterator[Change]:
    """Yield the study, title and runs of a report that are not here."""
    if study is None:
        yield Change("study", content["study"], "no study of this name")
    elif content["name"] not in {study.name, *study.frozen_reports.values_list("name", flat=True)}:
        yield Change("title", content["name"], f"no report of this title on {study.name}")
    for stamp in content["certificate"]["runs"]:
        if not Run.objects.filter(pk=stamp["run"]).exists():
            yield Change(ENTRIES["runs"].format_map(stamp), "present", "no such run")


def _frozen_again(content: Mapping[str, Any], study: Study) -> str:
    """Return the file as this installation makes it, from the same choices, at the same time, by the same author."""
    study.groups, study.part = content["groups"], content["part"]
    found = Run.objects.select_related("dataset", "attribute", "judge").in_bulk(content["runs"])
    made = freeze(
        study,
        [found[run] for run in content["runs"] if run in found],
        [choice_of(table["choice"]) for table in content["tables"]],
        [ChartQuery.parse(chart["query"]) for chart in content["charts"]],
        name=content["name"],
        frozen_at=datetime.fromisoformat(content["frozen_at"]),
        frozen_by=content["frozen_by"],
    )
    return report_html(replace(made, content=replace(made.content, runs=content["runs"])))


def _compared(html: str, html_here: str, there: Mapping[str, Any], here: Mapping[str, Any]) -> Verification:
    versions = list(_changes((), there["certificate"]["versions"], here["certificate"]["versions"]))
    changes = list(_changes((), there, here, without=WORDING if versions else frozenset()))
    if html != html_here and not versions:
        changes.append(_change_of_page(html, html_here))
    return Verification(not changes, versions, changes)


def _changes(where: Places, there: Any, here: Any, *, without: Set[str] = frozenset()) -> Iterator[Change]:  # noqa: ANN401 - JSON
    """Yield the values of the data that differ, named by their places. without: parts that are not compared."""
    if isinstance(there, dict) and isinstance(here, dict):
        there, here = _by_cells(there), _by_cells(here)
        for key in (key for key in {**here, **there} if key not in without):
            yield from _changes((*where, key), there.get(key, "nothing"), here.get(key, "nothing"), without=without)
    elif isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        for number, (one, other) in enumerate(zip(there, here, strict=True), 1):
            yield from _changes((*where[:-1], _name_of_entry(where[-1], number, other)), one, other, without=without)
    elif there != here and not (type(there) is type(here) is float and abs(there - here) <= EQUAL_WITHIN):
        yield Change(", ".join(place for place in where if place not in FRAMES), there, here)


def _by_cells(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a table with its cells by row and column, where their names differ; anything else as it is."""
    if "cells" in part:
        names, lines = part["rows"], part["cells"]
    elif "names" in part and "rows" in part:
        names, lines = [" · ".join(row["names"]) for row in part["rows"]], [row["figures"] for row in part["rows"]]
    else:
        return part
    columns = part["columns"]
    cells = {name: dict(zip(columns, line, strict=True)) for name, line in zip(names, lines, strict=True)}
    differ = len(cells) == len(names) and len(set(columns)) == len(columns)
    return {**part, "rows": names, "cells": cells} if differ else part


def _name_of_entry(part: str, number: int, entry: Any) -> str:  # noqa: ANN401 - JSON
    is_named = part in ENTRIES and isinstance(entry, dict)
    return ENTRIES[part].format(number=number, **entry) if is_named else f"{part} {number}"


def _change_of_page(there: str, here: str) -> Change:
    """Return the first line of the file that differs, around its first difference."""
    lines = enumerate(zip_longest(there.split("\n"), here.split("\n"), fillvalue="the end of the file"), 1)
    number, (line, other) = next(one for one in lines if one[1][0] != one[1][1])
    at = next(at for at, (one, another) in enumerate(zip_longest(line, other)) if one != another)
    start = max(0, at - CHARACTERS // 2)
    return Change(f"page, line {number}", *(f"“{text[start : start + CHARACTERS]}”" for text in (line, other)))
