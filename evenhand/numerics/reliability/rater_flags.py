"""The flags of how a person votes: when they are raised, and how likely they find somebody who guesses.

A flag is raised only by enough votes and a clear margin, so that few careful people get one by chance.
"""

from dataclasses import dataclass
from itertools import count

import numpy as np
from scipy.special import bdtr, bdtrc

from evenhand.numerics.figure import Figure

FEWEST_VOTES = 20
"""Flags need at least this many votes behind their figure."""
NORMAL_95 = 1.959963984540054
"""Standard errors on either side of a normal 95 % interval."""
LEAST_LEANING = 0.1
"""A leaning to one side is flagged from this distance to 1/2."""
LEAST_CONSISTENCY, MOST_QUICK, DRIFT_ERRORS = 0.85, 0.2, 2.576
"""Flags: self-consistency below, quick votes above, and a fall of agreement by more standard errors than this."""
LEAST_GOLD, FEWEST_GOLD, _SMALLEST_GOLD_P = 0.8, 5, 0.01
"""A gold accuracy below this is flagged, from this many gold pairs on, if chance gives it with less than the last."""
SMALLEST_CHANCE = 0.001
"""A share is flagged if chance gives one as extreme with less than this probability."""
QUALITY_FLAGS = {
    "one-side": "chooses one side more often than the other",
    "no-agreement": "agrees with the others no more than chance",
    "inconsistent": "answers the same pair differently",
    "gold": "misses the known answers of gold pairs",
    "quick": "votes within two seconds",
    "drift": "agrees less and less with the others",
    "copied": "votes like one other person far more often than either does with anybody else",
}
"""Name of a flag -> its meaning, after the name of the person."""
GUESSING = 0.5
"""Probability that an answer of somebody who guesses is right."""


@dataclass(frozen=True, slots=True)
class CheckPower:
    """The power of a check. flag: the one that it raises. answers: of one person to it. needed: the fewest for a flag.

    power: probability from 0 to 1 that it flags somebody who guesses; with quick, who is quick on half of the pairs.
    """

    flag: str
    answers: int
    needed: int
    power: float


def is_flagged(flag: str, figure: Figure) -> bool:
    """Return True if a figure of one person raises a flag. Shares are tested with exact binomial tests."""
    match flag:
        case "one-side":
            return _differs(figure, 0.5) and abs((figure.value or 0) - 0.5) > LEAST_LEANING
        case "no-agreement":
            return _has_votes(figure) and _p_value(figure, 0.5, "greater") >= 0.05
        case "inconsistent":
            return _differs(figure, LEAST_CONSISTENCY) and (figure.value or 0) < LEAST_CONSISTENCY
        case "gold":
            return _misses_gold(figure)
        case "quick":
            return _has_votes(figure) and (figure.value or 0) > MOST_QUICK
        case _:
            return _has_votes(figure) and _steps_below_zero(figure) > DRIFT_ERRORS


def _misses_gold(figure: Figure) -> bool:
    is_enough = figure.value is not None and (figure.n or 0) >= FEWEST_GOLD
    return is_enough and _p_value(figure, LEAST_GOLD, "less") < _SMALLEST_GOLD_P


def _has_votes(figure: Figure) -> bool:
    return figure.value is not None and (figure.n or 0) >= FEWEST_VOTES


def _differs(figure: Figure, share: float) -> bool:
    return _has_votes(figure) and _p_value(figure, share, "two-sided") < SMALLEST_CHANCE


def _p_value(figure: Figure, share: float, alternative: str) -> float:
    n = figure.n or 0
    k = round((figure.value or 0) * n)
    below, above = float(bdtr(k, n, share)), float(bdtrc(k - 1, n, share)) if k else 1.0
    return {"less": below, "greater": above, "two-sided": min(1.0, 2 * min(below, above))}[alternative]


def _steps_below_zero(figure: Figure) -> float:
    """Return how many standard errors the value lies below zero."""
    margin = (figure.high or 0) - (figure.low or 0)
    return -(figure.value or 0) / (margin / (2 * NORMAL_95)) if margin else 0.0


def check_power(flag: str, answers: int) -> CheckPower:
    """flag: of a share, so neither drift nor copied."""
    return CheckPower(flag, answers, fewest_answers(flag), flag_power(flag, answers))


def flag_power(flag: str, answers: int, *, share: float = GUESSING) -> float:
    """Return the probability that a person is flagged whose every answer counts with the probability `share`.

    It sums the binomial probabilities of all numbers that raise the flag.
    """
    chances = np.diff(bdtr(np.arange(answers + 1), answers, share), prepend=0.0)
    return float(sum(p for k, p in enumerate(chances) if answers and is_flagged(flag, Figure(k / answers, n=answers))))


def fewest_answers(flag: str) -> int:
    """Return the smallest number of answers with which the flag can be raised."""
    return next(n for n in count(1) if flag_power(flag, n))
