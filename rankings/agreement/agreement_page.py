"""`agreement`: agreement between people, and of judges with people."""

from collections.abc import Iterator, Sequence
from urllib.parse import urlencode

from django.urls import reverse

from evenhand.numerics import Figure
from evenhand.numerics.figure import FigureOver, defined
from evenhand.units import counted
from rankings.agreement.agreement_report import agreement_of
from rankings.agreement.agreement_row import AgreementReport, AttributeAgreement, RaterRow, agreement_long_form
from rankings.agreement.agreement_tables import alphas_table, groups_table_of, judges_table, ratings_table, votes_table
from rankings.analyses.record import JSON_FILE, Analysis, Block, Drawing, Sentence, TabSection, TitledTable
from rankings.charts.dot_chart import Dot, dots_chart
from rankings.charts.plotly_chart import Chart
from rankings.report.answer_options import LEFT_OUT
from rankings.report.pages.sentences_and_cards import accuracy_text
from rankings.report.printed_numbers import coefficient, interval, percent
from rankings.report.report_choice import SUBSET
from rankings.tables.sorting import Sort, sorted_table
from rankings.tables.table import Column, Row, Table

WITH_MAJORITY = "Agreement with the majority"
FIGURES_OF_RATERS = (
    Column(name="accuracy", title=WITH_MAJORITY, definition="agreement/#accuracy", reference=0.5),
    Column(
        name="mean_order_free_alpha",
        title="Mean alpha with people, order-free",
        kind="coefficient",
        definition="agreement/#mean_order_free_alpha",
    ),
    Column(name="p_first", title="P(first)", definition="agreement/#p_first", reference=0.5),
    Column(name="order_agreement", title="Order agreement", definition="agreement/#order_agreement"),
    Column(
        name="prefers_longer", title="Prefers the longer text", definition="agreement/#prefers_longer", reference=0.5
    ),
    Column(name="tie_rate", title="Ties", definition="agreement/#tie_rate"),
)
COUNTS_OF_RATERS = (
    Column(name="votes", title="Answers", kind="count"),
    Column(name="pairs", title="Pairs", kind="count"),
)
ACCURACY_NOTE = "The majority: of the votes of the other people. Human scores do not count here."


def raters_table(raters: Sequence[RaterRow]) -> Table:
    """Return the figures of all raters, by accuracy."""
    notes = [ACCURACY_NOTE] * any(rater.accuracy.value is not None for rater in raters)
    columns = (*COUNTS_OF_RATERS, *FIGURES_OF_RATERS)
    table = Table(("Rater", "Kind"), columns, tuple(map(_row, raters)), notes=tuple(notes))
    return sorted_table(table, Sort("accuracy"))


def _row(rater: RaterRow) -> Row:
    counts = (Figure(getattr(rater, column.name)) for column in COUNTS_OF_RATERS)
    of_column = {column.name: getattr(rater, column.name) for column in FIGURES_OF_RATERS}
    of_column["mean_order_free_alpha"] = FigureOver.people(rater.mean_order_free_alpha)
    remarks = (
        rater.method or "",
        rater.prompt or "",
        f"{rater.unparsed:,} unparsed" if rater.unparsed else "",
        f"{rater.errors:,} error{'s' if rater.errors > 1 else ''}" if rater.errors else "",
    )
    return Row(
        (rater.name, "person" if rater.kind == "human" else "judge"),
        (*counts, *of_column.values()),
        detail=" · ".join(filter(None, remarks)),
        href=reverse("run-results", args=[rater.run]) if rater.run else "",
    )


MOST_RATERS, MOST_IN_MATRIX, MOST_DRAWN = 200, 80, 40
NOTE_ON_CONTEXTS = (
    "People: on all contexts that are not left out. A pair is two candidates of one context, in either order. "
    "Unparsed answers and errors are excluded."
)


def _blocks(report: AgreementReport) -> Iterator[Block]:
    for row in report.attributes:
        of = f"{row.attribute}: " if len(report.attributes) > 1 else ""
        yield from _blocks_of(row, of=of, subsets_by=report.subsets_by or SUBSET)
        if not row.people.raters:
            yield from _next_steps(report, row)
    yield Sentence(NOTE_ON_CONTEXTS)


def _next_steps(report: AgreementReport, row: AttributeAgreement) -> Iterator[Block]:
    """Yield what helps where nobody has voted."""
    dataset = report.dataset_id
    if not row.raters:
        yield Sentence("Start a run.", href=reverse("run-new", args=[dataset]))
    else:
        results = f"{reverse('dataset-results', args=[dataset])}?{urlencode({'attribute': row.attribute})}"
        yield Sentence("The agreement of judges with human scores is in the results.", href=results)
    yield Sentence("Ask people in a new campaign.", href=f"{reverse('campaign-new')}?dataset={dataset}")


def _blocks_of(row: AttributeAgreement, *, of: str, subsets_by: str) -> Iterator[Block]:
    """Yield what people see of one attribute. of: begins its labels."""
    if row.raters:
        for number, sentence in enumerate(agreement_sentences(row)):
            yield Sentence(of + sentence, is_lede=number == 0)
    elif not row.ratings.raters:
        yield Sentence(f"{of}There are no votes and no answers of judges yet.", is_lede=True)
    if row.ratings.raters:
        yield TitledTable(ratings_table(row.ratings), f"{of}Human ratings of single candidates", has_heading=True)
    if row.raters:
        yield from _blocks_of_raters(row, of=of, subsets_by=subsets_by)


def _blocks_of_raters(row: AttributeAgreement, *, of: str, subsets_by: str) -> Iterator[Block]:
    raters = most_active_raters(row.raters, MOST_RATERS)
    yield TitledTable(raters_table(raters), f"{of}All raters", has_heading=True, sort="accuracy")
    if left_out := len(row.raters) - len(raters):
        yield Sentence(f"{counted(left_out, 'rater')} with fewer votes are only in the download.")
    if chart := raters_chart(row):
        label = f"{of}Agreement of each rater with the majority of people"
        yield Drawing(chart, label, "agreement/#accuracy")
    yield _table(groups_table_of(row), f"{of}Agreement between raters")
    if row.people.raters and row.judges_against_people:
        yield _table(judges_table(row), f"{of}Judges against people")
    if row.votes:
        yield TitledTable(votes_table(row.votes, subsets_by=subsets_by), f"{of}Agreement vote by vote", is_folded=True)
    names = [rater.name for rater in most_active_raters(row.raters, MOST_IN_MATRIX)]
    if len(names) > 1:
        table = alphas_table(row.pairs_of_raters, names)
        yield TitledTable(table, f"{of}Agreement of all pairs of {len(names)} raters", is_folded=True)


def _table(table: Table, label: str) -> TitledTable:
    """Return a table under a heading, or folded while no row has a figure."""
    has_figures = any(figure is not None and figure.value is not None for row in table.rows for figure in row.figures)
    return TitledTable(table, label, has_heading=has_figures, is_folded=not has_figures)


def _heading(report: AgreementReport) -> str:
    attributes = [row.attribute for row in report.attributes]
    return " · ".join([report.dataset, *attributes]) if len(attributes) == 1 else ""


def _cautions(report: AgreementReport) -> Iterator[str]:
    for row in report.attributes:
        if row.excluded_votes:
            yield f"All figures of {row.attribute} are {row.excluded_votes}."


def agreement_sentences(row: AttributeAgreement) -> list[str]:
    """Write the agreement between people and that of the best judge. A sentence without a figure comes last."""
    sentences = [people_sentence(row), judge_sentence(row)]
    if row.people.percent_agreement.value is None:
        sentences.reverse()
    return [sentence for sentence in sentences if sentence]


def people_sentence(row: AttributeAgreement) -> str:
    """Write the agreement between people."""
    people = row.people
    same, alpha, human = people.percent_agreement, people.order_free_alpha, people.human
    if not people.raters:
        return f"Nobody has voted on {row.attribute}, so judges cannot be compared with people here."
    if same.value is None:
        return f"No agreement between people: {same.undefined}."
    sentence = f"Two people agree on {percent(same.value)} of the pairs that both voted on"
    sentence += f" (95 % interval {interval(same)})" if same.low is not None else ""
    sentence += f"; beyond chance, alpha is {coefficient(alpha.value)}." if alpha.value is not None else "."
    if human.value is None:
        return sentence
    return f"{sentence} One person agrees with the majority of the others on {percent(human.value)} of the votes."


def judge_sentence(row: AttributeAgreement) -> str:
    """Write the run that agrees most with people; empty if no run has an accuracy."""
    runs = [rater for rater in row.raters if rater.kind == "judge" and rater.accuracy.value is not None]
    if not runs:
        return ""
    best, n_judges = max(runs, key=lambda run: defined(run.accuracy.value)), len({run.judge for run in runs})
    of_runs = f"{len(runs)} runs of " if n_judges < len(runs) else ""
    of_several = f"Of {of_runs}{counted(n_judges, 'judge')}, {best.name} agrees most often"
    begin = of_several if len(runs) > 1 else f"{best.name} agrees"
    return f"{begin} with the majority of people: {accuracy_text(best.accuracy)}."


def most_active_raters(raters: Sequence[RaterRow], most: int) -> list[RaterRow]:
    """Return at most `most` raters, in their order: judges before people, then those with the most votes."""
    by_weight = sorted(raters, key=lambda rater: (rater.kind != "judge", -rater.votes))
    names = {rater.name for rater in by_weight[:most]}
    return [rater for rater in raters if rater.name in names]


def raters_chart(row: AttributeAgreement) -> Chart | None:
    """Draw the accuracy of each rater against the majority of the others, with a line at the mean of people."""
    return dots_chart(
        list(_dots(most_active_raters(row.raters, MOST_DRAWN))),
        name="raters",
        title="Agreement with the majority of people",
        people=row.people.human.value,
    )


def _dots(raters: Sequence[RaterRow]) -> Iterator[Dot]:
    for rater in raters:
        if rater.accuracy.value is not None:
            short = f"run {rater.run}" if rater.run else rater.name
            yield Dot(rater.name, short, rater.accuracy)


ANALYSIS = Analysis(
    name="agreement",
    title="Agreement",
    section=TabSection("People", "Do people agree?", place=1),
    of="dataset",
    function=agreement_of,
    blocks=_blocks,
    examples=(
        "agreement --dataset SummEval",
        "agreement --dataset SummEval --attribute coherence --json",
        "agreement --dataset MT-Bench --raters expert=expert_* --raters author=author_* --subsets-by turn",
    ),
    answers=("order", *LEFT_OUT),
    hidden=lambda dataset: () if dataset.context_fields else ("subsets_by",),
    heading=_heading,
    menus={"Groups of people": ("raters",)},
    cautions=_cautions,
    long_form=agreement_long_form,
    file=JSON_FILE,
)
