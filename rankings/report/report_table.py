"""`report_table`: the table of a results page, which pages, commands and the HTTP API export alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from evenhand.numerics import DEFAULT_RANKING, RANKING_TITLES
from evenhand.numerics.correlation.coefficients import Level
from evenhand.refusals import Refused, did_you_mean
from judging.models import Dataset, Run
from rankings.report.left_out import excluded_votes_notes, left_out_notes
from rankings.report.number_text import ranking_title
from rankings.report.pages.run_page import by_reason
from rankings.report.report_columns import COLUMNS, DATASET_COLUMNS, NAMES, SETTINGS, settings_of
from rankings.report.report_row import LEVEL_MEANINGS, ReportRow
from rankings.report.rows_for_comparison import missing_for_comparison, notes_on_comparison, rows_for_comparison
from rankings.report.run_figures import SCORE
from rankings.report.trust_checks import (
    bounded_warnings,
    constant_sentences,
    hold_out_warnings,
    rivals,
    warnings,
    weak_point_notes,
)
from rankings.tables.numbers_of_observations import notes_on_n
from rankings.tables.sorting import Sort, figure_key, natural_key
from rankings.tables.table import DASH, Row, Table

DEMO_WARNING = "The demo judge is trained for the sample data only. Do not report these figures."


COUNTED_WRONG = "Unparsed answers and errors count as wrong in every accuracy."
SAME_PAIRS_NOTE = (
    "Bold: highest, underlined: second highest of the rows on the same pairs (correlations: contexts). "
    "Rows on fewer than ten contexts stand last and are not compared."
)
GIVEN_ORDER = "Only comparisons in the dataset’s order of candidates are read."


@dataclass(frozen=True, slots=True)
class TableChoice:
    """The part of a report that a table has.

    columns: of NAMES and COLUMNS. subsets: default: all.
    ranking, level: of the correlations.
    sort: a column, figures highest first, or with "-" lowest first; default: order of the runs.
    over_prompts: its rows are means of runs that differ in the prompt only.
    """

    columns: tuple[str, ...] = DATASET_COLUMNS
    ranking: str = DEFAULT_RANKING
    subsets: tuple[str, ...] = ()
    sort: str = ""
    level: Level = "per_context"
    over_prompts: bool = False


def checked(choice: TableChoice, rows: Sequence[ReportRow]) -> TableChoice:
    """Return the choice. Raises Refused for a column, ranking or subset that the rows do not have."""
    known = {"column": [*NAMES, *COLUMNS], "ranking": list(RANKING_TITLES), "sort": ["", *NAMES, *COLUMNS]}
    known["subset"] = list(dict.fromkeys(row.subset for row in rows))
    wanted = {
        "column": choice.columns,
        "ranking": (choice.ranking,),
        "sort": (Sort.parse(choice.sort).name,),
        "subset": choice.subsets,
    }
    problems = [
        f'{kind}: there is no "{name}"{did_you_mean(name, known[kind])}; '
        f"there are: {', '.join(filter(None, known[kind]))}"
        for kind, names in wanted.items()
        for name in names
        if name not in known[kind]
    ]
    if problems:
        raise Refused(*problems)
    return choice


def chosen_rows(rows: Iterable[ReportRow], choice: TableChoice) -> list[ReportRow]:
    """Return the rows of the chosen subsets and of all groups. Sorting moves a run together with its subsets."""
    by_run: dict[int, list[ReportRow]] = {}
    for row in rows:
        if not choice.subsets or row.subset in choice.subsets or row.subsets:
            by_run.setdefault(row.name.run, []).append(row)
    runs = list(by_run.values())
    if choice.sort:
        runs = _sorted_runs(runs, choice)
    return [row for run in runs for row in run]


def _sorted_runs(runs: Sequence[list[ReportRow]], choice: TableChoice) -> list[list[ReportRow]]:
    """Sort runs by their first row: figures highest first, names in alphabetical order, or the opposite.

    Those that are not compared come last.
    """
    sort = Sort.parse(choice.sort)
    if sort.name in NAMES:
        return sorted(runs, key=lambda run: natural_key(str(NAMES[sort.name](run[0]))), reverse=sort.is_opposite)
    column = COLUMNS[sort.name]

    def key(row: ReportRow) -> tuple[bool, bool, float]:
        is_apart = column.column.marks_best and not rivals(row, is_ranked=column.is_ranked)
        return figure_key(column.figure(row, choice.ranking, choice.level), sort, is_apart=is_apart)

    return sorted(runs, key=lambda run: key(run[0]))


def report_table(
    rows: Sequence[ReportRow],
    choice: TableChoice,
    *,
    runs: Sequence[Run] = (),
) -> Table:
    """Return the table of the chosen rows, with the rows for comparison below.

    runs: of the rows. Notes and comments warn about unfinished runs and the demo judge.
    """
    columns = [one for name, one in COLUMNS.items() if name in choice.columns]
    chosen = chosen_rows(rows, choice)
    names = [*(name for name in NAMES if name in choice.columns), *settings_of(chosen)]
    texts = {**NAMES, **SETTINGS}
    lines = [
        Row(
            tuple(texts[name](row) for name in names),
            tuple(one.figure(row, choice.ranking, choice.level) for one in columns),
            cell_rivals=tuple(rivals(row, is_ranked=one.is_ranked) for one in columns),
        )
        for row in chosen
    ]
    table = Table(
        tuple(name.capitalize().replace("_", " ") for name in names),
        tuple(one.column for one in columns),
        (*lines, *rows_for_comparison(chosen, names, columns)),
    )
    return with_notes(table, chosen, choice, runs=runs)


def with_notes(table: Table, rows: Sequence[ReportRow], choice: TableChoice, *, runs: Sequence[Run]) -> Table:
    """Return the table with its notes and comments. rows: the chosen ones. runs: as in `report_table`."""
    return replace(
        table,
        notes=tuple(_notes(table, rows, choice, runs)),
        comments=tuple(_comments(rows, runs)),
        figure_notes=(*weak_point_notes(rows), *_figure_notes(table, rows)),
        heads=tuple(constant_sentences(rows)),
    )


def choice_notes(rows: Iterable[ReportRow]) -> list[str]:
    """Return a sentence for each choice of answers that is not the usual one, and for each group of subsets."""
    chosen = list(rows)
    notes = {GIVEN_ORDER: any(row.order for row in chosen), COUNTED_WRONG: any(row.unparsed_as for row in chosen)}
    groups = {row.subset: row.subsets for row in chosen if row.subsets}
    fields = dict.fromkeys(row.subsets_by for row in chosen if row.subsets_by)
    split = [f"Subsets are the values of the contexts’ field {field}." for field in fields]
    pooled = [f"{name}: {', '.join(subsets)} pooled." for name, subsets in groups.items()]
    without = left_out_notes((row.name.run, row.without) for row in chosen)
    without += excluded_votes_notes((row.name.attribute, row.excluded_votes) for row in chosen)
    chosen_notes = (note for note, holds in notes.items() if holds)
    return [*without, *chosen_notes, *split, *pooled]


def notes_on_unasked_subsets(rows: Iterable[ReportRow]) -> Iterator[str]:
    """Yield a note for each set of subsets that have no row, because some runs have no record in them."""
    runs: dict[tuple[str, ...], list[int]] = {}
    every = set[int]()
    for row in rows:
        every.add(row.name.run)
        if row.unrecorded:
            runs.setdefault(tuple(row.unrecorded), []).append(row.name.run)
    for subsets, numbers in runs.items():
        if len(every) == 1:
            who = "The run has no"
        elif set(numbers) == every:
            who = "No run has an"
        elif len(numbers) == 1:
            who = f"Run {numbers[0]} has no"
        else:
            who = f"None of the runs {', '.join(map(str, numbers))} has an"
        yield f"{who} answer on {', '.join(subsets)}."


def _notes(table: Table, rows: Sequence[ReportRow], choice: TableChoice, runs: Sequence[Run]) -> Iterator[str]:
    """Yield the notes below the table: on unfinished runs, intervals, rankings and the choice of answers."""
    for run in runs:
        if run.status != Run.Status.DONE:
            yield f"Run {run.pk} is {run.get_status_display().lower()}: its figures cover the answers so far."
    if any(figure and figure.low is not None for row in table.rows for figure in row.figures):
        yield "Intervals: 95 %, over contexts."
    if groups := _groups_with_values(table):
        own = "; of a run that scores, for its own scores" if any(SCORE in row.spearman for row in rows) else ""
        level = LEVEL_MEANINGS[choice.level]
        yield f"{', '.join(groups)}: {level}, for the ranking {ranking_title(choice.ranking)}{own}."
    yield from choice_notes(rows)
    yield from notes_on_unasked_subsets(rows)
    yield from notes_on_comparison(rows) if "Judge" in table.name_titles else []
    if not any(row.unparsed_as for row in rows):
        yield "Unparsed answers and errors are excluded."
    settings = {row.name.run: row.name.settings for row in rows if row.name.settings}
    yield from (f"Run {run}: asked with {text.removeprefix(', ')}." for run, text in settings.items())


def _groups_with_values(table: Table) -> list[str]:
    """Return the titles above several columns, of those columns in which some row has a value."""
    figures = zip(*(row.figures for row in table.rows), strict=True)
    groups = (
        column.group
        for column, own in zip(table.columns, figures, strict=False)
        if column.group and any(figure and figure.value is not None for figure in own)
    )
    return list(dict.fromkeys(groups))


def _figure_notes(table: Table, rows: Sequence[ReportRow]) -> Iterator[str]:
    """Yield what the marks mean, the numbers of observations, and why figures are undefined."""
    marked = [place for place, column in enumerate(table.columns) if column.marks_best]
    cells = [(place, row.rivals_at(place)) for row in table.rows for place in marked if row.rivals_at(place)]
    if len(set(cells)) < len(cells):
        yield SAME_PAIRS_NOTE
    yield from notes_on_n(table)
    nobody = missing_for_comparison(rows) if "Judge" in table.name_titles else []
    undefined = [
        (column.full_title, figure.undefined or "")
        for row in table.rows
        for column, figure in zip(table.columns, row.figures, strict=True)
        if figure and figure.value is None
    ]
    yield from (f"Undefined ({DASH}): {reason}." for reason in by_reason([*nobody, *undefined]))


def _comments(rows: Sequence[ReportRow], runs: Sequence[Run]) -> list[str]:
    """Return the warnings about the demo judge, failed trust checks, adaptive runs and bounded answers."""
    demo = [DEMO_WARNING] if any(run.is_demo for run in runs) else []
    return [*demo, *warnings(rows), *hold_out_warnings(rows), *bounded_warnings(rows)]


def caption_of(dataset: Dataset, run: Run | None = None) -> str:
    """Return the caption of a table whose author gives none. run: of a table of one run."""
    if run is None:
        return f"Agreement of judges with people on {dataset.name}."
    return f"Agreement of {run.judge.name} ({run.prompt_name}) with people on {dataset.name}, {run.attribute.name}."
