import numpy as np
import pytest

from evenhand.numerics.correlation.coefficients import every_coefficient
from evenhand.numerics.correlation.human_scores import HumanScores, MatchedScores
from evenhand.numerics.correlation.system_samples import (
    SystemSamples,
    parts_of_systems,
    system_intervals,
    system_samples,
)
from evenhand.numerics.correlation.tie_calibration import accuracies_with_ties
from evenhand.numerics.resampling import resamples
from evenhand.numerics.scores import Scores
from evenhand.numerics.shared_draws import shared_draws, with_drawn_sums

CONTEXTS, SYSTEMS = 12, 4


def study(n_contexts=CONTEXTS, n_systems=SYSTEMS):
    """Every system in every context; half of a second ranking's scores are ties."""
    rng = np.random.default_rng(3)
    contexts, systems = np.divmod(np.arange(n_contexts * n_systems), n_systems)
    human = HumanScores(rng.integers(1, 6, len(contexts)).astype(float), contexts, systems)
    return human, [Scores.of_values(rng.random(len(contexts))), Scores.of_values(rng.integers(0, 3, len(contexts)) / 2)]


def matched(human, rankings):
    return MatchedScores.of(rankings[0], human, np.ones(human.contexts.max() + 1, dtype=bool))


def samples_of(human, rankings, epsilons=(0.1, 0.0)):
    found = []
    parts = parts_of_systems(rankings, matched(human, rankings))
    with_drawn_sums(parts, lambda totals: found.extend(system_samples(totals, epsilons)))
    return found


@pytest.mark.parametrize("n_samples", [3, 600])
def test_measures_of_samples_are_those_of_each_alone(n_samples):
    rng = np.random.default_rng(0)
    people, predicted = rng.integers(0, 5, (2, n_samples, 6)).astype(float)
    people[:, 0], predicted[-1] = 9, 1.1

    found = dict(SystemSamples(people).measures(predicted, 1.0))

    shares = found.pop("accuracy_with_ties")
    i, j = np.triu_indices(6, 1)
    gaps = predicted[:, i] - predicted[:, j]
    right = np.where(np.abs(gaps) <= 1, 0, np.sign(gaps)) == np.sign(people[:, i] - people[:, j])
    assert shares == pytest.approx(right.mean(axis=1))
    for name, values in every_coefficient(predicted[None], people).items():
        assert found[name] == pytest.approx(values[0], abs=1e-12), name


def test_samples_are_means_of_systems_over_contexts_drawn_again():
    human, [scores, _] = study()
    [found] = samples_of(human, [scores], [0.0])

    drawn = np.concatenate(list(resamples(CONTEXTS)))
    people, predicted = (
        values.reshape(CONTEXTS, SYSTEMS)[drawn].mean(axis=1).round(9) for values in (human.scores, scores.values)
    )
    varied = (people != people[:, :1]).any(axis=1)
    expected = every_coefficient(predicted[None, varied], people[varied])

    assert {name: len(values) for name, values in found.items()} == dict.fromkeys(found, varied.sum())
    assert found["spearman"] == pytest.approx(expected["spearman"][0])


def test_samples_without_a_system_are_left_out():
    human, rankings = study()
    kept = (human.systems != 3) | (human.contexts < 4)
    rare = HumanScores(np.where(kept, human.scores, np.nan), human.contexts, human.systems)
    never = HumanScores(
        np.where((human.systems != 3) | (human.contexts < 1), human.scores, np.nan), human.contexts, human.systems
    )

    assert 900 < len(samples_of(rare, rankings)[0]["spearman"]) < 1_000
    assert len(samples_of(never, rankings)[0]["spearman"]) < 700


def test_ties_of_samples_that_are_all_alike_have_the_share_of_the_whole():
    human, [scores, _] = study(n_contexts=1)
    same = HumanScores(np.tile(human.scores, 12), np.repeat(np.arange(12), SYSTEMS), np.tile(human.systems, 12))
    scores = Scores.of_values(np.tile(scores.values, 12))
    [whole] = accuracies_with_ties([scores], matched(same, [scores]))

    [found] = samples_of(same, [scores], [whole.epsilon["system"]])

    assert found["accuracy_with_ties"] == pytest.approx(np.full(1_000, whole.block.system))


def test_intervals_hold_the_middle_of_the_samples():
    human, rankings = study()
    samples = samples_of(human, rankings)

    with shared_draws():
        intervals = system_intervals(rankings, matched(human, rankings), (0.1, 0.0))
        assert intervals[0]["spearman"].low is None

    for figures, of_ranking in zip(intervals, samples, strict=True):
        for name, figure in figures.items():
            expected = np.quantile(of_ranking[name], [0.025, 0.975])
            assert (figure.low, figure.high) == pytest.approx(tuple(expected), abs=1e-12)


@pytest.mark.parametrize(
    ("n_contexts", "n_systems", "reason"),
    [
        (9, 4, "an interval of this figure needs at least ten contexts"),
        (4, 1, "fewer than two systems have candidates with both scores"),
        (4, 33, "there are more than 32 systems, for which drawing contexts again takes too long for a report"),
    ],
)
def test_intervals_that_cannot_be_computed_say_why(n_contexts, n_systems, reason):
    human, rankings = study(n_contexts, n_systems)

    intervals = system_intervals(rankings, matched(human, rankings), (0.1, 0.0))

    assert {figure.undefined for figures in intervals for figure in figures.values()} == {reason}


def test_a_system_that_is_hardly_ever_drawn_leaves_no_interval():
    human, rankings = study()
    thin = (human.systems < 2) | (human.contexts == human.systems)
    alone = HumanScores(np.where(thin, human.scores, np.nan), human.contexts, human.systems)

    intervals = system_intervals(rankings, matched(alone, rankings), (0.1, 0.0))

    for figure in (figure for figures in intervals for figure in figures.values()):
        assert (figure.low, figure.high) == (None, None)
        assert figure.undefined.startswith("some system is in so few contexts")
