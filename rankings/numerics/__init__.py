"""Compute scores, bias, agreement and intervals from arrays of answers. Needs only numpy and scipy."""

from rankings.numerics.accuracy import (
    accuracy,
    accuracy_averaged,
    accuracy_both_orders,
    accuracy_macro,
    first_share,
    human_preferences,
    mean_of_both_orders,
    order_agreement,
    score_comparisons,
)
from rankings.numerics.accuracy_per_vote import (
    accuracy_per_vote,
    accuracy_per_vote_decided,
    agreement_per_vote,
    agreement_per_vote_decided,
)
from rankings.numerics.agreement.kappa import cohen_kappa, fleiss_kappa, kappa_with_people, percent_agreement
from rankings.numerics.agreement.krippendorff import krippendorff_alpha
from rankings.numerics.agreement.rating_tables import RatingTable, split_by_rater
from rankings.numerics.comparisons import Comparisons
from rankings.numerics.correlation.coefficients import COEFFICIENTS
from rankings.numerics.correlation.correlations import Correlation, correlate
from rankings.numerics.correlation.human_scores import HumanScores
from rankings.numerics.curves.curve_measures import CURVE_MEASURES, HumanJudgments
from rankings.numerics.curves.curve_points import CurvePoint
from rankings.numerics.curves.draws import CURVE_SELECTIONS
from rankings.numerics.curves.pairs_sort_curves import CURVE_TITLES, pairs_sort_curve
from rankings.numerics.curves.people_curves import PeopleCurves, people_curves, worth_in_votes
from rankings.numerics.curves.ranking_curves import CurveLine, budget_grid, ranking_curves
from rankings.numerics.debiasing import Debiasing
from rankings.numerics.decisions import decide
from rankings.numerics.exceptions import Undefined
from rankings.numerics.figure import Figure, MeanFigure
from rankings.numerics.judged import Judged
from rankings.numerics.rankings.expert_expressions import ExpertExpression, WrongExpression
from rankings.numerics.rankings.registry import (
    CURVE_RANKINGS,
    DEFAULT_RANKING,
    RANKING_TITLES,
    RANKINGS,
    Ranking,
    rankings_with_chosen_pairs,
    score,
)
from rankings.numerics.ranks import rank_within_contexts
from rankings.numerics.scores import Scores
from rankings.numerics.selection.adaptive_selection import select_next_pairs
from rankings.numerics.selection.pair_selection import OrderedPairs, most_comparisons, select_pairs
from rankings.numerics.selection.pairs_sort import PAIRS_SORT
from rankings.numerics.significance.letter_groups import groups_without_difference, letter_names
from rankings.numerics.significance.paired_tests import JudgeDifference, benjamini_hochberg_adjusted, holm_adjusted
from rankings.numerics.significance.perm_both import JudgeSwaps, perm_both_p_values
from rankings.numerics.thinking_shift import score_shift, thinking_flips, thinking_shift
from rankings.numerics.votes import Votes, human_agreement
