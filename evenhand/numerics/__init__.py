"""Compute scores, bias, agreement and intervals from arrays of answers. Needs only numpy and scipy."""

from evenhand.numerics.accuracy import (
    accuracy,
    accuracy_averaged,
    accuracy_both_orders,
    accuracy_macro,
    accuracy_per_vote,
    accuracy_per_vote_decided,
    agreement_per_vote,
    agreement_per_vote_decided,
    first_share,
    human_preferences,
    mean_of_both_orders,
    order_agreement,
    score_comparisons,
)
from evenhand.numerics.agreement.kappa import cohen_kappa, fleiss_kappa, kappa_with_people, percent_agreement
from evenhand.numerics.agreement.krippendorff import krippendorff_alpha
from evenhand.numerics.agreement.rating_tables import RatingTable, split_by_rater
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.correlation.coefficients import COEFFICIENTS
from evenhand.numerics.correlation.correlations import Correlation, correlate
from evenhand.numerics.correlation.human_scores import HumanScores
from evenhand.numerics.counted_comparisons import Judged
from evenhand.numerics.curves.curve_measures import CURVE_MEASURES, HumanJudgments
from evenhand.numerics.curves.curve_points import CurvePoint
from evenhand.numerics.curves.draws import CURVE_SELECTIONS
from evenhand.numerics.curves.pairs_sort_curves import CURVE_TITLES, pairs_sort_curve
from evenhand.numerics.curves.people_curves import PeopleCurves, people_curves, worth_in_votes
from evenhand.numerics.curves.ranking_curves import CurveLine, budget_grid, ranking_curves
from evenhand.numerics.debiasing import Debiasing
from evenhand.numerics.decisions import decide
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.figure import Figure, MeanFigure
from evenhand.numerics.preferences import score_shift, thinking_flips, thinking_shift
from evenhand.numerics.rankings.registry import (
    CURVE_RANKINGS,
    DEFAULT_RANKING,
    RANKING_TITLES,
    RANKINGS,
    Ranking,
    rankings_with_chosen_pairs,
    score,
)
from evenhand.numerics.ranks import rank_within_contexts
from evenhand.numerics.scores import Scores
from evenhand.numerics.selection.adaptive_selection import select_next_pairs
from evenhand.numerics.selection.pair_selection import OrderedPairs, most_comparisons, select_pairs
from evenhand.numerics.selection.pairs_sort import PAIRS_SORT
from evenhand.numerics.significance.families import benjamini_hochberg_adjusted, holm_adjusted
from evenhand.numerics.significance.letter_groups import groups_without_difference, letter_names
from evenhand.numerics.significance.paired_tests import JudgeDifference
from evenhand.numerics.significance.perm_both import JudgeSwaps, perm_both_p_values
from evenhand.numerics.votes import Votes, human_agreement
