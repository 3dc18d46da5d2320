"""How fast the numerics are beside named peers, on the same data in the same process: look at the ratios.

`OMP_NUM_THREADS=1 python -m benchmarks.numerics [--small]` prints a table on standard error and one JSON document on
standard output. Peers that are not installed are left out and named; `pip install evalica choix` into an environment of
its own gives them all. A peer's time for many fits is measured on a few of them and multiplied. Seconds are of the
processor, so that other work on the machine disturbs them little.
"""

import argparse
import importlib
import importlib.util
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
import scipy
import scipy.optimize
import scipy.stats
from scipy.special import expit

from rankings.numerics import METHODS, Comparisons, Debiasing, HumanScores, correlate, curve, score
from rankings.numerics.coefficients import kendall_rows, spearman_rows
from rankings.numerics.linear_ordering import best_order
from rankings.numerics.logistic_newton import fit_stack
from rankings.numerics.optimal_design import design_sequence
from rankings.numerics.sparse_newton import fit_sparse

CONTEXTS, CANDIDATES, SEED = 100, 16, 0
SAMPLE = 30


@dataclass(frozen=True)
class Line:
    """One measurement: our seconds, a peer's, how many times as long the peer takes, and how far its scores are off."""

    task: str
    peer: str
    ours: float
    theirs: float | None = None
    error: float | None = None

    @property
    def ratio(self) -> float | None:
        return None if self.theirs is None else self.theirs / self.ours


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="leave out what takes more than a few seconds")
    small = parser.parse_args().small
    lines = [*report(), *small_fits(), *coefficients(), *orders()]
    if not small:
        lines += [*curves(), *large_fit(1_056, 200_000), *large_fit(100_000, 1_000_000), *designs()]
    print_results(lines)


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The fastest of some runs."""
    times = []
    for _ in range(repeats):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def made_run(noise: float = 1.0) -> tuple[Comparisons, HumanScores]:
    """Every ordered pair of 100 contexts of 16 candidates, judged with noise and a liking for the first."""
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
        for ranking in METHODS:
            for by in (None, debiasing):
                correlate(score(ranking, run, by), people, recorded)

    return [Line("7 rankings raw and debiased, correlations, 24,000 comparisons", "", seconds(rows))]


def small_fits() -> list[Line]:
    """Soft Bradley-Terry of 2,000 small problems at once, as curves have them."""
    run, _ = made_run()
    first, second = np.triu_indices(CANDIDATES, 1)
    wins = np.zeros((CONTEXTS, CANDIDATES, CANDIDATES))
    contexts = run.contexts
    wins[contexts, run.first - run.starts[contexts], run.second - run.starts[contexts]] = run.p_first
    for_first = np.tile((wins + 1 - wins.transpose(0, 2, 1))[:, first, second].T, 20)  # (n_pairs, 2,000)
    counts = np.full(for_first.shape, 2.0)
    fit_all = partial(fit_stack, first, second, counts, for_first, n_candidates=CANDIDATES)
    ours = seconds(fit_all) / for_first.shape[1]
    values = fit_all().scores.T
    lines = []
    for name, fit in peers_of_fits().items():
        parts = [context_arrays(run, context) for context in range(SAMPLE)]
        theirs = seconds(lambda fit=fit, parts=parts: [fit(*part) for part in parts], 1) / SAMPLE
        error = max(np.abs(fit(*part) - values[at]).max() for at, part in enumerate(parts))
        lines.append(Line("soft Bradley-Terry, N=16, one of many", name, ours, theirs, float(error)))
    return lines


def context_arrays(run: Comparisons, context: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    part = run.of_contexts(np.arange(CONTEXTS) == context)
    return part.first - run.starts[context], part.second - run.starts[context], part.p_first, CANDIDATES


def peers_of_fits() -> dict[str, Callable[..., np.ndarray]]:
    fits: dict[str, Callable[..., np.ndarray]] = {"scipy L-BFGS": scipy_fit}
    if installed("choix"):
        fits["choix ilsr_pairwise_dense"] = choix_fit
    if installed("evalica"):
        fits["evalica bradley_terry"] = evalica_fit
    return fits


def scipy_fit(first: np.ndarray, second: np.ndarray, p_first: np.ndarray, n: int) -> np.ndarray:
    def loss(scores: np.ndarray) -> tuple[float, np.ndarray]:
        gap = scores[first] - scores[second]
        slope = p_first - expit(gap)
        gradient = np.bincount(second, slope, n) - np.bincount(first, slope, n)
        return float((np.logaddexp(0, gap) - p_first * gap).sum()), gradient

    options = {"maxiter": 5_000, "maxcor": 20, "gtol": 1e-8, "ftol": 1e-15}
    fit = scipy.optimize.minimize(loss, np.zeros(n), jac=True, method="L-BFGS-B", options=options)
    return fit.x - fit.x.mean()


def choix_fit(first: np.ndarray, second: np.ndarray, p_first: np.ndarray, n: int) -> np.ndarray:
    choix = importlib.import_module("choix")
    wins = np.zeros((n, n))
    np.add.at(wins, (first, second), p_first)
    np.add.at(wins, (second, first), 1 - p_first)
    scores = choix.ilsr_pairwise_dense(wins, alpha=1e-6)
    return scores - scores.mean()


def evalica_fit(first: np.ndarray, second: np.ndarray, p_first: np.ndarray, n: int) -> np.ndarray:
    evalica = importlib.import_module("evalica")
    names = list(range(n))
    result = evalica.bradley_terry(
        [*first.tolist(), *first.tolist()],
        [*second.tolist(), *second.tolist()],
        [evalica.Winner.X] * len(first) + [evalica.Winner.Y] * len(first),
        weights=[*p_first.tolist(), *(1 - p_first).tolist()],
    )
    scores = np.log(result.scores.loc[names].to_numpy())
    return scores - scores.mean()


def coefficients() -> list[Line]:
    """Rank correlations with ties of 20,000 rows of 16."""
    rows = np.random.default_rng(SEED).integers(0, 8, (2, 20_000, CANDIDATES)).astype(float)
    lines = []
    for name, ours, peer in (
        ("Spearman", spearman_rows, scipy.stats.spearmanr),
        ("Kendall tau-b", kendall_rows, scipy.stats.kendalltau),
    ):
        mine = seconds(lambda ours=ours: ours(*rows))
        some = rows[:, :500]
        theirs = seconds(lambda peer=peer, some=some: [peer(x, y) for x, y in zip(*some, strict=True)], 1) * 40
        expected = [peer(x, y).statistic for x, y in zip(*some, strict=True)]
        error = float(np.abs(ours(*some) - expected).max())
        lines.append(Line(f"{name} of 20,000 rows of 16", "scipy, row by row", mine, theirs, error))
    return lines


def orders() -> list[Line]:
    """The exact best order of 16 candidates whose preferences are pure noise."""
    net = np.random.default_rng(SEED).normal(size=(16, 16))
    return [Line("exact likelihood order, N=16, no structure", "", seconds(lambda: best_order(net - net.T)))]


def curves() -> list[Line]:
    """Correlation against comparisons: 100 contexts x 50 draws x 20 budgets."""
    run, people = made_run()
    budgets = [*range(12, 240, 12), 240]
    fits = CONTEXTS * 50 * len(budgets)
    return [
        Line(
            f"curve of {ranking}, {fits:,} fits and correlations",
            "",
            seconds(lambda ranking=ranking: curve(ranking, run, people, budgets=budgets), 1),
        )
        for ranking in ("win-ratio", "poe-gaussian", "poe-bt", "bradley-terry")
    ]


def large_fit(n: int, n_comparisons: int) -> list[Line]:
    """Soft Bradley-Terry of one large context."""
    rng = np.random.default_rng(SEED)
    truth = rng.normal(size=n)
    first = rng.integers(0, n, n_comparisons)
    second = (first + rng.integers(1, n, n_comparisons)) % n
    p_first = expit(truth[first] - truth[second] + rng.normal(size=n_comparisons))
    fit_it = partial(fit_sparse, first, second, p_first, n_candidates=n)
    values = fit_it().scores[:, 0]
    ours = seconds(fit_it)
    task = f"soft Bradley-Terry, N={n:,}, {n_comparisons:,} comparisons"
    lines = []
    for name, fit in peers_of_fits().items():
        if n > 10_000 and name != "scipy L-BFGS":
            continue  # these need a dense table of N x N
        fitted: list[np.ndarray] = []
        theirs = seconds(lambda fit=fit, fitted=fitted: fitted.append(fit(first, second, p_first, n)), 1)
        lines.append(Line(task, name, ours, theirs, float(np.abs(fitted[0] - values).max())))
    return lines


def designs() -> list[Line]:
    """The greedy D-optimal design, against inverting the whole matrix at each step."""
    lines = []
    for n, length in ((300, 1_500), (1_056, 5_280)):
        started = time.process_time()
        design_sequence(n, length)
        ours = time.process_time() - started
        matrix = np.eye(n) + 1.0
        theirs = seconds(lambda matrix=matrix: np.linalg.inv(matrix)) * (length - n + 1)
        lines.append(Line(f"D-optimal design, N={n:,}, K={length:,}", "an inverse a step", ours, theirs))
    return lines


def print_results(lines: list[Line]) -> None:
    print(f"{'task':62}{'peer':28}{'ours s':>10}{'peer s':>10}{'ratio':>8}{'error':>9}", file=sys.stderr)
    for line in lines:
        theirs = "" if line.theirs is None else f"{line.theirs:10.4g}{line.ratio:8.1f}"
        error = "" if line.error is None else f"{line.error:9.0e}"
        print(f"{line.task:62}{line.peer:28}{line.ours:10.4g}{theirs}{error}", file=sys.stderr)
    document = {
        "lines": [asdict(line) | {"ratio": line.ratio} for line in lines],
        "missing_peers": [name for name in ("choix", "evalica") if not installed(name)],
        "machine": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "cores": os.cpu_count(),
            "threads": os.environ.get("OMP_NUM_THREADS"),
        },
    }
    print(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
