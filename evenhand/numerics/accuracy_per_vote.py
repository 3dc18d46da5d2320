"""Agreement of a judge with single votes, as in the tables of MT-Bench [Zheng2023]."""

import numpy as np

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, counts, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import share_figure
from evenhand.numerics.votes import Votes

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
