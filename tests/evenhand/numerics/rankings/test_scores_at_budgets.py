"""Scores along orders of asking rank candidates as the report of the same comparisons does, ties included."""

import json

import numpy as np
import pytest

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.debiasing import Debiasing
from evenhand.numerics.fitting.batches import batches
from evenhand.numerics.fitting.running_tallies import Tally
from evenhand.numerics.rankings.large_scores_at_budgets import OneOrderAlong, OrderTally
from evenhand.numerics.rankings.registry import score, scorer_at_budgets
from evenhand.numerics.ranks import average_ranks
from evenhand.numerics.scores import rounded

FITTED = ["bradley-terry", "poe-bt", "poe-gaussian", "poe-gaussian-hard"]
CONTEXTS = 30
HUB = [(0, leaf) for leaf in range(1, 31)] + [(leaf, 0) for leaf in range(1, 31)]
CHAINS = [(k, k + 1) for k in range(5)] + [(0, 6), *((k, k + 1) for k in range(6, 10))] + [(5, 4), (10, 9)]
TREE = [((k - 1) // 2, k) for k in range(1, 15)] + [(7, 8), (9, 10), (11, 12), (13, 14)]
ALL_PAIRS = [(i, j) for i in range(6) for j in range(6) if i != j]


def run_of(pairs, answers, rng):
    """Every context asks the same pairs in this order, with random answers."""
    first, second = np.tile(np.array(pairs).T, CONTEXTS)
    size = max(first.max(), second.max()) + 1
    starts = np.arange(CONTEXTS) * size
    contexts = np.repeat(np.arange(CONTEXTS), len(pairs))
    p_first = rng.choice(answers, len(first))
    return Comparisons(size * CONTEXTS, first + starts[contexts], second + starts[contexts], p_first, starts)


def scores_along(ranking, run, debiasing, budgets):
    """The scores of each context at each budget, (n_contexts, size)."""
    [batch] = batches(run, np.ones(CONTEXTS, dtype=bool))
    steps = np.argsort(batch.rows, kind="stable").reshape(CONTEXTS, -1)
    tally = Tally(batch, CONTEXTS)
    along = scorer_at_budgets(ranking, run.p_first, debiasing).along(tally)
    for asked, budget in zip([0, *budgets], budgets, strict=False):
        along.take(tally.take(steps[:, asked:budget]))
        yield along.scores().T


@pytest.mark.parametrize("ranking", FITTED)
@pytest.mark.parametrize("debiased", [False, True])
@pytest.mark.parametrize(
    ("pairs", "answers"),
    [
        (HUB, (0.0, 0.5, 1.0)),
        (CHAINS, (0.0, 1.0)),
        (TREE, (0.1, 0.37, 0.63, 0.9)),
        (ALL_PAIRS, (0.0, 1.0)),
        (ALL_PAIRS, (0.1, 0.37, 0.63, 0.9)),
    ],
    ids=["hub", "chains", "soft tree", "all pairs", "soft pairs"],
)
def test_scores_along_an_order_tie_as_in_the_report(pairs, answers, debiased, ranking):
    run = run_of(pairs, answers, np.random.default_rng(0))
    debiasing = Debiasing.of_run(run) if debiased and (len(answers) == 4 or ranking != "bradley-terry") else None
    budgets = [len(pairs) - 2, len(pairs)]

    along = [average_ranks(rounded(scores)) for scores in scores_along(ranking, run, debiasing, budgets)]

    place = np.arange(len(run)) % len(pairs)
    of_report = [score(ranking, run.select(place < budget), debiasing) for budget in budgets]
    for at in range(2):
        expected = of_report[at].values.reshape(CONTEXTS, -1)
        assert along[at].tolist() == average_ranks(rounded(expected)).tolist()


@pytest.mark.parametrize("debiased", [False, True])
def test_scores_of_equal_groups_tie_where_noise_is_larger_than_rounding(debiased):
    """Six rings of three hang on candidate 0 by a nearly certain answer, so rounding errors move a ring by 1e-10."""
    rings = [pair for a in range(1, 19, 3) for pair in ((0, a), (a, a + 1), (a + 1, a + 2), (a + 2, a))]
    rng = np.random.default_rng(2)
    run = run_of(rings, (0.5,), rng)
    of_ring = np.concatenate([np.ones((CONTEXTS, 1, 1)), rng.uniform(0.1, 0.9, (CONTEXTS, 1, 3))], axis=2)
    run = run.with_p_first(np.tile(of_ring, (1, 6, 1)).ravel())

    [scores] = scores_along("poe-bt", run, Debiasing.of_run(run) if debiased else None, [24])

    rings_of_scores = rounded(scores[:, 1:].reshape(CONTEXTS, 6, 3))
    assert (rings_of_scores == rings_of_scores[:, :1]).all()


@pytest.mark.parametrize("ranking", FITTED)
def test_scores_of_a_large_context_tie_as_in_the_report(ranking):
    run = run_of(HUB, (0.0, 0.5, 1.0), np.random.default_rng(1))
    [batch] = batches(run, np.arange(CONTEXTS) == 0)
    size = batch.size

    tally = OrderTally(batch, np.arange(len(HUB)))
    along = OneOrderAlong(scorer_at_budgets(ranking, run.p_first), tally)
    along.take(tally.take(len(HUB)))
    scores = along.scores()[:, 0]

    expected = score(ranking, run).values[:size]
    assert average_ranks(rounded(scores)).tolist() == average_ranks(rounded(expected)).tolist()


@pytest.mark.realdata
@pytest.mark.parametrize("debiased", [False, True])
def test_scores_along_a_recorded_hub_tie_its_equal_candidates(shared_data, debiased):
    recorded = json.loads((shared_data / "cases" / "hub_ties.json").read_text())["comparisons"]
    first, second, choices = zip(*recorded, strict=True)
    p_first = [{"first": 1.0, "tie": 0.5, "second": 0.0}[choice] for choice in choices]
    run = Comparisons(31, np.array(first), np.array(second), np.array(p_first))
    [batch] = batches(run, np.ones(1, dtype=bool))
    tally = Tally(batch, 1)
    along = scorer_at_budgets("poe-bt", run.p_first, Debiasing.of_run(run) if debiased else None).along(tally)

    along.take(tally.take(np.arange(len(run))[None]))

    assert len(set(rounded(along.scores()[[20, 21, 24, 30], 0]).tolist())) == 1
