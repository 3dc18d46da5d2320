"""The figures of one run, as the rows of a report: one for all contexts, and one for each subset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankings.loading import Answers, CandidateTable, People
from rankings.numerics import (
    METHODS,
    Comparisons,
    Debiasing,
    Figure,
    Scores,
    Undefined,
    Votes,
    accuracy,
    accuracy_averaged,
    accuracy_both_orders,
    accuracy_macro,
    human,
    order_agreement,
    p_first,
    score,
    score_comparisons,
    truth,
)
from rankings.numerics.arrays import BoolArray, FloatArray
from rankings.report.correlations import Ranked, blocks_of
from rankings.report.figure_json import INTERVAL, figure, rest_of
from rankings.report.hold_out import chosen_by_answers, hold_out_figures
from rankings.report.preferences import Traits, preferences_of
from rankings.report.trust_checks import checks_of_comparisons, checks_of_scores

ALL = "all"
SCORE = "score"
NO_ORDER = "a run that scores candidates one by one shows no pair, so it has no position bias"
ONE_ORDER = "a run that scores candidates one by one shows no pair in two orders"
NO_SUBSETS = "the dataset has no subsets"
NO_VOTES = "the attribute has no votes"
NO_VOTES_HERE = "nobody voted on these contexts"

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Part:
    """The contexts that a row is about.

    subset: its name, `all` for all. contexts: bool, (n_contexts,).
    """

    subset: str
    contexts: BoolArray


def rows_of_run(table: CandidateTable, people: People, answers: Answers, traits: Traits) -> list[Row]:
    """The rows of a run, without what names the run: `all`, then each subset in order of appearance."""
    if answers.values is None:
        return list(_comparison_figures(table, people, answers, traits))
    return list(_scoring_figures(table, people, answers, Scores.given(answers.values), traits))


def rankings_of(comparisons: Comparisons, debiasing: Debiasing) -> Ranked:
    """The scores of every ranking. Each context is fitted on its own, so they serve for every subset."""
    return {
        ranking: {"raw": score_or_why(ranking, comparisons), "debiased": score_or_why(ranking, comparisons, debiasing)}
        for ranking in METHODS
    }


def score_or_why(ranking: str, comparisons: Comparisons, debiasing: Debiasing | None = None) -> Scores | str:
    """The scores of a ranking, or why they do not exist for this run. Raises UnknownRanking."""
    try:
        return score(ranking, comparisons, debiasing)
    except Undefined as undefined:
        return undefined.reason


def _parts(table: CandidateTable) -> Iterator[Part]:
    yield Part(ALL, np.ones(table.n_contexts, dtype=bool))
    numbers = table.subset_numbers
    for number, name in enumerate(table.subset_names):
        yield Part(name, numbers == number)


def _comparison_figures(table: CandidateTable, people: People, answers: Answers, traits: Traits) -> Iterator[Row]:
    debiasing = Debiasing.of_run(answers.comparisons)
    ranked = rankings_of(answers.comparisons, debiasing)
    for part in _parts(table):
        comparisons = answers.comparisons.of_contexts(part.contexts)
        right = truth(comparisons, people.human.scores, people.votes)
        debiased = _debiased(comparisons, right, debiasing)
        for_first, same_outcome = p_first(comparisons), order_agreement(comparisons)
        recorded, counted = answers.recorded & part.contexts, _counts(answers, part)
        votes = people.votes.of_contexts(recorded)
        yield {
            **counted,
            "p_first": figure(for_first, *INTERVAL),
            "order_agreement": figure(same_outcome, "n"),
            "threshold": figure(debiasing.threshold),
            "alpha": figure(debiasing.alpha),
            "p_first_debiased": debiased["p_first"],
            "accuracy": figure(accuracy(comparisons, right), *INTERVAL),
            "accuracy_debiased": debiased["accuracy"],
            "accuracy_both_orders": figure(accuracy_both_orders(comparisons, right), *INTERVAL),
            **_macro(table, part, comparisons, right),
            **_agreement_with_people(people, recorded, ranked),
            "p_second": figure(rest_of(for_first), *INTERVAL),
            "human_p_first": _human_p_first(people, votes),
            "flip_rate": figure(rest_of(same_outcome), "n"),
            "accuracy_averaged": figure(accuracy_averaged(comparisons, right), *INTERVAL),
            **preferences_of(comparisons, right, traits),
            "trust": checks_of_comparisons(
                comparisons,
                votes,
                counted,
                pairs_twice=same_outcome.n or 0,
                chosen=chosen_by_answers(answers, part.contexts),
            ),
            **hold_out_figures(answers, people, part.contexts),
        }


def _scoring_figures(
    table: CandidateTable, people: People, answers: Answers, scores: Scores, traits: Traits
) -> Iterator[Row]:
    pairs = replace(score_comparisons(scores, table.contexts), starts=table.starts)
    no_order = Figure.missing(NO_ORDER)
    for part in _parts(table):
        comparisons = pairs.of_contexts(part.contexts)
        right = truth(comparisons, people.human.scores, people.votes)
        recorded, counted = answers.recorded & part.contexts, _counts(answers, part)
        votes = people.votes.of_contexts(recorded)
        yield {
            **counted,
            "p_first": figure(no_order, *INTERVAL),
            "order_agreement": figure(no_order, "n"),
            "threshold": figure(no_order),
            "alpha": figure(no_order),
            "p_first_debiased": figure(no_order, *INTERVAL),
            "accuracy": figure(accuracy(comparisons, right), *INTERVAL),
            "accuracy_debiased": figure(no_order, *INTERVAL),
            "accuracy_both_orders": figure(Figure.missing(ONE_ORDER, n=0), *INTERVAL),
            **_macro(table, part, comparisons, right),
            **_agreement_with_people(people, recorded, {SCORE: {"raw": scores}}),
            "p_second": figure(no_order, *INTERVAL),
            "human_p_first": _human_p_first(people, votes),
            "flip_rate": figure(no_order, "n"),
            "accuracy_averaged": figure(Figure.missing(ONE_ORDER, n=0), *INTERVAL),
            **preferences_of(comparisons, right, traits),
            "trust": checks_of_scores(comparisons, votes, counted),
        }


def _counts(answers: Answers, part: Part) -> Row:
    answered, unparsed, errors = answers.outcomes[part.contexts].sum(axis=0).tolist()
    return {"subset": part.subset, "comparisons": answered, "unparsed": unparsed, "errors": errors}


def _debiased(comparisons: Comparisons, right: FloatArray, debiasing: Debiasing) -> Row:
    """The figures of decisions at the threshold of the run."""
    try:
        decisions = debiasing.decide(comparisons.p_first)
    except Undefined as undefined:
        missing = figure(Figure.missing(undefined.reason), *INTERVAL)
        return {"p_first": missing, "accuracy": missing}
    return {
        "p_first": figure(p_first(comparisons, decisions), *INTERVAL),
        "accuracy": figure(accuracy(comparisons, right, decisions), *INTERVAL),
    }


def _macro(table: CandidateTable, part: Part, comparisons: Comparisons, right: FloatArray) -> Row:
    if part.subset != ALL:
        return {}
    if not table.subset_names:
        return {"accuracy_macro": figure(Figure.missing(NO_SUBSETS, n=0), *INTERVAL)}
    return {"accuracy_macro": figure(accuracy_macro(comparisons, right, table.subset_numbers), *INTERVAL)}


def _human_p_first(people: People, votes: Votes) -> Row:
    """How often people choose what they were shown first. votes: those on the contexts of the row."""
    if not len(votes):
        return figure(Figure.missing(NO_VOTES_HERE if len(people.votes) else NO_VOTES, n=0), *INTERVAL)
    return figure(p_first(votes.comparisons), *INTERVAL)


def _agreement_with_people(people: People, recorded: BoolArray, ranked: Ranked) -> Row:
    """`human`, and of every ranking its coefficients and its accuracy with ties. recorded: bool, (n_contexts,)."""
    agreement = human(people.votes, recorded) if len(people.votes) else Figure.missing(NO_VOTES, n=0)
    return {"human": figure(agreement, "n"), **blocks_of(ranked, people.human, recorded)}
