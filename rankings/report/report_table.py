"""`report_table`: the table of a results page, which pages, commands and the HTTP API export alike."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from django.utils.text import slugify

from evenhand.numerics import DEFAULT_RANKING
from evenhand.numerics.correlation.coefficients import Level
from evenhand.refusals import Refused, did_you_mean
from judging.models import Dataset, Run
from rankings.report.left_out import excluded_votes_notes, left_out_notes
from rankings.report.pages.dataset_page import with_links
from rankings.report.pages.sentences_and_cards import by_reason
from rankings.report.people_and_simple_judges import notes_on_comparison, rows_for_comparison
from rankings.report.printed_numbers import ranking_title
from rankings.report.report_choice import ALL
from rankings.report.report_columns import COLUMNS, DATASET_COLUMNS, NAMES, SETTINGS, settings_of
from rankings.report.report_row import LEVEL_MEANINGS, ReportRow
from rankings.report.rows_of_one_run import SCORE
from rankings.report.trust_checks import (
    bounded_warnings,
    constant_sentences,
    hold_out_warnings,
    rivals,
    warnings,
    weak_point_notes,
)
from rankings.tables.numbers_of_observations import notes_on_n
from rankings.tables.sorting import Sort, sorted_table
from rankings.tables.table import DASH, Row, Table, TableStyle

DEMO_WARNING = "The demo judge is trained for the sample data only. Do not report these figures."


COUNTED_WRONG = "Unparsed answers and errors count as wrong in every accuracy."
SAME_PAIRS_NOTE = (
    "Bold: highest of the rows on the same pairs (correlations: contexts). "
    "Rows on fewer than ten contexts stand last and are not compared."
)
GIVEN_ORDER = "Only comparisons in the dataset’s order of candidates are read."
IN_SECTIONS, OF_RUNS = ("Attribute", "Subset"), {"Run", "Judge", "Method", "Prompt"}


@dataclass(frozen=True, slots=True)
class TableChoice:
    """The part of a report that a table has.

    columns: of NAMES and COLUMNS. subsets: default: all.
    ranking, level: of the correlations.
    sort: of the rows of each section: a column, figures highest first, or with "-" lowest first; default: order of the
    runs.
    over_prompts: its rows are means of runs that differ in the prompt only.
    """

    columns: tuple[str, ...] = DATASET_COLUMNS
    ranking: str = DEFAULT_RANKING
    subsets: tuple[str, ...] = ()
    sort: str = ""
    level: Level = "per_context"
    over_prompts: bool = False


def checked(choice: TableChoice, rows: Sequence[ReportRow]) -> TableChoice:
    """Return the choice. Raises Refused for a subset that the rows do not have."""
    known = list(dict.fromkeys(row.subset for row in rows))
    there = f"there are: {', '.join(known)}"
    unknown = [name for name in choice.subsets if name not in known]
    if unknown:
        raise Refused(*(f'subset: there is no "{name}"{did_you_mean(name, known)}; {there}' for name in unknown))
    return choice


def chosen_rows(rows: Iterable[ReportRow], choice: TableChoice) -> list[ReportRow]:
    """Return the rows of the chosen subsets and of all groups."""
    return [row for row in rows if not choice.subsets or row.subset in choice.subsets or row.subsets]


def report_table(
    rows: Sequence[ReportRow],
    choice: TableChoice,
    *,
    runs: Sequence[Run] = (),
) -> Table:
    """Return the table of the chosen rows, as pages and files have it.

    runs: of the rows. Notes and comments warn about unfinished runs and the demo judge.
    """
    return arranged(plain_table(rows, choice, runs=runs), choice)


def arranged(table: Table, choice: TableChoice) -> Table:
    """Return the table with attributes and subsets as sections, each sorted, its rows for comparison below.

    A column that only sorts is left out.
    """
    judged, has_runs = [row for row in table.rows if row.of == "judge"], bool(OF_RUNS & {*table.name_titles})
    at = [place for place, title in enumerate(table.name_titles) if has_runs and title in IN_SECTIONS]
    at = [place for place in at if len({row.names[place] for row in judged}) > 1]
    sections = [" · ".join(str(row.names[place] or ALL) for place in at) for row in table.rows]
    order = list(dict.fromkeys(sections))
    rows = [
        replace(row, section=" · ".join(filter(None, [row.section, section])))
        for section, row in zip(sections, table.rows, strict=True)
    ]
    places = sorted(range(len(rows)), key=lambda row: (order.index(sections[row]), rows[row].of == "comparison"))
    elsewhere = (*table.elsewhere, *(table.name_titles[place] for place in at))
    table = replace(table, rows=tuple(rows[place] for place in places), elsewhere=elsewhere)
    ordered = sorted_table(table, Sort.parse(choice.sort))
    return ordered.with_columns([at for at, one in enumerate(table.columns) if one.name in choice.columns])


def plain_table(rows: Sequence[ReportRow], choice: TableChoice, *, runs: Sequence[Run]) -> Table:
    """Return the chosen rows in the order of the runs, then those for comparison, with the column that sorts."""
    shown = {*choice.columns, Sort.parse(choice.sort).name}
    columns = [one for name, one in COLUMNS.items() if name in shown]
    chosen, states = chosen_rows(rows, choice), _unfinished(runs)
    names = [*(name for name in NAMES if name in choice.columns), *settings_of(chosen)]
    texts = {**NAMES, **SETTINGS}
    drawn, titles = [one.column for one in columns], tuple(name.capitalize().replace("_", " ") for name in names)
    lines = [
        Row(
            tuple(texts[name](row) for name in names),
            tuple(one.figure(row, choice.ranking, choice.level) for one in columns),
            cell_rivals=tuple(rivals(row, is_ranked=one.is_ranked) for one in columns),
        )
        for row in chosen
    ]
    if OF_RUNS & {*titles}:
        of_runs = zip(lines, chosen, strict=True)
        lines = [with_links(line, row, drawn, states.get(row.name.run, "")) for line, row in of_runs]
    compared = rows_for_comparison(chosen, names, columns)
    table = Table(titles, tuple(drawn), (*lines, *compared), headline="Judge")
    return with_notes(table, chosen, choice, runs=runs)


def _unfinished(runs: Sequence[Run]) -> dict[int, str]:
    """Return unfinished run -> its state."""
    return {run.pk: run.get_status_display().lower() for run in runs if run.status != Run.Status.DONE}


def with_notes(table: Table, rows: Sequence[ReportRow], choice: TableChoice, *, runs: Sequence[Run]) -> Table:
    """Return the table with its notes and comments. rows: the chosen ones. runs: as in `report_table`."""
    return replace(
        table,
        notes=tuple(_notes(table, rows, choice, runs)),
        comments=tuple(_comments(rows, runs)),
        figure_notes=(*weak_point_notes(rows), *_figure_notes(table)),
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
    for run, state in _unfinished(runs).items():
        yield f"Run {run} is {state}: its figures cover the answers so far."
    if any(figure and figure.low is not None for row in table.rows for figure in row.figures):
        yield "Intervals: 95 %, over contexts."
    if groups := _groups_with_values(table):
        own = "; of a run that scores, for its own scores" if any(SCORE in row.spearman for row in rows) else ""
        level = LEVEL_MEANINGS[choice.level]
        yield f"{', '.join(groups)}: {level}, for the ranking {ranking_title(choice.ranking)}{own}."
    yield from choice_notes(rows)
    yield from notes_on_unasked_subsets(rows)
    has_comparison = "Judge" in table.name_titles or any(row.of == "comparison" for row in table.rows)
    yield from notes_on_comparison(rows) if has_comparison else []
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


def _figure_notes(table: Table) -> Iterator[str]:
    """Yield what the marks mean, the numbers of observations, and why figures are undefined."""
    marked = [place for place, column in enumerate(table.columns) if column.marks_best]
    cells = [(place, row.rivals_at(place)) for row in table.rows for place in marked if row.rivals_at(place)]
    if len(set(cells)) < len(cells):
        yield SAME_PAIRS_NOTE
    yield from figure_notes(table)


def figure_notes(table: Table) -> Iterator[str]:
    """Yield the numbers of observations, and why figures are undefined."""
    yield from notes_on_n(table)
    undefined = [
        (column.full_title, figure.undefined or "")
        for row in table.rows
        for column, figure in zip(table.columns, row.figures, strict=True)
        if figure and figure.value is None
    ]
    yield from (f"Undefined ({DASH}): {reason}." for reason in by_reason(undefined))


def _comments(rows: Sequence[ReportRow], runs: Sequence[Run]) -> list[str]:
    """Return the warnings about the demo judge, failed trust checks, adaptive runs and bounded answers."""
    demo = [DEMO_WARNING] if any(run.is_demo for run in runs) else []
    return [*demo, *warnings(rows), *hold_out_warnings(rows), *bounded_warnings(rows)]


def paper_style(table: Table, dataset: Dataset, run: Run | None = None) -> TableStyle:
    """Return the looks of a table whose author gives none: its caption and label name dataset and figures.

    run: of a table of one run.
    """
    values = [[row.figures[place] for row in table.rows] for place in range(len(table.columns))]
    columns = [
        column
        for column, own in zip(table.columns, values, strict=True)
        if column.kind != "count" and any(one and one.value is not None for one in own)
    ]
    names = "; ".join(dict.fromkeys(column.group or column.title for column in columns))
    judges = f"{run.judge.name} ({run.prompt_name})" if run else "judges"
    where = f"{dataset.name}, {run.attribute.name}" if run else dataset.name
    label = slugify(" ".join([where, *(f"run {run.pk}" for run in [run] if run), *(one.name for one in columns[:1])]))
    return TableStyle(
        caption=f"Agreement of {judges} with people on {where}{names and f': {names}'}.", label=f"tab:{label}"
    )
