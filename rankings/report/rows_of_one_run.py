"""Report rows of one run: one row for all contexts, and one for each subset."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from evenhand.numerics import (
    RANKINGS,
    Comparisons,
    Debiasing,
    Figure,
    Judged,
    Scores,
    Undefined,
    accuracy,
    first_share,
    human_preferences,
    order_agreement,
    score,
    score_comparisons,
)
from evenhand.numerics.arrays import BoolArray, FloatArray
from evenhand.numerics.correlation.measured_rankings import MeasuredRankings, Ranked, soft_by_ranking
from evenhand.numerics.exceptions import value_or_why
from evenhand.numerics.reliability.label_mass import mean_label_mass
from evenhand.numerics.reliability.trust.trust_findings import CheckedRun
from rankings.loading import Answers, CandidateTable, People
from rankings.report.figures.correlations import blocks_of
from rankings.report.figures.figure_basis import Basis, FigureDefinition, agreement_of_people, kappa_between_people
from rankings.report.figures.figure_definitions import IN_ORDER
from rankings.report.figures.over_candidates import over_candidates
from rankings.report.figures.simple_judges import ForComparison, figures_of_people, figures_of_simple_judges
from rankings.report.pair_digests import asked_of
from rankings.report.preferences.length_and_family import Traits, length_preference, self_preference
from rankings.report.report_choice import ALL, SUBSET, ReportChoice
from rankings.report.report_row import Counts, HoldOut, ReportRow, SoftPairwiseAccuracies
from rankings.report.run_names import RunName
from rankings.report.trust_checks import checks_of

SCORE = "score"


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers of a run, as comparisons and as scores of the candidates.

    comparisons: the answers; for a scoring run, the higher of each two scores.
    unanswered: comparisons without an answer. wrong: those that count as wrong in accuracies; None if they do not.
    debiasing: of the whole run; None for a run of scores. ranked: the scores of every ranking.
    """

    comparisons: Comparisons
    unanswered: Comparisons
    wrong: Comparisons | None
    debiasing: Debiasing | None
    ranked: Ranked

    @classmethod
    def of(cls, answers: Answers, table: CandidateTable, choice: ReportChoice) -> "Answered":
        """Score the candidates of a run. Each context is ranked by itself, so the scores serve every subset."""
        unanswered = unanswered_pairs(answers, table)
        wrong = unanswered if choice.unparsed == "wrong" else None
        if answers.values is not None:
            scores = Scores.of_values(answers.values)
            pairs = replace(score_comparisons(scores, table.contexts), starts=table.starts)
            return cls(pairs, unanswered, wrong, None, {SCORE: {"raw": scores}})
        debiasing = Debiasing.of_run(answers.comparisons)
        ranked: Ranked = {
            ranking: {
                "raw": score_or_why(ranking, answers.comparisons),
                "debiased": score_or_why(ranking, answers.comparisons, debiasing),
            }
            for ranking in RANKINGS
        }
        return cls(answers.comparisons, unanswered, wrong, debiasing, ranked)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The contexts of one row: bool, (n_contexts,). grouped: the subsets of a group; none for other rows."""

    name: str
    contexts: BoolArray
    grouped: tuple[str, ...] = ()


def prepared_rows(
    name: RunName,
    table: CandidateTable,
    people: People,
    answers: Answers,
    answered: Answered,
    traits: Traits,
    choice: ReportChoice,
    *,
    only_all: bool = False,
) -> Callable[[], list[ReportRow]]:
    """Compute the figures of a run but their intervals.

    Returns the function that returns the rows: `all`, then each subset in order of appearance, then the groups of the
    choice; only_all: `all` alone. Call it after the block of `shared_draws`. A subset without a record of the run has
    no row; the first row names it.
    """
    parts = parts_of(table, choice)
    unrecorded = [part for part in parts[1:] if not part.grouped and not answers.recorded[part.contexts].any()]
    prepared = [
        _prepared_row(name, part, table, people, answers, traits, answered)
        for part in (parts[:1] if only_all else parts)
        if part not in unrecorded
    ]
    order = None if choice.order == "both" else choice.order
    unparsed_as = None if choice.unparsed == "excluded" else choice.unparsed
    subsets_by = None if choice.subsets_by == SUBSET else choice.subsets_by

    def finish() -> list[ReportRow]:
        rows = [
            replace(finish_row(), order=order, unparsed_as=unparsed_as, subsets_by=subsets_by)
            for finish_row in prepared
        ]
        if unrecorded:
            rows[0] = replace(rows[0], unrecorded=[part.name for part in unrecorded])
        return rows

    return finish


def parts_of(table: CandidateTable, choice: ReportChoice) -> list[Part]:
    """Return all contexts, each subset, and each group of subsets."""
    numbers = {subset: number for number, subset in enumerate(table.subset_names)}
    subsets = [Part(subset, table.subset_numbers == number) for subset, number in numbers.items()]
    groups = [
        Part(
            group.name,
            np.isin(table.subset_numbers, [numbers[subset] for subset in group.subsets if subset in numbers]),
            group.subsets,
        )
        for group in choice.groups
    ]
    return [Part(ALL, np.ones(table.n_contexts, dtype=bool)), *subsets, *groups]


def unanswered_pairs(answers: Answers, table: CandidateTable) -> Comparisons:
    """Return the comparisons without an answer; for a scoring run, the pairs with a text that lacks its score."""
    if answers.values is None:
        return answers.unanswered
    asked = np.where(~np.isnan(answers.values) | answers.unscored, 0.0, np.nan)
    pairs = replace(score_comparisons(Scores.of_values(asked), table.contexts), starts=table.starts)
    return pairs.select(answers.unscored[pairs.first] | answers.unscored[pairs.second])


def judged_of(answered: Comparisons, wrong: Comparisons | None, people: People) -> Judged:
    """Return the comparisons that count in accuracies. wrong: those without an answer; None if they do not count."""
    right = human_preferences(answered, people.human.scores, people.votes)
    if wrong is None:
        return Judged.of(answered, right)
    return Judged.with_wrong(answered, right, wrong, human_preferences(wrong, people.human.scores, people.votes))


def score_or_why(ranking: str, comparisons: Comparisons, debiasing: Debiasing | None = None) -> Scores | str:
    """Return the scores of a ranking, or why this run has none. Raises UnknownRanking."""
    return value_or_why(lambda: score(ranking, comparisons, debiasing))


def _prepared_row(
    name: RunName,
    part: Part,
    table: CandidateTable,
    people: People,
    answers: Answers,
    traits: Traits,
    answered: Answered,
) -> Callable[[], ReportRow]:
    contexts = part.contexts
    comparisons = answered.comparisons.of_contexts(contexts)
    wrong = None if answered.wrong is None else answered.wrong.of_contexts(contexts)
    judged = judged_of(comparisons, wrong, people)
    right = judged.right[: len(comparisons)]
    before = answers.before_thinking
    if before is not None:
        before = before[contexts[answered.comparisons.contexts]]
    basis = Basis(
        subset=part.name,
        grouped=part.grouped,
        contexts=contexts,
        comparisons=comparisons,
        before_thinking=before,
        judged=judged,
        debiasing=answered.debiasing,
        answers=answers,
        people=people,
        subset_names=table.subset_names,
        subset_numbers=table.subset_numbers,
    )
    masses = None if answers.label_mass is None else answers.label_mass[contexts[answered.comparisons.contexts]]
    label_mass = mean_label_mass(comparisons, masses)
    counts = Counts(*answers.outcomes[contexts].sum(axis=0).tolist())
    measured = MeasuredRankings.of(answered.ranked, people.human, people.votes, basis.recorded)
    soft = soft_by_ranking(answered.ranked, people.human, basis.recorded)
    row = partial(
        ReportRow,
        name=name,
        subset=part.name,
        subsets=part.grouped or None,
        counts=counts,
        **{one.name: _figure(one, basis) for one in IN_ORDER},  # type: ignore[arg-type]  # None where allowed
        length_preference=length_preference(comparisons, right, judged, traits.lengths),
        self_preference=self_preference(comparisons, right, traits.kin),
        soft_pairwise_accuracy={ranking: SoftPairwiseAccuracies(**kinds) for ranking, kinds in soft.items()},
        label_mass=label_mass,
        trust=checks_of(_checked(basis, counts, traits.steering, label_mass)),
        for_comparison=_for_comparison(basis, traits),
        decided_by_scores=_decided_by_scores(judged, people.human.scores),
        hold_out=_hold_out(answers, people, contexts, counts_wrong=wrong is not None),
        over_candidates=over_candidates(basis),
        bounded=comparisons.n_bounded or None,
        asked=asked_of(basis, table, answered.unanswered.of_contexts(contexts)),
    )
    return lambda: row(**blocks_of(measured))


def _for_comparison(basis: Basis, traits: Traits) -> list[ForComparison]:
    """Return the figures of people and of the simple judges, on the pairs that count in the accuracy."""
    votes, scores = basis.people.first_round, basis.people.human.scores
    human, kappa = agreement_of_people(votes, basis.recorded), kappa_between_people(votes, basis.recorded)
    return [
        figures_of_people(human, kappa, decided_by_scores=_decided_by_scores(basis.judged, scores)),
        *figures_of_simple_judges(basis.judged, traits.lengths, is_scoring=basis.debiasing is None),
    ]


def _decided_by_scores(judged: Judged, scores: FloatArray) -> int | None:
    """Count the comparisons in the accuracy of two candidates with human scores; None for none."""
    has_scores = ~np.isnan(scores[judged.comparisons.first] + scores[judged.comparisons.second])
    return int((has_scores & ~np.isnan(judged.right)).sum()) or None


def _figure(definition: FigureDefinition, basis: Basis) -> Figure | None:
    if basis.debiasing is None and definition.of_scores is not None:
        return definition.of_scores
    try:
        return definition.compute(basis)
    except Undefined as undefined:
        return Figure.missing(undefined.reason)


def _checked(basis: Basis, counts: Counts, steering: BoolArray, label_mass: Figure) -> CheckedRun:
    return CheckedRun(
        comparisons=basis.comparisons,
        judged=basis.judged,
        order_agreement=basis.order_agreement,
        label_mass=label_mass,
        votes=basis.votes,
        steering=steering,
        answered=counts.comparisons,
        unparsed=counts.unparsed,
        errors=counts.errors,
        chosen=_count_chosen_by_answers(basis.answers, basis.contexts),
        is_scoring=basis.debiasing is None,
    )


def _hold_out(answers: Answers, people: People, contexts: BoolArray, *, counts_wrong: bool) -> HoldOut | None:
    """Return the figures of some contexts on held-out pairs; None if the run is not adaptive.

    counts_wrong: comparisons without an answer are wrong in the accuracy.
    """
    if answers.held_out is None or answers.unanswered_held_out is None:
        return None
    held_out = answers.comparisons.select(answers.held_out).of_contexts(contexts)
    unanswered = answers.unanswered.select(answers.unanswered_held_out).of_contexts(contexts)
    judged = judged_of(held_out, unanswered if counts_wrong else None, people)
    return HoldOut(
        comparisons=len(held_out),
        p_first=first_share(held_out),
        order_agreement=order_agreement(held_out),
        accuracy=accuracy(judged.comparisons, judged.right),
    )


def _count_chosen_by_answers(answers: Answers, contexts: BoolArray) -> int:
    """Count the comparisons of some contexts whose pairs the run chose by its own answers."""
    if answers.held_out is None:
        return 0
    return int((contexts[answers.comparisons.contexts] & ~answers.held_out).sum())
