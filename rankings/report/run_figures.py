"""The figures of one run, as the rows of a report: one for all contexts, and one for each subset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from rankings.loading import Answers, CandidateTable, People
from rankings.numerics import (
    RANKINGS,
    Comparisons,
    Debiasing,
    Figure,
    Scores,
    Undefined,
    human_preferences,
    score,
    score_comparisons,
)
from rankings.numerics.arrays import BoolArray
from rankings.report.correlations import Ranked, blocks_of
from rankings.report.figure_definitions import ALL, Basis, FigureDefinition
from rankings.report.hold_out import chosen_by_answers, hold_out_of
from rankings.report.preferences.length_and_family import Traits, preferences_of
from rankings.report.report_row import FIGURES, Counts, ReportRow, TrustCheck
from rankings.report.run_names import RunName
from rankings.report.trust_checks import checks_of_comparisons, checks_of_scores

SCORE = "score"


@dataclass(frozen=True, slots=True)
class RowContexts:
    """The contexts of a report row.

    subset: its name, `all` for all. contexts: bool, (n_contexts,).
    """

    subset: str
    contexts: BoolArray


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers of a run, as comparisons and as scores of the candidates.

    comparisons: the answers; for a scoring run, the higher of each two scores.
    debiasing: of the whole run; None for a run of scores. ranked: the scores of every ranking.
    """

    comparisons: Comparisons
    debiasing: Debiasing | None
    ranked: Ranked

    @classmethod
    def of(cls, answers: Answers, table: CandidateTable) -> Answered:
        """From the answers of a run. Each context is ranked by itself, so the scores serve every subset."""
        if answers.values is not None:
            scores = Scores.of_values(answers.values)
            pairs = replace(score_comparisons(scores, table.contexts), starts=table.starts)
            return cls(pairs, None, {SCORE: {"raw": scores}})
        debiasing = Debiasing.of_run(answers.comparisons)
        return cls(answers.comparisons, debiasing, rankings_of(answers.comparisons, debiasing))


def rows_of_run(
    name: RunName, table: CandidateTable, people: People, answers: Answers, traits: Traits
) -> list[ReportRow]:
    """The rows of a run: `all`, then each subset in order of appearance."""
    answered = Answered.of(answers, table)
    return [_row(name, part, table, people, answers, traits, answered) for part in _parts(table)]


def rankings_of(comparisons: Comparisons, debiasing: Debiasing) -> Ranked:
    """The scores of every ranking. Each context is fitted on its own, so they serve for every subset."""
    return {
        ranking: {"raw": score_or_why(ranking, comparisons), "debiased": score_or_why(ranking, comparisons, debiasing)}
        for ranking in RANKINGS
    }


def score_or_why(ranking: str, comparisons: Comparisons, debiasing: Debiasing | None = None) -> Scores | str:
    """The scores of a ranking, or why they do not exist for this run. Raises UnknownRanking."""
    try:
        return score(ranking, comparisons, debiasing)
    except Undefined as undefined:
        return undefined.reason


def _parts(table: CandidateTable) -> Iterator[RowContexts]:
    yield RowContexts(ALL, np.ones(table.n_contexts, dtype=bool))
    numbers = table.subset_numbers
    for number, name in enumerate(table.subset_names):
        yield RowContexts(name, numbers == number)


def _row(
    name: RunName,
    part: RowContexts,
    table: CandidateTable,
    people: People,
    answers: Answers,
    traits: Traits,
    answered: Answered,
) -> ReportRow:
    comparisons = answered.comparisons.of_contexts(part.contexts)
    basis = Basis(
        subset=part.subset,
        contexts=part.contexts,
        comparisons=comparisons,
        right=human_preferences(comparisons, people.human.scores, people.votes),
        debiasing=answered.debiasing,
        answers=answers,
        people=people,
        subset_names=table.subset_names,
        subset_numbers=table.subset_numbers,
    )
    counts = Counts(*answers.outcomes[part.contexts].sum(axis=0).tolist())
    return ReportRow(
        name=name,
        subset=part.subset,
        counts=counts,
        **{name: _figure(one, basis) for name, one in FIGURES.items()},  # type: ignore[arg-type]  # None where allowed
        **blocks_of(answered.ranked, people.human, basis.recorded),
        **preferences_of(comparisons, basis.right, traits),
        trust=_checks(basis, counts),
        hold_out=hold_out_of(answers, people, part.contexts),
    )


def _figure(definition: FigureDefinition, basis: Basis) -> Figure | None:
    if basis.debiasing is None and definition.of_scores is not None:
        return definition.of_scores
    try:
        return definition.compute(basis)
    except Undefined as undefined:
        return Figure.missing(undefined.reason)


def _checks(basis: Basis, counts: Counts) -> list[TrustCheck]:
    if basis.debiasing is None:
        return checks_of_scores(basis.comparisons, basis.votes, counts)
    return checks_of_comparisons(
        basis.comparisons,
        basis.votes,
        counts,
        pairs_twice=basis.order_agreement.n or 0,
        chosen=chosen_by_answers(basis.answers, basis.contexts),
    )
