"""`steering`: texts that may steer a judge: label words, verdicts, instructions."""

from collections.abc import Iterator, Mapping

from evenhand.numerics import Figure
from evenhand.units import counted
from rankings.analyses.record import Analysis, Block, Passage, Passages, Sentence, TabSection, TitledTable
from rankings.steering.steering_report import SteeringReport, steering_report
from rankings.tables.table import Column, Row, Table

_TEXTS = Column(name="texts", title="Texts", kind="count", parts=())
_MATCHED = Column(name="matched", title="Matched", kind="count", parts=())


def _blocks(report: SteeringReport) -> Iterator[Block]:
    yield Sentence(steering_sentence(report), is_lede=True)
    if report.matches:
        passages = [
            Passage((one.context, one.candidate, one.system, one.pattern), one.before, one.matched, one.after)
            for one in report.matches
        ]
        yield Passages("Text around the match", ("Context", "Candidate", "System", "Pattern"), passages)
    elif report.matched:
        yield Sentence("No match of this pattern and system.")
    named = [one for one in report.systems if one.system]
    if report.matched and len(named) > 1:
        rows = tuple(
            Row((one.system,), (Figure(one.texts), Figure(one.matched)), detail=_counts(one.patterns)) for one in named
        )
        yield TitledTable(Table(("System",), (_TEXTS, _MATCHED), rows), "By system", has_heading=True)
    yield TitledTable(_patterns(report), "The patterns", is_folded=True)


def _counts(patterns: Mapping[str, int]) -> str:
    return ", ".join(f"{name} ({count:,})" for name, count in patterns.items())


def _patterns(report: SteeringReport) -> Table:
    rows = tuple(Row((one.pattern, one.kind_title), (Figure(one.texts),), detail=one.reason) for one in report.patterns)
    return Table(("Pattern", "Kind"), (_TEXTS,), rows)


def steering_sentence(report: SteeringReport) -> str:
    """Write how many texts match, and where most of them are."""
    texts = counted(report.texts, "text")
    if not report.matched:
        return f"None of {texts} has a label word, verdict or instruction to a judge."
    begin = f"{report.matched:,} of {texts} {'has' if report.matched == 1 else 'have'} a label word, verdict or"
    begin += " instruction to a judge."
    named = [one for one in report.systems if one.system and one.matched]
    if len(named) < 2:
        return begin
    most = max(named, key=lambda one: one.matched)
    return f"{begin} {most.system} wrote most of them: {most.matched:,} of its {most.texts:,}."


ANALYSIS = Analysis(
    name="steering",
    title="Steering texts",
    section=TabSection("Checks", "Does a text steer judges?", place=1),
    function=steering_report,
    blocks=_blocks,
    examples=("steering --dataset SummEval", "steering --dataset LLMBar --run 7 --pattern score --json"),
    of="dataset",
)
