"""What the answers mean: scores, bias, agreement and intervals, from arrays. Needs numpy and scipy only."""

from rankings.numerics.accuracy import (
    accuracy,
    accuracy_both_orders,
    accuracy_macro,
    order_agreement,
    p_first,
    score_comparisons,
    truth,
)
from rankings.numerics.adaptive_selection import select_next
from rankings.numerics.agreement import human
from rankings.numerics.averaging import accuracy_averaged, averaged
from rankings.numerics.coefficients import COEFFICIENTS
from rankings.numerics.comparing import accuracy_difference, correlation_difference
from rankings.numerics.comparisons import Comparisons, decide
from rankings.numerics.correlations import Correlation, correlate
from rankings.numerics.curve_measures import MEASURES, Truth
from rankings.numerics.curve_points import CurvePoint
from rankings.numerics.debiasing import Debiasing
from rankings.numerics.draws import DRAWN
from rankings.numerics.exceptions import (
    ImpossibleBudget,
    InvalidComparisons,
    NoComparisons,
    NotConnected,
    NotConverged,
    NumericsError,
    Undefined,
    UnknownRanking,
    UnknownSelection,
)
from rankings.numerics.experts import LogDensity, expert_scores
from rankings.numerics.figures import Figure
from rankings.numerics.kappa import cohen_kappa, fleiss_kappa, mean_cohen_kappa, percent_agreement
from rankings.numerics.krippendorff import krippendorff_alpha
from rankings.numerics.letters import groups_alike, letters
from rankings.numerics.matching import HumanScores
from rankings.numerics.paired_tests import Difference, benjamini_hochberg, holm
from rankings.numerics.pairs_curves import PAIRS, pairs_curve
from rankings.numerics.people_curves import PeopleCurves, people_curves, worth_in_votes
from rankings.numerics.perm_both import Swaps, perm_both_p_values
from rankings.numerics.ranking import METHODS, score
from rankings.numerics.ranking_curves import Line, budget_grid, curve, curves
from rankings.numerics.ranks import places
from rankings.numerics.rating_tables import RatingTable, by_rater
from rankings.numerics.scores import Reason, Scores
from rankings.numerics.selection import SELECTIONS, Pairs, most_comparisons, select
from rankings.numerics.votes import Votes
