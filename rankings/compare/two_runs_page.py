"""How two compared runs are shown. Each row of their tables is a figure; each has a column for each run."""

from collections.abc import Iterator
from functools import partial

from django.urls import reverse

from evenhand.numerics import Figure
from evenhand.numerics.figure import defined
from evenhand.numerics.significance.families import LEVEL_OF_TEST
from evenhand.units import counted
from rankings.analyses.record import JSON_FILE, Analysis, Block, Sentence, TabSection, TitledTable, two_runs_named
from rankings.compare.comparison_of_runs import FigureDifference, PooledTests, RunsCompared
from rankings.compare.long_lines import compared_long_form
from rankings.compare.two_runs import compare_runs
from rankings.report.answer_options import LEFT_OUT
from rankings.report.figures.figure_definitions import FIGURES
from rankings.report.pages.headline_figures import variant_title
from rankings.report.printed_numbers import p_value, percent, points, points_interval
from rankings.tables.table import Column, Kind, Row, Table


def _blocks(result: RunsCompared) -> Iterator[Block]:
    yield Sentence(difference_sentence(result), is_lede=True)
    for name in (result.one.name, result.other.name):
        text = f"Run {name.run}: {name.judge}, {name.method}, {name.prompt}{name.settings}"
        yield Sentence(text, href=reverse("run-results", args=[name.run]))
    pairs, contexts = counted(result.comparisons, "ordered pair"), counted(result.contexts, "context")
    yield Sentence(f"{pairs} of {contexts} that both runs answered on {result.attribute}. All figures use only these.")
    yield TitledTable(shares_table(result), "Accuracy and position bias", has_heading=True, headline="difference")
    yield TitledTable(correlations_table(result), "Spearman per context", has_heading=True, headline="difference")
    yield TitledTable(between_table(result), "Agreement between the two runs", has_heading=True)
    yield TitledTable(pooled_table(result), "Pooled correlations", has_heading=True)
    yield Sentence(_mcnemar_sentence(result), href=f"{reverse('docs')}reference/agreement/#mcnemar")


def two_runs_title(result: RunsCompared) -> str:
    """Write the title that identifies the page: "SummEval · coherence · flan-t5-xl and gpt-4".

    Two runs of one judge are named by their prompts: "SummEval · coherence · gpt-4 · comparative-1 and cot-1".
    """
    one, other = result.one.name, result.other.name
    judge = [one.judge] if one.judge == other.judge else []
    return " · ".join([result.dataset, result.attribute, *judge, " and ".join(short_names(result))])


def _mcnemar_sentence(result: RunsCompared) -> str:
    """Write McNemar’s test of equal accuracy."""
    test, begin = result.mcnemar, "McNemar’s exact test of equal accuracy"
    if test.p_value is None:
        return f"{begin}: – {test.undefined}."
    return (
        f"{begin}: only run {result.one.name.run} is right on {test.only_one_right:,} comparisons, only run "
        f"{result.other.name.run} on {test.only_other_right:,}, {p_value(test.p_value)}. The test assumes independent "
        "comparisons; if contexts have several, use the first table."
    )


def difference_sentence(result: RunsCompared) -> str:
    """Write the difference of the two accuracies with its interval and p-value."""
    one, other, difference = result.one, result.other, result.differences[0]
    if difference.difference is None:
        return f"No difference in accuracy: {difference.undefined}."
    n = one.accuracy.n or 0
    shares = f"{percent(defined(difference.one))} against {percent(defined(difference.other))}"
    if difference.difference == 0:
        begin = f"{one.name.words} and {other.name.words} have the same accuracy, n = {n:,}"
    else:
        more = "higher" if difference.difference > 0 else "lower"
        begin = (
            f"The accuracy of {one.name.words} is {points(abs(difference.difference))} {more} than that of "
            f"{other.name.words}, n = {n:,}"
        )
    ends = "" if difference.low is None else f"; 95 % interval {points_interval(difference.low, difference.high)}"
    if difference.p_value_holm is None:
        return f"{begin} ({shares}{ends}). Not tested: {difference.undefined}."
    chance = p_value(difference.p_value_holm)
    verdict = "is significant" if difference.p_value_holm < LEVEL_OF_TEST else "is not significant"
    return f"{begin} ({shares}{ends}; {chance}). The difference {verdict}."


ANALYSIS = Analysis(
    name="compare",
    title="Two runs compared",
    section=TabSection("Results", "Two runs", place=3),
    of="two runs",
    function=compare_runs,
    blocks=_blocks,
    examples=("compare 7 8", "compare 7 8 --without-system M0 --long --output differences.csv"),
    answers=("order", *LEFT_OUT),
    heading=two_runs_title,
    least_runs=2,
    two_runs=two_runs_named(one="Run", other="Compared with"),
    long_form=compared_long_form,
    file=JSON_FILE,
    definition="agreement/#two-runs",
)


UNTESTED_SHARES = ("p_first", "order_agreement")
"""Figures of each run that have no test."""
_P = partial(Column, kind="p", parts=(), lowest_first=True)
P_COLUMN = _P(name="p_value", title="p", definition="agreement/#p_value")
SWAPPED_P = _P(name="perm_both", title="p, scores swapped", definition="agreement/#perm_both")
POOLED_P_COLUMNS = (
    _P(name="williams", title="Williams", group="p", definition="agreement/#pooled"),
    _P(name="steiger", title="Steiger", group="p", definition="agreement/#pooled"),
)
BETWEEN_COLUMNS = (
    Column(name="percent_agreement", title="Same decision", definition="agreement/#two-runs"),
    Column(name="cohen_kappa", title="Cohen’s kappa", kind="coefficient", definition="agreement/#two-runs"),
)
NOTES_BETWEEN = (
    "Same decision: share of the comparisons on which both decide the same.",
    "Cohen’s kappa: the same, beyond chance: 1 is perfect, 0 chance.",
)
NOTE_ON_POOLED = "Over all candidates pooled, with two tests of correlations that share a variable."
NOTES_ON_TESTS = (
    "p: two-sided sign-flip permutation test over contexts, of each figure on its own.",
    "p, scores swapped: permutation test PERM-BOTH, which swaps the two standardised scores of a candidate; "
    "not adjusted.",
    "A scoring run has the same scores for every ranking.",
)


def shares_table(result: RunsCompared) -> Table:
    """Return accuracy, with the test of its difference, P(first) and order agreement of both runs."""
    columns = (*_tested_columns(result, "share"), P_COLUMN)
    tests = {"accuracy": _tested(result.differences[0])}
    rows = tuple(
        Row(
            (FIGURES[name].title,),
            (getattr(result.one, name), getattr(result.other, name), *tests.get(name, (None, None, None))),
            href=f"{reverse('docs')}reference/report/#{name}",
        )
        for name in ("accuracy", *UNTESTED_SHARES)
    )
    return Table(("Figure",), columns, rows, notes=(_difference_note(result, "percentage points"),))


def correlations_table(result: RunsCompared) -> Table:
    """Return Spearman’s correlation per context of both runs by each ranking, with the tests of their difference."""
    columns = (*_tested_columns(result, "coefficient"), P_COLUMN, SWAPPED_P)
    rows = tuple(
        Row(
            (variant_title(row.ranking),),
            (*(_known(value, row.undefined) for value in (row.one, row.other)), *_tested(row), row.perm_both),
        )
        for row in result.differences
        if row.ranking
    )
    notes = (_difference_note(result, "correlation"), *NOTES_ON_TESTS)
    return Table(("Ranking",), columns, rows, notes=notes)


def between_table(result: RunsCompared) -> Table:
    """Return the agreement between the two runs."""
    figures = (result.percent_agreement, result.cohen_kappa)
    return Table(("Runs",), BETWEEN_COLUMNS, (Row((" and ".join(short_names(result)),), figures),), notes=NOTES_BETWEEN)


def pooled_table(result: RunsCompared) -> Table:
    """Return Spearman’s correlation over all candidates pooled, by each ranking, with two tests."""
    between = Column(name="between", title="Between the two", kind="coefficient", definition="agreement/#pooled")
    rows = tuple(_pooled_row(line) for line in result.pooled)
    columns = (*_run_columns(result, "coefficient"), between, *POOLED_P_COLUMNS)
    return Table(("Ranking",), columns, rows, notes=(NOTE_ON_POOLED,))


def short_names(result: RunsCompared) -> tuple[str, str]:
    """Return short names that distinguish both runs: their judges, else their prompts, else their numbers."""
    one, other = result.one.name, result.other.name
    if one.judge != other.judge:
        return one.judge, other.judge
    if one.prompt != other.prompt:
        return one.prompt, other.prompt
    return f"run {one.run}", f"run {other.run}"


def _difference_note(result: RunsCompared, unit: str) -> str:
    one, other = short_names(result)
    return f"Difference: {one} minus {other}, in {unit}, with its 95 % interval; its n counts contexts."


def _run_columns(result: RunsCompared, kind: Kind) -> tuple[Column, Column]:
    one, other = short_names(result)
    reference = 0.5 if kind == "share" else None
    return (
        Column(name="one", title=one, kind=kind, reference=reference),
        Column(name="other", title=other, kind=kind, reference=reference),
    )


def _tested_columns(result: RunsCompared, kind: Kind) -> tuple[Column, ...]:
    """Return the columns of both runs, of their difference, and of its noise floor."""
    column = partial(Column, kind=kind)
    tested = partial(column, definition="agreement/#differences", reference=0, observations="context")
    return (
        *_run_columns(result, kind),
        tested(name="difference", title="Difference"),
        column(name="noise_floor", title="Noise floor", parts=(), definition="agreement/#noise_floor"),
    )


def _tested(row: FigureDifference) -> tuple[Figure, Figure, Figure]:
    """Return the difference of a figure, its noise floor, and its p-value, where enough contexts differ for a test."""
    difference = Figure(row.difference, row.low, row.high, row.contexts, row.undefined)
    return difference, row.noise_floor, _known(row.p_value_holm, row.undefined)


def _pooled_row(line: PooledTests) -> Row:
    values = (line.one, line.other, line.between)
    figures = (_known(value, line.undefined, n=line.candidates) for value in values)
    tests = (_known(test.p_value, test.undefined) for test in (line.williams, line.steiger))
    return Row((variant_title(line.ranking),), (*figures, *tests))


def _known(value: float | None, why: str | None, *, n: int | None = None) -> Figure:
    """Return the figure of a value; without one, why it is undefined."""
    return Figure.missing(why or "no value") if value is None else Figure(value, n=n)
