"""Trust checks on how a judge decides: always alike, no better than a constant, by position alone."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from evenhand.numerics.accuracy import (
    NO_PAIR_TWICE,
    both_orders,
    context_credits,
    first_share,
    why_no_preference,
)
from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import GUARD_OF_DIFFERENCES, Spread, contexts_needed
from evenhand.numerics.reliability.trust.trust_findings import (
    NO_COMPARISON,
    CheckedRun,
    CheckState,
    Finding,
    share_found,
)

MOST_ALIKE, FEWEST_DECISIONS = 0.975, 20
ONE_SIDED_PEOPLE = 0.9
"""Share of preferences for one side from which on a judge that always chooses it may be right."""
SMALL_LEAD, SMALL_STEP = 0.05, 0.1
LARGEST_BIAS, MOST_ONE_SIDED = 0.1, 0.01
CONSTANTS: Mapping[float, str] = MappingProxyType({1.0: "the first text", 0.0: "the second text", 0.5: "a tie"})
"""decision -> what a judge always chooses."""


def varied_answers(
    comparisons: Comparisons, right: FloatArray, order_agreement: Figure, *, is_scoring: bool
) -> Finding | str:
    """Check that a judge does not always give one answer. A run that scores may only always tie.

    right: float, (n,), from `human_preferences`. The others are as in `CheckedRun`.
    """
    decisions, n = decide(comparisons.p_first), len(comparisons)
    if not n:
        return NO_COMPARISON
    same = {one: int((decisions == one).sum()) for one in _constants(is_scoring)}
    constant = max(same, key=lambda one: same[one])
    share = same[constant] / n
    chose = f"chose {CONSTANTS[constant]}" if not is_scoring else "gave both texts the same score"
    why = f"the judge {chose} in {same[constant]:,} of {n:,} {'pairs' if is_scoring else 'decisions'}"
    if n < FEWEST_DECISIONS:
        return Finding("cannot tell", share, f"{why}; {FEWEST_DECISIONS} decisions are the least to say so")
    if share < MOST_ALIKE:
        return Finding("passed", share, why)
    if constant != 0.5 and not order_agreement.n and _people_prefer(right, constant):
        return Finding("cannot tell", share, f"{why}, each pair in one order; the better text may always be there")
    return Finding("failed", share, f"{why}: they carry nothing")


def _people_prefer(right: FloatArray, side: float) -> bool:
    """Return True if people, where there are any, prefer one side in nearly all comparisons."""
    known = right[~np.isnan(right)]
    return not len(known) or bool(np.mean(known == side) >= ONE_SIDED_PEOPLE)


def _constants(is_scoring: bool) -> tuple[float, ...]:
    return (0.5,) if is_scoring else tuple(CONSTANTS)


def better_than_constant(run: CheckedRun) -> Finding | str:
    """Check that a judge agrees with people more often than the best constant judge on the same comparisons."""
    comparisons, right = run.judged.comparisons, run.judged.right
    correct, counted = context_credits(comparisons, right)
    if not counted.any():
        return why_no_preference(comparisons)
    firsts, _ = context_credits(comparisons, right, np.ones(len(right)))
    of_constants = {1.0: firsts, 0.0: counted - firsts, 0.5: counted / 2}
    best = max(_constants(run.is_scoring), key=lambda one: of_constants[one].sum())
    spread = Spread.of((correct - of_constants[best])[:, None], counted[:, None], GUARD_OF_DIFFERENCES)
    value, [(low, high)] = float(spread.values[0]), spread.student(-1, 1)
    state: CheckState = "cannot tell"
    if low is not None and low > 0:
        state = "passed"
    elif high is not None and value <= 0 and high < SMALL_LEAD:
        state = "failed"
    needed = contexts_needed(spread) if state == "cannot tell" else None
    why = f"accuracy {_than(value)} that of a judge that always chooses {CONSTANTS[best]}"
    if low is not None and high is not None:
        why += f" (95 % CI {100 * low:.1f} to {100 * high:.1f})"
    if needed:
        why += f"; about {needed:,} contexts like these would show that it is better"
    return Finding(state, value, why, low, high, needed=needed, no_interval=spread.why_not()[0])


def _than(value: float) -> str:
    return f"is {100 * abs(value):.1f} points {'higher' if value > 0 else 'lower'} than" if value else "equals"


def order_beyond_position(run: CheckedRun) -> Finding | str:
    """Check that outcomes survive a swap more often than those of a judge that sees the position alone."""
    forward, reverse = both_orders(run.comparisons)
    if not len(forward):
        return NO_PAIR_TWICE
    same, blind = run.order_agreement, _blind_agreement(decide(run.comparisons.p_first[np.append(forward, reverse)]))
    state: CheckState = "cannot tell"
    if same.low is not None and same.low > blind:
        state = "passed"
    elif same.high is not None and same.high < blind + SMALL_STEP:
        state = "failed"
    why = (
        f"{same.value:.0%} of pairs keep their outcome in the other order; {blind:.0%} would with the same shares of "
        "answers and no look at the texts"
    )
    return Finding(state, same.value, why, same.low, same.high, limit=blind, no_interval=same.undefined)


def _blind_agreement(decisions: FloatArray) -> float:
    """Return the order agreement of a judge that draws its answers from the shares of these decisions."""
    first, second, tie = (float(np.mean(decisions == one)) for one in CONSTANTS)
    return 2 * first * second + tie**2


def both_orders_present(run: CheckedRun) -> Finding | str:
    """Check that position bias cancels out. One order fails only where the judge is shown to be biased."""
    twice = run.order_agreement.n or 0
    pairs = len(run.comparisons) - twice
    why = f"{twice} of {pairs} compared pairs have answers in both orders"
    bias = first_share(run.comparisons)
    if bias.value is None or twice == pairs:
        return share_found(twice, pairs, why, NO_COMPARISON, holds=True)
    is_biased = abs(bias.value - 0.5) > LARGEST_BIAS and bias.low is not None and bias.high is not None
    is_sure = is_biased and not (bias.low or 0) <= 0.5 <= (bias.high or 0)
    otherwise: CheckState = "failed" if is_sure and pairs - twice > MOST_ONE_SIDED * pairs else "note"
    return share_found(twice, pairs, f"{why}, and P(first) is {bias.value:.0%}", "", holds=False, otherwise=otherwise)
