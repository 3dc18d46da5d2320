"""Comparisons made up for tests, with a known truth behind them."""

import numpy as np
from hypothesis import strategies as st

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.correlation.human_scores import HumanScores
from evenhand.numerics.curves.curve_measures import HumanJudgments
from evenhand.numerics.curves.ranking_curves import CurveLine, ranking_curves


def every_ordered_pair(n_candidates, n_contexts=1):
    """First, second and starts of all ordered pairs of each context."""
    first, second = np.nonzero(~np.eye(n_candidates, dtype=bool))
    starts = np.arange(n_contexts) * n_candidates
    return (starts[:, None] + first).ravel(), (starts[:, None] + second).ravel(), starts


def simulated_run(rng, *, n_candidates=8, n_contexts=20, bias=0.0, noise=0.5):
    """Soft answers on every ordered pair, and the true scores behind them."""
    truth = rng.normal(size=n_candidates * n_contexts)
    first, second, starts = every_ordered_pair(n_candidates, n_contexts)
    logits = truth[first] - truth[second] + bias + noise * rng.normal(size=len(first))
    return Comparisons(len(truth), first, second, 1 / (1 + np.exp(-logits)), starts), truth


def run_with_people(seed=0, n_candidates=6, n_contexts=12, **options):
    """A simulated run, with its true scores as human scores."""
    rng = np.random.default_rng(seed)
    comparisons, truth = simulated_run(rng, n_candidates=n_candidates, n_contexts=n_contexts, **options)
    return comparisons, HumanScores(truth, comparisons.candidate_contexts, np.full(len(truth), -1))


def ranking_curve(ranking, comparisons, human, *, debiasing=None, **options):
    """The curve of one ranking against human scores. options: of `ranking_curves`."""
    lines, truth = [CurveLine(ranking, debiasing)], HumanJudgments(human.scores[None])
    return ranking_curves(lines, comparisons, truth, **options)[0]


def league(wins):
    """Hard comparisons of one context from a table of wins, row over column."""
    wins = np.array(wins)
    first, second = (np.repeat(side, wins[np.nonzero(wins)]) for side in np.nonzero(wins))
    return Comparisons(len(wins), first, second, np.ones(len(first)))


def mirrored(comparisons):
    """The same answers with every pair shown the other way round."""
    return Comparisons(
        comparisons.n_candidates, comparisons.second, comparisons.first, 1 - comparisons.p_first, comparisons.starts
    )


@st.composite
def connected_contexts_of_comparisons(draw):
    """One context whose comparisons are a random tree and some more pairs, in either order."""
    n = draw(st.integers(2, 7))
    pairs = [(draw(st.integers(0, later - 1)), later) for later in range(1, n)]
    pairs += draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] != p[1])))
    turned = [pair if draw(st.booleans()) else pair[::-1] for pair in pairs]
    p_first = [draw(st.floats(0.02, 0.98)) for _ in turned]
    return Comparisons(n, [pair[0] for pair in turned], [pair[1] for pair in turned], p_first)
