"""How two compared runs are shown."""

from collections.abc import Iterator

from django.urls import reverse

from evenhand.numerics.figure import defined
from evenhand.numerics.significance.families import LEVEL_OF_TEST
from evenhand.units import counted
from rankings.analyses.record import JSON_FILE, Analysis, Block, Sentence, TabSection, TitledTable, two_runs_named
from rankings.compare.comparison_of_runs import RunsCompared
from rankings.compare.long_lines import compared_long_form
from rankings.compare.two_runs import compare_runs
from rankings.compare.two_runs_tables import between_table, correlations_table, pooled_table, shares_table, short_names
from rankings.report.answer_options import LEFT_OUT
from rankings.report.printed_numbers import p_value, percent, points, points_interval


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
