"""Conditions that should hold before a run's figures are believed."""

from dataclasses import dataclass

import numpy as np

from rankings.numerics.arrays import BoolArray, IntArray, counts
from rankings.numerics.comparisons import Comparisons
from rankings.numerics.decisions import decide
from rankings.numerics.fitting.batches import connected_contexts
from rankings.numerics.rankings.registry import rankings_with_chosen_pairs
from rankings.numerics.votes import Votes

LARGEST_FAILURE_SHARE = 0.01
FEWEST_RATERS = 2
GOOD_FAILURE_SHARE = f"at most {LARGEST_FAILURE_SHARE:.0%} is good"
NO_COMPARISON = "no comparison has an answer"
NOTHING_ASKED = "nothing was asked"
NO_VOTES = "there are no votes"
ONLY_PAIRS = "no context has three compared candidates; of two, one may well win always"


@dataclass(frozen=True, slots=True)
class TrustCondition:
    """One checked condition.

    name: one of `CHECKS`. passed: None if not applicable. value: number compared with the limit; None if not
    applicable. why: a sentence with the counts.
    """

    name: str
    passed: bool | None
    value: float | None
    limit: float
    why: str

    @classmethod
    def not_applicable(cls, name: str, why: str) -> "TrustCondition":
        """Return a condition that does not apply to these data, with the reason."""
        return cls(name, None, None, LIMITS[name], why)


LIMITS = {
    "connected": 1.0,
    "won-and-lost": 1.0,
    "unparsed": LARGEST_FAILURE_SHARE,
    "errors": LARGEST_FAILURE_SHARE,
    "both-orders": 1.0,
    "chosen-by-answers": 0.0,
    "human-overlap": float(FEWEST_RATERS),
}
CHECKS = tuple(LIMITS)
ORDER_CHECKS = ("connected", "won-and-lost", "both-orders", "chosen-by-answers")
AT_MOST = ("unparsed", "errors", "chosen-by-answers")
"""Checks whose value may not be above the limit; the others' may not be below."""


def order_checks(comparisons: Comparisons, *, pairs_twice: int, chosen: int) -> list[TrustCondition]:
    """Whether the comparisons of a run carry any ranking, and show its position bias.

    pairs_twice: how many unordered pairs have answers in both orders. chosen: how many comparisons are of pairs that
    earlier answers of the run led to.
    """
    return [
        _connected(comparisons),
        _won_and_lost(comparisons),
        _both_orders(len(comparisons), pairs_twice),
        _chosen(chosen, len(comparisons)),
    ]


def failure_checks(*, answered: int, unparsed: int, errors: int, noun: str) -> list[TrustCondition]:
    """Whether few answers were unparsed, and few questions failed. noun: what is counted, such as "comparisons"."""
    asked = answered + unparsed + errors
    return [
        _share(
            "unparsed",
            unparsed,
            asked,
            f"{unparsed} of {asked} {noun} could not be parsed; {GOOD_FAILURE_SHARE}",
            NOTHING_ASKED,
        ),
        _share(
            "errors",
            errors,
            asked,
            f"{errors} of {asked} {noun} failed with an error; {GOOD_FAILURE_SHARE}",
            NOTHING_ASKED,
        ),
    ]


def overlap_check(comparisons: Comparisons, votes: Votes) -> TrustCondition:
    """Whether the pairs that both the judge and people compared have several raters, in the mean."""
    name = "human-overlap"
    if not len(votes):
        return TrustCondition.not_applicable(name, NO_VOTES)
    pairs, raters = raters_of_pairs(votes)
    shared = np.zeros(len(pairs), dtype=bool)
    keys = comparisons.pair_keys
    places = np.minimum(np.searchsorted(pairs, keys), len(pairs) - 1)
    shared[places[pairs[places] == keys]] = True
    n = int(shared.sum())
    mean = float(raters[shared].mean()) if n else 0.0
    why = f"{n} of the {len(pairs)} pairs that people voted on were compared by the judge"
    return _held(name, mean, f"{why}, with {mean:.3g} people a pair; {FEWEST_RATERS} or more are good" if n else why)


def raters_of_pairs(votes: Votes) -> tuple[IntArray, IntArray]:
    """The unordered pairs that were voted on, as `Comparisons.pair_keys`, and how many people voted on each."""
    rater_and_pair = np.unique(np.stack([votes.comparisons.pair_keys, votes.raters]), axis=1)
    pairs, raters = np.unique(rater_and_pair[0], return_counts=True)
    return pairs, raters


def _connected(comparisons: Comparisons) -> TrustCondition:
    recorded = counts(comparisons.contexts, comparisons.n_contexts) > 0
    n, whole = int(recorded.sum()), int(connected_contexts(comparisons)[recorded].sum())
    why = f"in {whole} of {n} contexts the comparisons connect all compared candidates"
    return _share("connected", whole, n, why, NO_COMPARISON)


def _won_and_lost(comparisons: Comparisons) -> TrustCondition:
    """A candidate of two is left out: where a judge is sure of one pair, one wins always."""
    decisions, n = decide(comparisons.p_first), comparisons.n_candidates
    first, second = comparisons.first, comparisons.second
    won = _marked(n, first[decisions == 1], second[decisions == 0])
    lost = _marked(n, second[decisions == 1], first[decisions == 0])
    compared = comparisons.compared
    sizes = counts(comparisons.candidate_contexts[compared], comparisons.n_contexts)
    counted = compared & (sizes > 2)[comparisons.candidate_contexts]
    both, total = int((counted & won & lost).sum()), int(counted.sum())
    why = f"{both} of {total} compared candidates both won and lost"
    return _share("won-and-lost", both, total, why, ONLY_PAIRS if len(comparisons) else NO_COMPARISON)


def _both_orders(compared: int, twice: int) -> TrustCondition:
    pairs = compared - twice
    why = f"{twice} of {pairs} compared pairs have answers in both orders"
    return _share("both-orders", twice, pairs, why, NO_COMPARISON)


def _chosen(chosen: int, compared: int) -> TrustCondition:
    """Candidates that win are then compared with others that win, and win less often than at random."""
    why = f"{chosen} of {compared} comparisons are of pairs that the run chose by its answers"
    if chosen:
        distorted, sound = (
            [ranking.name for ranking in rankings_with_chosen_pairs(behaviour)] for behaviour in ("distorted", "sound")
        )
        why += f", which distorts {' and '.join(distorted)}; prefer {', '.join(sound)}"
    return _share("chosen-by-answers", chosen, compared, why, NO_COMPARISON)


def _marked(n: int, *members: IntArray) -> BoolArray:
    marked = np.zeros(n, dtype=bool)
    marked[np.concatenate(members)] = True
    return marked


def _share(name: str, part: int, whole: int, why: str, if_none: str) -> TrustCondition:
    return _held(name, part / whole, why) if whole else TrustCondition.not_applicable(name, if_none)


def _held(name: str, value: float, why: str) -> TrustCondition:
    limit = LIMITS[name]
    return TrustCondition(name, value <= limit if name in AT_MOST else value >= limit, value, limit, why)
