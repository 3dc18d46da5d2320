import numpy as np

from evenhand.numerics.correlation.system_samples import MISSING_SYSTEMS
from evenhand.numerics.intervals import TOO_FEW_TO_DRAW
from evenhand.numerics.reliability.system_ranks import NO_SCORED_TEXT, system_ranks
from evenhand.numerics.resampling import resamples

CONTEXTS = 30


def texts(scores):
    """Return scores, systems and contexts of texts. scores: float, (n_contexts, n_systems)."""
    n_contexts, n_systems = scores.shape
    return scores.ravel(), np.tile(np.arange(n_systems), n_contexts), np.repeat(np.arange(n_contexts), n_systems)


def ranked(scores):
    return system_ranks(*texts(scores), n_systems=scores.shape[1])


def noisy_scores(*, gap, noise, systems=4):
    """Return scores of systems whose true means are a gap apart, the first the best."""
    rng = np.random.default_rng(7)
    return -gap * np.arange(systems) + noise * rng.normal(size=(CONTEXTS, systems))


def test_systems_far_apart_have_ranks_without_doubt_and_a_tier_each():
    ranks = ranked(noisy_scores(gap=10, noise=1))

    assert [(one.rank.value, one.rank.low, one.rank.high) for one in ranks] == [(k, k, k) for k in (1, 2, 3, 4)]
    assert [one.tier for one in ranks] == [1, 2, 3, 4]
    assert {one.rank.n for one in ranks} == {CONTEXTS}


def test_systems_that_noise_hides_share_the_first_tier():
    ranks = ranked(noisy_scores(gap=0.01, noise=1))

    assert {one.tier for one in ranks} == {1}
    assert all(one.rank.low < one.rank.high for one in ranks)


def test_interval_of_a_rank_is_that_of_the_drawn_contexts():
    """Computed here from the drawn contexts themselves, with a loop over systems."""
    scores = noisy_scores(gap=0.2, noise=1)
    drawn = np.concatenate(list(resamples(CONTEXTS)))
    means = scores[drawn].mean(axis=1)
    ranks = np.array([[1 + sum(other > own for other in row) for own in row] for row in means])
    low, high = np.quantile(ranks, [0.025, 0.975], axis=0)

    figures = [one.rank for one in ranked(scores)]

    assert [figure.low for figure in figures] == (np.floor(2 * low) / 2).tolist()
    assert [figure.high for figure in figures] == (np.ceil(2 * high) / 2).tolist()


def test_equal_means_share_their_mean_rank():
    assert [one.rank.value for one in ranked(np.array([[2.0, 1.0, 1.0], [4.0, 3.0, 3.0]]))] == [1, 2.5, 2.5]


def test_system_without_a_scored_text_has_no_rank():
    scores = np.array([[2.0, np.nan, 1.0], [4.0, np.nan, 3.0]])

    best, missing, other = ranked(scores)

    assert (best.rank.value, other.rank.value) == (1, 2)
    assert (missing.rank.value, missing.rank.undefined, missing.tier) == (None, NO_SCORED_TEXT, None)


def test_texts_of_unknown_systems_do_not_count():
    scores, systems, contexts = texts(np.array([[2.0, 1.0, 9.0], [4.0, 3.0, 9.0]]))

    ranks = system_ranks(scores, np.where(systems == 2, -1, systems), contexts, n_systems=2)

    assert [one.rank.value for one in ranks] == [1, 2]


def test_one_context_gives_ranks_without_intervals_and_tiers():
    [best, _] = ranked(np.array([[2.0, 1.0]]))

    assert (best.rank.value, best.rank.low, best.tier) == (1, None, None)
    assert best.rank.undefined == TOO_FEW_TO_DRAW


def test_systems_that_most_resamples_lack_leave_no_intervals():
    """Either is in one context of thirty, so only two of five resamples have both."""
    scores = noisy_scores(gap=1, noise=1)
    scores[1:, 2] = np.nan
    scores[:-1, 3] = np.nan

    assert {one.rank.undefined for one in ranked(scores)} == {MISSING_SYSTEMS}
