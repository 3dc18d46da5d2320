"""Accuracy of a judge against preferences and single votes of people, its position bias, and means of both orders."""

import numpy as np

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, counts, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.exceptions import InvalidComparisons, Undefined
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import macro_share, pooled_share, share_figure
from evenhand.numerics.scores import Scores, rounded
from evenhand.numerics.votes import Votes, majority

NO_TRUTH = "people prefer no candidate of a compared pair; collect votes or scores"
NO_BOTH_ORDERS = "no pair on which people prefer one candidate was decided in both orders"
NO_DECISIONS = "no comparison has an answer"
NO_PAIR_TWICE = "no pair was decided in both orders"


def human_preferences(
    comparisons: Comparisons, human_scores: FloatArray | None, votes: Votes | None = None
) -> FloatArray:
    """Return the human preference for each comparison, (n,): 1 for `first`, 0 for `second`, NaN for neither.

    If both candidates have a human score, the higher score decides. Otherwise the strict majority of all votes on the
    unordered pair decides.
    human_scores: float, (n_candidates,); NaN if missing. None: votes alone decide.
    """
    scores = np.full(comparisons.n_candidates, np.nan) if human_scores is None else rounded(human_scores)
    first, second = scores[comparisons.first], scores[comparisons.second]
    settled = np.where(first > second, 1.0, np.where(first < second, 0.0, np.nan))
    if votes is None:
        return settled
    for_lower = majority(votes, comparisons.pair_keys)
    for_first = np.where(comparisons.first < comparisons.second, for_lower, 1 - for_lower)
    return np.where(np.isnan(first) | np.isnan(second), for_first, settled)


def accuracy(comparisons: Comparisons, right: FloatArray, decisions: FloatArray | None = None) -> Figure:
    """Return the share of comparisons decided as people do.

    A tie counts 1/2. Comparisons without a human preference are left out.

    right: float, (n,), from `human_preferences`.
    decisions: float, (n,), 0, 1/2 or 1. Default: p_first against 1/2.
    """
    correct, counted = context_credits(comparisons, right, decisions)
    return share_figure(correct, counted, if_empty=why_no_preference(comparisons))


def accuracy_macro(comparisons: Comparisons, right: FloatArray, subsets: IntArray) -> Figure:
    """Return the plain mean of the subsets' accuracies; n is the number of their comparisons.

    subsets: int, (n_contexts,). Subset of each context; -1 if it has none.
    """
    correct, counted = context_credits(comparisons, right)
    names = np.unique(subsets[subsets >= 0])
    member = subsets[:, None] == names  # (n_contexts, n_subsets)
    return macro_share(correct[:, None] * member, counted[:, None] * member, if_empty=why_no_preference(comparisons))


def why_no_preference(comparisons: Comparisons) -> str:
    """Say why no comparison has a human preference."""
    return NO_TRUTH if len(comparisons) else NO_DECISIONS


def accuracy_both_orders(comparisons: Comparisons, right: FloatArray) -> Figure:
    """Return the share of pairs that are decided as people do in both orders; ties are wrong.

    Only pairs with a human preference and decisions in both orders count.
    right: float, (n,), from `human_preferences`.
    """
    forward, reverse = both_orders(comparisons)
    is_right = decide(comparisons.p_first) == right
    correct = np.where(np.isnan(right[forward]), np.nan, is_right[forward] & is_right[reverse])
    return pooled_share(comparisons.contexts[forward], correct, comparisons.n_contexts, if_empty=NO_BOTH_ORDERS)


def first_share(comparisons: Comparisons, decisions: FloatArray | None = None) -> Figure:
    """Return the share of decisions for the candidate shown first, over all contexts; a tie counts 1/2."""
    decided = decide(comparisons.p_first) if decisions is None else decisions
    return pooled_share(comparisons.contexts, decided, comparisons.n_contexts, if_empty=NO_DECISIONS)


def order_agreement(comparisons: Comparisons) -> Figure:
    """Return the share of pairs with the same decision in both orders: one candidate, or two ties."""
    forward, reverse = both_orders(comparisons)
    decisions = decide(comparisons.p_first)
    alike = (decisions[forward] == 1 - decisions[reverse]).astype(np.float64)
    return pooled_share(comparisons.contexts[forward], alike, comparisons.n_contexts, if_empty=NO_PAIR_TWICE)


def mean_of_both_orders(comparisons: Comparisons) -> Comparisons:
    """Average the answers of pairs that were answered in both orders [Liusie2024b].

    This removes position bias without a threshold. i before j gets (p_ij + 1 - p_ji) / 2, and j before i gets 1 minus
    that. Pairs answered in one order are left out.

    Raises Undefined if no pair was answered in both orders.
    """
    comparisons = comparisons.known()
    forward, reverse = both_orders(comparisons)
    if not len(forward):
        raise Undefined(NO_PAIR_TWICE)
    p_first = comparisons.p_first.copy()
    p_first[forward] = _means_of_orders(comparisons, forward, reverse)
    p_first[reverse] = 1 - p_first[forward]
    return comparisons.with_p_first(p_first).select(np.sort(np.concatenate([forward, reverse])))


def accuracy_averaged(comparisons: Comparisons, right: FloatArray) -> Figure:
    """Return the share of pairs whose averaged answer agrees with people; a tie counts 1/2.

    right: float, (n,), from `human_preferences`.
    """
    if comparisons.bounded is not None:
        right = right[~comparisons.bounded]
        comparisons = comparisons.known()
    forward, reverse = both_orders(comparisons)
    if not len(forward):
        return Figure.missing(NO_PAIR_TWICE, n=0)
    means = _means_of_orders(comparisons, forward, reverse)
    return accuracy(comparisons.select(forward).with_p_first(means), right[forward])


def _means_of_orders(comparisons: Comparisons, forward: IntArray, reverse: IntArray) -> FloatArray:
    """Average both orders, (n_pairs,). Written so that equal answers in both orders give exactly 1/2."""
    return 0.5 + (comparisons.p_first[forward] - comparisons.p_first[reverse]) / 2


def both_orders(comparisons: Comparisons) -> tuple[IntArray, IntArray]:
    """Return the indices of both comparisons of each pair that was compared in both orders.

    The first array has the comparisons that show the lower-numbered candidate first.

    Raises InvalidComparisons if an ordered pair occurs twice.
    """
    return comparisons.of_pairs("both_orders", lambda: _both_orders(comparisons))


def score_comparisons(scores: Scores, contexts: IntArray) -> Comparisons:
    """Turn a pointwise judge's scores into comparisons of every unordered pair; the higher score wins.

    contexts: int, (n_candidates,), rising. p_first is 1, 0, or 1/2 if both scores are equal.
    """
    members = np.flatnonzero(scores.defined)
    sizes = np.bincount(contexts[members], minlength=int(contexts.max(initial=-1)) + 1)
    position = np.arange(len(members)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    followers = np.repeat(sizes, sizes) - 1 - position  # how many come after each candidate in its context
    first = np.repeat(np.arange(len(members)), followers)
    after = np.arange(len(first)) - np.repeat(np.cumsum(followers) - followers, followers)
    first, second = members[first], members[first + 1 + after]
    values = rounded(scores.values)
    starts = np.searchsorted(contexts, np.arange(len(sizes)))
    return Comparisons(len(contexts), first, second, decide(values[first] - values[second], 0.0), starts)


def _both_orders(comparisons: Comparisons) -> tuple[IntArray, IntArray]:
    keys = 2 * comparisons.pair_keys + (comparisons.first > comparisons.second)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    if (ordered[1:] == ordered[:-1]).any():
        raise InvalidComparisons("an ordered pair is compared twice; a run may ask each only once")
    at = np.flatnonzero(ordered[1:] // 2 == ordered[:-1] // 2)
    return order[at], order[at + 1]


def context_credits(
    comparisons: Comparisons, right: FloatArray, decisions: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Count the correct and all comparisons with a human preference in each context, both (n_contexts,).

    A tie counts 1/2. The arguments are those of `accuracy`.
    """
    decided = decide(comparisons.p_first) if decisions is None else decisions
    known = ~np.isnan(right)
    correct = 1 - np.abs(decided[known] - right[known])
    contexts, n = comparisons.contexts[known], comparisons.n_contexts
    return sums(contexts, correct, n), sums(contexts, np.ones(len(contexts)), n)


NO_VOTED_PAIR = "no comparison is of a pair with a vote"
NO_DECIDED_VOTE = "no comparison that chooses a candidate is of a pair with a vote for a candidate"
NO_TWO_RATERS = "no pair has the votes of two of these raters"
NO_TWO_DECIDED = "no pair has votes of two of these raters for a candidate"
N_OUTCOMES, TIE = 3, 1
DECIDED = np.arange(N_OUTCOMES) != TIE


def accuracy_per_vote(comparisons: Comparisons, votes: Votes, wrong: Comparisons | None = None) -> Figure:
    """Return the share of couples of a comparison and a vote on the same pair that have the same outcome.

    The outcomes are a tie and either candidate, in any order of the pair. n is the number of couples.
    wrong: comparisons without an answer, whose couples count as different.
    """
    return _share(comparisons, votes, wrong, np.full(N_OUTCOMES, True), if_empty=NO_VOTED_PAIR)


def accuracy_per_vote_decided(comparisons: Comparisons, votes: Votes, wrong: Comparisons | None = None) -> Figure:
    """Return `accuracy_per_vote` without tie votes and without tied comparisons."""
    return _share(comparisons, votes, wrong, DECIDED, if_empty=NO_DECIDED_VOTE)


def _share(
    comparisons: Comparisons, votes: Votes, wrong: Comparisons | None, counted: BoolArray, *, if_empty: str
) -> Figure:
    """Return the share of couples with the same outcome. counted: bool, (3,). Outcomes that count."""
    outcomes = outcomes_of(comparisons)
    on_pair = votes_on_pairs(comparisons, votes) * counted * counted[outcomes, None]
    matching = _sums(comparisons, on_pair[np.arange(len(outcomes)), outcomes])
    couples = _sums(comparisons, on_pair.sum(axis=1))
    if wrong is not None:
        couples += _sums(wrong, (votes_on_pairs(wrong, votes) * counted).sum(axis=1))
    return share_figure(matching, couples, if_empty=if_empty)


def agreement_per_vote(votes: Votes) -> Figure:
    """Return the share of couples of votes on the same pair, by two different raters, that have the same outcome.

    Each couple counts once. n is the number of couples. Source: the agreement between people in [Zheng2023].
    """
    outcomes = outcomes_of(votes.comparisons)
    own = np.unique(np.stack([votes.comparisons.pair_keys, votes.raters], axis=1), axis=0, return_inverse=True)[1]
    alike, all_others = (
        (_group_sizes(of_pair) - _group_sizes(of_rater)) / 2
        for of_pair, of_rater in (
            (_joined(votes.comparisons.pair_keys, outcomes), _joined(own.ravel(), outcomes)),
            (votes.comparisons.pair_keys, own.ravel()),
        )
    )
    matching, couples = (
        sums(votes.comparisons.contexts, each, votes.comparisons.n_contexts) for each in (alike, all_others)
    )
    return share_figure(matching, couples, if_empty=NO_TWO_RATERS)


def agreement_per_vote_decided(votes: Votes) -> Figure:
    """Return `agreement_per_vote` without tie votes."""
    figure = agreement_per_vote(votes.select(outcomes_of(votes.comparisons) != TIE))
    return figure if figure.n else Figure.missing(NO_TWO_DECIDED, n=0)


def _joined(keys: IntArray, outcomes: IntArray) -> IntArray:
    return keys * N_OUTCOMES + outcomes


def _group_sizes(keys: IntArray) -> IntArray:
    """Return the size of the group of each element: those with the same key, (n,)."""
    _, group, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    return np.asarray(sizes[group])


def outcomes_of(comparisons: Comparisons) -> IntArray:
    """Return the outcome of each comparison, (n,): 2 for the candidate with the lower number, 1 for a tie, else 0."""
    decisions = decide(comparisons.p_first)
    for_lower = np.where(comparisons.first < comparisons.second, decisions, 1 - decisions)
    return (2 * for_lower).astype(np.intp)


def votes_on_pairs(comparisons: Comparisons, votes: Votes) -> IntArray:
    """Count the votes for each outcome on the unordered pair of each comparison, (n, 3).

    Runs of the same pairs share the counts. Callers must not modify them.
    """
    return comparisons.of_pairs(("votes_on_pairs", votes), lambda: _votes_on_pairs(comparisons, votes))


def _votes_on_pairs(comparisons: Comparisons, votes: Votes) -> IntArray:
    keys, pairs = np.unique(np.concatenate([votes.comparisons.pair_keys, comparisons.pair_keys]), return_inverse=True)
    cells = pairs[: len(votes)] * N_OUTCOMES + outcomes_of(votes.comparisons)
    by_pair = counts(cells, len(keys) * N_OUTCOMES).reshape(len(keys), N_OUTCOMES)
    return by_pair[pairs[len(votes) :]]


def _sums(comparisons: Comparisons, values: IntArray) -> FloatArray:
    """Sum values of each comparison over each context, (n_contexts,)."""
    return sums(comparisons.contexts, values.astype(np.float64), comparisons.n_contexts)
