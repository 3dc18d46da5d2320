"""Conditions that should hold before a run's figures are believed."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rankings.numerics.accuracy import first_share
from rankings.numerics.arrays import BoolArray, IntArray, counts
from rankings.numerics.comparisons import Comparisons
from rankings.numerics.decisions import decide
from rankings.numerics.fitting.batches import connected_contexts
from rankings.numerics.rankings.registry import rankings_with_chosen_pairs
from rankings.numerics.votes import Votes

LARGEST_FAILURE_SHARE = 0.01
FEWEST_RATERS = 2
LARGEST_BIAS_OF_ONE_ORDER = 0.1
"""The largest distance of P(first) from 1/2 at which answers in one order are not doubted."""
LIMITS = {
    "connected": 1.0,
    "won-and-lost": 1.0,
    "unparsed": LARGEST_FAILURE_SHARE,
    "errors": LARGEST_FAILURE_SHARE,
    "both-orders": 1.0,
    "chosen-by-answers": 0.0,
    "human-overlap": float(FEWEST_RATERS),
    "steering": 0.0,
}
CHECKS = tuple(LIMITS)
ORDER_CHECKS = ("connected", "won-and-lost", "both-orders", "chosen-by-answers")
AT_MOST = ("unparsed", "errors", "chosen-by-answers", "steering")
"""Checks whose value may not be above the limit; values of the others may not be below it."""
NO_COMPARISON = "no comparison has an answer"
ONLY_PAIRS = "no context has three compared candidates; of two, one may well win always"


CheckState = Literal["passed", "failed", "note", "not applicable"]


@dataclass(frozen=True, slots=True)
class TrustCondition:
    """One checked condition.

    name: one of `CHECKS`. state: "failed" only if the figures should be doubted; "note" for a fact worth knowing.
    value: number compared with the limit; None if not applicable. why: a sentence with the counts.
    """

    name: str
    state: CheckState
    value: float | None
    limit: float
    why: str

    @classmethod
    def not_applicable(cls, name: str, why: str) -> "TrustCondition":
        """Return a condition that does not apply to these data, with the reason."""
        return cls(name, "not applicable", None, LIMITS[name], why)


def order_checks(comparisons: Comparisons, *, pairs_twice: int, chosen: int) -> list[TrustCondition]:
    """Check that the comparisons of a run can carry a ranking and show its position bias.

    pairs_twice: number of unordered pairs with answers in both orders.
    chosen: number of comparisons on pairs that the run chose by earlier answers.
    """
    return [
        _connected(comparisons),
        _won_and_lost(comparisons),
        _both_orders(comparisons, pairs_twice),
        _chosen(chosen, len(comparisons)),
    ]


def failure_checks(*, answered: int, unparsed: int, errors: int, noun: str) -> list[TrustCondition]:
    """Check that few answers were unparsed and few questions failed. noun: for example "comparisons"."""
    asked = answered + unparsed + errors
    failures = (("unparsed", unparsed, "could not be parsed"), ("errors", errors, "failed with an error"))
    good = f"at most {LARGEST_FAILURE_SHARE:.0%} is good"
    return [
        _share(name, failed, asked, f"{failed} of {asked} {noun} {what}; {good}", "nothing was asked")
        for name, failed, what in failures
    ]


def overlap_check(comparisons: Comparisons, votes: Votes) -> TrustCondition:
    """Check that people voted on pairs of the judge. Fewer than FEWEST_RATERS people a pair are a note."""
    name = "human-overlap"
    if not len(votes):
        return TrustCondition.not_applicable(name, "there are no votes")
    pairs, raters = votes.once("raters_of_pairs", lambda: _raters_of_pairs(votes))
    shared = np.isin(pairs, comparisons.pair_keys)
    n = int(shared.sum())
    mean = float(raters[shared].mean()) if n else 0.0
    why = f"{n} of the {len(pairs)} pairs that people voted on were compared by the judge"
    if not n:
        return TrustCondition(name, "failed", 0.0, LIMITS[name], why)
    few = "; how far people agree with each other cannot be seen from one vote a pair" if mean == 1 else ""
    return _checked(name, mean, f"{why}, with {mean:.3g} people a pair{few}", otherwise="note")


def _raters_of_pairs(votes: Votes) -> tuple[IntArray, IntArray]:
    """Return the unordered pairs with votes, as `Comparisons.pair_keys`, and how many people voted on each."""
    pairs_of_raters = np.unique(np.stack([votes.comparisons.pair_keys, votes.raters]), axis=1)[0]
    pairs, raters = np.unique(pairs_of_raters, return_counts=True)
    return pairs, raters


def steering_check(comparisons: Comparisons, steering: BoolArray) -> TrustCondition:
    """Note texts that may steer the judge. The value is their number.

    steering: bool, (n_candidates,). True for texts with a label word, a verdict or an instruction to a judge.
    """
    compared = comparisons.compared
    if not compared.any():
        return TrustCondition.not_applicable("steering", NO_COMPARISON)
    n, total = int((compared & steering).sum()), int(compared.sum())
    verb = "has" if n == 1 else "have"
    why = f"{n} of {total} compared texts {verb} a label word, verdict or instruction to a judge"
    return _checked("steering", n, why, otherwise="note")


def _connected(comparisons: Comparisons) -> TrustCondition:
    recorded = counts(comparisons.contexts, comparisons.n_contexts) > 0
    n, whole = int(recorded.sum()), int(connected_contexts(comparisons)[recorded].sum())
    why = f"in {whole} of {n} contexts the comparisons connect all compared candidates"
    return _share("connected", whole, n, why, NO_COMPARISON)


def _won_and_lost(comparisons: Comparisons) -> TrustCondition:
    """Note candidates that only won or only lost. Contexts of two are left out: one of two may well win always."""
    decisions, n = decide(comparisons.p_first), comparisons.n_candidates
    first, second = comparisons.first, comparisons.second
    won = _marked(n, first[decisions == 1], second[decisions == 0])
    lost = _marked(n, second[decisions == 1], first[decisions == 0])
    compared = comparisons.compared
    sizes = counts(comparisons.candidate_contexts[compared], comparisons.n_contexts)
    counted = compared & (sizes > 2)[comparisons.candidate_contexts]
    both, total = int((counted & won & lost).sum()), int(counted.sum())
    why = f"{both} of {total} compared candidates both won and lost"
    if both < total:
        why += "; the best and the worst of a context need not do both"
    if_none = ONLY_PAIRS if len(comparisons) else NO_COMPARISON
    return _share("won-and-lost", both, total, why, if_none, otherwise="note")


def _both_orders(comparisons: Comparisons, pairs_twice: int) -> TrustCondition:
    """Check that position bias cancels out. One order is a note of few pairs, or where the judge shows little bias."""
    pairs = len(comparisons) - pairs_twice
    why = f"{pairs_twice} of {pairs} compared pairs have answers in both orders"
    bias = first_share(comparisons).value
    if bias is None or pairs_twice == pairs:
        return _share("both-orders", pairs_twice, pairs, why, NO_COMPARISON)
    is_biased = abs(bias - 0.5) > LARGEST_BIAS_OF_ONE_ORDER
    are_many = pairs - pairs_twice > LARGEST_FAILURE_SHARE * pairs
    why += f", and P(first) is {bias:.0%}"
    otherwise: CheckState = "failed" if is_biased and are_many else "note"
    return _share("both-orders", pairs_twice, pairs, why, NO_COMPARISON, otherwise=otherwise)


def _chosen(chosen: int, compared: int) -> TrustCondition:
    """Check that pairs were not chosen by answers: then winners meet winners, and win less often than at random."""
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


def _share(
    name: str, part: int, whole: int, why: str, if_none: str, *, otherwise: CheckState = "failed"
) -> TrustCondition:
    if not whole:
        return TrustCondition.not_applicable(name, if_none)
    return _checked(name, part / whole, why, otherwise=otherwise)


def _checked(name: str, value: float, why: str, *, otherwise: CheckState = "failed") -> TrustCondition:
    """Return the condition. otherwise: its state if the value is on the wrong side of the limit."""
    limit = LIMITS[name]
    holds = value <= limit if name in AT_MOST else value >= limit
    return TrustCondition(name, "passed" if holds else otherwise, value, limit, why)
