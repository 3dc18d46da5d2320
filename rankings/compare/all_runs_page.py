"""How all compared runs of an attribute are shown: figures, letters of groups, differences of all pairs."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from django.template.defaultfilters import pluralize
from django.urls import reverse

from evenhand.numerics import Figure
from evenhand.numerics.figure import defined
from evenhand.units import counted
from rankings.analyses.record import JSON_FILE, Analysis, Block, Sentence, TabSection, TitledTable
from rankings.compare.all_runs import compare_groups
from rankings.compare.comparison_of_runs import AllCompared, ComparedRun, FigureCompared, FigureOfRun, PairDifference
from rankings.compare.long_lines import compared_long_form
from rankings.report.answer_options import LEFT_OUT
from rankings.report.printed_numbers import coefficient, percent
from rankings.report.run_names import RunName
from rankings.tables.numbers_of_observations import few_observations
from rankings.tables.table import Column, Kind, Row, Table

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


NAME_TITLES = ("Judge", "Run", "Method", "Prompt")
NOTE_ON_LETTERS = (
    "Runs that share a letter in a column do not differ significantly in that figure (Holm-adjusted p ≥ .05; tests of "
    "all pairs), or have too few contexts to test."
)
NOTES_ON_PAIRS = (
    "The first run minus the second, on the ordered pairs that both answered, with its 95 % interval over contexts.",
    "p: two-sided sign-flip permutation test over contexts. Adjusted over this table: Holm (family-wise error), "
    "Benjamini-Hochberg (false discovery rate).",
)
NOTE_ON_SWAPS = "Scores swapped: p of the permutation test PERM-BOTH, not adjusted."
_P = partial(Column, kind="p", parts=(), lowest_first=True)
P_COLUMNS = tuple(
    _P(name=name, title=title, group="p", definition=f"agreement/#{name}")
    for name, title in (
        ("p_value", "raw"),
        ("p_value_holm", "Holm"),
        ("p_value_benjamini_hochberg", "Benjamini-Hochberg"),
    )
)
SWAPPED = _P(name="perm_both", title="scores swapped", group="p", definition="agreement/#perm_both")
COMPARISONS_OF_RUN = Column(name="comparisons", title="Comparisons", kind="count", parts=())


def groups_table(result: AllCompared) -> Table:
    """Return the figures of all runs, by accuracy. Those not significantly worse than the best are marked as ties."""
    blocks = [{row.run: row for row in block.runs} for block in result.figures]
    rows = (*_simple_rows(result), *(_row(run, blocks) for run in _by_accuracy(result)))
    return Table(NAME_TITLES, tuple(map(_column, result.figures)), rows)


def letters_table(result: AllCompared) -> Table:
    """Return the letters of the groups of each run by each figure."""
    letters = [{row.run: " ".join(row.letters) for row in block.runs} for block in result.figures]
    rows = tuple(
        Row((_title(run), *(of.get(run.name.run, "") for of in letters)), (Figure(run.comparisons),))
        for run in _by_accuracy(result)
    )
    titles = ("Run", *(block.title for block in result.figures))
    return Table(titles, (COMPARISONS_OF_RUN,), rows, notes=(NOTE_ON_LETTERS,))


def pairs_table(block: FigureCompared) -> Table:
    """Return the differences of all pairs of runs by a figure."""
    kind: Kind = "share" if block.is_share else "coefficient"
    column = partial(Column, kind=kind, reference=0, is_difference=True, observations="context")
    difference = column(name="difference", title="Difference", definition="agreement/#all-runs-with-all")
    swapped = () if block.is_share else (SWAPPED,)
    notes = (*NOTES_ON_PAIRS, *([] if block.is_share else [NOTE_ON_SWAPS]))
    rows = tuple(Row((f"{row.one} − {row.other}",), _of_pair(row, is_share=block.is_share)) for row in block.pairs)
    return Table(("Runs",), (difference, *P_COLUMNS, *swapped, COMPARISONS_OF_RUN), rows, notes=notes)


def _of_pair(row: PairDifference, *, is_share: bool) -> tuple[Figure, ...]:
    p_values = (row.p_value, row.p_value_holm, row.p_value_benjamini_hochberg)
    tests = [Figure.missing(row.undefined or "") if row.p_value_holm is None else Figure(one) for one in p_values]
    difference = Figure(row.difference, row.low, row.high, row.contexts, row.undefined)
    return (difference, *tests, *([] if is_share else [row.perm_both]), Figure(row.comparisons))


def _by_accuracy(result: AllCompared) -> list[ComparedRun]:
    runs = {run.name.run: run for run in result.runs}
    return [runs[row.run] for row in result.figures[0].runs]


def _title(run: ComparedRun) -> str:
    return f"{run.name.judge}, {run.name.prompt} (run {run.name.run})"


def _simple_rows(result: AllCompared) -> Iterator[Row]:
    """Yield the judges that read nothing, with the figures that they have."""
    for one in result.simple_judges:
        figures = [one.accuracy if block.is_share else one.spearman for block in result.figures]
        if any(figure.value is not None for figure in figures):
            own = tuple(None if figure.value is None else figure for figure in figures)
            yield Row((one.judge, "", "", ""), own, of="people")


def _column(block: FigureCompared) -> Column:
    if block.is_share:
        return Column(name="accuracy", title="Accuracy", marks_best=True, definition="report/#accuracy", reference=0.5)
    return Column(
        name="spearman",
        title=block.title,
        kind="coefficient",
        marks_best=True,
        definition="report/#spearman",
    )


def _row(run: ComparedRun, blocks: Sequence[Mapping[int, FigureOfRun]]) -> Row:
    name = run.name
    own = [block[name.run] for block in blocks]
    contexts = [one.figure.n for one in own if one.ranking and one.figure.n is not None]
    few = few_observations(min(contexts, default=None), "context")
    standings = [one.against_best for one in own]
    return Row(
        (name.judge, name.run, name.method, name.prompt),
        tuple(one.figure for one in own),
        rivals="" if few else "all",
        ties=frozenset(place for place, standing in enumerate(standings) if standing == "not worse"),
        untested=frozenset(place for place, standing in enumerate(standings) if standing == "not tested"),
        detail=", ".join(filter(None, [name.settings.removeprefix(", "), few])),
        href=reverse("run-results", args=[name.run]),
    )
