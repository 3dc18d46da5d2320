"""The chance that two candidates change order if the remaining pairs are asked."""

import numpy as np
import pytest

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.rankings.registry import score
from evenhand.numerics.selection.reorder_probability import fit_scores, inverse_information, reordering


def answers_of(rng, scores, *, bias=0.1, noise=0.1):
    """p_first of every ordered pair by the linear model itself; NaN on the diagonal."""
    n = len(scores)
    answers = 0.5 + bias + scores[:, None] - scores + noise * rng.normal(size=(n, n))
    np.fill_diagonal(answers, np.nan)
    return answers


def some_of(rng, answers, number):
    """A ring through all candidates, and further random pairs: `number` answers in all."""
    n = len(answers)
    kept = np.zeros((n, n), dtype=bool)
    kept[np.arange(n), np.roll(np.arange(n), -1)] = True
    others = rng.permutation(np.flatnonzero(~kept & ~np.eye(n, dtype=bool)))[: number - n]
    kept.ravel()[others] = True
    return np.where(kept, answers, np.nan)


def test_scores_are_those_of_least_squares_with_a_bias():
    rng = np.random.default_rng(0)
    answers = some_of(rng, answers_of(rng, rng.normal(size=6) * 0.1), 14)
    first, second = np.nonzero(~np.isnan(answers))
    design = np.zeros((14, 7))
    design[np.arange(14), first], design[np.arange(14), second], design[:, 6] = 1, -1, 1

    fitted = fit_scores(answers)

    wanted, *_ = np.linalg.lstsq(design, answers[first, second] - 0.5, rcond=None)
    errors = answers[first, second] - 0.5 - design @ wanted
    assert fitted.scores == pytest.approx(wanted[:6] - wanted[:6].mean())
    assert fitted.inverse == pytest.approx(np.linalg.pinv(design.T @ design)[:6, :6], abs=1e-9)
    assert fitted.degrees_of_freedom == 14 - 6 + 1
    assert fitted.variance == pytest.approx(((errors**2).sum() + 1 / 12) / 9)


def test_scores_of_all_pairs_are_those_of_the_gaussian_expert():
    rng = np.random.default_rng(1)
    answers = np.clip(answers_of(rng, rng.normal(size=5) * 0.1), 0, 1)
    first, second = np.nonzero(~np.isnan(answers))

    fitted = fit_scores(answers)

    wanted = score("poe-gaussian", Comparisons(5, first, second, answers[first, second])).values
    assert fitted.scores == pytest.approx(wanted)


def test_an_error_of_a_judge_that_chooses_may_be_as_large_as_that_of_a_coin():
    chosen = np.where(np.eye(4, k=1) + np.eye(4, k=-3) > 0, 1.0, np.nan)  # a ring: it fits every answer

    assert fit_scores(chosen).variance == pytest.approx(1 / 4)


def test_nothing_can_change_once_every_pair_is_answered():
    rng = np.random.default_rng(2)
    answers = answers_of(rng, rng.normal(size=5))

    change = reordering(fit_scores(answers), ~np.isnan(answers), np.zeros((5, 5), dtype=bool))

    assert (change.probabilities == 0).all()
    assert change.share == 0


def test_answers_that_leave_the_bias_open_determine_no_scores():
    known = np.zeros((4, 4), dtype=bool)
    known[[0, 1, 2], [1, 2, 3]] = True
    two_groups = np.zeros((4, 4), dtype=bool)
    two_groups[[0, 1, 2, 3], [1, 0, 3, 2]] = True

    assert inverse_information(known) is None
    assert inverse_information(two_groups) is None
    assert fit_scores(np.full((4, 4), np.nan)) is None


def test_renumbering_candidates_renumbers_the_probabilities():
    rng = np.random.default_rng(3)
    answers = some_of(rng, answers_of(rng, rng.normal(size=6) * 0.05), 16)
    order = rng.permutation(6)
    renumbered = answers[np.ix_(order, order)]

    one, other = (
        reordering(fit_scores(each), ~np.isnan(each), np.isnan(each) & ~np.eye(6, dtype=bool))
        for each in (answers, renumbered)
    )

    assert other.probabilities == pytest.approx(one.probabilities[np.ix_(order, order)])


@pytest.mark.parametrize("number", [20, 40])
def test_at_most_as_many_pairs_change_order_as_expected(number):
    rng = np.random.default_rng(4)
    expected, changed = [], []
    upper = np.triu_indices(8, 1)
    for _ in range(400):
        answers = answers_of(rng, rng.normal(size=8) * 0.1, noise=0.15)
        asked = some_of(rng, answers, number)
        fitted, complete = fit_scores(asked), fit_scores(answers)
        remaining = ~np.isnan(answers) & np.isnan(asked)
        expected.append(reordering(fitted, ~np.isnan(asked), remaining).share)
        gaps, final = (each.scores[:, None] - each.scores for each in (fitted, complete))
        changed.append(((gaps * final)[upper] < 0).mean())

    assert 0.7 * np.mean(expected) < np.mean(changed) < np.mean(expected)
    assert np.mean(expected) > 0.03
