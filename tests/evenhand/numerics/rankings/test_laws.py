"""Laws that hold for every ranking and any answers."""

import numpy as np
import pytest

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.rankings.registry import RANKINGS, score
from evenhand.numerics.scores import Reason
from tests.evenhand.numerics.simulation import every_ordered_pair, mirrored

N = 6


@pytest.fixture(params=range(4))
def answers(request):
    """Any answers at all, on every pair in one order or both."""
    rng = np.random.default_rng(request.param)
    first, second, _ = every_ordered_pair(N)
    asked = (first < second) | (rng.random(len(first)) < 0.5)
    return Comparisons(N, first[asked], second[asked], rng.uniform(0.05, 0.95, asked.sum()))


@pytest.mark.parametrize("ranking", RANKINGS)
def test_numbering_candidates_anew_moves_their_scores_with_them(ranking, answers):
    names = np.array([3, 5, 0, 1, 4, 2])
    renamed = Comparisons(N, names[answers.first], names[answers.second], answers.p_first)

    scores = score(ranking, renamed).complete()

    assert scores[names] == pytest.approx(score(ranking, answers).complete(), abs=1e-8)


@pytest.mark.parametrize("ranking", RANKINGS)
def test_showing_every_pair_the_other_way_round_mirrors_p_first_and_changes_no_score(ranking, answers):
    scores = score(ranking, mirrored(answers)).complete()

    assert scores == pytest.approx(score(ranking, answers).complete(), abs=1e-8)


@pytest.mark.parametrize("ranking", [ranking for ranking in RANKINGS if ranking != "likelihood-hard"])  # circles
def test_opposite_answers_give_opposite_scores(ranking, answers):
    scores = score(ranking, answers).complete()

    opposite = score(ranking, answers.with_p_first(1 - answers.p_first)).complete()

    assert scores + opposite == pytest.approx((scores + opposite).mean(), abs=1e-8)


@pytest.mark.parametrize("ranking", RANKINGS)
def test_a_candidate_alone_in_its_context_has_no_score(ranking):
    alone_and_two = Comparisons(3, [1], [2], [0.7], [0, 1])

    scores = score(ranking, alone_and_two)

    assert scores.reasons.tolist() == [Reason.NO_COMPARISONS, Reason.NONE, Reason.NONE]
    assert scores.why(0) == "the candidate has no answered comparison"
    assert np.isnan(scores.values).tolist() == [True, False, False]


@pytest.mark.parametrize("ranking", RANKINGS)
def test_a_context_in_two_parts_has_scores_only_where_they_can_be_compared(ranking):
    two_parts = Comparisons(4, [0, 2], [1, 3], [0.7, 0.6])

    scores = score(ranking, two_parts)

    reason = Reason.NOT_CONNECTED if RANKINGS[ranking].needs_connection else Reason.NONE
    assert scores.reasons.tolist() == [reason] * 4


@pytest.mark.parametrize("ranking", RANKINGS)
def test_a_candidate_that_always_wins_has_a_finite_score(ranking):
    scores = score(ranking, Comparisons(3, [0, 0, 1], [1, 2, 2], [1.0, 1.0, 1.0])).complete()

    assert np.isfinite(scores).all()
    assert (np.diff(scores) < 0).all()
