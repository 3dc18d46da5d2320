"""`scores`: scores and ranks of the candidates of a run."""

from collections.abc import Iterator

from django.urls import reverse

from evenhand.csv_text import csv_lines
from evenhand.numerics import RANKING_TITLES, RANKINGS, Figure, rankings_with_chosen_pairs
from evenhand.numerics.figure import defined
from evenhand.report_json import as_json
from rankings.analyses.record import Analysis, Block, ReportFile, Sentence, TabSection, TitledTable
from rankings.report.answer_options import LEFT_OUT
from rankings.report.printed_numbers import distortion_sentence, percent
from rankings.report.rows_of_one_run import SCORE
from rankings.scores.score_rows import (
    CANDIDATE_COLUMNS,
    SCORE_FIGURES,
    ScoreRow,
    ScoresReport,
    SystemWinRate,
    scores_long_form,
    scores_of,
)
from rankings.tables.sorting import Sort, sorted_table
from rankings.tables.table import Column, Row, Table

UNITS = {name: ranking.unit for name, ranking in RANKINGS.items()} | {SCORE: "As given by the judge or metric."}
"""ranking -> a sentence that says what its scores mean."""
BIAS_TITLES = {"raw": "", "debiased": ", debiased", "averaged": ", orders averaged"}
RANKS = "Rank 1 is best; equal scores share the mean rank. Scores of different contexts are not comparable."
WIN_RATE = Column(name="win_rate", title="Win rate", definition="report/#win-rates", reference=0.5)
COLUMNS_OF_SCORES = (
    Column(name="rank", title="Rank", kind="number", parts=(), definition="report/#rank", lowest_first=True),
    Column(name="score", title="Score", kind="coefficient", parts=(), definition="report/#rankings"),
    Column(
        name="standard_error",
        title="Standard error",
        kind="coefficient",
        parts=(),
        definition="report/#standard_error",
        lowest_first=True,
    ),
    Column(name="human", title="Human score", kind="number", parts=(), definition="report/#scores-and-curves"),
)


def _blocks(report: ScoresReport) -> Iterator[Block]:
    if sentence := systems_sentence(report.systems):
        yield Sentence(sentence, is_lede=True)
    if report.systems:
        rates = Table(("System",), (WIN_RATE,), tuple(Row((one.system,), (one.win_rate,)) for one in report.systems))
        yield TitledTable(sorted_table(rates, Sort("win_rate")), "Systems", has_heading=True, sort="win_rate")
    if report.scores:
        title = f"Scores by {RANKING_TITLES[report.ranking]}" if report.ranking != SCORE else "Scores as given"
        title += BIAS_TITLES[report.bias]
        yield TitledTable(sorted_table(_scores(report), Sort("rank")), title, has_heading=True, sort="rank")
    else:
        yield Sentence("The run has no answer yet.", is_lede=True)


def systems_sentence(systems: list[SystemWinRate]) -> str:
    """Write the system with the highest win rate and its interval, or those that share it; "" without a win rate."""
    known = [one for one in systems if one.win_rate.value is not None]
    if not known:
        return ""
    best = max(known, key=lambda one: defined(one.win_rate.value))
    figure = best.win_rate
    if len(equal := [one.system for one in known if one.win_rate.value == figure.value]) > 1:
        rate = percent(defined(figure.value))
        return f"The judge prefers {' and '.join(equal)} most, each in {rate} of its comparisons with other systems."
    within = "" if figure.low is None else f"95\u202f% CI {100 * figure.low:.1f}–{100 * defined(figure.high):.1f}, "
    return (
        f"The judge prefers {best.system} in {percent(defined(figure.value))} of its comparisons with other systems "
        f"({within}n = {figure.n:,}), the most of {len(known)} systems."
    )


def _scores(report: ScoresReport) -> Table:
    """Return a row for each candidate, below its context. Each leads to the page of the context."""
    pages = {key: reverse("context", args=[pk]) for key, pk in report.run.dataset.contexts.values_list("key", "pk")}
    rows = tuple(_row(one, pages.get(one.context, "")) for one in report.scores)
    heads = (f"{UNITS[report.ranking]} {RANKS}",)
    return Table(("Candidate", "System", "Context"), COLUMNS_OF_SCORES, rows, heads=heads, elsewhere=("Context",))


def _row(one: ScoreRow, href: str) -> Row:
    names = (one.candidate, one.system or "", one.context)
    figures = tuple(_figure(one, column.name) for column in COLUMNS_OF_SCORES)
    return Row(names, figures, section=f"Context {one.context}", href=href)


def _figure(one: ScoreRow, field: str) -> Figure:
    value = getattr(one, field)
    return Figure.missing(one.undefined[field]) if value is None else Figure(value)


def _cautions(report: ScoresReport) -> Iterator[str]:
    """Warn of a ranking that an adaptive choice of pairs distorts."""
    distorted = [ranking.name for ranking in rankings_with_chosen_pairs("distorted")]
    if report.run.hold_out is not None and report.ranking in distorted:
        yield distortion_sentence()


def _csv(report: ScoresReport) -> Iterator[str]:
    without = {"without": report.without.cell} if report.without else {}
    columns = [*CANDIDATE_COLUMNS, *SCORE_FIGURES, *without]
    return csv_lines([row | without for row in as_json(report.scores)], columns=columns)


def _file_name(report: ScoresReport) -> str:
    return report.ranking if report.bias == "raw" else f"{report.ranking}-{report.bias}"


ANALYSIS = Analysis(
    name="scores",
    title="Scores",
    section=TabSection("Scores", "Which system is best?", place=1, keeps_choices=True),
    function=scores_of,
    blocks=_blocks,
    examples=("scores 7 --ranking bradley-terry", "scores 7 --ranking average-probability --average-orders --json"),
    answers=LEFT_OUT,
    of_pairs=False,
    hidden=lambda run: ("ranking", "debias", "average_orders") if run.is_scoring else (f"ranking={SCORE}",),
    cautions=_cautions,
    long_form=scores_long_form,
    file=ReportFile("csv", "One candidate per line", _csv, _file_name),
    definition="report/#scores-and-curves",
)
