"""The differences of all pairs of runs of one attribute, and the groups without a significant difference.

docs/reference/agreement.md defines each number.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from operator import and_
from typing import Annotated

import numpy as np

from evenhand.numerics import (
    DEFAULT_RANKING,
    Comparisons,
    JudgeDifference,
    Scores,
    groups_without_difference,
    human_preferences,
    letter_names,
    score,
)
from evenhand.numerics.arrays import BoolArray
from evenhand.numerics.significance.families import LEVEL_OF_TEST, adjusted_in_family, is_not_worse, is_untested
from evenhand.options import Option
from evenhand.refusals import Refused
from evenhand.units import counted
from judging.models import Attribute, Dataset, Run
from judging.models.exclusions import require_possible
from judging.models.runs import RunQuerySet
from rankings.agreement.raters import pairs_of
from rankings.compare.compared_figures import (
    ACCURACY,
    SPEARMAN,
    ComparedFigure,
    Measures,
    Two,
    difference_fields,
    is_varied,
    measures_of,
    simple_judges,
)
from rankings.compare.comparison_of_runs import (
    AllCompared,
    ComparedRun,
    FigureCompared,
    FigureOfRun,
    LeftOut,
    LetterGroup,
    PairDifference,
    Standing,
)
from rankings.compare.two_runs import measured_sides, require_same_question
from rankings.loading import Answers
from rankings.record_states import states_of
from rankings.report.report_choice import USUAL_CHOICE, ReportChoice
from rankings.report.report_rows import Sources
from rankings.report.rows_of_one_run import SCORE
from rankings.report.run_names import RunName
from rankings.report_cache import cached

MOST_RUNS = 60
RANKING = DEFAULT_RANKING
NO_ANSWER = "has no answer yet"
NOT_LATEST = f"is older than the latest {MOST_RUNS} runs, which are compared"


@dataclass(frozen=True, slots=True, eq=False)
class Contender:
    """A run, its answers, its comparisons by ordered pair, and its measures on all of them.

    is_varied: it does not always give one answer.
    """

    run: Run
    answers: Answers
    comparisons: Comparisons
    own: Measures
    is_varied: bool


PairsOfRuns = Mapping[tuple[int, int], Two]
"""(index of a contender, later index) -> the measures of both on the ordered pairs that both answered."""


def compare_groups(
    dataset: Dataset,
    runs: RunQuerySet,
    choice: ReportChoice = USUAL_CHOICE,
    *,
    attribute: Annotated[
        Attribute | None,
        Option("Compare its runs.", "Attribute", row="attribute", key="name", if_none="that of the runs"),
    ] = None,
    run: Annotated[tuple[Run, ...], Option("Number of a run, in place of all.", "Runs", row="run")] = (),
) -> AllCompared:
    """Print the differences of all pairs of runs on the ordered pairs that both runs answered, and the groups of runs
    that do not differ.

    Of more than sixty runs that are not named, the latest are compared.
    Raises Refused like `compare_all`, and unless all runs are on one attribute.
    """
    if run:
        if foreign := [one for one in run if attribute not in (None, one.attribute)]:
            raise Refused(f'run: {foreign[0].pk} is not about "{attribute}"')
        return compare_all(run, choice)
    attributes = [attribute] if attribute else list(dataset.attributes.all())
    if len(attributes) != 1:
        names = ", ".join(one.name for one in attributes)
        raise Refused(f"attribute: choose one of {names}" if names else "attribute: the dataset has none")
    latest = list(runs.ordinary().filter(attribute=attributes[0]).order_by("-pk"))
    if len(latest) < 2:
        raise Refused(f"{attributes[0].name} has {counted(len(latest), 'run')}; a comparison needs two")
    report = compare_all(latest[:MOST_RUNS], choice)
    older = [LeftOut(RunName.of(one), NOT_LATEST) for one in latest[MOST_RUNS:]]
    return replace(report, left_out=[*report.left_out, *older])


def compare_all(runs: Sequence[Run], choice: ReportChoice = USUAL_CHOICE) -> AllCompared:
    """Compare all pairs of runs on the ordered pairs that both answered, and group runs that do not differ.

    choice: order and exclusion of the compared pairs. What every run leaves out is left out too.
    Raises Refused if they are not two to sixty different runs of one dataset and attribute.
    """
    if not 2 <= len(runs) <= MOST_RUNS:
        raise Refused(f"run: give 2 to {MOST_RUNS} runs to compare, not {len(runs)}")
    for one, other in combinations(runs, 2):
        require_same_question(one, other)
    require_possible(runs[0].dataset, choice.exclusion)
    chosen = sorted(runs, key=lambda run: run.pk)
    states = states_of(chosen)
    return cached(("groups", *(states[run.pk] for run in chosen), choice), lambda: _compare_all(chosen, choice))


def _compare_all(runs: Sequence[Run], choice: ReportChoice) -> AllCompared:
    sources = Sources(runs[0].dataset, choice).without(reduce(and_, (run.exclusion for run in runs)))
    contenders = [_contender(sources, run) for run in runs]
    pairs = {
        (one, other): two
        for one, other in combinations(range(len(runs)), 2)
        if (two := _on_common_pairs(sources, contenders[one], contenders[other]))
    }
    shared = np.eye(len(runs), dtype=bool)
    for one, other in pairs:
        shared[one, other] = shared[other, one] = True
    members = _all_sharing(shared)
    return AllCompared(
        dataset=runs[0].dataset.name,
        attribute=runs[0].attribute.name,
        level=LEVEL_OF_TEST,
        runs=[ComparedRun(RunName.of(runs[index]), len(contenders[index].comparisons)) for index in members],
        left_out=[
            LeftOut(RunName.of(run), _why_left_out(contenders, shared, index))
            for index, run in enumerate(runs)
            if index not in members
        ],
        figures=[_figure(figure, contenders, members, pairs) for figure in (ACCURACY, SPEARMAN)],
        simple_judges=simple_judges(
            [contenders[index].comparisons for index in members],
            sources.people(runs[0].attribute),
            sources.lengths,
        )
        if members
        else [],
        order=None if choice.order == "both" else choice.order,
        without=sources.left_out,
    )


def _contender(sources: Sources, run: Run) -> Contender:
    answers = sources.answers(run)
    unsorted = pairs_of(sources.table, answers)
    comparisons = unsorted.select(np.lexsort((unsorted.second, unsorted.first)))
    scores = score(RANKING, comparisons) if answers.values is None else Scores.of_values(answers.values)
    people = sources.people(run.attribute)
    right = human_preferences(comparisons, people.human.scores, people.votes)
    own = measures_of(comparisons, right, scores, people.human)
    return Contender(run, answers, comparisons, own, is_varied(run, comparisons, people))


def _on_common_pairs(sources: Sources, one: Contender, other: Contender) -> Two | None:
    """Return the measures of both on the ordered pairs that both answered; None without a common pair."""
    if one.run.is_scoring == other.run.is_scoring and one.comparisons.same_pairs(other.comparisons):
        return (one.own, other.own) if len(one.comparisons) else None
    people, answers = sources.people(one.run.attribute), ((one.run, one.answers), (other.run, other.answers))
    try:
        mine, theirs = measured_sides(sources.table, people, *answers, rankings=(RANKING,))
    except Refused:
        return None
    [name] = mine.measures
    return mine.measures[name], theirs.measures[name]


def _all_sharing(shared: BoolArray) -> list[int]:
    """Return the indices of runs that all share a pair with each other.

    Leaves out the run that shares with the fewest, the last one of several, until all share.
    shared: bool, (n, n), true on the diagonal.
    """
    members = list(range(len(shared)))
    while not shared[np.ix_(members, members)].all():
        partners = shared[np.ix_(members, members)].sum(axis=1)
        members.pop(int(np.flatnonzero(partners == partners.min())[-1]))
    return members if len(members) > 1 else []


def _why_left_out(contenders: Sequence[Contender], shared: BoolArray, index: int) -> str:
    if not len(contenders[index].comparisons):
        return NO_ANSWER
    strangers = (f"run {contenders[other].run.pk}" for other in np.flatnonzero(~shared[index]).tolist())
    return f"has answers to no ordered pair in common with {', '.join(strangers)}"


def _figure(
    figure: ComparedFigure, contenders: Sequence[Contender], members: Sequence[int], pairs: PairsOfRuns
) -> FigureCompared:
    """Return one figure: the runs, best first, their letters, and the differences of all pairs."""
    values = {index: figure.value(contenders[index].own) for index in members}
    undefined = [index for index in members if values[index].value is None]
    ranked = sorted(set(members) - set(undefined), key=lambda index: (-(values[index].value or 0), index))
    indices = list(combinations(ranked, 2))
    measures = [pairs[two] if two in pairs else pairs[two[::-1]][::-1] for two in indices]
    differences = figure.differences(measures)
    varied = [index for index in ranked if contenders[index].is_varied]
    left_out = [row for row, two in enumerate(indices) if not {*two} <= {*varied}]
    rows = _pair_differences(figure, contenders, indices, measures, adjusted_in_family(differences, left_out))
    groups = _groups([contenders[index].run.pk for index in ranked], rows)
    against_best = [differences[row] for row, two in enumerate(indices) if two[0] in varied[:1] and two[1] in varied]
    standings = dict(zip(varied, _standings(against_best), strict=False))
    return FigureCompared(
        figure=figure.name,
        runs=[
            FigureOfRun(
                run=contenders[index].run.pk,
                ranking=_ranking(figure, contenders[index]),
                figure=values[index],
                letters=[group.letter for group in groups if contenders[index].run.pk in group.runs],
                against_best=standings.get(index, "not tested" if index in ranked else None),
            )
            for index in [*ranked, *undefined]
        ],
        groups=groups,
        pairs=rows,
    )


def _standings(against_best: Sequence[JudgeDifference]) -> Iterator[Standing]:
    """Yield how the best run stands, and each other. against_best: the best minus each other."""
    yield "best"
    for one in adjusted_in_family(against_best):
        yield "not worse" if is_not_worse(one) else "not tested" if is_untested(one) else "worse"


def _groups(ranked: Sequence[int], differences: Sequence[PairDifference]) -> list[LetterGroup]:
    """Return the runs of each letter. ranked: runs, best first. differences: one per pair of them, in order.

    Pairs without a test count as not different.
    """
    different = np.zeros((len(ranked), len(ranked)), dtype=bool)
    different[np.triu_indices(len(ranked), 1)] = [row.different is True for row in differences]
    groups = groups_without_difference(different | different.T)
    return [
        LetterGroup(letter, [run for run, is_member in zip(ranked, group, strict=True) if is_member])
        for letter, group in zip(letter_names(len(groups)), groups, strict=True)
    ]


def _pair_differences(
    figure: ComparedFigure,
    contenders: Sequence[Contender],
    indices: Sequence[tuple[int, int]],
    measures: Sequence[Two],
    differences: Sequence[JudgeDifference],
) -> list[PairDifference]:
    """Return the difference of each pair of runs, the better one first, with its p-value raw and adjusted."""
    return [
        PairDifference(
            one=contenders[one].run.pk,
            other=contenders[other].run.pk,
            ranking=_ranking(figure, contenders[one], contenders[other]),
            comparisons=measures[row][0].comparisons,
            p_value_benjamini_hochberg=difference.p_value_benjamini_hochberg,
            different=None if difference.p_value_holm is None else difference.p_value_holm < LEVEL_OF_TEST,
            **difference_fields(difference, perm_both),
        )
        for row, ((one, other), difference, perm_both) in enumerate(
            zip(indices, differences, figure.perm_both(measures), strict=True)
        )
    ]


def _ranking(figure: ComparedFigure, *contenders: Contender) -> str | None:
    """Return the ranking of the figure: None for accuracy, "score" if all runs are scoring runs."""
    if figure.name == ACCURACY.name:
        return None
    return SCORE if all(contender.run.is_scoring for contender in contenders) else RANKING
