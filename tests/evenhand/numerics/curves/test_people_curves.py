import numpy as np
import pytest

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.curves.people_curves import people_curves, worth_in_votes
from evenhand.numerics.curves.ranking_curves import CurveLine, CurvePoint
from evenhand.numerics.votes import Votes
from tests.evenhand.numerics.simulation import simulated_run

LINES = [CurveLine("win-ratio"), CurveLine("bradley-terry")]
OPTIONS = {"measure": "spearman", "draws": 10, "seed": 0}


def some_votes(n_contexts=10, each=40, seed=0):
    """Votes on random pairs of four candidates, by chance as their true scores say, and these scores."""
    rng = np.random.default_rng(seed)
    comparisons, truth = simulated_run(rng, n_candidates=4, n_contexts=n_contexts)
    drawn = (np.arange(n_contexts)[:, None] * 12 + rng.integers(0, 12, (n_contexts, each))).ravel()
    shown = comparisons.select(drawn)
    won = rng.random(len(drawn)) < 1 / (1 + np.exp(-3 * (truth[shown.first] - truth[shown.second])))
    return Votes(shown.with_p_first(won.astype(float)), rng.integers(0, 5, len(drawn))), truth


def test_people_curves_rise_towards_the_human_scores_and_hold_out_half_of_the_votes_without_them():
    votes, truth = some_votes()

    found = people_curves(LINES, votes, truth, **OPTIONS)

    assert found.contexts.all()
    assert len(found.truth.scores) == 1
    for points in found.points:
        assert (points[0].comparisons, points[-1].comparisons) == (3, 40)
        assert points[0].mean < points[10].mean < points[-1].mean

    found = people_curves(LINES, votes, np.full(len(truth), np.nan), **OPTIONS)

    assert [points[-1].comparisons for points in found.points] == [20, 20]
    assert found.truth.scores.shape == (10, 40)


def test_people_curves_go_by_human_scores_only_where_there_are_votes():
    votes, truth = some_votes(n_contexts=4)
    voted = votes.of_contexts(np.array([True, True, False, False]))
    only_others = np.where(np.arange(len(truth)) < 8, np.nan, truth)

    found = people_curves(LINES, voted, only_others, **OPTIONS)

    assert found.held_out
    assert found.contexts.tolist() == [True, True, False, False]


@pytest.mark.parametrize("measure", ["spearman", "accuracy"])
def test_people_curves_put_no_vote_on_both_sides(measure):
    """Answers that mean nothing: whatever rests on the same votes would agree with itself."""
    votes, truth = some_votes(n_contexts=60, each=12)
    noise = np.random.default_rng(3).integers(0, 2, len(votes)).astype(float)
    meaningless = Votes(votes.comparisons.with_p_first(noise), votes.raters)

    found = people_curves(LINES, meaningless, np.full(len(truth), np.nan), **(OPTIONS | {"measure": measure}))

    chance = 0.5 if measure == "accuracy" else 0.0
    assert [points[-1].mean for points in found.points] == pytest.approx([chance, chance], abs=0.05)


def test_people_curves_leave_out_contexts_whose_votes_do_not_connect_or_cannot_be_halved():
    chain = [(0, 1), (1, 2)]
    pairs = [*chain, *chain, *((one + 3, other + 3) for one, other in chain), (6, 7), (6, 7)]
    first, second = np.array(pairs).T
    votes = Votes(Comparisons(10, first, second, np.ones(len(pairs)), np.array([0, 3, 6])), np.arange(len(pairs)))

    halves = people_curves(LINES, votes, np.full(10, np.nan), **OPTIONS)
    scored = people_curves(LINES, votes, np.arange(10.0), **OPTIONS)

    assert halves.contexts.tolist() == [True, False, True]
    assert scored.contexts.tolist() == [True, True, True]


@pytest.mark.parametrize(
    ("n_votes", "reason"),
    [
        (0, "no context has both an answer of the judge and a vote"),
        (1, "no context has votes that connect its candidates, or without human scores twice as many"),
    ],
)
def test_people_curves_of_too_few_votes_say_so(n_votes, reason):
    votes = Votes(Comparisons(2, [0] * n_votes, [1] * n_votes, [1.0] * n_votes), np.zeros(n_votes, dtype=int))

    found = people_curves(LINES, votes, np.full(2, np.nan), **OPTIONS)

    assert [[point.undefined for point in points] for points in found.points] == [[reason], [reason]]
    assert found.undefined == reason


PEOPLE = [CurvePoint(3, 0.2, 0.1, 0.3, 10), CurvePoint(5, 0.6, 0.5, 0.7, 10), CurvePoint(9, 0.5, 0.4, 0.6, 10)]


@pytest.mark.parametrize(("mean", "votes"), [(0.2, 3.0), (0.3, 3.5), (0.55, 4.75), (0.6, 5.0)])
def test_worth_is_read_off_the_first_crossing_of_the_peoples_curve(mean, votes):
    assert worth_in_votes(CurvePoint(100, mean, 0, 1, 10), PEOPLE).value == pytest.approx(votes)


@pytest.mark.parametrize(
    ("mean", "reason"),
    [
        (0.1, "below what the fewest votes drawn reach, 3 per context"),
        (0.7, "above what people's votes reach, up to 9 per context"),
    ],
)
def test_worth_outside_the_peoples_curve_is_undefined(mean, reason):
    figure = worth_in_votes(CurvePoint(100, mean, 0, 1, 10), PEOPLE)

    assert (figure.value, figure.undefined) == (None, reason)


def test_worth_needs_both_curves():
    missing = CurvePoint.missing("nothing counts")

    assert worth_in_votes(missing, PEOPLE).undefined == "the judge has no such point: nothing counts"
    assert worth_in_votes(PEOPLE[0], [missing]).undefined == "people's votes have no such curve: nothing counts"
