"""`CheckedRun`: the answers that trust checks read. `Finding`: the result of one."""

from dataclasses import dataclass
from typing import Literal

from evenhand.numerics.arrays import BoolArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.counted_comparisons import Judged
from evenhand.numerics.figure import Figure
from evenhand.numerics.votes import Votes

NO_COMPARISON = "no comparison has an answer"
CheckState = Literal["passed", "failed", "cannot tell", "note", "not applicable"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CheckedRun:
    """The answers of a run, for its checks.

    comparisons: the answered ones; of a run that scores, the higher of each two scores.
    judged: the comparisons that count in accuracies. order_agreement: of the run.
    answered, unparsed, errors: numbers of questions. chosen: comparisons of pairs that the run chose by its answers.
    label_mass: mean probability on the label words.
    steering: bool, (n_candidates,). True for texts with a label word, a verdict or an instruction to a judge.
    """

    comparisons: Comparisons
    judged: Judged
    order_agreement: Figure
    label_mass: Figure
    votes: Votes
    steering: BoolArray
    answered: int
    unparsed: int
    errors: int
    chosen: int = 0
    is_scoring: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of one check.

    state: "failed" only if the figures should be doubted; "note" for a fact worth knowing; "cannot tell" if there are
    too few answers or contexts. value: number compared with the limit, with its interval; None if not applicable.
    why: a sentence with the counts. limit: where it depends on the run. needed: contexts that would decide.
    no_interval: why the value has no interval here, in a check that has one.
    """

    state: CheckState
    value: float | None
    why: str
    low: float | None = None
    high: float | None = None
    limit: float | None = None
    needed: int | None = None
    no_interval: str | None = None


def share_found(
    part: int, whole: int, why: str, if_none: str, *, holds: bool, otherwise: CheckState = "failed"
) -> Finding | str:
    """Return a share of a whole, or the reason why there is none. holds: the check passes."""
    return Finding("passed" if holds else otherwise, part / whole, why) if whole else if_none
