"""Agreement of people's votes with the majority of the other raters."""

import numpy as np

from rankings.numerics.arrays import BoolArray, sums
from rankings.numerics.figure import Figure
from rankings.numerics.votes import Votes, strict_majority

NO_MAJORITY_OF_OTHERS = "no vote is on a pair on which the other raters have a strict majority"


def human_agreement(votes: Votes, recorded: BoolArray) -> Figure:
    """Return the share of votes that agree with the strict majority of the other raters; a tie vote counts 1/2.

    A vote counts if more than half of all other raters' votes on the unordered pair are for one candidate.
    recorded: bool, (n_contexts,). Contexts whose votes count.
    """
    chosen = votes.select(recorded[votes.comparisons.contexts])
    keys = chosen.comparisons.pair_keys
    own_keys = np.stack([keys, np.asarray(chosen.raters)], axis=1)
    pair = np.unique(keys, return_inverse=True)[1]
    own = np.unique(own_keys, axis=0, return_inverse=True)[1].ravel()
    answers = chosen.for_lower
    totals, for_lower, for_higher = (
        sums(pair, weights, len(answers))[pair] - sums(own, weights, len(answers))[own]
        for weights in (np.ones(len(answers)), answers == 1, answers == 0)
    )
    others = strict_majority(for_lower, for_higher, totals)
    counted = ~np.isnan(others)
    if not counted.any():
        return Figure.missing(NO_MAJORITY_OF_OTHERS, n=0)
    return Figure(float((1 - np.abs(answers - others))[counted].mean()), n=int(counted.sum()))
