"""The win rate of each system: the share of its comparisons with other systems in which it is preferred."""

import numpy as np

from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import share_figures

NO_OTHER_SYSTEM = "no comparison of this system with another one has an answer"


def win_rates(comparisons: Comparisons, decisions: FloatArray, systems: IntArray) -> list[Figure]:
    """Return the win rate of each system, with its interval over contexts. n counts its comparisons; a tie is one half.

    decisions: float, (n_comparisons,). 0, 1/2 or 1 for the first. systems: int, (n_candidates,), from 0; -1: unknown.
    """
    first, second = systems[comparisons.first], systems[comparisons.second]
    counted = (first != second) & (first >= 0) & (second >= 0)
    contexts = comparisons.contexts[counted]
    shape = (comparisons.n_contexts, int(systems.max(initial=-1)) + 1)
    wins, played = np.zeros(shape), np.zeros(shape)
    for side, credits in ((first, decisions), (second, 1 - decisions)):
        np.add.at(wins, (contexts, side[counted]), credits[counted])
        np.add.at(played, (contexts, side[counted]), 1)
    return share_figures(wins, played, if_empty=NO_OTHER_SYSTEM)
