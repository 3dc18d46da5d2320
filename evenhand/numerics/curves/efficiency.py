"""The comparisons that a curve needs for a share of its last value, and its value at any budget [Liusie2024b]."""

import numpy as np

from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.figure import Figure

NOT_POSITIVE = "the value of all comparisons is not above 0"


def comparisons_needed(budgets: FloatArray, means: FloatArray, share: float) -> Figure:
    """Return the comparisons per context at which a curve first reaches a share of its last value, rounded up.

    budgets, means: float, (n,), n > 0. The points of a curve, budgets rising; the last has all comparisons. Between two
    points the curve is a straight line. A curve that begins above the share gives the fewest comparisons drawn.
    """
    if means[-1] <= 0:
        return Figure.missing(NOT_POSITIVE)
    wanted = share * means[-1]
    after = int(np.argmax(means >= wanted))
    if after == 0:
        return Figure(float(budgets[0]))
    part = (wanted - means[after - 1]) / (means[after] - means[after - 1])
    needed = budgets[after - 1] + part * (budgets[after] - budgets[after - 1])
    return Figure(float(np.ceil(round(float(needed), 9))))  # rounded first, so that a whole number stays itself


def value_at(budgets: FloatArray, means: FloatArray, budget: float) -> Figure:
    """Return the value of a curve at a number of comparisons per context, on the line between two points.

    budgets, means: as in `comparisons_needed`.
    """
    if budget < budgets[0]:
        return Figure.missing(f"the fewest comparisons that are drawn are {budgets[0]:g} per context")
    if budget > budgets[-1]:
        return Figure.missing(f"there are {budgets[-1]:g} comparisons per context")
    return Figure(float(np.interp(budget, budgets, means)))
