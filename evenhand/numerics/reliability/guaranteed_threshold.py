"""A threshold of sureness that keeps the errors among answered comparisons below a limit, with a guarantee.

It follows Learn then Test [Angelopoulos2025] with tests by betting [WaudbySmith2024]. The contexts are split at random.
The smaller part orders the thresholds, and the larger part tests them one after the other until one fails. Contexts
are the observations: comparisons of one context may depend on each other in any way.

The risk of a threshold is E[share of wrong answers in a context] / E[share of answers in a context], over contexts
drawn like those of the dataset. With the stated confidence, the risk of the returned threshold is at most alpha.
"""

from dataclasses import dataclass

import numpy as np

from evenhand.numerics.accuracy import NO_TRUTH, why_no_preference
from evenhand.numerics.arrays import BoolArray, FloatArray, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import share_figure

ORDERING_SHARE = 0.2
"""Share of the contexts that order the thresholds."""
SPLITTING_SEED = 20260601
THRESHOLD_SHARES = tuple(number / 20 for number in range(1, 20))
"""Thresholds answer about these shares of the comparisons. Another one, 0, answers all."""
LARGEST_BET = 0.9
"""Largest share of the capital that one wrong context may take."""
MOST_CONTEXTS = 1_000_000


class NoGuarantee(Undefined):
    """No threshold has the guarantee. contexts: number of contexts that would be needed; None if no number helps."""

    def __init__(self, reason: str, contexts: int | None = None) -> None:
        super().__init__(reason)
        self.contexts = contexts


@dataclass(frozen=True, slots=True)
class GuaranteedThreshold:
    """The most lenient threshold whose risk is at most alpha, with the stated confidence.

    threshold: comparisons with at least this sureness are answered.
    answered: share of comparisons that are answered, of those with a human preference on the testing contexts.
    error: share of wrong answers there; a tie is half wrong.
    """

    threshold: float
    answered: Figure
    error: Figure
    ordering_contexts: int
    testing_contexts: int


def guaranteed_threshold(
    comparisons: Comparisons, right: FloatArray, sureness: FloatArray, *, alpha: float, confidence: float
) -> GuaranteedThreshold:
    """Return the most lenient threshold that passes its test.

    right: float, (n,), from `human_preferences`; NaN is left out. sureness: float, (n,); NaN is never answered.
    alpha, confidence: between 0 and 1.

    Raises NoGuarantee, with the number of contexts that would do.
    """
    known = ~np.isnan(right)
    if not known.any():
        raise NoGuarantee(why_no_preference(comparisons))
    of_known, right, sureness = comparisons.select(known), right[known], np.nan_to_num(sureness[known], nan=-1.0)
    wrong = np.abs(decide(of_known.p_first) - right)
    for_ordering = ordering_contexts(of_known)
    require_contexts(int(np.unique(of_known.contexts).size), alpha, confidence)
    ordering = for_ordering[of_known.contexts]
    losses = _Losses(of_known, wrong, sureness, alpha)
    thresholds = _ordered_thresholds(losses, ordering, confidence)
    passed = None
    for threshold in thresholds:
        if log_capital(losses.excess(threshold, ~ordering), alpha, confidence) < -np.log(1 - confidence):
            break
        passed = threshold
    if passed is None:
        raise _nothing_passed(losses, thresholds[0], ordering, confidence)
    answered, error = _shares(losses, passed, ~ordering)
    n_ordering, n_testing = (np.unique(of_known.contexts[part]).size for part in (ordering, ~ordering))
    return GuaranteedThreshold(passed, answered, error, n_ordering, n_testing)


@dataclass(frozen=True, slots=True, eq=False)
class _Losses:
    """wrong: float, (n,): 1, 1/2 or 0. sureness: float, (n,); -1 if unknown."""

    comparisons: Comparisons
    wrong: FloatArray
    sureness: FloatArray
    alpha: float

    def excess(self, threshold: float, chosen: BoolArray) -> FloatArray:
        """Return mean(answered (wrong - alpha)) of each context with chosen comparisons, in a random order.

        Each is in [-alpha, 1 - alpha]. Their mean is at most 0 if and only if the risk is at most alpha.
        """
        values = np.where(self.sureness >= threshold, self.wrong - self.alpha, 0.0)
        return means_of_contexts(self.comparisons, values, chosen)


def means_of_contexts(comparisons: Comparisons, values: FloatArray, chosen: BoolArray) -> FloatArray:
    """Return the mean of the chosen values in each context that has some, in a random order. values: float, (n,)."""
    contexts, number = comparisons.contexts[chosen], comparisons.n_contexts
    sizes = sums(contexts, np.ones(len(contexts)), number)
    order = np.random.default_rng(SPLITTING_SEED).permutation(number)
    return (sums(contexts, values[chosen], number) / np.maximum(sizes, 1))[order][sizes[order] > 0]


def contexts_without_errors(alpha: float, confidence: float) -> int:
    """Return the number of contexts that give the guarantee if every answer is right."""
    low, high = 0, 1
    while _without_errors(high, alpha, confidence):
        low, high = high, 2 * high
        if low > MOST_CONTEXTS:
            break
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _without_errors(middle, alpha, confidence) else (low, middle)
    return int(np.ceil(high / (1 - ORDERING_SHARE)))


def _without_errors(number: int, alpha: float, confidence: float) -> bool:
    """Return True if this number of testing contexts is too small even without an error."""
    return log_capital(np.full(number, -alpha), alpha, confidence) < -np.log(1 - confidence)


def require_contexts(number: int, alpha: float, confidence: float) -> None:
    needed = contexts_without_errors(alpha, confidence)
    if number < needed:
        found, are = ("1 context", "is") if number == 1 else (f"{number} contexts", "are")
        raise NoGuarantee(
            f"{found} with a human preference {are} too few for any threshold, even without an error; "
            f"{needed} would do, if no answer is wrong",
            needed,
        )


def ordering_contexts(comparisons: Comparisons) -> BoolArray:
    """Draw the contexts that order the thresholds, (n_contexts,)."""
    contexts = np.unique(comparisons.contexts)
    number = int(len(contexts) * ORDERING_SHARE)
    chosen = np.random.default_rng(SPLITTING_SEED + 1).choice(contexts, number, replace=False)
    ordering = np.zeros(comparisons.n_contexts, dtype=bool)
    ordering[chosen] = True
    return ordering


def _ordered_thresholds(losses: _Losses, ordering: BoolArray, confidence: float) -> list[float]:
    """Return the threshold whose test is most likely to pass by the ordering contexts, then the more lenient ones."""
    sureness = losses.sureness[ordering]
    known = sureness[sureness >= 0]
    if not len(known):
        raise NoGuarantee("no comparison has this measure of sureness")
    quantiles = {float(np.quantile(known, 1 - share, method="lower")) for share in THRESHOLD_SHARES}
    strictest_first = sorted({0.0, *quantiles}, reverse=True)
    testing = np.unique(losses.comparisons.contexts[~ordering]).size
    capitals = [
        log_capital(np.resize(losses.excess(threshold, ordering), testing), losses.alpha, confidence)
        for threshold in strictest_first
    ]
    best = len(capitals) - 1 - int(np.argmax(capitals[::-1]))  # of equally good ones, the most lenient
    return strictest_first[best:]


def log_capital(excess: FloatArray, alpha: float, confidence: float) -> float:
    """Return the largest logarithm of the capital of a gambler who bets that the mean is below 0.

    With a mean of 0 or above, the capital ever reaches 1 / (1 - confidence) with probability 1 - confidence at most.
    Each bet depends on the earlier values only.
    """
    gains = -excess
    seen = np.arange(1, len(gains) + 1)
    means = np.cumsum(gains) / (seen + 1)
    variances = (np.cumsum((gains - means) ** 2) + 0.25) / (seen + 1)
    before = np.concatenate([[0.25], variances[:-1]])
    bets = np.sqrt(-2 * np.log(1 - confidence) / (len(gains) * before))
    capped = np.minimum(bets, LARGEST_BET / (1 - alpha))
    return float(np.cumsum(np.log1p(capped * gains)).max())


def _nothing_passed(losses: _Losses, threshold: float, ordering: BoolArray, confidence: float) -> NoGuarantee:
    """Describe why the first test failed: too many errors, or too few contexts."""
    answered = losses.sureness >= threshold
    share = float(losses.wrong[answered].mean()) if answered.any() else 1.0
    return no_guarantee(share, losses.excess(threshold, np.ones_like(ordering)), losses.alpha, confidence)


def no_guarantee(share: float, excess: FloatArray, alpha: float, confidence: float) -> NoGuarantee:
    """Describe why the first test failed. share: of wrong answers. excess: of each context, in the order of bets."""
    if excess.mean() >= 0:
        return NoGuarantee(
            f"even of the answers that seem safest, {100 * share:.1f} % are wrong; no number of contexts gives the "
            f"guarantee below that share, so give a larger alpha"
        )
    needed = contexts_like(excess, alpha, confidence)
    return NoGuarantee(
        f"{100 * share:.1f} % of the answers that seem safest are wrong, and {len(excess)} contexts are too few to "
        f"show that this is below {100 * alpha:g} %; about {needed:,} contexts like these would do",
        needed,
    )


def contexts_like(excess: FloatArray, alpha: float, confidence: float) -> int:
    """Return the number of contexts like these that would give the guarantee, to the next power of 5/4."""
    number = float(len(excess))
    while number < MOST_CONTEXTS:
        number *= 1.25
        testing = np.resize(excess, int(number * (1 - ORDERING_SHARE)))
        if log_capital(testing, alpha, confidence) >= -np.log(1 - confidence):
            break
    return int(number)


def answered_and_wrong(
    comparisons: Comparisons, right: FloatArray, sureness: FloatArray, threshold: float
) -> tuple[Figure, Figure]:
    """Return the share of answered comparisons, and the share of wrong answers among them; a tie is half wrong.

    Every comparison with a human preference counts once. right, sureness: as in `guaranteed_threshold`.
    """
    known = ~np.isnan(right)
    of_known = comparisons.select(known)
    wrong = np.abs(decide(of_known.p_first) - right[known])
    losses = _Losses(of_known, wrong, np.nan_to_num(sureness[known], nan=-1.0), alpha=0.0)
    return _shares(losses, threshold, np.ones(len(of_known), dtype=bool))


def _shares(losses: _Losses, threshold: float, chosen: BoolArray) -> tuple[Figure, Figure]:
    """Return the shares of answered and of wrong comparisons, among the chosen ones."""
    contexts, number = losses.comparisons.contexts, losses.comparisons.n_contexts
    answered = chosen & (losses.sureness >= threshold)
    asked = sums(contexts[chosen], np.ones(int(chosen.sum())), number)
    answers = sums(contexts[answered], np.ones(int(answered.sum())), number)
    wrong = sums(contexts[answered], losses.wrong[answered], number)
    return share_figure(answers, asked, if_empty=NO_TRUTH), share_figure(wrong, answers, if_empty=NO_TRUTH)
