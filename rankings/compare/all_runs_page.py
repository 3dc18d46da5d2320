"""How all compared runs of an attribute are shown."""

from collections.abc import Iterator, Mapping, Sequence

from django.template.defaultfilters import pluralize
from django.urls import reverse

from evenhand.numerics.figure import defined
from evenhand.units import counted
from rankings.analyses.record import JSON_FILE, Analysis, Block, Sentence, TabSection, TitledTable
from rankings.compare.all_runs import compare_groups
from rankings.compare.comparison_of_runs import AllCompared, FigureCompared
from rankings.compare.groups_table import groups_table, letters_table, pairs_table
from rankings.compare.long_lines import compared_long_form
from rankings.report.answer_options import LEFT_OUT
from rankings.report.printed_numbers import coefficient, percent
from rankings.report.run_names import RunName

ORDINALS = ("first", "second", "third", "fourth", "fifth")
NOTHING_IN_COMMON = "No two of these runs answered the same ordered pair, so nothing can be compared."


def _blocks(result: AllCompared) -> Iterator[Block]:
    names = {run.name.run: run.name for run in result.runs}
    for block in result.figures:
        if block.groups:
            yield Sentence(groups_sentence(block, names), is_lede=True)
    if result.runs:
        yield TitledTable(groups_table(result), "Runs", sort="accuracy")
        yield Sentence("A run’s figure covers all its answers; a test covers the pairs that both runs answered.")
        yield TitledTable(letters_table(result), "Groups as letters", is_folded=True)
    else:
        yield Sentence(NOTHING_IN_COMMON, is_lede=True)
    for block in result.figures:
        if block.pairs:
            yield TitledTable(pairs_table(block), f"{block.title}: all pairs of runs", is_folded=True)
    for run in result.left_out:
        text = f"Left out: run {run.name.run} ({run.name.judge}) {run.why}."
        yield Sentence(text, href=reverse("run-results", args=[run.name.run]))


def groups_sentence(block: FigureCompared, names: Mapping[int, RunName]) -> str:
    """Write the best run by a figure, and the runs that are not significantly worse."""
    best = next((row for row in block.runs if row.against_best == "best"), block.runs[0])
    others = [row for row in block.runs if row.letters and row is not best]
    name = "accuracy" if block.is_share else f"Spearman’s correlation per context ({block.variant})"
    value = defined(best.figure.value)
    text = percent(value) if block.is_share else coefficient(value, 2)
    begin = f"By {name}, {names[best.run].words} is first with {text}"
    return f"{begin}; {_against_best(block, len(others), names)}."


def _against_best(block: FigureCompared, n_others: int, names: Mapping[int, RunName]) -> str:
    """Write which runs are not significantly worse than the best, and how many are not tested."""
    alike, untested = block.standing("not worse"), block.standing("not tested")
    if not n_others or len(alike) == n_others:
        return "no other run is significantly worse" if alike else "no other run has this figure"
    parts = []
    if alike:
        rivals = names[alike[0]].words if len(alike) == 1 else listed(alike)
        parts.append(f"{rivals} {pluralize(len(alike), 'is,are')} not significantly worse")
    if untested:
        parts.append(f"{_of_others(len(untested), n_others)} not tested against it")
    return ", and ".join(parts) or "all others are significantly worse"


def place_sentence(result: AllCompared, run: int) -> str:
    """Write the place of a run by accuracy, and the best run if it is not significantly better; "" without a place."""
    block = result.figures[0]
    ranked = [row for row in block.runs if row.against_best]
    own, best = (next((row for row in ranked if one in (row.run, row.against_best)), None) for one in (run, "best"))
    if own is None or best is None or len(ranked) < 2:
        return ""
    names = {row.name.run: row.name for row in result.runs}
    rival = names[best.run].words
    if own.against_best == "not tested":
        why = next(pair.undefined for pair in block.pairs if {pair.one, pair.other} == {best.run, run})
        return f"No place by accuracy: not tested against {rival}, {why}."
    placed = [row for row in ranked if row.against_best != "not tested"]
    begin = f"{ordinal(placed.index(own) + 1).capitalize()} of {counted(len(placed), 'run')} by accuracy"
    if own is best:
        return f"{begin}; {_against_best(block, len(ranked) - 1, names)}."
    return f"{begin}; {'not significantly' if own.against_best == 'not worse' else 'significantly'} worse than {rival}."


def _of_others(number: int, others: int) -> str:
    """Write "the other run is", "all others are" or "2 others are"."""
    if number == others:
        return "the other run is" if others == 1 else "all others are"
    return f"{number} {pluralize(number, 'other is,others are')}"


def ordinal(place: int) -> str:
    """Write 2 as "second", and 12 as "12th"."""
    if place <= len(ORDINALS):
        return ORDINALS[place - 1]
    ending = "th" if 10 < place % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"


def listed(runs: Sequence[int]) -> str:
    """Write "run 1", or "runs 1, 2 and 3"."""
    *most, last = map(str, runs)
    return f"runs {', '.join(most)} and {last}" if most else f"run {last}"


ANALYSIS = Analysis(
    name="groups",
    title="All runs compared",
    section=TabSection("Results", "Which runs differ?", place=2),
    of="dataset",
    function=compare_groups,
    blocks=_blocks,
    examples=(
        "compare 7 8 9 10 --json",
        "compare --dataset SummEval --attribute coherence",
        "compare 7 8 --without-system M0 --long --output differences.csv",
    ),
    answers=("order", *LEFT_OUT),
    heading=lambda report: f"{report.dataset} · {report.attribute}",
    least_runs=2,
    long_form=compared_long_form,
    file=JSON_FILE,
    definition="agreement/#groups",
)
