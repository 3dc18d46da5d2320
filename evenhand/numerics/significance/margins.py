"""Verdicts on a difference by a margin that is chosen beforehand: non-inferiority and equivalence [Schuirmann1987]."""

from typing import Literal, get_args

Verdict = Literal["better", "same", "not worse", "worse", "undecided"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


def verdict_by_margin(low: float | None, high: float | None, margin: float) -> Verdict:
    """Return the verdict on new minus old, from its interval and the margin, a loss that is still acceptable.

    better: the whole interval is above the margin. worse: it is below minus the margin. same: it is between the two.
    not worse: it is above minus the margin. undecided: none of these, or there is no interval.
    margin: above 0.
    """
    if low is None or high is None:
        return "undecided"
    if low > margin:
        return "better"
    if high < -margin:
        return "worse"
    if low > -margin:
        return "same" if high < margin else "not worse"
    return "undecided"
