"""Pairwise accuracy that gives credit for ties, with the tie threshold set by the data [Deutsch2023]."""

from dataclasses import dataclass

import numpy as np

from rankings.numerics.arrays import BoolArray, FloatArray, IntArray
from rankings.numerics.correlations import TOO_FEW, HumanScores
from rankings.numerics.exceptions import Undefined
from rankings.numerics.ranks import groups_of_equal_size
from rankings.numerics.scores import Scores, rounded


@dataclass(frozen=True, slots=True)
class TieCalibration:
    """Scores that differ by no more than epsilon count as tied.

    accuracy: the share of pairs then ranked as people do.
    n: pairs of candidates of one context that both have both scores.
    """

    epsilon: float
    accuracy: float
    n: int


def pair_accuracy(scores: Scores, human: HumanScores, recorded: BoolArray, *, epsilon: float = 0.0) -> TieCalibration:
    """The share of pairs within contexts on which judge and people agree, in the winner or in the tie.

    Raises Undefined where no context has two candidates with both scores.
    """
    gaps, signs = _pairs(scores, human, recorded)
    judged = np.where(np.abs(gaps) <= epsilon, 0.0, np.sign(gaps))
    return TieCalibration(epsilon, float((judged == signs).mean()), len(gaps))


def calibrate_ties(scores: Scores, human: HumanScores, recorded: BoolArray) -> TieCalibration:
    """The threshold, among all differences of scores and 0, that gives the highest accuracy; the lowest such one.

    Fitted to the data it is measured on, so the accuracy is somewhat too high.

    Raises Undefined as `pair_accuracy` does.
    """
    gaps, signs = _pairs(scores, human, recorded)
    sizes = np.abs(gaps)
    # Raising epsilon to the gap of a pair that people call a tie makes it right; every other pair can only turn wrong.
    tied = np.sort(sizes[signs == 0])
    ranked = np.sort(sizes[(np.sign(gaps) == signs) & (signs != 0)])
    thresholds = np.concatenate([[0.0], tied])
    right = np.searchsorted(tied, thresholds, side="right") + len(ranked)
    right = right - np.searchsorted(ranked, thresholds, side="right")
    best = int(right.argmax())
    return TieCalibration(float(thresholds[best]), float(right[best] / len(gaps)), len(gaps))


def _pairs(scores: Scores, human: HumanScores, recorded: BoolArray) -> tuple[FloatArray, IntArray]:
    """The judge's difference of each pair within a context, and the sign of the people's, both (n_pairs,)."""
    both = scores.defined & ~np.isnan(human.scores) & recorded[human.contexts]
    gaps, signs = [], []
    for members in groups_of_equal_size(human.contexts, both):
        i, j = np.triu_indices(members.shape[1], 1)
        judged, people = rounded(scores.values[members]), rounded(human.scores[members])
        gaps.append(rounded(judged[:, i] - judged[:, j]).ravel())
        signs.append(np.sign(people[:, i] - people[:, j]).ravel())
    if not sum(map(len, gaps)):
        raise Undefined(TOO_FEW)
    return np.concatenate(gaps), np.concatenate(signs).astype(np.intp)
