"""Groups of judges without significant differences, for a compact letter display."""

import numpy as np

from evenhand.numerics.arrays import BoolArray
from evenhand.numerics.exceptions import InvalidComparisons


def groups_without_difference(different: BoolArray) -> BoolArray:
    """Return the largest sets of judges without a difference, by insertion and absorption [Piepho2004]: (n_groups, n).

    Two judges share a group if and only if they do not differ. Groups are sorted by their members, so the first group
    has the first judge.

    different: bool, (n, n). True if two judges differ; symmetric, False on the diagonal.

    Raises InvalidComparisons if `different` is not symmetric or its diagonal is not False.
    """
    if different.shape != different.T.shape or (different != different.T).any() or different.diagonal().any():
        raise InvalidComparisons("who differs from whom must be symmetric, and nobody may differ from themselves")
    groups = [frozenset(range(len(different)))] if len(different) else []
    for one, other in np.argwhere(np.triu(different)).tolist():
        groups = _separated(groups, one, other)
    ordered = sorted(sorted(group) for group in groups)
    member = [np.isin(np.arange(len(different)), group) for group in ordered]
    return np.array(member, dtype=bool).reshape(len(ordered), len(different))


def letter_names(n_groups: int) -> list[str]:
    """Return a name for each group: a to z, then aa, ab and so on."""
    names: list[str] = []
    for number in range(n_groups):
        before, last = divmod(number, 26)
        names.append((names[before - 1] if before else "") + chr(ord("a") + last))
    return names


def _separated(groups: list[frozenset[int]], one: int, other: int) -> list[frozenset[int]]:
    """Replace each group that has both judges by two groups with one of them each; drop subsets of other groups."""
    whole = [group for group in groups if not {one, other} <= group]
    halves = {group - {judge} for group in groups if {one, other} <= group for judge in (one, other)}
    new = [half for half in halves if not any(half <= group for group in whole)]
    return whole + [half for half in new if not any(half < larger for larger in new)]
