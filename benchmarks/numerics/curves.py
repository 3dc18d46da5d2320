"""Curves of correlation against comparisons, as a notebook draws them: 100 contexts of 16 candidates x 50 draws."""

from functools import partial

import numpy as np
from scipy.special import expit

from benchmarks.numerics.lines import Line, seconds
from benchmarks.numerics.peers import fits
from evenhand import Judgments
from evenhand.numerics import (
    RANKINGS,
    Comparisons,
    Debiasing,
    HumanScores,
    correlate,
    score,
    select_pairs,
)
from evenhand.numerics.correlation.human_scores import MatchedScores

CONTEXTS, CANDIDATES, DRAWS, SEED = 100, 16, 50, 0
SAMPLED_CONTEXTS = 2


def made_run(noise: float = 1.0) -> tuple[Comparisons, HumanScores]:
    """Return every ordered pair of each context, judged with noise and a preference for the first."""
    rng = np.random.default_rng(SEED)
    truth = rng.normal(size=CONTEXTS * CANDIDATES)
    i, j = np.nonzero(~np.eye(CANDIDATES, dtype=bool))
    starts = np.arange(CONTEXTS) * CANDIDATES
    first, second = (starts[:, None] + i).ravel(), (starts[:, None] + j).ravel()
    p_first = expit(truth[first] - truth[second] + 0.3 + noise * rng.normal(size=len(first)))
    run = Comparisons(len(truth), first, second, p_first, starts)
    return run, HumanScores(truth, run.candidate_contexts, np.tile(np.arange(CANDIDATES), CONTEXTS))


def as_in_a_notebook(run: Comparisons, people: HumanScores) -> tuple[Judgments, dict[tuple[int, int], float]]:
    """Return the run and the human scores by names, which are numbers here."""
    runs = Judgments(run.contexts.tolist(), run.first.tolist(), run.second.tolist(), run.p_first.tolist())
    keys = zip(people.contexts.tolist(), range(len(people.scores)), strict=True)
    return runs, dict(zip(keys, people.scores.tolist(), strict=True))


def report() -> list[Line]:
    """All rankings of one run, raw and debiased, with their correlations."""
    run, people = made_run()
    recorded = np.ones(CONTEXTS, dtype=bool)

    def rows() -> None:
        debiasing = Debiasing.of_run(run)
        for ranking in RANKINGS:
            for by in (None, debiasing):
                scores = score(ranking, run, by)
                correlate(scores, MatchedScores.of(scores, people, recorded))

    return [Line(f"{len(RANKINGS)} rankings raw and debiased, correlations, 24,000 answers", seconds(rows))]


def small_fits() -> list[Line]:
    """Time our whole curve of soft Bradley-Terry, with draws and correlations, against the peers' fits alone."""
    run, people = made_run()
    runs, human = as_in_a_notebook(run, people)
    budgets = [int(point.comparisons) for point in runs.curve(human, "poe-bt", draws=1)]
    n_fits = CONTEXTS * DRAWS * len(budgets)
    ours = seconds(partial(runs.curve, human, "poe-bt", draws=DRAWS))
    problems = sampled_problems(run, budgets)
    lines = []
    for name, fit in fits("evalica", "choix").items():
        taken = seconds(lambda fit=fit: [fit(*problem) for problem in problems])
        error = max(np.abs(fit(*problem) - exact(problem)).max() for problem in problems)
        note = f"peer: {len(problems)} fits, multiplied; ours: with draws and correlations"
        wanted = {"evalica bradley_terry": 25.0, "choix ilsr_pairwise_dense": 30.0}.get(name)
        task = f"{n_fits:,} soft Bradley-Terry fits, N={CANDIDATES}"
        theirs = taken / len(problems) * n_fits
        lines.append(Line(task, ours, name, theirs, wanted, float(error), note=note))
    return lines


def sampled_problems(run: Comparisons, budgets: list[int]) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, int]]:
    """Return some contexts at every budget, each with its own draw."""
    rng = np.random.default_rng(SEED)
    table = np.zeros((CONTEXTS, CANDIDATES, CANDIDATES))
    contexts = run.contexts
    table[contexts, run.first - run.starts[contexts], run.second - run.starts[contexts]] = run.p_first
    problems = []
    for context in range(SAMPLED_CONTEXTS):
        for budget in budgets:
            pairs = select_pairs("random", CANDIDATES, budget, rng)
            problems.append((pairs.first, pairs.second, table[context, pairs.first, pairs.second], CANDIDATES))
    return problems


def exact(problem: tuple[np.ndarray, np.ndarray, np.ndarray, int]) -> np.ndarray:
    first, second, p_first, n = problem
    return score("poe-bt", Comparisons(n, first, second, p_first)).complete()


def other_curves() -> list[Line]:
    runs, human = as_in_a_notebook(*made_run())
    return [
        Line(f"curve of {ranking}, {DRAWS} draws", seconds(partial(runs.curve, human, ranking, draws=DRAWS), 1))
        for ranking in ("win-ratio", "average-probability", "bradley-terry", "poe-gaussian")
    ]
