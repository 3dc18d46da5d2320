"""Two judges that read nothing, to compare runs with: one prefers the first text, one the longer text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from evenhand.numerics import Comparisons, Figure, Scores, human_preferences
from evenhand.numerics.arrays import IntArray
from evenhand.numerics.preferences.length_preference import longer_first
from rankings.agreement.raters import once_each
from rankings.compare.compared_figures import ACCURACY, SPEARMAN, Measures, measures_of
from rankings.compare.comparison_of_runs import SimpleJudge
from rankings.loading import People

ALWAYS_FIRST, LONGER_TEXT = "Always first", "Longer text"
NO_RANKING = "it gives all texts the same score"


def simple_judges(runs: Sequence[Comparisons], people: People, lengths: IntArray) -> list[SimpleJudge]:
    """Return the figures of both judges on every ordered pair that some run answered, each pair once.

    lengths: int, (n_candidates,). Characters of each text.
    """
    pairs = once_each(reduce(Comparisons.followed_by, runs))
    longer = longer_first(pairs, lengths)
    decided = pairs.with_p_first(np.where(np.isnan(longer), 0.5, longer))
    by_length = _measures(decided, people, lengths)
    first = _measures(pairs.with_p_first(np.ones(len(pairs))), people, lengths)
    return [
        SimpleJudge(ALWAYS_FIRST, ACCURACY.value(first), Figure.missing(NO_RANKING)),
        SimpleJudge(LONGER_TEXT, ACCURACY.value(by_length), SPEARMAN.value(by_length)),
    ]


def _measures(comparisons: Comparisons, people: People, lengths: IntArray) -> Measures:
    right = human_preferences(comparisons, people.human.scores, people.votes)
    return measures_of(comparisons, right, Scores.of_values(lengths.astype(np.float64)), people.human)
