"""`anchors`: how much a ranking depends on the one system that others are compared with."""

from collections.abc import Iterator
from functools import partial

from evenhand.numerics import Figure
from evenhand.numerics.figure import defined
from rankings.analyses.record import Analysis, Block, Sentence, TabSection, TitledTable
from rankings.report.answer_options import LEFT_OUT
from rankings.report.printed_numbers import coefficient, percent, ranking_title
from rankings.run_questions.anchor_report import (
    AnchoredRanking,
    AnchorReport,
    anchor_report,
    middle_anchor,
    share_of_comparisons,
    spearman_ends,
)
from rankings.tables.table import Column, Row, Table

_DEFINED = "anchors/#figures"
_RANK = partial(Column, kind="number", parts=(), lowest_first=True)
_CORRELATION = partial(Column, kind="coefficient", parts=(), definition=_DEFINED)
_WITH_ALL = partial(_CORRELATION, group="With all comparisons")
ANCHOR_COLUMNS = (
    _RANK(name="rank", title="Rank", definition=_DEFINED),
    Column(name="comparisons", title="Comparisons", kind="number", parts=()),
    _WITH_ALL(name="spearman", title="Spearman"),
    _WITH_ALL(name="kendall", title="Kendall"),
    _RANK(name="largest_move", title="Largest move", definition=_DEFINED),
    _CORRELATION(name="people", title="Spearman with people"),
)
SPREAD_COLUMNS = (
    _RANK(name="rank", title="All comparisons", group="Rank"),
    _RANK(name="best", title="best", group="Rank"),
    _RANK(name="worst", title="worst", group="Rank"),
)


def _blocks(report: AnchorReport) -> Iterator[Block]:
    yield Sentence(anchor_sentence(report), is_lede=True)
    yield TitledTable(_anchor_table(report), "Rankings by one anchor")
    yield TitledTable(_spread_table(report), "Ranks of each system over all anchors", has_heading=True)
    yield Sentence("To compare every text with one system, choose the pairs anchor.")


def anchor_sentence(report: AnchorReport) -> str:
    """Write how much the choice of the anchor changes the ranking."""
    share = percent(defined(share_of_comparisons(report).value))
    ends = spearman_ends(report)
    if ends is None:
        return f"One anchor needs {share} of the comparisons. Its ranking cannot be compared with that of all."
    low, high = ends
    middle = middle_anchor(report)
    begin = (
        f"One anchor needs {share} of the comparisons. Its ranking correlates with that of all between "
        f"{_value(low)} (anchor {low.anchor}) and {_value(high)} ({high.anchor})"
    )
    if middle.spearman.value is None or middle in ends:
        return f"{begin}."
    return f"{begin}; with {middle.anchor} in the middle of the ranking, {_value(middle)}."


def _value(one: AnchoredRanking) -> str:
    return coefficient(defined(one.spearman.value))


def _anchor_table(report: AnchorReport) -> Table:
    """Return a row for each anchor."""
    notes = [
        f"Systems are ordered by the mean of {ranking_title(report.ranking)} over their texts.",
        f"Spearman with people, by all comparisons: {_or_dash(report.people)}.",
    ]
    if report.not_anchors:
        notes.append(f"Not compared with every other system, so no anchors: {', '.join(report.not_anchors)}.")
    return Table(("Anchor",), ANCHOR_COLUMNS, tuple(map(_row, report.anchors)), notes=tuple(notes))


def _or_dash(figure: Figure) -> str:
    return f"– ({figure.undefined})" if figure.value is None else coefficient(figure.value)


def _row(one: AnchoredRanking) -> Row:
    move = None if one.largest_move is None else Figure(one.largest_move)
    figures = (Figure(one.rank), Figure(float(one.comparisons)), one.spearman, one.kendall, move, one.people)
    moved = f"{', '.join(one.moved)} {'move' if one.moved[1:] else 'moves'} most" if one.moved else ""
    return Row((one.anchor,), figures, detail=moved)


def _spread_table(report: AnchorReport) -> Table:
    """Return a row for each system with its ranks over the anchors, best first."""
    rows = tuple(Row((one.system,), (Figure(one.rank), Figure(one.best), Figure(one.worst))) for one in report.systems)
    return Table(("System",), SPREAD_COLUMNS, rows)


ANALYSIS = Analysis(
    name="anchors",
    title="Anchors",
    section=TabSection("Scores", "And against one system?", place=3),
    function=anchor_report,
    blocks=_blocks,
    examples=("anchors 7", "anchors 7 --ranking win-ratio --json"),
    answers=LEFT_OUT,
)
