"""Systems that are apart: scores, simultaneous intervals, groups, what would separate the next two, and cycles."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import t

from evenhand.numerics import Comparisons
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.significance.separation import cycles, separate
from tests.commands import printed_json, refused
from tests.rankings.studies import compared, make_dataset

STRENGTHS = np.array([1.2, 0.3, 0.0, -1.5])


def drawn(rng, *, contexts=40, strengths=STRENGTHS, spread=0.5):
    """Every ordered pair of systems in each context, whose texts differ by chance. Returns comparisons and contexts."""
    n = len(strengths)
    first, second = (np.tile(one, contexts) for one in np.nonzero(~np.eye(n, dtype=bool)))
    rows = np.repeat(np.arange(contexts), n * (n - 1))
    texts = strengths + spread * rng.normal(size=(contexts, n))
    wins = rng.random(len(rows)) < expit(texts[rows, first] - texts[rows, second] + 0.3)
    return Comparisons(n, first, second, wins.astype(float)), rows


def fitted(systems, weights):
    """Bradley-Terry scores of weighted comparisons, with pseudo-wins, by a general optimiser."""
    n, off = systems.n_candidates, ~np.eye(systems.n_candidates, dtype=bool)

    def loss(scores):
        margins = scores[systems.first] - scores[systems.second]
        won, lost = np.logaddexp(0, -margins), np.logaddexp(0, margins)
        pseudo = np.logaddexp(0, -(scores[:, None] - scores))[off].sum() / (n - 1)
        return weights @ (systems.p_first * won + (1 - systems.p_first) * lost) + pseudo

    found = minimize(loss, np.zeros(n), method="BFGS", options={"gtol": 1e-9}).x
    return found - found.mean()


def test_scores_and_errors_are_those_of_a_jackknife_with_a_general_optimiser():
    systems, rows = drawn(np.random.default_rng(1), spread=1.5)

    found = separate(systems, rows)

    assert found.scores == pytest.approx(fitted(systems, np.ones(len(rows))), abs=1e-5)
    left_out = np.stack([fitted(systems, (rows != one).astype(float)) for one in range(40)])
    gaps = left_out[:, :, None] - left_out[:, None, :]
    jackknife = np.sqrt(39 / 40 * ((gaps - gaps.mean(axis=0)) ** 2).sum(axis=0))
    half, pairs = (found.high - found.low) / 2, np.triu_indices(4, 1)
    quantiles = half[pairs] / jackknife[pairs]
    assert quantiles == pytest.approx(np.full(6, quantiles.mean()), rel=0.12)  # one quantile for all pairs
    assert t.ppf(0.975, 39) < quantiles.mean() < 1.1 * t.ppf(1 - 0.025 / 6, 39)  # up to about Bonferroni's


def test_two_systems_have_the_interval_of_one_difference():
    systems, rows = drawn(np.random.default_rng(2), contexts=200, strengths=np.array([0.4, -0.4]), spread=0.0)

    found = separate(systems, rows)

    share = systems.p_first[systems.first == 0].sum() + (1 - systems.p_first[systems.first == 1]).sum() + 1
    p = share / (len(rows) + 2)
    error = 1 / np.sqrt((len(rows) + 2) * p * (1 - p))
    assert found.scores[0] - found.scores[1] == pytest.approx(np.log(p / (1 - p)))
    assert found.high[0, 1] - found.low[0, 1] == pytest.approx(2 * t.ppf(0.975, 199) * error, rel=0.1)


@pytest.mark.parametrize(("strengths", "least"), [(STRENGTHS, 0.9), (np.zeros(6), 0.9)], ids=["apart", "equal"])
def test_all_intervals_hold_at_once(strengths, least):
    """A conditional draw keeps the strengths the truth: texts of a system do not differ."""
    rng, true = np.random.default_rng(3), strengths[:, None] - strengths
    held = 0
    for _ in range(100):
        systems, rows = drawn(rng, contexts=25, strengths=strengths, spread=0.0)
        first = rng.permutation(len(rows))[: len(rows) // 2]
        found = separate(systems.select(first), rows[first])
        held += bool(((found.low - 0.1 <= true) & (true <= found.high + 0.1)).all())  # 0.1: the lean to the first
    assert held >= 100 * least


def test_agreeing_contexts_do_not_make_an_interval_without_width():
    first, rows = np.zeros(20, dtype=int), np.repeat(np.arange(10), 2)

    found = separate(Comparisons(2, first, first + 1, np.ones(20)), rows)

    assert found.high[0, 1] - found.low[0, 1] > 2 * t.ppf(0.975, 9) * 0.9  # as wide as independent comparisons make it


def test_contexts_needed_would_separate_the_systems():
    rng = np.random.default_rng(6)
    systems, rows = drawn(rng, contexts=30, strengths=np.array([0.15, -0.15]))
    found = separate(systems, rows)
    assert not found.apart[0, 1]

    times = int(found.needed[0, 1] // 30) + 2
    many = Comparisons(2, *(np.tile(getattr(systems, name), times) for name in ("first", "second", "p_first")))
    assert separate(many, np.concatenate([rows + 30 * one for one in range(times)])).apart[0, 1]
    fewer = Comparisons(2, *(np.tile(getattr(systems, name), times // 2) for name in ("first", "second", "p_first")))
    assert not separate(fewer, np.concatenate([rows + 30 * one for one in range(times // 2)])).apart[0, 1]


def test_fewer_than_ten_contexts_have_no_intervals():
    with pytest.raises(Undefined, match="need 10 contexts with two systems, not 9"):
        separate(*drawn(np.random.default_rng(5), contexts=9))


def test_cycles_are_counted_and_expected_as_over_all_outcomes():
    pairs = np.array([(0, 1), (1, 0), (1, 2), (2, 0), (2, 0), (2, 0)])
    scores = np.array([0.5, 0.1, -0.6])
    chances = expit(scores[pairs[:, 0]] - scores[pairs[:, 1]])
    by_hand = 0.0
    for outcome in product((0, 1), repeat=len(pairs)):
        found = cycles(Comparisons(3, *pairs.T, np.array(outcome, dtype=float)), scores)
        probability = np.prod(np.where(outcome, chances, 1 - chances))
        by_hand += found.seen * probability
        assert found.seen <= found.triads <= 1
    assert found.expected == pytest.approx(by_hand)
    assert cycles(Comparisons(3, *pairs[[0, 2, 3]].T, np.ones(3)), scores).seen == 1


def judged(systems="abc", *, contexts=12, name="Study"):
    """A run in which each system beats those behind it; b beats c in two of three contexts only."""
    texts = [
        {"candidate": key, "text": key, "system": system, "scores": {"overall": 1}}
        for key, system in zip("abc", systems, strict=True)
    ]
    dataset = make_dataset(
        [{"context": f"c{at}", "text": "Article", "candidates": texts} for at in range(contexts)], name=name
    )
    lines = [
        f"c{at},overall,{one},{other},{0.1 if one + other == 'bc' and at % 3 == 0 else 0.9}"
        for at in range(contexts)
        for one, other in ("ab", "ac", "bc")
    ]
    return compared(dataset, "\n".join(["context,attribute,first,second,p_first", *lines]) + "\n")


@pytest.mark.django_db
@pytest.mark.usefixtures("forget_reports")
def test_report_has_neighbours_groups_and_what_separates_the_next_two(capsys):
    run = judged()

    report = printed_json(capsys, "separation", "--dataset", run.dataset.name)

    assert [one["groups"] for one in report["systems"]] == ["a", "b", "b"]
    assert [pair["apart"] for pair in report["pairs"]] == [True, True, False]
    assert [pair["neighbours"] for pair in report["pairs"]] == [True, False, True]
    assert report["next"] == report["pairs"][2]
    assert report["next"]["comparisons_needed"] == 3 * report["next"]["contexts_needed"] > 36
    assert report["cycles"]["seen"] == 0
    assert (report["contexts"], report["comparisons"], report["run"]) == (12, 36, run.pk)


@pytest.mark.django_db
def test_what_is_missing_is_said(capsys):
    dataset = make_dataset()
    assert refused(capsys, "separation", "--dataset", dataset.name) == [
        f"run: {dataset.name} has no run; judge it, or import recorded comparisons"
    ]
    for run, problem in (
        (judged(contexts=9, name="Few"), "simultaneous intervals need 10 contexts with two systems, not 9"),
        (judged("aaa", name="One"), "it compares 0 known systems; give 2 to 64, by the column system of the dataset"),
    ):
        assert refused(capsys, "separation", "--dataset", run.dataset.name) == [f"run: {run.pk}: {problem}"]
