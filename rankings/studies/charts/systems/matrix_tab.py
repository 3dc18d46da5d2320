"""The tab of comparison matrices: one for each run, rows and columns in the order of a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Annotated

import numpy as np

from evenhand.numerics import DEFAULT_RANKING, Figure
from evenhand.options import Option
from judging.models import Run
from rankings.charts.matrix_chart import matrix_chart
from rankings.charts.palette import SHADES_AROUND_HALF
from rankings.charts.plotly_chart import Chart
from rankings.report.number_text import ranking_title
from rankings.studies.charts.chart_tab import IN_FILES_NOTE, MOST_COLUMNS_ON_PAGE, ChartTab, named_charts
from rankings.studies.charts.chosen_runs import ChosenRuns, Debias
from rankings.studies.charts.panels import MOST_PANELS, panel_name, titles_of_runs
from rankings.studies.charts.systems.pair_matrix import NOTHING_COMPARED, MatrixChoice, PairMatrix, pair_matrices
from rankings.studies.charts.systems.systems_tab import SystemsRanking
from rankings.tables.table import Column, Row, Table, TableStyle

LONGEST_KEY = 500
NO_SCORE = "the ranking gives it no score"
MATRIX_NOTE = "Rows are shown first, columns second. Without position bias, both orders of a pair add up to 1."


@dataclass(frozen=True, slots=True)
class MatrixOfRun:
    """The matrix of one run. title: the run, and its dataset and attribute where these differ."""

    run: Run
    title: str
    own: PairMatrix


def matrix_tab(
    chosen: ChosenRuns,
    *,
    ranking: SystemsRanking = DEFAULT_RANKING,
    debias: Debias = False,
    by: Annotated[
        str, Option("people: sort it by human scores.", "Sorted by", choices={"": "each run", "people": "people"})
    ] = "",
    context: Annotated[
        str, Option("The key of a context, to compare its candidates.", "Context", longest=LONGEST_KEY)
    ] = "",
) -> ChartTab:
    """Draw a comparison matrix of each run."""
    runs = chosen.runs
    computed = pair_matrices(runs, MatrixChoice(chosen.answers(debiased=debias), ranking, by == "people", context))
    titles = titles_of_runs(runs, chosen.labels)
    matrices = [MatrixOfRun(run, titles[run.pk], computed[run]) for run in runs if not computed[run].undefined]
    reasons = list(dict.fromkeys(one.undefined for one in computed.values() if one.undefined))
    order = by or ranking_title(ranking)
    drawn = matrices[:MOST_PANELS]
    table = matrix_table(matrices, title="Candidate" if context else "System")
    is_wide = len(table.columns) > MOST_COLUMNS_ON_PAGE
    return ChartTab(
        name="matrix",
        title=f"Mean p, {'debiased' if debias else 'raw'}, in the order of {order}",
        definition="studies/#matrix",
        sentence=matrix_sentence(matrices, noun="candidate" if context else "system"),
        charts=named_charts([one.title for one in drawn] if len(matrices) > 1 else [""] * len(drawn), _charts(drawn)),
        table=table,
        usual_sort="none",
        empty="" if matrices else "; ".join(reasons),
        style=TableStyle(interval="none"),
        notes=[*_notes(len(matrices), len(runs), reasons), *([IN_FILES_NOTE] if is_wide else [])] if matrices else [],
        columns_on_page=1 if is_wide else None,
        are_tables=True,
    )


def matrix_sentence(matrices: Sequence[MatrixOfRun], *, noun: str) -> str:
    """Write in how many pairs the lower row is preferred, for the run with the fewest; "" without a matrix.

    noun: of a row.
    """
    if not matrices:
        return ""
    shares = {one.title: one.own.n_against / one.own.n_pairs for one in matrices}
    best, worst = (pick(matrices, key=lambda one: shares[one.title]) for pick in (min, max))
    sentence = f"{best.title} prefers the lower-ranked {noun} in {best.own.n_against} of {best.own.n_pairs} pairs"
    if len(matrices) == 1:
        return f"{sentence}."
    if len(set(shares.values())) == 1:
        return f"{sentence}, the same share as every other run."
    most = f"{worst.title} has the most, {worst.own.n_against} of {worst.own.n_pairs}"
    return f"{sentence}, the fewest of {len(matrices)} runs; {most}."


def matrix_table(matrices: Sequence[MatrixOfRun], *, title: str) -> Table:
    """Return a row for each system of each run: its rank, and its mean p when it is shown before each other.

    title: of the rows.
    """
    names = list(dict.fromkeys(name for one in matrices for name in one.own.names))
    rank = Column(name="rank", title="Rank", kind="number", lowest_first=True, parts=(), definition="studies/#matrix")
    columns = [
        Column(name=f"before.{name}", title=name, group="Mean p when shown before", kind="coefficient", parts=("n",))
        for name in names
    ]
    rows = [
        Row(
            (one.title, name) if len(matrices) > 1 else (name,),
            (_rank(one.own.ranks[at]), *_cells(one.own, at, names)),
        )
        for one in matrices
        for at, name in enumerate(one.own.names)
    ]
    return Table(("Run", title) if len(matrices) > 1 else (title,), (rank, *columns), tuple(rows))


def _rank(rank: float | None) -> Figure:
    return Figure.missing(NO_SCORE) if rank is None else Figure(rank)


def _cells(matrix: PairMatrix, row: int, names: Sequence[str]) -> list[Figure | None]:
    """Return the cells of a row. The cell of a system with itself, and of one that the run lacks, is None."""
    place_of = {name: place for place, name in enumerate(matrix.names)}
    return [None if name not in place_of else _cell(matrix, row, place_of[name]) for name in names]


def _cell(matrix: PairMatrix, row: int, column: int) -> Figure | None:
    n = int(matrix.means.counts[row, column])
    if n:
        return Figure(float(matrix.means.means[row, column]), n=n)
    return None if row == column else Figure.missing(NOTHING_COMPARED, n=0)


def _charts(matrices: Sequence[MatrixOfRun]) -> list[Chart]:
    """Draw the matrices, all on one scale."""
    if not matrices:
        return []
    ends = _ends(matrices)
    return [
        matrix_chart(
            one.own.names,
            [[None if np.isnan(value) else float(value) for value in row] for row in one.own.means.means],
            name=panel_name("matrix", number, len(matrices)),
            title="Shown second",
            note=f"Mean p of {one.title}. {MATRIX_NOTE}",
            ends=ends,
            shades=SHADES_AROUND_HALF,
        )
        for number, one in enumerate(matrices, start=1)
    ]


def _ends(matrices: Sequence[MatrixOfRun]) -> tuple[float, float]:
    """Return the values of the first and the last shade: as far below one half as above it, in tenths."""
    furthest = max(float(np.nanmax(np.abs(one.own.means.means - 0.5))) for one in matrices)
    reach = min(0.5, max(0.1, ceil(round(10 * furthest, 6)) / 10))
    return round(0.5 - reach, 1), round(0.5 + reach, 1)


def _notes(n_matrices: int, n_runs: int, reasons: Sequence[str]) -> list[str]:
    notes = [MATRIX_NOTE]
    if n_matrices > MOST_PANELS:
        notes.append(f"{MOST_PANELS} of {n_matrices} runs are drawn; the table has all. Choose runs under More.")
    if reasons:
        notes.append(f"No matrix for {n_runs - n_matrices} of {n_runs} runs: {'; '.join(reasons)}.")
    return notes
