from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.correlation.human_scores import HumanScores, MatchedScores
from evenhand.numerics.correlation.tie_calibration import VotedPairs, accuracies_with_ties, accuracy_with_ties_of_votes
from evenhand.numerics.scores import Scores
from evenhand.numerics.votes import Votes

BOTH = np.array([True, True])
TWO_CONTEXTS = np.array([0, 0, 0, 0, 1, 1, 1])


def people(scores, contexts, systems=None):
    return HumanScores(np.array(scores, float), np.array(contexts), np.array(systems or [-1] * len(scores)))


def calibrated(scores, human, recorded):
    return accuracies_with_ties([scores], MatchedScores.of(scores, human, recorded))[0]


def shares_right(judged, human, epsilon):
    """Mark the right pairs of each context if differences up to epsilon are ties."""
    shares = []
    for context in np.unique(human.contexts):
        members = np.flatnonzero(human.contexts == context)
        right = [
            np.sign(human.scores[a] - human.scores[b])
            == (0 if abs(judged[a] - judged[b]) <= epsilon else np.sign(judged[a] - judged[b]))
            for a, b in combinations(members, 2)
        ]
        shares.append(right)
    return shares


def test_accuracy_with_ties_matches_the_published_example():
    """Deutsch, Foster and Freitag, 2023, section 2: a metric that predicts a tie of people earns credit for it."""
    human, one = people([0, 0, 1], [0, 0, 0]), np.array([True])

    with_tie = calibrated(Scores.of_values(np.array([0.0, 0, 1])), human, one)
    without = calibrated(Scores.of_values(np.array([1.0, 0, 2])), human, one)

    assert (with_tie.block.pooled, with_tie.epsilon["pooled"], with_tie.pairs["pooled"]) == (1, 0, 3)
    assert (without.block.pooled, without.epsilon["pooled"]) == (pytest.approx(2 / 3), 0)


@given(
    judged=arrays(float, 7, elements=st.integers(0, 5).map(float)),
    given_scores=arrays(float, 7, elements=st.integers(0, 2).map(float)).filter(
        lambda scores: len(set(scores[:4])) > 1
    ),
)
def test_thresholds_are_the_lowest_of_the_best_at_each_level(judged, given_scores):
    human = people(given_scores, TWO_CONTEXTS)
    tried = {epsilon: shares_right(judged, human, epsilon) for epsilon in range(6)}

    found = calibrated(Scores.of_values(judged), human, BOTH)

    means = {epsilon: np.mean([np.mean(right) for right in shares]) for epsilon, shares in tried.items()}
    pooled = {epsilon: np.mean(np.concatenate(shares)) for epsilon, shares in tried.items()}
    for level, values in (("per_context", means), ("pooled", pooled)):
        best = max(values.values())
        assert getattr(found.block, level) == pytest.approx(best)
        assert found.epsilon[level] == min(epsilon for epsilon, value in values.items() if value > best - 1e-9)
        assert found.all_tied[level] == pytest.approx(values[5])
    assert found.block.within.tolist() == [np.mean(right) for right in tried[int(found.epsilon["per_context"])]]


def test_calibration_recovers_the_grain_of_the_people():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 400).astype(float)
    scores = Scores.of_values(truth + rng.uniform(-0.2, 0.2, 400))

    found = calibrated(scores, people(truth, np.zeros(400, int)), np.array([True]))

    assert 0.3 < found.epsilon["pooled"] < 0.7
    assert found.block.pooled == 1


def test_systems_are_compared_by_their_means_with_a_threshold_of_their_own():
    human = people([1, 1, 5, 3, 3, 4], [0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2])  # means 2, 2 and 4.5
    scores = Scores.of_values(np.array([1.0, 2, 6, 1, 1, 8]))  # means 1, 1.5 and 7

    found = calibrated(scores, human, BOTH)

    assert (found.block.system, found.epsilon["system"], found.pairs["system"]) == (1, 0.5, 3)


def test_contexts_that_people_tie_throughout_count_and_those_without_a_pair_are_skipped():
    human = people([1, 2, 3, 3, 1, np.nan], [0, 0, 1, 1, 2, 2])
    scores = Scores.of_values(np.array([1.0, 2, 5, 6, 1, 2]))

    block = calibrated(scores, human, np.array([True, True, True])).block

    assert (block.per_context, block.contexts, block.skipped) == (0.5, 2, 1)
    assert np.isnan(block.within).tolist() == [False, False, True]


def test_pairs_are_of_recorded_contexts_only():
    human = people([0, 1, 0, 1, 2, 3, 5], TWO_CONTEXTS)

    assert calibrated(Scores.of_values(np.arange(7.0)), human, np.array([True, False])).pairs["pooled"] == 6


def test_levels_that_do_not_exist_say_why():
    alone = calibrated(Scores.of_values(np.array([1.0])), people([1], [0]), np.array([True]))
    even = calibrated(Scores.of_values(np.array([1.0, 2])), people([1, 1], [0, 0], [0, 1]), np.array([True]))

    no_pair = "no context has two candidates with both a human score and a score of the ranking"
    assert alone.block.undefined == {
        "per_context": no_pair,
        "pooled": no_pair,
        "system": "fewer than two systems have candidates with both scores",
    }
    people_even = "the human scores of no two candidates of a context differ"
    assert even.block.undefined == {
        "per_context": people_even,
        "pooled": people_even,
        "system": "the mean human scores of all systems are equal",
    }
    assert (even.block.contexts, even.block.skipped, even.epsilon) == (0, 1, {})


def voted(*rows):
    """Votes on candidates of TWO_CONTEXTS, from rows of first, second, p_first."""
    first, second, p_first = (np.array(column) for column in zip(*rows, strict=True))
    return Votes(Comparisons(7, first, second, p_first.astype(float), np.array([0, 4])), np.arange(len(rows)))


def test_accuracy_against_votes_gives_credit_for_ties():
    scores = Scores.of_values(np.array([3.0, 2.9, 1.0, 0.0, 5.0, 1.0, 0.0]))
    votes = voted((0, 1, 0.5), (2, 0, 0.0), (2, 3, 1.0), (2, 3, 0.0), (4, 5, 1.0), (5, 4, 1.0), (4, 5, 1.0))

    found = accuracy_with_ties_of_votes(scores, VotedPairs.of(votes, BOTH))

    assert (found.block.per_context, found.block.pooled) == (1, 1)
    assert found.pairs == {"per_context": 3, "pooled": 3, "system": 0}
    assert found.epsilon["pooled"] == pytest.approx(0.1)
    assert found.all_tied["pooled"] == pytest.approx(1 / 3)
    assert found.block.undefined == {"system": "people voted on pairs of texts, and a vote ranks no systems"}


def test_accuracy_against_votes_is_a_mean_over_contexts_of_their_pairs():
    scores = Scores.of_values(np.arange(7.0))
    votes = voted((0, 1, 0.0), (1, 2, 0.0), (2, 3, 1.0), (4, 5, 1.0))

    found = accuracy_with_ties_of_votes(scores, VotedPairs.of(votes, BOTH))

    assert found.block.within.tolist() == [pytest.approx(2 / 3), 0]
    assert (found.block.per_context, found.block.pooled) == (pytest.approx(1 / 3), 1 / 2)


@pytest.mark.parametrize(
    ("votes", "why"),
    [
        (voted((0, 1, 0.5)), "people call every pair a tie"),
        (
            voted((0, 1, 1.0), (0, 1, 0.0)),
            "no pair of candidates with a score of the ranking has an outcome with more than half of its votes",
        ),
    ],
)
def test_accuracy_against_votes_says_why_it_is_undefined(votes, why):
    found = accuracy_with_ties_of_votes(Scores.of_values(np.arange(7.0)), VotedPairs.of(votes, BOTH))

    assert (found.block.pooled, found.block.undefined["per_context"]) == (None, why)
