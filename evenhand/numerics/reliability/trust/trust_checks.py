"""Conditions that should hold before a run's figures are believed. judge_checks.py has those on how a judge decides."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from evenhand.numerics.arrays import IntArray, counts
from evenhand.numerics.fitting.batches import connected_contexts
from evenhand.numerics.intervals import FEWEST_CONTEXTS, FEWEST_DRAWN
from evenhand.numerics.rankings.registry import rankings_with_chosen_pairs
from evenhand.numerics.reliability.label_mass import LEAST_LABEL_MASS
from evenhand.numerics.reliability.trust.judge_checks import (
    MOST_ALIKE,
    better_than_constant,
    both_orders_present,
    order_beyond_position,
    varied_answers,
)
from evenhand.numerics.reliability.trust.trust_findings import (
    NO_COMPARISON,
    CheckedRun,
    CheckState,
    Finding,
    share_found,
)
from evenhand.numerics.votes import Votes

LARGEST_FAILURE_SHARE = 0.01
FEWEST_RATERS = 2
NO_PAIRS = "a run that scores candidates one by one shows no pair"


@dataclass(frozen=True, slots=True)
class CheckDefinition:
    """One check: its title on pages, and how a run is checked.

    limit: the value is compared with it; None where it depends on the run.
    find: returns what was found, or the reason why the check does not apply. of_pairs: not of runs that score.
    has_interval: of the value.
    """

    title: str
    limit: float | None
    find: Callable[[CheckedRun], Finding | str]
    of_pairs: bool = False
    has_interval: bool = False

    def finding(self, run: CheckedRun) -> Finding:
        """Check a run."""
        found = NO_PAIRS if self.of_pairs and run.is_scoring else self.find(run)
        if isinstance(found, str):
            return Finding("not applicable", None, found, limit=self.limit)
        return replace(found, limit=self.limit) if found.limit is None else found


def _varied(run: CheckedRun) -> Finding | str:
    right = run.judged.right[: len(run.comparisons)]  # those with an answer come first
    return varied_answers(run.comparisons, right, run.order_agreement, is_scoring=run.is_scoring)


def _enough_contexts(run: CheckedRun) -> Finding | str:
    n = int(np.count_nonzero(counts(run.comparisons.contexts, run.comparisons.n_contexts)))
    if not n:
        return NO_COMPARISON
    why = f"the answers are on {n:,} context{'' if n == 1 else 's'}; from {FEWEST_DRAWN} on, intervals are of use"
    return Finding("failed" if n < FEWEST_CONTEXTS else "note" if n < FEWEST_DRAWN else "passed", n, why)


def _connected(run: CheckedRun) -> Finding | str:
    comparisons = run.comparisons
    recorded = counts(comparisons.contexts, comparisons.n_contexts) > 0
    n, whole = int(recorded.sum()), int(connected_contexts(comparisons)[recorded].sum())
    why = f"in {whole} of {n} contexts the comparisons connect all compared candidates"
    return share_found(whole, n, why, NO_COMPARISON, holds=whole == n)


def _chosen(run: CheckedRun) -> Finding | str:
    """Check that pairs were not chosen by answers: then winners meet winners, and win less often than at random."""
    why = f"{run.chosen} of {len(run.comparisons)} comparisons are of pairs that the run chose by its answers"
    if run.chosen:
        distorted, sound = (
            [ranking.name for ranking in rankings_with_chosen_pairs(behaviour)] for behaviour in ("distorted", "sound")
        )
        why += f", which distorts {' and '.join(distorted)}; prefer {', '.join(sound)}"
    return share_found(run.chosen, len(run.comparisons), why, NO_COMPARISON, holds=not run.chosen)


def _failures(kind: str, what: str) -> Callable[[CheckedRun], Finding | str]:
    def find(run: CheckedRun) -> Finding | str:
        failed = getattr(run, kind)
        asked = run.answered + run.unparsed + run.errors
        noun = "scores" if run.is_scoring else "comparisons"
        why = f"{failed} of {asked} {noun} {what}; at most {LARGEST_FAILURE_SHARE:.0%} is good"
        holds = failed / max(asked, 1) <= LARGEST_FAILURE_SHARE
        return share_found(failed, asked, why, "nothing was asked", holds=holds)

    return find


def _label_mass(run: CheckedRun) -> Finding | str:
    mass = run.label_mass
    if mass.value is None:
        return mass.undefined or ""
    why = f"on average {mass.value:.0%} of the probability of an answer fell on the label words"
    state: CheckState = "note" if mass.value < LEAST_LABEL_MASS else "passed"
    return Finding(state, mass.value, why, mass.low, mass.high, no_interval=mass.undefined)


def _overlap(run: CheckedRun) -> Finding | str:
    """Check that people voted on pairs of the judge. Fewer than FEWEST_RATERS people a pair are a note."""
    votes = run.votes
    if not len(votes):
        return "there are no votes"
    pairs, raters = votes.once("raters_of_pairs", lambda: _raters_of_pairs(votes))
    shared = np.isin(pairs, run.comparisons.pair_keys)
    n = int(shared.sum())
    why = f"{n} of the {len(pairs)} pairs that people voted on were compared by the judge"
    if not n:
        return Finding("failed", 0.0, why)
    mean = float(raters[shared].mean())
    few = "; how far people agree with each other cannot be seen from one vote a pair" if mean == 1 else ""
    return Finding("passed" if mean >= FEWEST_RATERS else "note", mean, f"{why}, with {mean:.3g} people a pair{few}")


def _raters_of_pairs(votes: Votes) -> tuple[IntArray, IntArray]:
    """Return the unordered pairs with votes, as `Comparisons.pair_keys`, and how many people voted on each."""
    pairs_of_raters = np.unique(np.stack([votes.comparisons.pair_keys, votes.raters]), axis=1)[0]
    pairs, raters = np.unique(pairs_of_raters, return_counts=True)
    return pairs, raters


def _steering(run: CheckedRun) -> Finding | str:
    """Note texts that may steer the judge. The value is their number."""
    compared = run.comparisons.compared
    n, total = int((compared & run.steering).sum()), int(compared.sum())
    verb = "has" if n == 1 else "have"
    why = f"{n} of {total} compared texts {verb} a label word, verdict or instruction to a judge"
    return Finding("note" if n else "passed", n, why) if total else NO_COMPARISON


CHECKS: Mapping[str, CheckDefinition] = MappingProxyType(
    {
        "varied-answers": CheckDefinition("varied answers", MOST_ALIKE, _varied),
        "better-than-constant": CheckDefinition(
            "better than a constant judge", 0.0, better_than_constant, has_interval=True
        ),
        "order-beyond-position": CheckDefinition(
            "order agreement beyond position", None, order_beyond_position, of_pairs=True, has_interval=True
        ),
        "enough-contexts": CheckDefinition("enough contexts", FEWEST_DRAWN, _enough_contexts),
        "connected": CheckDefinition("comparisons connected", 1.0, _connected, of_pairs=True),
        "both-orders": CheckDefinition("both orders present", 1.0, both_orders_present, of_pairs=True),
        "chosen-by-answers": CheckDefinition("pairs not chosen by answers", 0.0, _chosen, of_pairs=True),
        "unparsed": CheckDefinition(
            "few unparsed answers", LARGEST_FAILURE_SHARE, _failures("unparsed", "could not be parsed")
        ),
        "errors": CheckDefinition("few errors", LARGEST_FAILURE_SHARE, _failures("errors", "failed with an error")),
        "label-mass": CheckDefinition(
            "probability on the label words", LEAST_LABEL_MASS, _label_mass, has_interval=True
        ),
        "human-overlap": CheckDefinition("enough human overlap", FEWEST_RATERS, _overlap),
        "steering": CheckDefinition("no steering texts", 0.0, _steering),
    }
)
"""name -> check, in the order of reports."""
