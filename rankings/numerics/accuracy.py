"""How often a judge prefers the candidate that people prefer."""

import numpy as np

from rankings.numerics.arrays import FloatArray, IntArray
from rankings.numerics.comparisons import Comparisons, decide
from rankings.numerics.exceptions import InvalidComparisons
from rankings.numerics.figure import Figure
from rankings.numerics.intervals import context_sums, mean_of_ratios, ratio
from rankings.numerics.scores import Scores, rounded
from rankings.numerics.votes import Votes, majority

NO_TRUTH = "no comparison is of a pair on which people prefer one candidate"
NO_BOTH_ORDERS = "no pair on which people prefer one candidate was decided in both orders"
NO_DECISIONS = "no comparison has an answer"
NO_PAIR_TWICE = "no pair was decided in both orders"


def truth(comparisons: Comparisons, human_scores: FloatArray, votes: Votes | None = None) -> FloatArray:
    """What people say of each comparison, (n,): 1 if `first` is better, 0 if `second` is, NaN if neither is.

    human_scores: float, (n_candidates,), NaN where there is none. They settle pairs whose candidates both have one;
    other pairs are settled by the strict majority of all votes on the unordered pair.
    """
    scores = rounded(human_scores)
    first, second = scores[comparisons.first], scores[comparisons.second]
    settled = np.where(first > second, 1.0, np.where(first < second, 0.0, np.nan))
    if votes is None:
        return settled
    for_lower = majority(votes, comparisons.pair_keys)
    for_first = np.where(comparisons.first < comparisons.second, for_lower, 1 - for_lower)
    return np.where(np.isnan(first) | np.isnan(second), for_first, settled)


def accuracy(comparisons: Comparisons, right: FloatArray, decisions: FloatArray | None = None) -> Figure:
    """Share of the comparisons decided as people do; a tie counts 1/2, comparisons without a truth nothing.

    right: float, (n,), from `truth`. decisions: float, (n,), 0, 1/2 or 1; left out, p_first against 1/2.
    """
    correct, counted = context_credits(comparisons, right, decisions)
    return ratio(correct, counted, if_empty=NO_TRUTH)


def accuracy_macro(comparisons: Comparisons, right: FloatArray, subsets: IntArray) -> Figure:
    """Plain mean of the accuracies of the subsets that have one; n is the number of their comparisons.

    subsets: int, (n_contexts,). The subset of each context; -1 where it has none.
    """
    correct, counted = context_credits(comparisons, right, None)
    names = np.unique(subsets[subsets >= 0])
    member = subsets[:, None] == names  # (n_contexts, n_subsets)
    return mean_of_ratios(correct[:, None] * member, counted[:, None] * member, if_empty=NO_TRUTH)


def accuracy_both_orders(comparisons: Comparisons, right: FloatArray) -> Figure:
    """Of the pairs with a truth that were decided in both orders, the share decided right in both; ties are wrong."""
    there, back = both_orders(comparisons)
    known = ~np.isnan(right[there])
    there, back = there[known], back[known]
    decisions = decide(comparisons.p_first)
    correct = (decisions[there] == right[there]) & (decisions[back] == right[back])
    contexts, n = comparisons.contexts[there], comparisons.n_contexts
    return ratio(
        context_sums(contexts, correct.astype(np.float64), n),
        context_sums(contexts, np.ones(len(there)), n),
        if_empty=NO_BOTH_ORDERS,
    )


def p_first(comparisons: Comparisons, decisions: FloatArray | None = None) -> Figure:
    """Share of decisions for the candidate shown first, all contexts pooled; a tie counts 1/2."""
    decided = decide(comparisons.p_first) if decisions is None else decisions
    contexts, n = comparisons.contexts, comparisons.n_contexts
    return ratio(
        context_sums(contexts, decided, n), context_sums(contexts, np.ones(len(decided)), n), if_empty=NO_DECISIONS
    )


def order_agreement(comparisons: Comparisons) -> Figure:
    """Of the unordered pairs decided in both orders, the share with the same outcome: one candidate, or two ties."""
    there, back = both_orders(comparisons)
    if not len(there):
        return Figure.missing(NO_PAIR_TWICE, n=0)
    decisions = decide(comparisons.p_first)
    return Figure(float((decisions[there] == 1 - decisions[back]).mean()), n=len(there))


def both_orders(comparisons: Comparisons) -> tuple[IntArray, IntArray]:
    """Indices of the two comparisons of each pair that was compared in both orders: rising order, then falling.

    Raises InvalidComparisons if an ordered pair is there twice.
    """
    return comparisons.of_pairs("both_orders", lambda: _both_orders(comparisons))


def score_comparisons(scores: Scores, contexts: IntArray) -> Comparisons:
    """A pointwise judge's answer on every unordered pair of scored candidates of a context: the higher score wins.

    contexts: int, (n_candidates,), rising. p_first is 1, 0, or 1/2 where both scores are equal.
    """
    members = np.flatnonzero(scores.defined)
    sizes = np.bincount(contexts[members], minlength=int(contexts.max(initial=-1)) + 1)
    place = np.arange(len(members)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    followers = np.repeat(sizes, sizes) - 1 - place  # how many come after each candidate in its context
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
    comparisons: Comparisons, right: FloatArray, decisions: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """How many comparisons with a truth each context has right, and how many it has, both (n_contexts,).

    A tie is half right. Arguments are those of `accuracy`.
    """
    decided = decide(comparisons.p_first) if decisions is None else decisions
    known = ~np.isnan(right)
    correct = 1 - np.abs(decided[known] - right[known])
    contexts, n = comparisons.contexts[known], comparisons.n_contexts
    return context_sums(contexts, correct, n), context_sums(contexts, np.ones(len(contexts)), n)
