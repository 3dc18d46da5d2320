import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import t as student_t

from evenhand.numerics import OrderedPairs
from evenhand.numerics.exceptions import NotConverged, Undefined
from evenhand.numerics.reliability.prediction_powered import (
    Labelled,
    Unlabelled,
    contexts_for_width,
    powered_mean,
    powered_scores,
)

CHANCES = np.array([0.9, 0.3, 0.6])  # how often people prefer the system, in three kinds of comparisons


def labels(rng, n, right=0.85):
    """People's answers on n comparisons, and those of a judge who says the same with some chance."""
    human = (rng.random(n) < rng.choice(CHANCES, n)).astype(float)
    return human, np.where(rng.random(n) < right, human, 1 - human)


def mean_of(human, judge_same, judge_other, **options):
    """Every comparison in a context of its own."""
    n = len(human)
    labelled = Labelled(human, judge_same, np.arange(n))
    return powered_mean(labelled, Unlabelled(judge_other, n + np.arange(len(judge_other))), **options)


def test_powered_mean_matches_an_example_worked_by_hand():
    """The judge is 0.3 too high where people answered; with full weight that is taken off his mean elsewhere."""
    human = np.array([0.0, 1.0, 0.0, 1.0])
    judge = human + 0.3
    other = np.tile([0.3, 1.3], 5000)

    mean = mean_of(human, judge, other)

    assert mean.weight == pytest.approx(1, abs=0.35)
    assert mean.value == pytest.approx(mean.weight * 0.8 + (0.5 - mean.weight * 0.8))


def test_powered_mean_of_a_useless_judge_is_that_of_people_alone():
    rng = np.random.default_rng(0)
    human = rng.integers(0, 2, 100).astype(float)

    mean = mean_of(human, np.ones(100), np.ones(1000))

    assert (mean.value, mean.weight) == pytest.approx((human.mean(), 0))
    assert mean.standard_error == pytest.approx(human.std(ddof=1) / 10)


def test_powered_mean_of_a_perfect_judge_is_worth_all_his_answers():
    rng = np.random.default_rng(1)
    human, judge = labels(rng, 100, right=1.0)
    _, other = labels(rng, 100_000, right=1.0)

    mean = mean_of(human, judge, other)

    assert mean.standard_error < mean_of(human, judge, other, weight=0.0).standard_error / 10


@given(seed=st.integers(0, 1000))
def test_powered_mean_of_the_opposite_answers_is_mirrored(seed):
    rng = np.random.default_rng(seed)
    human, judge = labels(rng, 40)
    _, other = labels(rng, 200)

    mean, opposite = mean_of(human, judge, other), mean_of(1 - human, 1 - judge, 1 - other)

    assert (opposite.value, opposite.low) == pytest.approx((1 - mean.value, 1 - mean.high))


def test_powered_mean_covers_the_truth_as_often_as_it_says_and_is_shorter_than_people_alone():
    rng = np.random.default_rng(2)
    covered, lengths = 0, []
    for _ in range(1000):
        human, judge = labels(rng, 150)
        _, other = labels(rng, 1500)
        mean = mean_of(human, judge, other)
        covered += mean.low <= CHANCES.mean() <= mean.high
        lengths.append(mean.standard_error / (human.std(ddof=1) / np.sqrt(150)))

    assert 930 <= covered <= 970
    assert np.mean(lengths) < 0.8


def test_powered_mean_covers_the_truth_where_comparisons_of_a_context_hang_together():
    """Contexts in which the system does well and others where it does not; people label a dozen of them."""
    rng = np.random.default_rng(8)
    covered = 0
    for _ in range(600):
        chances = np.repeat(rng.beta(2, 2, 60), 10)
        answers = (rng.random(600) < chances).astype(float)
        judge, contexts = np.clip(chances + 0.2 * rng.normal(size=600), 0, 1), np.repeat(np.arange(60), 10)
        labelled = contexts < 12
        mean = powered_mean(
            Labelled(answers[labelled], judge[labelled], contexts[labelled]),
            Unlabelled(judge[~labelled], contexts[~labelled]),
        )
        covered += mean.low <= 0.5 <= mean.high

    assert 555 <= covered <= 585


def test_powered_mean_needs_labels_and_other_answers():
    with pytest.raises(Undefined, match="human labels of at least two contexts, not 1"):
        mean_of(np.ones(1), np.ones(1), np.ones(3))
    with pytest.raises(Undefined, match="no comparisons that only the judge answered"):
        mean_of(np.ones(3), np.ones(3), np.ones(0))


def study_of(rng, voted, total=800, right=0.85):
    """A study with votes on three pairs of the first contexts, and the judge's answers on all."""
    contexts = np.repeat(np.arange(total), 3)
    human = (rng.random(3 * total) < np.repeat(rng.beta(3, 2, total), 3)).astype(float)
    judge = np.where(rng.random(3 * total) < right, human, 1 - human)
    seen = contexts < voted
    return Labelled(human[seen], judge[seen], contexts[seen]), Unlabelled(judge[~seen], contexts[~seen])


def test_planned_contexts_give_the_wanted_width():
    """The plan is the median of 40 pilots with votes in 60 contexts; studies with as many votes have this width."""
    rng = np.random.default_rng(9)

    plans = [contexts_for_width(*study_of(rng, 60), width=0.12) for _ in range(40)]

    for name, weight in (("people", 0.0), ("powered", None)):
        planned = int(np.median([getattr(one, name) for one in plans]))
        means = [powered_mean(*study_of(rng, planned), weight=weight) for _ in range(100)]
        assert np.mean([mean.high - mean.low for mean in means]) == pytest.approx(0.12, rel=0.03)
    assert np.median([one.powered for one in plans]) < 0.75 * np.median([one.people for one in plans])


def test_a_useless_judge_saves_no_votes_and_people_alone_need_the_least_number_that_does():
    labelled, unlabelled = study_of(np.random.default_rng(10), 60)
    useless = np.full(len(labelled.human), 0.5), np.full(len(unlabelled.judge), 0.5)

    plan = contexts_for_width(
        Labelled(labelled.human, useless[0], labelled.contexts), Unlabelled(useless[1], unlabelled.contexts), width=0.2
    )

    means = labelled.human.reshape(60, 3).mean(axis=1)
    assert plan.powered == plan.people
    enough = [n for n in range(3, 400) if student_t.ppf(0.975, n - 1) * means.std(ddof=1) / np.sqrt(n) < 0.1]
    assert plan.people == enough[0]


def test_more_contexts_than_the_run_has_are_for_people_alone():
    labelled, unlabelled = study_of(np.random.default_rng(11), 60, total=80)

    plan = contexts_for_width(labelled, unlabelled, width=0.02)

    assert plan.powered == plan.people > 80


TRUTH = np.array([0.8, 0.3, -0.2, -0.9])


def compared(rng, n, right=0.85):
    first = rng.integers(0, 4, n)
    second = (first + rng.integers(1, 4, n)) % 4
    human = (rng.random(n) < expit(TRUTH[first] - TRUTH[second])).astype(float)
    judge = np.where(rng.random(n) < right, human, 1.0)  # where wrong, he takes the first
    return OrderedPairs(first, second), human, judge


def scores_of(people, judge, others, n_candidates=4):
    """people, others: sides and answers. Every comparison in a context of its own."""
    (here, human), (there, judged) = people, others
    labelled = Labelled(human, judge, np.arange(len(human)))
    unlabelled = Unlabelled(judged, len(human) + np.arange(len(judged)))
    return powered_scores(labelled, unlabelled, here, there, n_candidates=n_candidates)


def test_powered_scores_of_a_useless_judge_are_those_of_people_alone():
    """The judge always answers 1/2; against a binomial regression with a robust covariance."""
    import statsmodels.api as sm

    people, human, _ = compared(np.random.default_rng(3), 300)
    others, _, _ = compared(np.random.default_rng(4), 500)
    design = np.zeros((300, 4))
    design[np.arange(300), people.first], design[np.arange(300), people.second] = 1, -1
    fit = sm.GLM(human, design[:, 1:], family=sm.families.Binomial()).fit(cov_type="HC0", tol=1e-12)
    centre = np.eye(4) - 1 / 4
    covariance = np.zeros((4, 4))
    covariance[1:, 1:] = fit.cov_params()

    scores = scores_of((people, human), np.full(300, 0.5), (others, np.full(500, 0.5)))

    assert scores.values == pytest.approx(centre @ np.r_[0, fit.params], abs=0.05)
    assert scores.errors == pytest.approx(np.sqrt(np.diag(centre @ covariance @ centre)), rel=0.1)


def test_powered_scores_cover_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(250):
        people, human, judge = compared(rng, 250)
        others, _, judged = compared(rng, 2500)
        scores = scores_of((people, human), judge, (others, judged))
        covered += int(((scores.low <= TRUTH) & (scores.high >= TRUTH)).sum())

    assert 0.93 <= covered / 1000 <= 0.97


def test_powered_scores_refuse_people_that_leave_candidates_apart():
    others, _, judged = compared(np.random.default_rng(6), 50)

    with pytest.raises(Undefined, match="do not connect all of them"):
        scores_of(
            (OrderedPairs(np.array([0, 0]), np.array([1, 1])), np.array([1.0, 0.0])), np.ones(2), (others, judged)
        )


def test_powered_scores_say_when_a_candidate_wins_everything():
    people = (OrderedPairs(np.array([0, 0, 0]), np.array([1, 1, 1])), np.ones(3))
    others = (OrderedPairs(np.array([0, 1]), np.array([1, 0])), np.array([0.5, 0.5]))

    with pytest.raises(NotConverged, match="won or lost everything"):
        scores_of(people, np.full(3, 0.5), others, 2)
