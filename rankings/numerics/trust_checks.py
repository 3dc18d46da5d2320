"""What should hold before a run's scores are believed, each checked with its numbers."""

from dataclasses import dataclass

import numpy as np

from rankings.numerics.accuracy import both_orders
from rankings.numerics.arrays import counts
from rankings.numerics.batches import connected_contexts
from rankings.numerics.comparisons import Comparisons, decide
from rankings.numerics.votes import Votes

FEWEST_COMPARISONS = 3
LARGEST_FAILURE_SHARE = 0.01
FEWEST_RATERS = 2


@dataclass(frozen=True, slots=True)
class Check:
    """One condition. passed: None where it could not be checked. detail: a sentence with the numbers."""

    name: str
    passed: bool | None
    detail: str


def trust_checks(comparisons: Comparisons, *, unparsed: int, errors: int, votes: Votes | None = None) -> list[Check]:
    """The checks of a run: comparisons are its answered ones, unparsed and errors count the others."""
    return [
        _enough_comparisons(comparisons),
        _connected(comparisons),
        _won_and_lost(comparisons),
        _few_failures(len(comparisons), unparsed + errors),
        _both_orders(comparisons),
        _human_overlap(comparisons, votes),
    ]


def _enough_comparisons(comparisons: Comparisons) -> Check:
    n = comparisons.n_candidates
    seen = (counts(comparisons.first, n) + counts(comparisons.second, n))[comparisons.compared]
    few = int((seen < FEWEST_COMPARISONS).sum())
    detail = f"{few} of {len(seen)} compared candidates have fewer than {FEWEST_COMPARISONS} comparisons"
    return Check("enough comparisons per candidate", few == 0 if len(seen) else None, detail)


def _connected(comparisons: Comparisons) -> Check:
    recorded = np.unique(comparisons.contexts)
    apart = int((~connected_contexts(comparisons)[recorded]).sum())
    detail = f"in {apart} of {len(recorded)} contexts the comparisons do not connect all compared candidates"
    return Check("comparisons connected", apart == 0 if len(recorded) else None, detail)


def _won_and_lost(comparisons: Comparisons) -> Check:
    decisions, n = decide(comparisons.p_first), comparisons.n_candidates
    won, lost = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    for winner, loser, side in (
        (comparisons.first, comparisons.second, decisions == 1),
        (comparisons.second, comparisons.first, decisions == 0),
    ):
        won[winner[side]] = True
        lost[loser[side]] = True
    compared = comparisons.compared
    one_sided = int((compared & ~(won & lost)).sum())
    detail = f"{one_sided} of {int(compared.sum())} compared candidates never won or never lost"
    return Check("every candidate won and lost", one_sided == 0 if compared.any() else None, detail)


def _few_failures(answered: int, failed: int) -> Check:
    asked = answered + failed
    detail = f"{failed} of {asked} comparisons have no answer; at most {LARGEST_FAILURE_SHARE:.0%} is good"
    return Check("few failures", failed <= LARGEST_FAILURE_SHARE * asked if asked else None, detail)


def _both_orders(comparisons: Comparisons) -> Check:
    pairs = len(np.unique(comparisons.pair_keys))
    twice = len(both_orders(comparisons)[0])
    detail = f"{twice} of {pairs} compared pairs have answers in both orders"
    return Check("both orders present", twice == pairs if pairs else None, detail)


def _human_overlap(comparisons: Comparisons, votes: Votes | None) -> Check:
    name = "pairs with several human raters"
    if votes is None or not len(votes):
        return Check(name, None, "there are no votes")
    rater_and_pair = np.unique(np.stack([votes.comparisons.pair_keys, votes.raters]), axis=1)
    pairs, raters = np.unique(rater_and_pair[0], return_counts=True)
    shared = np.isin(pairs, comparisons.pair_keys)
    several = int((raters[shared] >= FEWEST_RATERS).sum())
    detail = (
        f"{several} of the {int(shared.sum())} pairs that both the judge and people compared "
        f"have {FEWEST_RATERS} or more raters"
    )
    return Check(name, several > 0, detail)
