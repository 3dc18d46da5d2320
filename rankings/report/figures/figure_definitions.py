"""`IN_ORDER`: the definition of every figure of a report row: its title, its computation, its columns."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from evenhand.numerics import (
    Comparisons,
    Figure,
    accuracy,
    accuracy_averaged,
    accuracy_both_orders,
    accuracy_macro,
    accuracy_per_vote,
    accuracy_per_vote_decided,
    first_share,
    kappa_with_people,
    score_shift,
    thinking_flips,
    thinking_shift,
)
from evenhand.numerics.arrays import FloatArray
from rankings.report.figures.figure_basis import (
    NO_SUBSETS,
    NO_VOTES,
    NO_VOTES_HERE,
    ONE_ORDER_ONLY,
    ORDERLESS,
    Basis,
    FigureDefinition,
    agreement_of_people,
)
from rankings.report.report_choice import ALL

CHANCE = 0.5


def _of_votes(share: Callable[[Basis], Figure]) -> Callable[[Basis], Figure]:
    """Return the computation of a share of single votes."""

    def compute(basis: Basis) -> Figure:
        if len(basis.votes):
            return share(basis)
        return Figure.missing(NO_VOTES_HERE if len(basis.people.votes) else NO_VOTES, n=0)

    return compute


def _accuracy_macro(basis: Basis) -> Figure | None:
    if basis.subset != ALL and not basis.grouped:
        return None
    if not basis.subset_names:
        return Figure.missing(NO_SUBSETS, n=0)
    return accuracy_macro(basis.judged.comparisons, basis.judged.right, basis.subset_numbers)


def _of_thinking(basis: Basis, figure: Callable[[Comparisons, FloatArray], Figure]) -> Figure | None:
    """Return a figure of the thinking; None for a judge that does not think, or that scores."""
    if basis.before_thinking is None or basis.debiasing is None:
        return None
    return figure(basis.comparisons, basis.before_thinking)


def _thinking_shift(basis: Basis) -> Figure | None:
    """Return how far thinking moved p_first, or the scores of a run that scores; None without thinking."""
    answers = basis.answers
    if answers.values is None:
        return _of_thinking(basis, thinking_shift)
    if answers.values_before is None:
        return None
    contexts = answers.comparisons.candidate_contexts
    members = basis.contexts[contexts]
    return score_shift(contexts[members], answers.values[members], answers.values_before[members], len(basis.contexts))


_agreement = partial(FigureDefinition, section="agreement", higher_is_better=True)
_bias = partial(FigureDefinition, section="bias")
_of_orders = partial(FigureDefinition, section="bias", of_scores=ORDERLESS)

IN_ORDER = (
    _agreement(
        name="accuracy",
        title="Accuracy",
        meaning="Share of comparisons that the judge decides as people do; a tie counts one half.",
        compute=lambda basis: accuracy(basis.judged.comparisons, basis.judged.right),
        tables=("runs", "subsets"),
        reference=CHANCE,
    ),
    _agreement(
        name="kappa",
        title="Kappa with people",
        meaning="Agreement with people’s preferences beyond chance: 0 is chance, 1 is full agreement.",
        compute=lambda basis: kappa_with_people(basis.judged.comparisons, basis.judged.right),
        is_share=False,
        tables=("runs", "subsets"),
    ),
    _agreement(
        name="accuracy_debiased",
        title="Accuracy, debiased",
        meaning="Accuracy with decisions at the threshold τ instead of one half.",
        compute=lambda basis: accuracy(
            basis.judged.comparisons, basis.judged.right, basis.judged.decisions(basis.debiased_decisions)
        ),
        of_scores=ORDERLESS,
        tables=("runs", "subsets"),
        reference=CHANCE,
    ),
    _agreement(
        name="accuracy_averaged",
        title="Accuracy, orders averaged",
        meaning="Share of pairs that the mean of both orders decides as people do.",
        compute=lambda basis: accuracy_averaged(basis.judged.of_pairs, basis.judged.right),
        of_scores=ONE_ORDER_ONLY,
        reference=CHANCE,
    ),
    _agreement(
        name="accuracy_both_orders",
        title="Right in both orders",
        meaning="Share of the pairs decided correctly in both orders.",
        compute=lambda basis: accuracy_both_orders(basis.judged.comparisons, basis.judged.right),
        of_scores=ONE_ORDER_ONLY,
        tables=("runs", "subsets"),
    ),
    _agreement(
        name="accuracy_macro",
        title="Accuracy, mean of subsets",
        meaning="Plain mean of the accuracies of the subsets.",
        compute=_accuracy_macro,
        needs_subsets=True,
    ),
    _agreement(
        name="accuracy_per_vote",
        title="Accuracy per vote",
        meaning="Share of single votes with the same outcome as the judge: either text, or a tie.",
        compute=_of_votes(lambda basis: accuracy_per_vote(basis.comparisons, basis.votes, basis.judged.wrong)),
    ),
    _agreement(
        name="accuracy_per_vote_decided",
        title="Accuracy per vote, without ties",
        meaning="The same without tie votes and without ties of the judge.",
        compute=_of_votes(lambda basis: accuracy_per_vote_decided(basis.comparisons, basis.votes, basis.judged.wrong)),
    ),
    _agreement(
        name="human",
        title="People, on votes",
        meaning="Share of votes that agree with the majority of the other people.",
        compute=lambda basis: agreement_of_people(basis.people.first_round, basis.recorded),
        tables=("subsets",),
        higher_is_better=False,
    ),
    _of_orders(
        name="p_first",
        title="P(first)",
        meaning="Share of decisions for the text shown first; one half without bias.",
        compute=lambda basis: basis.p_first,
        tables=("runs", "subsets"),
        reference=CHANCE,
    ),
    _bias(
        name="human_p_first",
        title="P(first) of people",
        meaning="Share of human votes for the text shown first.",
        compute=_of_votes(lambda basis: first_share(basis.votes.comparisons)),
        reference=CHANCE,
    ),
    _of_orders(
        name="p_second",
        title="P(second)",
        meaning="Share of the decisions for the text shown second.",
        compute=lambda basis: basis.p_first.complement(),
        reference=CHANCE,
    ),
    _of_orders(
        name="order_agreement",
        title="Order agreement",
        meaning="Share of the pairs whose outcome stays the same when the order is swapped.",
        compute=lambda basis: basis.order_agreement,
        higher_is_better=True,
        tables=("runs", "subsets"),
    ),
    _of_orders(
        name="flip_rate",
        title="Flip rate",
        meaning="Share of the pairs whose outcome changes when the order is swapped.",
        compute=lambda basis: basis.order_agreement.complement(),
    ),
    _of_orders(
        name="threshold",
        title="Threshold τ",
        meaning="The median p. Debiased decisions are “first” above it.",
        compute=lambda basis: basis.of_comparisons.threshold,
        is_share=False,
    ),
    _of_orders(
        name="alpha",
        title="Alpha",
        meaning="(1 − τ) / τ: the factor by which debiasing multiplies the odds of the first text.",
        compute=lambda basis: basis.of_comparisons.alpha,
        is_share=False,
    ),
    _of_orders(
        name="p_first_debiased",
        title="P(first), debiased",
        meaning="Share of the decisions for the first text at the threshold τ.",
        compute=lambda basis: first_share(basis.comparisons, basis.debiased_decisions),
        reference=CHANCE,
    ),
    _bias(
        name="thinking_shift",
        title="Moved by thinking",
        meaning="Mean absolute difference between p, or the score, after thinking and without it.",
        compute=_thinking_shift,
        is_share=False,
    ),
    _bias(
        name="thinking_flips",
        title="Flipped by thinking",
        meaning="Share of the comparisons that the judge decides differently after thinking.",
        compute=lambda basis: _of_thinking(basis, thinking_flips),
    ),
)
"""All figures of a report row, in the order of cards and columns."""

FIGURES: Mapping[str, FigureDefinition] = MappingProxyType({definition.name: definition for definition in IN_ORDER})
"""The same, by name."""
