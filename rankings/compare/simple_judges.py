"""The judges that read nothing on the pairs of compared runs."""

from collections.abc import Sequence
from functools import reduce

import numpy as np

from evenhand.numerics import Comparisons, Figure, Judged, Scores, human_preferences
from evenhand.numerics.arrays import IntArray
from rankings.agreement.raters import once_each
from rankings.compare.compared_figures import SPEARMAN, measures_of
from rankings.compare.comparison_of_runs import SimpleJudge
from rankings.loading import People
from rankings.report.figures.simple_judges import LONGER_TEXT, figures_of_simple_judges

NO_RANKING = "it gives all texts the same score"


def simple_judges(runs: Sequence[Comparisons], people: People, lengths: IntArray) -> list[SimpleJudge]:
    """Return the figures of both judges on every ordered pair that some run answered, each pair once.

    lengths: int, (n_candidates,). Characters of each text.
    """
    pairs = once_each(reduce(Comparisons.followed_by, runs))
    right = human_preferences(pairs, people.human.scores, people.votes)
    by_length = SPEARMAN.value(measures_of(pairs, right, Scores.of_values(lengths.astype(np.float64)), people.human))
    return [
        SimpleJudge(one.name, one.accuracy, by_length if one.name == LONGER_TEXT else Figure.missing(NO_RANKING))
        for one in figures_of_simple_judges(Judged.of(pairs, right), lengths, is_scoring=False)
    ]
