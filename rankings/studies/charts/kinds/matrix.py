"""The mean p_first of every two systems by one run, or of the candidates of one context, in the order of a ranking."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Annotated

import numpy as np

from evenhand.numerics import DEFAULT_RANKING, Debiasing, Figure, Undefined
from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, counts, sums
from evenhand.numerics.ranks import average_ranks
from evenhand.numerics.reliability.pair_means import PairMeans
from evenhand.numerics.scores import rounded
from evenhand.options import Option
from judging.models import Run
from rankings.charts.matrix_chart import matrix_chart
from rankings.charts.palette import SHADES_AROUND_HALF
from rankings.charts.plotly_chart import Chart
from rankings.diagnostics.calibration import NO_PROBABILITY
from rankings.loading import Answers, CandidateTable
from rankings.report.printed_numbers import ranking_title
from rankings.report.report_rows import Sources
from rankings.report.rows_of_one_run import score_or_why
from rankings.studies.charts.chart_tab import IN_FILES_NOTE, MOST_COLUMNS_ON_PAGE, ChartTab, named_charts
from rankings.studies.charts.chosen_runs import AnswersChoice, ChosenRuns, Debias
from rankings.studies.charts.kinds.systems import UNNAMED_SYSTEMS, SystemsRanking
from rankings.studies.charts.panels import MOST_PANELS, panel_name, titles_of_runs
from rankings.studies.charts.run_panels import in_sections
from rankings.studies.measured_runs import cached_by_run
from rankings.tables.table import Column, Row, Table, TableStyle

LONGEST_KEY = 500
NO_SCORE = "the ranking gives it no score"
MATRIX_NOTE = "Rows are shown first, columns second. Without position bias, both orders of a pair add up to 1."
MOST_IN_MATRIX = 60
NAME_A_CONTEXT = "name a context to compare its candidates"
NO_HUMAN_SCORES = "people gave these texts no scores"
NOTHING_COMPARED = "no comparison of two of them has an answer"


@dataclass(frozen=True, slots=True)
class MatrixChoice:
    """The choices of a matrix. context: the key of one context, for its candidates; "" for systems over all contexts.

    ranking: orders rows and columns. by_people: people's scores order them instead.
    """

    answers: AnswersChoice
    ranking: str
    by_people: bool
    context: str


@dataclass(frozen=True, slots=True, eq=False)
class PairMatrix:
    """The matrix of a run. names: of rows and columns, best first. ranks: theirs; None without a score.

    undefined: why there is no matrix, or "".
    """

    names: Sequence[str]
    ranks: Sequence[float | None]
    means: PairMeans
    undefined: str = ""

    @classmethod
    def missing(cls, reason: str) -> "PairMatrix":
        """Return no matrix, with the reason."""
        return cls((), (), PairMeans(np.zeros((0, 0)), np.zeros((0, 0), dtype=np.intp)), reason)

    @property
    def n_pairs(self) -> int:
        """Number of unordered pairs with an answer."""
        return int((~np.isnan(self.means.preferences)).sum())

    @property
    def n_against(self) -> int:
        """Number of unordered pairs in which the lower row is preferred."""
        return int((rounded(self.means.preferences) > 0.5).sum())


TitledMatrix = tuple[str, PairMatrix]
"""The title of a run, behind its dataset and attribute where these differ, and its matrix."""


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
    choice = MatrixChoice(chosen.answers(debiased=debias), ranking, by == "people", context)
    key = (choice.answers.key, ranking, choice.by_people, context)
    matrix_of = partial(_matrix, choice=choice)
    computed = cached_by_run("pair-matrix", runs, choice.answers.answers, key, matrix_of)
    titles = titles_of_runs(runs, chosen.labels)
    matrices = [(titles[run.pk], one) for run, one in computed.items() if not one.undefined]
    reasons = list(dict.fromkeys(one.undefined for one in computed.values() if one.undefined))
    drawn, noun = matrices[:MOST_PANELS], "candidate" if context else "system"
    table = _table(matrices, noun.title())
    is_wide = len(table.columns) > MOST_COLUMNS_ON_PAGE
    return ChartTab(
        name="matrix",
        title=f"Mean p, {'debiased' if debias else 'raw'}, in the order of {by or ranking_title(ranking)}",
        definition="studies/#matrix",
        sentence=_sentence(matrices, noun),
        charts=named_charts([title * (len(matrices) > 1) for title, _ in drawn], _charts(drawn)),
        table=table,
        usual_sort="none",
        empty="" if matrices else "; ".join(reasons),
        style=TableStyle(interval="none"),
        notes=[*_notes(len(matrices), len(runs), reasons), *[IN_FILES_NOTE] * is_wide] if matrices else [],
        columns_on_page=1 if is_wide else None,
        are_tables=True,
    )


def _matrix(sources: Sources, run: Run, choice: MatrixChoice) -> PairMatrix:
    own = sources.without(run.exclusion)
    try:
        return _defined_matrix(own, own.answers(run), run, choice)
    except Undefined as undefined:
        return PairMatrix.missing(undefined.reason)


def _defined_matrix(own: Sources, answers: Answers, run: Run, choice: MatrixChoice) -> PairMatrix:
    """Return the matrix of a run. Raises Undefined."""
    if answers.values is not None:
        raise Undefined(NO_PROBABILITY)
    names, numbers = _rows(own.table, choice.context)
    raw = answers.comparisons.of_contexts(_contexts(own.table, choice))
    debiasing = Debiasing.of_run(answers.comparisons) if choice.answers.debiased else None
    if choice.by_people:
        values = own.people(run.attribute).human.scores
    else:
        scores = score_or_why(choice.ranking, raw, debiasing)
        if isinstance(scores, str):
            raise Undefined(scores)
        values = scores.values
    comparisons = raw.with_p_first(debiasing.p_first(raw.p_first)) if debiasing else raw
    means = PairMeans.of(comparisons, numbers, n_systems=len(names))
    mean_scores = _mean_scores(values, numbers, len(names))
    compared = np.flatnonzero(means.counts.any(axis=0) | means.counts.any(axis=1))
    if np.isnan(means.preferences).all():
        raise Undefined(NOTHING_COMPARED)
    if choice.by_people and np.isnan(mean_scores[compared]).all():
        raise Undefined(NO_HUMAN_SCORES)
    return _in_order(names, mean_scores, means, compared)


def _in_order(names: Sequence[str], scores: FloatArray, means: PairMeans, chosen: IntArray) -> PairMatrix:
    """Return the matrix of the chosen rows, best first, those without a score last."""
    order = chosen[np.argsort(-scores[chosen], kind="stable")]  # NaN comes last
    ranked = scores[order]
    known = int((~np.isnan(ranked)).sum())
    ranks = [*average_ranks(-ranked[:known]).tolist(), *[None] * (len(order) - known)]
    return PairMatrix([names[at] for at in order], ranks, means.in_order(order))


def _rows(table: CandidateTable, context: str) -> tuple[list[str], IntArray]:
    """Return the names of the rows, and the row of each candidate, (n_candidates,); -1 for none. Raises Undefined."""
    labels: Sequence[str] = table.systems
    if context:
        if context not in table.context_keys:
            raise Undefined(f'the dataset has no context "{context}"')
        chosen = table.contexts == table.context_keys.index(context)
        labels = [key if is_chosen else "" for key, is_chosen in zip(table.keys, chosen, strict=True)]
    names = list(dict.fromkeys(filter(None, labels)))
    if len(names) < 2:
        raise Undefined("the context has one candidate" if context else f"{UNNAMED_SYSTEMS}; {NAME_A_CONTEXT}")
    if len(names) > MOST_IN_MATRIX:
        raise Undefined(f"there are {len(names)} rows, and a matrix has at most {MOST_IN_MATRIX}")
    number_of: Mapping[str, int] = {name: number for number, name in enumerate(names)}
    return names, np.array([number_of.get(label, -1) for label in labels], dtype=np.intp)


def _contexts(table: CandidateTable, choice: MatrixChoice) -> BoolArray:
    """Return True for the contexts that count, (n_contexts,)."""
    if choice.context:
        return np.array([key == choice.context for key in table.context_keys], dtype=bool)
    subsets = choice.answers.subsets
    return np.array([subsets is None or one in subsets for one in table.subsets], dtype=bool)


def _mean_scores(scores: FloatArray, numbers: IntArray, n_rows: int) -> FloatArray:
    """Return the mean score of each row's candidates, (n_rows,); NaN without one. scores: (n_candidates,)."""
    scored = ~np.isnan(scores) & (numbers >= 0)
    sizes = counts(numbers[scored], n_rows)
    means = sums(numbers[scored], scores[scored], n_rows) / np.maximum(sizes, 1)
    return np.where(sizes > 0, rounded(means), np.nan)


def _sentence(matrices: Sequence[TitledMatrix], noun: str) -> str:
    """Write in how many pairs the lower row is preferred, for the run with the fewest; "" without a matrix.

    noun: of a row.
    """
    if not matrices:
        return ""
    shares = [one.n_against / one.n_pairs for _, one in matrices]
    (title, best), (last, worst) = (matrices[shares.index(pick(shares))] for pick in (min, max))
    sentence = f"{title} prefers the lower-ranked {noun} in {best.n_against} of {best.n_pairs} pairs"
    if len(matrices) == 1:
        return f"{sentence}."
    if len(set(shares)) == 1:
        return f"{sentence}, the same share as every other run."
    most = f"{last} has the most, {worst.n_against} of {worst.n_pairs}"
    return f"{sentence}, the fewest of {len(matrices)} runs; {most}."


def _table(matrices: Sequence[TitledMatrix], title: str) -> Table:
    """Return a row for each system of each run: its rank, and its mean p when it is shown before each other.

    title: of the rows.
    """
    names = list(dict.fromkeys(name for _, one in matrices for name in one.names))
    rank = Column(name="rank", title="Rank", kind="number", lowest_first=True, parts=(), definition="studies/#matrix")
    columns = [
        Column(name=f"before.{name}", title=name, group="Mean p when shown before", kind="coefficient", parts=("n",))
        for name in names
    ]
    rows = [
        Row((of_run, name), (_rank(one.ranks[at]), *_cells(one, at, names)))
        for of_run, one in matrices
        for at, name in enumerate(one.names)
    ]
    return in_sections("Run", title, [rank, *columns], rows)


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


def _charts(matrices: Sequence[TitledMatrix]) -> list[Chart]:
    """Draw the matrices, all on one scale: as far below one half as above it, in tenths."""
    furthest = max((float(np.nanmax(np.abs(one.means.means - 0.5))) for _, one in matrices), default=0.0)
    reach = min(0.5, max(0.1, ceil(round(10 * furthest, 6)) / 10))
    return [
        matrix_chart(
            one.names,
            [[None if np.isnan(value) else float(value) for value in row] for row in one.means.means],
            name=panel_name("matrix", number, len(matrices)),
            title="Shown second",
            note=f"Mean p of {title}. {MATRIX_NOTE}",
            ends=(round(0.5 - reach, 1), round(0.5 + reach, 1)),
            shades=SHADES_AROUND_HALF,
        )
        for number, (title, one) in enumerate(matrices, start=1)
    ]


def _notes(n_matrices: int, n_runs: int, reasons: Sequence[str]) -> list[str]:
    notes = [MATRIX_NOTE]
    if n_matrices > MOST_PANELS:
        notes.append(f"{MOST_PANELS} of {n_matrices} runs are drawn; the table has all. Choose runs under More.")
    if reasons:
        notes.append(f"No matrix for {n_runs - n_matrices} of {n_runs} runs: {'; '.join(reasons)}.")
    return notes
