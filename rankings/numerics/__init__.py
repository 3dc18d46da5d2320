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
from rankings.numerics.agreement.human_agreement import human
from rankings.numerics.agreement.kappa import cohen_kappa, fleiss_kappa, mean_cohen_kappa, percent_agreement
from rankings.numerics.agreement.krippendorff import krippendorff_alpha
from rankings.numerics.agreement.rating_tables import RatingTable, by_rater
from rankings.numerics.averaged_orders import accuracy_averaged, averaged
from rankings.numerics.comparisons import Comparisons, decide
from rankings.numerics.correlation.coefficients import COEFFICIENTS
from rankings.numerics.correlation.correlations import Correlation, correlate
from rankings.numerics.correlation.human_scores import HumanScores
from rankings.numerics.curves.curve_measures import MEASURES, Truth
from rankings.numerics.curves.curve_points import CurvePoint
from rankings.numerics.curves.draws import DRAWN
from rankings.numerics.curves.pairs_curves import PAIRS, pairs_curve
from rankings.numerics.curves.people_curves import PeopleCurves, people_curves, worth_in_votes
from rankings.numerics.curves.ranking_curves import Line, budget_grid, ranking_curve, ranking_curves
from rankings.numerics.debiasing import Debiasing
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
from rankings.numerics.figure import Figure
from rankings.numerics.rankings.custom_experts import LogDensity, expert_scores
from rankings.numerics.rankings.registry import (
    CURVE_RANKINGS,
    DEFAULT_RANKING,
    RANKINGS,
    Ranking,
    rankings_with_chosen_pairs,
    score,
)
from rankings.numerics.ranks import places
from rankings.numerics.scores import Reason, Scores
from rankings.numerics.selection.adaptive_selection import select_next
from rankings.numerics.selection.pair_selection import SELECTIONS, Pairs, most_comparisons, select
from rankings.numerics.significance.judge_differences import accuracy_difference, correlation_difference
from rankings.numerics.significance.letter_groups import groups_alike, letters
from rankings.numerics.significance.paired_tests import Difference, benjamini_hochberg, holm
from rankings.numerics.significance.perm_both import Swaps, perm_both_p_values
from rankings.numerics.votes import Votes
