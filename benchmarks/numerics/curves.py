"""Curves of correlation against comparisons: 100 contexts of 16 candidates x 50 draws x 20 budgets."""

from functools import partial

import numpy as np
from scipy.special import expit

from benchmarks.numerics.lines import Line, seconds
from benchmarks.numerics.peers import fits
from evenhand.numerics import (
    RANKINGS,
    Comparisons,
    CurveLine,
    Debiasing,
    HumanJudgments,
    HumanScores,
    correlate,
    ranking_curves,
    score,
    select_pairs,
)
from evenhand.numerics.correlation.human_scores import MatchedScores

CONTEXTS, CANDIDATES, DRAWS, SEED = 100, 16, 50, 0
BUDGETS = (18, *range(24, 240, 12), 240)
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
    n_fits = CONTEXTS * DRAWS * len(BUDGETS)
    truth = HumanJudgments(people.scores[None])
    ours = seconds(partial(ranking_curves, [CurveLine("poe-bt")], run, truth, budgets=BUDGETS))
    problems = sampled_problems(run)
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


def sampled_problems(run: Comparisons) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, int]]:
    """Return some contexts at every budget, each with its own draw."""
    rng = np.random.default_rng(SEED)
    table = np.zeros((CONTEXTS, CANDIDATES, CANDIDATES))
    contexts = run.contexts
    table[contexts, run.first - run.starts[contexts], run.second - run.starts[contexts]] = run.p_first
    problems = []
    for context in range(SAMPLED_CONTEXTS):
        for budget in BUDGETS:
            pairs = select_pairs("random", CANDIDATES, budget, rng)
            problems.append((pairs.first, pairs.second, table[context, pairs.first, pairs.second], CANDIDATES))
    return problems


def exact(problem: tuple[np.ndarray, np.ndarray, np.ndarray, int]) -> np.ndarray:
    first, second, p_first, n = problem
    return score("poe-bt", Comparisons(n, first, second, p_first)).complete()


def other_curves() -> list[Line]:
    run, people = made_run()
    truth = HumanJudgments(people.scores[None])
    return [
        Line(
            f"curve of {ranking}, {CONTEXTS * DRAWS * len(BUDGETS):,} fits",
            seconds(partial(ranking_curves, [CurveLine(ranking)], run, truth, budgets=BUDGETS), 1),
        )
        for ranking in ("win-ratio", "average-probability", "bradley-terry", "poe-gaussian")
    ]
