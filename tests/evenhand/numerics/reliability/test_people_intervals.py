"""The accuracy of a judge with intervals over contexts, people, and both."""

import numpy as np
import pytest

from evenhand.numerics import Comparisons, Votes
from evenhand.numerics.accuracy import accuracy, human_preferences
from evenhand.numerics.reliability.people_intervals import accuracy_over_people
from tests.evenhand.numerics.simulation import every_ordered_pair


def simulated(rng, *, n_contexts=40, n_people=5, taste=1.0, noise=1.0):
    """A judge and people on contexts of two texts. taste: how much people differ from each other on each text."""
    first, second, starts = every_ordered_pair(2, n_contexts)
    truth = rng.normal(size=2 * n_contexts)
    gaps = truth[first] - truth[second]
    judge = Comparisons(
        2 * n_contexts, first, second, 1 / (1 + np.exp(-gaps - noise * rng.normal(size=len(gaps)))), starts
    )
    one = first < second
    tastes = truth + taste * rng.normal(size=(n_people, 2 * n_contexts))
    choices = np.concatenate([(own[first] > own[second])[one] for own in tastes]).astype(np.float64)
    votes = Comparisons(2 * n_contexts, np.tile(first[one], n_people), np.tile(second[one], n_people), choices, starts)
    return judge, Votes(votes, np.repeat(np.arange(n_people), one.sum()))


def test_value_is_the_accuracy_against_the_majority_and_none_without_answers():
    judge, votes = simulated(np.random.default_rng(1))

    intervals = accuracy_over_people(judge, votes, 5)

    plain = accuracy(judge, human_preferences(judge, np.full(judge.n_candidates, np.nan), votes))
    assert intervals.over_contexts == plain
    assert intervals.over_people.value == intervals.over_both.value == plain.value
    assert intervals.people == 5

    intervals = accuracy_over_people(judge.select(np.zeros(len(judge), dtype=bool)), votes, 5)

    assert intervals.over_contexts.value is intervals.over_people.value is intervals.over_both.value is None
    assert (intervals.people, intervals.largest_change) == (0, None)


def test_change_is_that_of_the_accuracy_without_the_persons_votes():
    judge, votes = simulated(np.random.default_rng(2), taste=2.0)
    everybody = accuracy_over_people(judge, votes, 5)

    changes = {}
    for rater in range(5):
        rest = votes.select(votes.raters != rater)
        own = accuracy(judge, human_preferences(judge, np.full(judge.n_candidates, np.nan), rest))
        changes[rater] = own.value - everybody.over_contexts.value

    assert everybody.largest_change.difference == pytest.approx(max(changes.values(), key=abs))
    assert changes[everybody.largest_change.rater] == pytest.approx(everybody.largest_change.difference)


def test_people_who_agree_perfectly_add_nothing_to_the_interval():
    judge, votes = simulated(np.random.default_rng(3), taste=0.0)

    intervals = accuracy_over_people(judge, votes, 5)

    assert intervals.over_people.low == intervals.over_people.high == intervals.over_people.value
    both, contexts = intervals.over_both, intervals.over_contexts
    assert both.high - both.low == pytest.approx(contexts.high - contexts.low, rel=0.05)
    assert intervals.largest_change.difference == 0


def test_interval_over_both_is_wider_where_people_differ():
    judge, votes = simulated(np.random.default_rng(4), taste=3.0, n_contexts=100)

    intervals = accuracy_over_people(judge, votes, 5)

    def width(figure):
        return figure.high - figure.low

    assert width(intervals.over_both) > width(intervals.over_contexts)
    assert width(intervals.over_people) > 0


def test_interval_over_both_holds_the_accuracy_of_new_people_on_new_texts():
    """Each simulation draws people and texts anew; the accuracy they estimate is that of very many."""
    rng, inside = np.random.default_rng(5), 0
    judge, votes = simulated(rng, n_contexts=4_000, n_people=9)
    expected = accuracy_over_people(judge, votes, 9).over_contexts.value

    for _ in range(60):
        both = accuracy_over_people(*simulated(rng, n_people=9, n_contexts=60), 9).over_both
        inside += both.low <= expected <= both.high

    assert inside >= 52


@pytest.mark.parametrize("n_people", [0, 1])
def test_fewer_than_two_people_have_no_interval_over_people(n_people):
    judge, votes = simulated(np.random.default_rng(6))
    few = votes.select(votes.raters < n_people)

    intervals = accuracy_over_people(judge, few, 5)

    assert intervals.over_people.low is None
    assert intervals.over_people.undefined
    assert intervals.largest_change is None
