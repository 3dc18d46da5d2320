"""Which runs share a chart: a few of one dataset and attribute; their labels; and the table with their rows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from types import MappingProxyType

from django.urls import reverse

from evenhand.numerics import Figure
from judging.models import Run
from judging.services.names import labels
from rankings.studies.dimensions import NAME_OF_RUN, Names, varying
from rankings.studies.pivots.pivot import SEPARATOR
from rankings.tables.table import Column, Row, Table

QUESTION = ("dataset", "attribute")
"""The dimensions in which the runs of one chart may not differ."""
QuestionOfRuns = tuple[int, int]
"""A dataset and an attribute."""
MOST_LINES = 5
GROUPING = ("judge", "method", "prompt", "selection")
"""The dimensions that may group runs. Where two need equally few panels, the first does."""


@dataclass(frozen=True, slots=True)
class RunPanel:
    """The runs of one chart, of one dataset and attribute, with the label of each. title: "" where the page has one."""

    title: str
    runs: Sequence[Run]
    labels: Sequence[str]


def panels_of_runs(
    runs: Sequence[Run], names: Mapping[int, Names], heights: Mapping[int, float], *, most: int = MOST_LINES
) -> list[RunPanel]:
    """Return panels of at most `most` runs of one dataset and attribute, those with the greatest height first.

    More runs of a question are grouped by the dimension that needs the fewest panels, such as the judge, and their
    labels leave it out. Groups are in the order of their highest run. names: of each run. heights: run -> its figure.
    """
    labels = run_labels(runs, names)
    return [
        RunPanel(SEPARATOR.join(filter(None, [title, part.title])), part.runs, part.labels)
        for title, of_question in _by_question(runs)
        for part in _parts(sorted(of_question, key=lambda run: -heights.get(run.pk, -inf)), names, labels, most)
    ]


def panels_of_questions(runs: Sequence[Run], labels: Mapping[int, str]) -> list[RunPanel]:
    """Return a panel for each dataset and attribute, with all its runs."""
    return [RunPanel(title, part, [labels[run.pk] for run in part]) for title, part in _by_question(runs)]


def _by_question(runs: Sequence[Run]) -> list[tuple[str, list[Run]]]:
    """Return the title and the runs of each dataset and attribute. A single one needs no title."""
    titles = question_titles(runs)
    return [
        (title if len(titles) > 1 else "", [run for run in runs if question_of(run) == question])
        for question, title in titles.items()
    ]


def _parts(runs: Sequence[Run], names: Mapping[int, Names], labels: Mapping[int, str], most: int) -> list[RunPanel]:
    """Return the panels of one dataset and attribute."""
    if len(runs) <= most:
        return [RunPanel("", runs, [labels[run.pk] for run in runs])]
    dimension = grouping_dimension(runs, names, most=most)
    if not dimension:
        return _ungrouped(runs, labels, most)
    own = run_labels(runs, names, within=dimension)
    groups = dict.fromkeys(names[run.pk][dimension] for run in runs)
    return [
        RunPanel(name + (f" ({number} of {len(parts)})" if len(parts) > 1 else ""), part, [own[run.pk] for run in part])
        for name in groups
        for parts in [evenly_split([run for run in runs if names[run.pk][dimension] == name], most=most)]
        for number, part in enumerate(parts, start=1)
    ]


def _ungrouped(runs: Sequence[Run], labels: Mapping[int, str], most: int) -> list[RunPanel]:
    parts, panels, drawn = evenly_split(runs, most=most), list[RunPanel](), 0
    for part in parts:
        title = f"Runs {drawn + 1}–{drawn + len(part)} of {len(runs)}"
        panels.append(RunPanel(title, part, [labels[run.pk] for run in part]))
        drawn += len(part)
    return panels


def grouping_dimension(runs: Sequence[Run], names: Mapping[int, Names], *, most: int) -> str:
    """Return the dimension that groups runs into the fewest panels; "" where groups would have fewer than two runs."""
    groups = {name: Counter(names[run.pk][name] for run in runs) for name in GROUPING}
    differing = varying(names[run.pk] for run in runs)
    suited = [name for name in GROUPING if name in differing and 2 * len(groups[name]) <= len(runs)]
    return min(suited, key=lambda name: sum(-(-n // most) for n in groups[name].values()), default="")


def evenly_split(runs: Sequence[Run], *, most: int) -> list[Sequence[Run]]:
    """Split runs into the fewest parts of at most `most`, of nearly equal length."""
    n_parts = -(-len(runs) // most)
    ends = [round(len(runs) * part / n_parts) for part in range(n_parts + 1)] if n_parts else [0]
    return [runs[start:end] for start, end in pairwise(ends)]


def run_labels(runs: Sequence[Run], names: Mapping[int, Names], *, within: str = "") -> dict[int, str]:
    """Return run -> its name in the dimensions in which the runs differ. names: of each run.

    Runs of one question that would share a name get their number too. within: a dimension by which the runs are
    grouped; labels name what differs in a group.
    """
    groups: dict[str, list[Names]] = {}
    for run in runs:
        groups.setdefault(names[run.pk].get(within, ""), []).append(names[run.pk])
    differ = {name for group in groups.values() for name in varying(group)}.difference(QUESTION)
    differing = [name for name in NAME_OF_RUN if name in differ] or ["judge"]
    labels = {run.pk: SEPARATOR.join(names[run.pk][name] for name in differing) for run in runs}
    keys = {run.pk: (question_of(run), names[run.pk].get(within), labels[run.pk]) for run in runs}
    times = Counter(keys.values())
    return {run: label + f"{SEPARATOR}run {run}" * (times[keys[run]] > 1) for run, label in labels.items()}


def question_of(run: Run) -> QuestionOfRuns:
    """Return the dataset and the attribute of a run."""
    return run.dataset_id, run.attribute_id


def question_titles(runs: Sequence[Run]) -> dict[QuestionOfRuns, str]:
    """Return question -> its title, in the order of the runs. Datasets are named where there are several."""
    names = labels(run.dataset for run in runs)
    return {
        question_of(run): f"{names[run.dataset_id]}{SEPARATOR}" * (len(names) > 1) + run.attribute.name for run in runs
    }


Figures = Sequence[Figure | None]
PEOPLE_ROW = "People"


def table_of_runs(
    columns: Sequence[Column],
    runs: Sequence[Run],
    labels: Mapping[int, str],
    figures: Mapping[int, Figures],
    *,
    people: Mapping[QuestionOfRuns, Figures] = MappingProxyType({}),
    page: str = "run-results",
) -> Table:
    """Return the table of some runs. None is marked as the best, because runs may differ in their pairs.

    figures: run -> one per column. people: of some questions, likewise. page: the name of the address of each run.
    """
    rows: list[Row] = []
    for question, title in question_titles(runs).items():
        if question in people:
            rows.append(Row((title, PEOPLE_ROW), tuple(people[question]), of="people"))
        rows += [
            Row((title, labels[run.pk]), tuple(figures[run.pk]), href=reverse(page, args=[run.pk]))
            for run in runs
            if question_of(run) == question
        ]
    return in_sections("Attribute", "Run", columns, rows)


def in_sections(section: str, name: str, columns: Sequence[Column], rows: Sequence[Row]) -> Table:
    """Return a table of rows with two names: of their section and their own. A single section needs no name."""
    if len({row.names[0] for row in rows}) > 1:
        return Table((section, name), tuple(columns), tuple(rows))
    return Table((name,), tuple(columns), tuple(replace(row, names=row.names[1:]) for row in rows))
