"""`separation`: which systems of a ranking are really apart, all intervals at once."""

from collections.abc import Iterable, Iterator

from evenhand.numerics import Figure
from evenhand.units import counted
from rankings.analyses.record import Analysis, Block, Sentence, TabSection, TitledTable
from rankings.dataset_questions.separation_report import SeparationReport, SystemsCompared, separation_report
from rankings.report.answer_options import LEFT_OUT
from rankings.tables.table import Column, Row, Table

SYSTEM_SCORES = (Column(name="score", title="Score", kind="coefficient", definition="separation/#score", parts=()),)
PAIR_COLUMNS = (
    Column(name="difference", title="Difference", kind="coefficient", definition="separation/#difference"),
    Column(name="contexts", title="Contexts needed", kind="count", parts=(), definition="separation/#needed"),
    Column(name="comparisons", title="Comparisons needed", kind="count", parts=(), definition="separation/#needed"),
)


def _blocks(report: SeparationReport) -> Iterator[Block]:
    neighbours = [pair for pair in report.pairs if pair.neighbours]
    of_all = f"{sum(pair.apart for pair in neighbours)} of {counted(len(neighbours), 'pair')}"
    yield Sentence(f"{of_all} of neighbours are apart.{_next(report)}", is_lede=True)
    rows = tuple(Row((one.system, one.groups), (Figure(one.score),)) for one in report.systems)
    yield TitledTable(Table(("System", "Groups"), SYSTEM_SCORES, rows), "Systems", has_heading=True)
    yield TitledTable(_pairs(neighbours), "Neighbours", has_heading=True)
    yield TitledTable(_pairs(report.pairs), "All pairs", is_folded=True)
    yield Sentence("Systems that share a letter are not apart. All 95 % intervals hold at once.")
    circles = report.cycles
    yield Sentence(
        f"{circles.seen} of {counted(circles.triads, 'triad')} of systems are cycles. Bradley-Terry expects "
        f"{circles.expected:.1f}."
    )


def _next(report: SeparationReport) -> str:
    one = report.next
    if one is None:
        return ""
    return (
        f" Next would be {one.better} and {one.worse}, with {counted(one.contexts_needed or 0, 'context')} and "
        f"{counted(one.comparisons_needed or 0, 'comparison')} in place of {report.contexts:,} and "
        f"{report.comparisons:,}."
    )


def _pairs(pairs: Iterable[SystemsCompared]) -> Table:
    rows = tuple(
        Row((f"{one.better} over {one.worse}", "apart" if one.apart else "not apart"), (one.difference, *_needed(one)))
        for one in pairs
    )
    return Table(("Systems", "State"), PAIR_COLUMNS, rows)


def _needed(one: SystemsCompared) -> tuple[Figure | None, Figure | None]:
    if one.apart:
        return None, None
    numbers = (one.contexts_needed, one.comparisons_needed)
    first, second = (Figure(number, undefined=None if number else "the scores are equal") for number in numbers)
    return first, second


ANALYSIS = Analysis(
    name="separation",
    title="Separation",
    section=TabSection("Results", "Which systems are apart?", place=4),
    function=separation_report,
    blocks=_blocks,
    examples=("separation --dataset SummEval", "separation --dataset SummEval --run 7 --json"),
    answers=("order", *LEFT_OUT),
    of="dataset",
)
