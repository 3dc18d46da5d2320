"""The figures of PRD (Peer Rank and Discussion), to all their digits, from 8,000 votes of judges and 1,760 of people.

PRD counts an answer that could not be parsed as a tie, which our reports never do; and it takes several votes on one
pair for the first system if their mean is above a tie, not if most of them say so. These tests do as PRD does.
"""

from collections import defaultdict

import numpy as np
import pytest

from evenhand.numerics.agreement.kappa import fleiss_kappa, percent_agreement
from evenhand.numerics.agreement.rating_tables import RatingTable
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.rankings.mean_wins import win_ratio
from tests.evenhand.numerics.published.published import expected_of, read_csv

pytestmark = pytest.mark.realdata

SYSTEMS = ["bard", "claude", "gpt-3.5", "gpt-4", "vicuna"]
P_FIRST = {"1": 1.0, "2": 0.0, "3": 0.5, "-1": 0.5}


@pytest.fixture(scope="module")
def votes(shared_data):
    """Return each judge's votes on each question and pair, as probabilities that the first is better."""
    by_judge = defaultdict(lambda: defaultdict(list))
    for row in read_csv(shared_data / "cases/prd/data/votes.csv.gz"):
        pair = row["question_id"], row["system_a_first"], row["system_b_second"]
        by_judge[row["judge"]][pair].append(P_FIRST[row["score"]])
    return by_judge


@pytest.fixture(scope="module")
def expected(shared_data):
    return expected_of(shared_data, "prd")


def settled(votes):
    """Return one hard answer for each question and pair, by the mean of its votes."""
    return {pair: float(decide(np.array([np.mean(given)]))[0]) for pair, given in votes.items()}


def win_ratios(votes):
    pairs, answers = zip(*settled(votes).items(), strict=True)
    first, second = ([SYSTEMS.index(pair[side]) for pair in pairs] for side in (1, 2))
    return dict(zip(SYSTEMS, win_ratio(Comparisons(5, first, second, answers)).complete(), strict=True))


def beside_people(judged, people):
    """The judge's answers and the people's on the same pairs, people's turned round where they saw the other order."""
    known = settled(people)
    known |= {(question, second, first): 1 - answer for (question, first, second), answer in known.items()}
    both = [(answer, known[pair]) for pair, answer in settled(judged).items()]
    return RatingTable.of_values(np.array(both).T)


def of_systems(votes, *systems):
    return {pair: given for pair, given in votes.items() if set(pair[1:]) == set(systems)}


def of_all_judges(votes):
    together = defaultdict(list)
    for judge, given in votes.items():
        for pair, answers in given.items() if judge != "human" else ():
            together[pair] += answers
    return together


@pytest.mark.parametrize("judge", ["gpt-4", "gpt-3.5", "human"])
def test_win_ratio_matches_the_win_rates_of_each_judge(votes, expected, judge):
    assert win_ratios(votes[judge]) == pytest.approx(expected["win_rates"][judge], abs=1e-12)


def reviewed(votes):
    """Win rates in the votes of each judge, (n_judges, n_systems): the systems judge each other."""
    return np.array([list(win_ratios(votes[judge]).values()) for judge in SYSTEMS])


def test_win_ratio_matches_the_win_rates_of_all_judges(votes, expected):
    rates = reviewed(votes).mean(axis=0)

    assert dict(zip(SYSTEMS, rates, strict=True)) == pytest.approx(expected["win_rates"]["all"], abs=1e-12)


def test_win_ratio_matches_the_weighted_win_rates(votes, expected):
    """Peer ranking weighs each judge by its own win rate, above that of the worst, until the weights settle."""
    published = expected["weighted_win_rates_5_iterations"]
    rates = reviewed(votes)
    weights = np.full(5, 1 / 5)
    for _ in range(5):
        scores = weights @ rates
        weights = (scores - scores.min()) / (scores - scores.min()).sum()

    assert dict(zip(SYSTEMS, scores, strict=True)) == pytest.approx(published["scores"], abs=1e-12)
    assert dict(zip(SYSTEMS, weights, strict=True)) == pytest.approx(published["weights"], abs=1e-12)


@pytest.mark.parametrize("judge", ["gpt-4", "claude", "gpt-3.5"])
def test_agreement_matches_that_of_judges_with_people(votes, expected, judge):
    table = beside_people(votes[judge], votes["human"])

    published = expected["vs_human"][judge]
    assert percent_agreement(table).value == pytest.approx(published["accuracy"], abs=1e-12)
    assert fleiss_kappa(table).value == pytest.approx(published["fleiss"], abs=1e-12)


@pytest.mark.parametrize("judge", ["gpt-4", "gpt-3.5", "all unweighted vote"])
def test_agreement_matches_that_on_the_hardest_pair(votes, expected, judge):
    judged = of_all_judges(votes) if judge.startswith("all") else votes[judge]
    table = beside_people(of_systems(judged, "vicuna", "gpt-3.5"), votes["human"])

    published = expected["vs_human_vicuna_gpt35_pair_only"][judge]
    assert percent_agreement(table).value == pytest.approx(published["accuracy"], abs=1e-12)
    assert fleiss_kappa(table).value == pytest.approx(published["fleiss"], abs=1e-12)
