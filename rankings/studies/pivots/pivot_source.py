"""The report rows behind a pivot table, read from the same reports as every other page."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import prefetch_related_objects

from evenhand.numerics import Figure
from evenhand.refusals import Refused, did_you_mean
from judging.models import Dataset, Run
from rankings.loading import subset_names
from rankings.report.report_choice import ALL, SUBSET, ReportChoice, SubsetGroup, group_problems
from rankings.report.report_row import ReportRow
from rankings.report.report_rows import report_rows
from rankings.studies.dimensions import Names, names_of_runs
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.pivots.pivot_figures import FigureChoice, figure_of

NOT_ANSWERED = "the run has no answer yet"
NO_RECORD = "the run has no answer on this subset"
RowsOfRun = Mapping[str, ReportRow]
"""subset -> report row of one run."""


@dataclass(frozen=True, slots=True)
class RunParts:
    """The report rows of one run, its names, and the subsets of its dataset with groups last."""

    run: Run
    names: Names
    rows: RowsOfRun
    subsets: Sequence[str]

    def figure(self, subset: str, choice: FigureChoice) -> Figure:
        """Return the figure of a subset, or why there is none."""
        if subset in self.rows:
            return figure_of(self.rows[subset], choice)
        return Figure.missing(NO_RECORD if self.rows else NOT_ANSWERED)


def parts_of_runs(runs: Sequence[Run], choice: PivotChoice, *, use_cache: bool = True) -> list[RunParts]:
    """Return the report rows of the chosen runs, in the order of the runs.

    Raises Refused for names that no run has, and for groups that fit no dataset.
    """
    prefetch_related_objects(runs, "dataset", "judge", "attribute")
    names = names_of_runs(runs)
    _require_names(choice, list(names.values()))
    chosen = [run for run in runs if _is_chosen(names[run.pk], choice)]
    by_dataset: dict[Dataset, list[Run]] = {}
    for run in chosen:
        by_dataset.setdefault(run.dataset, []).append(run)
    parts: dict[int, RunParts] = {}
    for dataset, answers in _answers_of(list(by_dataset), choice.answers).items():
        rows = _rows_by_run(by_dataset[dataset], answers, shown=choice.subsets, use_cache=use_cache)
        subsets = _subsets(list(rows.values()))
        parts |= {run.pk: RunParts(run, names[run.pk], rows[run.pk], subsets) for run in by_dataset[dataset]}
    _require_subsets(choice, parts.values())
    return [parts[run.pk] for run in chosen]


def _rows_by_run(
    runs: Sequence[Run], answers: ReportChoice, *, shown: Sequence[str], use_cache: bool
) -> dict[int, dict[str, ReportRow]]:
    rows: dict[int, dict[str, ReportRow]] = {run.pk: {} for run in runs}
    for row in report_rows(runs[0].dataset, runs=runs, choice=answers, use_cache=use_cache, shown=shown):
        rows[row.name.run][row.subset] = row
    return rows


def _subsets(rows_of_runs: Sequence[RowsOfRun]) -> list[str]:
    """Return the subsets for which some run has a row: all first, groups last."""
    longest_first = sorted(rows_of_runs, key=len, reverse=True)
    rows = {subset: row for of_run in longest_first for subset, row in of_run.items()}
    return sorted(rows, key=lambda subset: bool(rows[subset].subsets)) or [ALL]


def _answers_of(datasets: Sequence[Dataset], answers: ReportChoice) -> dict[Dataset, ReportChoice]:
    """Return dataset -> the answers that count, with the groups whose subsets it has.

    Raises Refused for a group that fits no dataset.
    """
    if not answers.groups:
        return dict.fromkeys(datasets, answers)
    subsets = {dataset: subset_names(dataset, subsets_by=answers.subsets_by) for dataset in datasets}
    fitting = {
        dataset: tuple(group for group in answers.groups if not group_problems([group], subsets[dataset]))
        for dataset in datasets
    }
    _require_groups(answers.groups, fitting.values(), subsets.values())
    return {dataset: replace(answers, groups=groups) for dataset, groups in fitting.items()}


def _require_groups(
    groups: Sequence[SubsetGroup], fitting: Iterable[Sequence[SubsetGroup]], subsets: Iterable[Sequence[str]]
) -> None:
    """Raise Refused for groups that fit no dataset, and for two of one name. subsets: of each dataset."""
    used = {group for of_dataset in fitting for group in of_dataset}
    every = list(subsets)
    problems = [
        problem
        for group in groups
        if group not in used
        for problem in dict.fromkeys(one for names in every for one in group_problems([group], names))
    ]
    times = Counter(group.name for group in groups)
    problems += [f'group: "{name}" is defined twice' for name, number in times.items() if number > 1]
    if problems:
        raise Refused(*problems)


def _is_chosen(names: Names, choice: PivotChoice) -> bool:
    dimensions = {dimension for dimension, _ in choice.only} - {SUBSET}
    return all(names[dimension] in choice.limits(dimension) for dimension in dimensions)


def _require_names(choice: PivotChoice, names: Sequence[Names]) -> None:
    """Raise Refused for a name that no run of the study has."""
    dimensions = {dimension for dimension, _ in choice.only} - {SUBSET}
    _refuse_unknown(choice, {dimension: [one[dimension] for one in names] for dimension in dimensions})


def _require_subsets(choice: PivotChoice, parts: Iterable[RunParts]) -> None:
    """Raise Refused for a subset that no run of the table has."""
    _refuse_unknown(choice, {SUBSET: [subset for part in parts for subset in part.subsets]})


def _refuse_unknown(choice: PivotChoice, known: Mapping[str, Sequence[str]]) -> None:
    """Raise Refused for unknown names. known: dimension -> its names, for some dimensions."""
    problems = [
        f'only: no run has the {dimension} "{name}"{did_you_mean(name, known[dimension])}; '
        f"there are: {', '.join(dict.fromkeys(known[dimension])) or 'none'}"
        for dimension, name in choice.only
        if dimension in known and name not in known[dimension]
    ]
    if problems:
        raise Refused(*problems)
