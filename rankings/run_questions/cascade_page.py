"""`cascade`: what a cheap judge, a strong one and people answer together, and what it costs."""

from collections.abc import Iterator

from evenhand.numerics import Figure
from evenhand.numerics.figure import defined
from evenhand.units import counted
from rankings.analyses.record import Analysis, Block, Sentence, TabSection, TitledTable
from rankings.report.answer_options import LEFT_OUT
from rankings.report.printed_numbers import percent
from rankings.run_questions.cascade_report import CascadeCost, CascadeMember, CascadeReport, cascade_report
from rankings.tables.table import Column, Row, Table

NEVER = "its chance of being right never reaches the threshold"
MEMBER_COLUMNS = (
    Column(name="sureness", title="Sure from", kind="coefficient", parts=(), definition="cascade/#sureness"),
    Column(name="asked", title="Asked", kind="count", parts=(), definition="cascade/#asked"),
    Column(name="answered", title="Answers", kind="count", parts=(), definition="cascade/#asked"),
    Column(name="tokens", title="Prompt tokens", kind="count", parts=(), definition="cascade/#cost"),
)


def _blocks(report: CascadeReport) -> Iterator[Block]:
    yield Sentence(_sentence(report), is_lede=True)
    if report.last_alone and report.cost:
        yield Sentence(f"{report.members[-1].name.judge} and people alone: {_cost(report.last_alone)}.")
    if report.cost:
        table = Table(("Judge",), MEMBER_COLUMNS, tuple(map(_row, report.members)))
        yield TitledTable(table, "Judges, in this order")
    for one in report.members:
        if one.choices_only:
            yield Sentence(
                f"{one.name.judge} (run {one.name.run}) gives choices and no probabilities, so it answers all or "
                "nothing. Ask it by a method that reads probabilities."
            )
    if report.testing_contexts:
        tested, ordering = (counted(n or 0, "context") for n in (report.testing_contexts, report.ordering_contexts))
        yield Sentence(f"The cascade was tested on {tested}. It was chosen on another {ordering}.")


def _sentence(report: CascadeReport) -> str:
    if report.cost is None:
        return f"No cascade with a guarantee: {report.answered.undefined}."
    return (
        f"Judges answer {percent(defined(report.answered.value))} of the comparisons with at most "
        f"{percent(report.alpha)} errors (confidence {percent(report.confidence)}); on the testing contexts, "
        f"{percent(report.error.value or 0.0)} are wrong. All pairs cost {_cost(report.cost)}."
    )


def _cost(cost: CascadeCost) -> str:
    votes = counted(cost.votes, "vote")
    return votes if cost.tokens is None else f"{counted(cost.tokens, 'prompt token')} and {votes}"


def _row(one: CascadeMember) -> Row:
    sureness = Figure(one.sureness, undefined=None if one.sureness is not None else NEVER)
    tokens = Figure(one.tokens, undefined=None if one.tokens is not None else "its tokens were not counted")
    counts = (Figure(one.asked), Figure(one.answered))
    return Row((f"{one.name.judge} (run {one.name.run})",), (sureness, *counts, tokens))


ANALYSIS = Analysis(
    name="cascade",
    title="Cascade",
    section=TabSection("Reliability", "Would a cheaper judge do?", place=3),
    function=cascade_report,
    blocks=_blocks,
    examples=("cascade 7 8 --alpha 0.1", "cascade 7 8 9 --alpha 0.15 --confidence 0.9 --json"),
    answers=LEFT_OUT,
    more_runs="then",
)
