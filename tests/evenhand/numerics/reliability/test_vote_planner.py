"""The planner of votes, against campaigns that are simulated from the truth."""

import numpy as np
import pytest
from scipy.special import bdtr

from evenhand.numerics import Comparisons, Votes
from evenhand.numerics.accuracy import accuracy, human_preferences
from evenhand.numerics.reliability.vote_planner import (
    OutOfReach,
    PilotPairs,
    TooFewVotes,
    pilot_of_difference,
    pilot_of_judge,
    pilot_of_votes,
    plan_difference,
    plan_votes,
    simulated_widths,
)

PAIRS_PER_CONTEXT = 3  # of three candidates
QUANTILE = 2.829
"""80 % of the noncentral t distribution lie below it: noncentrality 1.96, 88 degrees of freedom.

With a known variance, it is 2.802.
"""


def campaign(rng, n_contexts, people=3):
    """Votes of people and the answers of a judge on contexts of three candidates.

    People prefer the better candidate with a probability that differs from pair to pair; the judge is right on 7 of 10.
    """
    first = np.concatenate([3 * context + np.array([0, 0, 1]) for context in range(n_contexts)])
    second = np.concatenate([3 * context + np.array([1, 2, 2]) for context in range(n_contexts)])
    starts = 3 * np.arange(n_contexts)
    size = 3 * n_contexts
    is_clear = rng.beta(4, 2, len(first))
    votes = (rng.random((people, len(first))) < is_clear).astype(np.float64)
    compared = Comparisons(size, np.tile(first, people), np.tile(second, people), votes.ravel(), starts)
    answers = (rng.random(len(first)) < 0.7).astype(np.float64)
    judge = Comparisons(size, first, second, answers, starts)
    return Votes(compared, np.repeat(np.arange(people), len(first))), judge


def measured_width(votes, judge):
    figure = accuracy(judge, human_preferences(judge, np.full(judge.n_candidates, np.nan), votes))
    return figure.high - figure.low


def test_forecast_holds_in_19_of_20_campaigns_and_wastes_little():
    """A pilot of 40 contexts plans a width of 0.14. Campaigns of the planned size then meet it."""
    widths = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        planned = plan_votes(pilot_of_votes(*campaign(rng, 40)), width=0.14, votes_per_pair=3)
        widths.append(measured_width(*campaign(rng, planned.contexts)))

    assert sum(width <= 0.14 for width in widths) >= 19
    assert np.mean(widths) > 0.112


def test_plan_is_the_smallest_that_meets_the_width():
    pilot = pilot_of_votes(*campaign(np.random.default_rng(1), 40))

    planned = plan_votes(pilot, width=0.1, votes_per_pair=3)

    assert 0.095 < planned.width <= 0.1
    assert planned.pairs == 3 * planned.contexts
    assert planned.votes == 3 * planned.pairs


def test_half_the_width_needs_four_times_as_many_pairs():
    pilot = pilot_of_votes(*campaign(np.random.default_rng(2), 60))

    wide, narrow = (plan_votes(pilot, width=width, votes_per_pair=3) for width in (0.2, 0.1))

    assert narrow.pairs / wide.pairs == pytest.approx(4, rel=0.2)


def test_agreement_between_people_can_be_planned_with_two_votes_on_a_pair():
    votes, _ = campaign(np.random.default_rng(3), 60)

    assert 10 < plan_votes(pilot_of_votes(votes), width=0.1, votes_per_pair=3).contexts < 500

    with pytest.raises(OutOfReach):
        plan_votes(pilot_of_votes(votes), width=0.1, votes_per_pair=1)


def test_probabilities_of_a_judge_can_stand_for_people():
    """A judge with probability 1 for the better candidate stands for people who always agree."""
    _, judge = campaign(np.random.default_rng(4), 400)
    people = Comparisons(judge.n_candidates, judge.first, judge.second, np.ones(len(judge)), judge.starts)

    widths = simulated_widths(
        pilot_of_judge(people, judge), n_contexts=100, votes_per_pair=1, rng=np.random.default_rng(0)
    )

    assert widths.mean() == pytest.approx(2 * 1.96 * np.sqrt(0.7 * 0.3 / 300), rel=0.08)


def test_pilot_of_three_votes_forecasts_the_width_from_two():
    """A prior that is not estimated takes people for more agreeing than they are, and misses it by 4 %."""
    rng = np.random.default_rng(8)
    pilot = pilot_of_votes(*campaign(rng, 400))

    widths = simulated_widths(pilot, n_contexts=150, votes_per_pair=2, rng=rng)

    real = [measured_width(*campaign(rng, 150, people=2)) for _ in range(60)]
    assert widths.mean() == pytest.approx(np.mean(real), rel=0.02)


def known_pilots(better, worse):
    """Pilots of two judges with one pair a context, where people prefer the lower one: on which pairs each is right."""
    n = len(better)
    outcomes = np.tile([1.0, 0.0, 0.0], (n, 1))
    sides = [np.stack([right, 1 - right], axis=1).astype(float) for right in (better, worse)]
    return [PilotPairs(np.arange(n), outcomes, side, np.ones(n), is_known=True) for side in sides]


def test_difference_is_planned_from_its_variance_between_contexts():
    one, other = known_pilots(np.arange(100) < 80, (np.arange(100) >= 20) & (np.arange(100) < 90))

    planned = plan_difference(pilot_of_difference(one, other), difference=0.1, votes_per_pair=1)

    variance = (0.3 - 0.1**2) * 100 / 99  # one is right alone on 20 of 100, the other on 10
    after_half_a_step = 0.1 - 1 / 254
    assert planned.contexts == pytest.approx(QUANTILE**2 * variance / after_half_a_step**2, rel=0.02)
    assert planned.pairs == planned.votes == planned.contexts


def test_second_judge_that_is_unknown_adds_as_much_variance_as_the_first():
    one, _ = known_pilots(np.arange(100) < 80, np.arange(100) < 80)

    planned = plan_difference(one, difference=0.1, votes_per_pair=1)

    variance, after_half_a_step = 2 * 0.8 * 0.2 * 100 / 99, 0.1 - 1 / 278
    assert planned.contexts == pytest.approx(QUANTILE**2 * variance / after_half_a_step**2, rel=0.02)


def test_planned_difference_is_found_in_80_of_100_studies_on_average_over_rough_pilots():
    """Pilots have 20 contexts. Of one pair a context, the sign-flip test is the exact sign test of unequal answers."""
    found = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        kind = rng.random(20)  # one alone is right on 20 of 100, the other alone on 10
        judges = known_pilots(kind < 0.7, (kind < 0.5) | ((kind >= 0.7) & (kind < 0.8)))
        planned = plan_difference(pilot_of_difference(*judges), difference=0.1, votes_per_pair=1)
        one_alone, other_alone, _ = rng.multinomial(planned.contexts, [0.2, 0.1, 0.7], size=1_000).T
        p_values = 2 * bdtr(np.minimum(one_alone, other_alone), one_alone + other_alone, 0.5)
        found.append(np.mean(p_values < 0.05))

    assert np.mean(found) == pytest.approx(0.8, abs=0.02)


def test_large_differences_need_six_contexts_and_judges_that_never_differ_no_plan():
    one, other = known_pilots(np.arange(100) < 99, np.arange(100) < 98)
    assert plan_difference(pilot_of_difference(one, other), difference=0.9, votes_per_pair=1).contexts == 6
    with pytest.raises(TooFewVotes, match="differ on no pair"):
        plan_difference(pilot_of_difference(one, one), difference=0.1, votes_per_pair=1)
    with pytest.raises(OutOfReach):
        plan_difference(one, difference=0.0001, votes_per_pair=1)


def test_only_pairs_with_more_than_half_of_the_votes_count_for_the_accuracy_of_a_judge():
    contexts, outcomes = np.arange(20), np.array([0.4, 0.3, 0.3])  # lower, tie, higher
    says_lower, answers = np.tile([1.0, 0.0], (20, 1)), np.ones(20)
    pilot = PilotPairs(contexts, np.tile(outcomes, (20, 1)), says_lower, answers, is_known=True)

    widths = simulated_widths(pilot, n_contexts=400, votes_per_pair=4, rng=np.random.default_rng(0))

    lower, _, higher = (share**4 + 4 * share**3 * (1 - share) for share in outcomes)  # three or four of four votes
    right, counted = lower / (lower + higher), 400 * (lower + higher)
    assert widths.mean() == pytest.approx(2 * 1.96 * np.sqrt(right * (1 - right) / counted), rel=0.02)


def test_pairs_without_answers_of_the_judge_are_left_out():
    votes, judge = campaign(np.random.default_rng(5), 30)

    assert len(pilot_of_votes(votes, judge.select(judge.contexts < 10)).contexts) == 10 * PAIRS_PER_CONTEXT


def test_a_pilot_of_few_pairs_is_refused_with_its_size():
    votes, judge = campaign(np.random.default_rng(6), 3)

    with pytest.raises(TooFewVotes, match="9 pairs of 3 contexts"):
        plan_votes(pilot_of_votes(votes, judge), width=0.1, votes_per_pair=3)


def test_a_width_that_no_number_reaches_is_refused():
    pilot = pilot_of_votes(*campaign(np.random.default_rng(7), 30))

    with pytest.raises(OutOfReach):
        plan_votes(pilot, width=0.0001, votes_per_pair=1)
