"""The differences of all pairs of runs of one attribute, and the groups without a significant difference.

docs/agreement.md says what each number is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from judging.exceptions import Refused
from judging.models import Run
from rankings.agreement.raters import pairs_of
from rankings.compare.comparison_of_runs import (
    AllCompared,
    ComparedRun,
    FigureCompared,
    FigureOfRun,
    LeftOut,
    LetterGroup,
    PairDifference,
)
from rankings.compare.context_figures import (
    COMPARED_FIGURES,
    TESTED_ON_CORRELATIONS,
    ComparedFigure,
    Measures,
    measures_of,
)
from rankings.compare.two_runs import COMPARED_RANKINGS, require_same_question, sides
from rankings.loading import Answers, CandidateTable, People
from rankings.numerics import (
    Comparisons,
    Figure,
    JudgeDifference,
    Scores,
    benjamini_hochberg_adjusted,
    groups_without_difference,
    holm_adjusted,
    letter_names,
    perm_both_p_values,
    score,
)
from rankings.numerics.arrays import BoolArray
from rankings.numerics.significance.paired_tests import paired_differences
from rankings.report.report_rows import Sources
from rankings.report.run_figures import SCORE
from rankings.report.run_names import RunName
from rankings.report_cache import cached, states_of

MOST_RUNS = 20
LEVEL = 0.05
RANKING = COMPARED_RANKINGS[0]
NO_ANSWER = "has no answer yet"


@dataclass(frozen=True, slots=True, eq=False)
class Contender:
    """A run, its answers by ordered pair, and its measures on all of them."""

    run: Run
    answers: Answers
    comparisons: Comparisons
    own: Measures

    @property
    def ranking(self) -> str:
        return SCORE if self.run.is_scoring else RANKING


Two = tuple[Measures, Measures]
Pairs = Mapping[tuple[int, int], Two]
"""(place of a contender, later place) -> the measures of both on the ordered pairs that both answered."""


def compare_all(runs: Sequence[Run]) -> AllCompared:
    """Compare all pairs of runs on the ordered pairs that both answered, and group runs that do not differ.

    Raises Refused where they are not two to twenty different runs of one dataset and attribute.
    """
    _require_few_of_one_question(runs)
    chosen = sorted(runs, key=lambda run: run.pk)
    states = states_of(chosen)
    return cached(("groups", *(states[run.pk] for run in chosen)), lambda: _compare_all(chosen))


def _require_few_of_one_question(runs: Sequence[Run]) -> None:
    if not 2 <= len(runs) <= MOST_RUNS:
        raise Refused(f"run: compared all with all are 2 to {MOST_RUNS} runs, not {len(runs)}; name them")
    for one, other in combinations(runs, 2):
        require_same_question(one, other)


def _compare_all(runs: Sequence[Run]) -> AllCompared:
    sources = Sources(runs[0].dataset)
    people = sources.people(runs[0].attribute)
    contenders = [_contender(sources.table, people, run, sources.answers(run)) for run in runs]
    pairs = {
        (one, other): two
        for one, other in combinations(range(len(runs)), 2)
        if (two := _two(sources.table, people, contenders[one], contenders[other]))
    }
    shared = np.eye(len(runs), dtype=bool)
    for one, other in pairs:
        shared[one, other] = shared[other, one] = True
    members = _all_sharing(shared)
    return AllCompared(
        dataset=runs[0].dataset.name,
        attribute=runs[0].attribute.name,
        level=LEVEL,
        runs=[ComparedRun(RunName.of(runs[place]), contenders[place].own.comparisons) for place in members],
        left_out=[
            LeftOut(RunName.of(run), _why_left_out(contenders, shared, place))
            for place, run in enumerate(runs)
            if place not in members
        ],
        figures=[_figure(kind, contenders, members, pairs) for kind in COMPARED_FIGURES],
    )


def _contender(table: CandidateTable, people: People, run: Run, answers: Answers) -> Contender:
    asked = pairs_of(table, answers)
    comparisons = asked.select(np.lexsort((asked.second, asked.first)))
    scores = score(RANKING, comparisons) if answers.values is None else Scores.of_values(answers.values)
    return Contender(run, answers, comparisons, measures_of(comparisons, scores, people))


def _two(table: CandidateTable, people: People, one: Contender, other: Contender) -> Two | None:
    """Return the measures of both on the ordered pairs that both answered; None without a common pair."""
    if _asked_the_same(one, other):
        return (one.own, other.own) if one.own.comparisons else None
    try:
        both = sides(table, (one.run, one.answers), (other.run, other.answers), rankings=(RANKING,))
    except Refused:
        return None
    mine, theirs = (measures_of(side.comparisons, scores, people) for side in both for scores in side.scores.values())
    return mine, theirs


def _asked_the_same(one: Contender, other: Contender) -> bool:
    mine, theirs = one.comparisons, other.comparisons
    return (
        one.run.is_scoring == other.run.is_scoring
        and np.array_equal(mine.first, theirs.first)
        and np.array_equal(mine.second, theirs.second)
    )


def _all_sharing(shared: BoolArray) -> list[int]:
    """Places of which every two share a pair; who shares with the fewest is left out first, of several the last.

    shared: bool, (n, n), true on the diagonal.
    """
    members = list(range(len(shared)))
    while not shared[np.ix_(members, members)].all():
        partners = shared[np.ix_(members, members)].sum(axis=1)
        members.pop(int(np.flatnonzero(partners == partners.min())[-1]))
    return members if len(members) > 1 else []


def _why_left_out(contenders: Sequence[Contender], shared: BoolArray, place: int) -> str:
    if not contenders[place].own.comparisons:
        return NO_ANSWER
    strangers = (f"run {contenders[other].run.pk}" for other in np.flatnonzero(~shared[place]).tolist())
    return f"has answers to no ordered pair in common with {', '.join(strangers)}"


def _figure(
    kind: ComparedFigure, contenders: Sequence[Contender], members: Sequence[int], pairs: Pairs
) -> FigureCompared:
    """Return one figure: the runs, best first, their letters, and the differences of all pairs."""
    values = {place: kind.value(contenders[place].own) for place in members}
    known = sorted(
        (place for place in members if values[place].value is not None), key=lambda place: -(values[place].value or 0)
    )
    tested = _pair_rows(kind, contenders, known, pairs)
    groups = _groups([contenders[place].run.pk for place in known], tested)
    numbers = {place: contenders[place].run.pk for place in members}
    return FigureCompared(
        figure=kind.name,
        runs=[
            FigureOfRun(
                run=numbers[place],
                ranking=_ranking(kind, contenders[place]),
                figure=values[place],
                letters=[group.letter for group in groups if numbers[place] in group.runs],
            )
            for place in [*known, *(place for place in members if place not in known)]
        ],
        groups=groups,
        pairs=tested,
    )


def _groups(ranked: Sequence[int], tested: Sequence[PairDifference]) -> list[LetterGroup]:
    """Return the runs of each letter, from one row per pair of runs in order."""
    members = groups_without_difference(_differing(len(ranked), tested))
    return [
        LetterGroup(letter, [run for run, is_in in zip(ranked, group, strict=True) if is_in])
        for letter, group in zip(letter_names(len(members)), members, strict=True)
    ]


def _pair_rows(
    kind: ComparedFigure, contenders: Sequence[Contender], ranked: Sequence[int], pairs: Pairs
) -> list[PairDifference]:
    """Return the difference of each pair of runs, the better one first, with its p-value raw and adjusted."""
    twos = list(combinations(ranked, 2))
    both = [pairs[two] if two in pairs else pairs[two[::-1]][::-1] for two in twos]
    found = paired_differences([kind.gaps(*measures) for measures in both])
    p_values = np.array([each.p_value for each in found if each.p_value is not None], dtype=np.float64)
    swapped = _swapped(kind, both)
    adjusted = zip(holm_adjusted(p_values).tolist(), benjamini_hochberg_adjusted(p_values).tolist(), strict=True)
    return [
        _pair_difference(
            (contenders[one].run.pk, contenders[other].run.pk),
            _ranking(kind, contenders[one], contenders[other]),
            measures[0].comparisons,
            each,
            next(adjusted) if each.p_value is not None else (None, None),
            p_value,
            kind.if_none,
        )
        for (one, other), measures, each, p_value in zip(twos, both, found, swapped, strict=True)
    ]


def _swapped(kind: ComparedFigure, both: Sequence[Two]) -> list[Figure]:
    """Return the p-value of swapped scores of each pair of runs."""
    if kind.name == "accuracy":
        return [TESTED_ON_CORRELATIONS] * len(both)
    return perm_both_p_values([one.swaps(other) for one, other in both])


def _ranking(kind: ComparedFigure, *contenders: Contender) -> str | None:
    """Return the ranking of the figure; "score" where all runs are scoring runs."""
    if kind.name == "accuracy":
        return None
    return SCORE if all(contender.ranking == SCORE for contender in contenders) else RANKING


def _pair_difference(
    runs: tuple[int, int],
    ranking: str | None,
    comparisons: int,
    found: JudgeDifference,
    adjusted: tuple[float | None, float | None],
    swapped: Figure,
    if_none: str,
) -> PairDifference:
    """adjusted: the p-value by Holm, and by Benjamini and Hochberg. if_none: why there is no difference."""
    by_holm, by_discovery = adjusted
    why = None if found.undefined is None else found.undefined if found.n else if_none
    return PairDifference(
        one=runs[0],
        other=runs[1],
        ranking=ranking,
        comparisons=comparisons,
        difference=found.value,
        low=found.low,
        high=found.high,
        p_value=found.p_value,
        p_value_holm=by_holm,
        p_value_benjamini_hochberg=by_discovery,
        contexts=found.n,
        different=None if by_holm is None else by_holm < LEVEL,
        undefined=why,
        perm_both=swapped,
    )


def _differing(n: int, tested: Sequence[PairDifference]) -> BoolArray:
    """Return a matrix of significant differences, (n, n), from one row per pair in order; untested pairs are False."""
    different = np.zeros((n, n), dtype=bool)
    different[np.triu_indices(n, 1)] = [row.different is True for row in tested]
    return different | different.T
