"""`looks`: how often figures of the test part were shown, and to whom."""

from collections.abc import Iterator

from evenhand.numerics import Figure
from rankings.analyses.record import Analysis, Block, Sentence, TabSection, TitledTable
from rankings.looks.looks_report import LooksReport, looks_report
from rankings.tables.table import Column, Row, Table

LOOK_COLUMNS = (Column(name="run", title="Run", kind="count", parts=(), definition="looks/#run"),)


def _blocks(report: LooksReport) -> Iterator[Block]:
    yield Sentence(report.sentence, is_lede=True)
    if report.test_contexts is None:
        yield Sentence("The dataset has no test part. Split it, choose on development, and report on test.")
        return
    if report.shown:
        rows = tuple(
            Row((one.at[:16].replace("T", " "), one.who, one.door, one.judge, one.figures), (Figure(one.run),))
            for one in report.shown
        )
        yield TitledTable(Table(("At (UTC)", "Who", "Door", "Judge", "Figures"), LOOK_COLUMNS, rows), "Looks")
    yield Sentence("A prompt that was changed after a look is no longer tested on unseen contexts.")


ANALYSIS = Analysis(
    name="looks",
    title="Looks at the test part",
    section=TabSection("Checks", "Who saw the test part?", place=3),
    function=looks_report,
    blocks=_blocks,
    examples=("looks --dataset SummEval", "looks --dataset SummEval --json"),
    of="dataset",
)
