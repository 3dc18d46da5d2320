"""`ready`: what can be computed of a dataset or file, and what blocks the rest."""

from collections.abc import Iterator

from evenhand.numerics import Figure
from evenhand.units import counted
from judging.web.operations.new_datasets import try_files
from rankings.analyses.record import Analysis, Block, Sentence, TabSection, TitledTable
from rankings.dataset_questions.ready_report import ReadyReport, ready_report
from rankings.tables.table import Column, Row, Table

TITLES = {
    "human": "Agreement between people, on votes",
    "krippendorff_alpha": "Agreement between people, on ratings",
    "accuracy": "Accuracy of a judge",
    "kappa": "Kappa with people",
    "expected_calibration_error": "Calibration error",
    "win_rate": "Win rates by votes with a judge",
    "spearman.per_context": "Spearman’s correlation, per context",
    "spearman.system": "Spearman’s correlation, of systems",
    "p_first": "P(first)",
    "order_agreement": "Order agreement",
}
"""figure -> its title."""
_CONTEXTS = Column(name="n", title="Contexts", kind="count", parts=(), definition="ready/")
_NEEDED = Column(name="needed", title="Needed", kind="count", parts=(), definition="ready/#needed")


def _blocks(report: ReadyReport) -> Iterator[Block]:
    yield Sentence(ready_sentence(report), is_lede=True)
    if report.can:
        rows = tuple(Row((TITLES[one.figure],), (Figure(one.n),)) for one in report.can)
        yield TitledTable(Table(("Figure",), (_CONTEXTS,), rows), "With an interval now", has_heading=True)
    if report.blocked:
        rows = tuple(Row((TITLES[one.figure], one.why), (Figure(one.needed),)) for one in report.blocked)
        yield TitledTable(Table(("Figure", "Why"), (_NEEDED,), rows), "Blocked", has_heading=True)


def ready_sentence(report: ReadyReport) -> str:
    """Write how many figures have an interval, and the smallest step to another."""
    total = len(report.can) + len(report.blocked)
    begin = f"{len(report.can)} of {counted(total, 'figure')} can be computed now, each with its interval."
    nearest = min(report.blocked, key=lambda one: one.needed, default=None)
    return f"{begin} {nearest.why.partition(';')[0]} for: {TITLES[nearest.figure]}." if nearest else begin


ANALYSIS = Analysis(
    name="ready",
    title="What can be computed",
    section=TabSection("Data", "What can be computed?", place=2),
    of="dataset",
    function=ready_report,
    blocks=_blocks,
    examples=("ready answers.jsonl", "ready --dataset SummEval --json"),
    of_files=try_files,
)
