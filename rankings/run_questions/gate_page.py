"""`gate`: say whether figures of a run clear bounds, for pipelines."""

from collections.abc import Iterator

from evenhand.numerics import Figure
from evenhand.units import counted
from rankings.analyses.record import Analysis, Block, Sentence, TabSection, TitledTable
from rankings.report.answer_options import LEFT_OUT
from rankings.run_questions.gate_report import GateBound, GateReport, gate_report
from rankings.tables.table import Column, Row, Table

GATE_COLUMNS = (
    Column(name="value", title="Value", kind="coefficient", definition="gate/"),
    Column(name="limit", title="Limit", kind="coefficient", parts=()),
    Column(name="needed", title="Contexts needed", kind="count", parts=(), definition="gate/#contexts-needed"),
)


def _blocks(report: GateReport) -> Iterator[Block]:
    alike = [bound for bound in report.bounds if bound.state == report.state]
    told = f"{len(alike)} of {counted(len(report.bounds), 'bound')}"
    yield Sentence(f"{report.state.capitalize()}: {told}. {_sentence(alike[0])}", is_lede=True)
    yield TitledTable(Table(("Figure", "Bound", "State"), GATE_COLUMNS, tuple(map(_row, report.bounds))), "Bounds")
    yield Sentence("A bound is passed or failed where the whole 95 % interval lies on one side of the limit.")


def _sentence(one: GateBound) -> str:
    """Write what was wanted of a figure, and what it is."""
    wanted = f"{one.figure} is to be {one.bound} {one.limit:g}"
    if one.observed.value is None or one.observed.low is None:
        return f"{wanted}, and has no interval: {one.why}."
    end = f", 95 % interval {one.observed.low:.3f} to {one.observed.high:.3f}."
    return f"{wanted}, and is {one.observed.value:.3f}{end}"


def _row(one: GateBound) -> Row:
    needed = None if one.state != "undecided" else Figure(one.needed, undefined=one.why or "no number would decide it")
    names = (one.figure, f"{one.bound} {one.limit:g}", one.state)
    return Row(names, (one.observed, Figure(one.limit), needed))


ANALYSIS = Analysis(
    name="gate",
    title="Gate",
    section=TabSection("Reliability", "Does it keep your bounds?", place=6),
    function=gate_report,
    blocks=_blocks,
    examples=("gate 7 --at-least accuracy=0.8", "gate 7 --at-most p_first=0.6 --at-least kappa=0.4 --json"),
    answers=("order", *LEFT_OUT),
    of_pairs=False,
    status=lambda report: {"passed": 0, "failed": 1, "undecided": 3}[report.state],
)
