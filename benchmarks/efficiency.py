"""Measure how well rankings agree with people when only some pairs are asked [Liusie2024b], for a simulated judge.

`OMP_NUM_THREADS=1 python -m benchmarks.efficiency [--repeats 5] [--output FILE]` prints the tables of
docs/explanation/efficiency.md and writes one JSON document (default: benchmarks/results/efficiency.json).

There is one context of 1,056 candidates, as in HANNA. People's scores h are normal. The judge sees q = 0.6 h + 0.8 e,
where e is normal and independent of h, so that it disagrees with people even on all pairs. It answers with p_first =
sigmoid(q_first - q_second + 0.3 + noise). The noise is standard normal and independent for every ordered pair. Each
repeat draws everything again.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.special import expit
from scipy.stats import spearmanr

from benchmarks.machine import machine, say
from evenhand.numerics import RANKINGS, Comparisons, OrderedPairs, score, select_next_pairs, select_pairs

CANDIDATES = 1_056
ALL = CANDIDATES * (CANDIDATES - 1)
SHARES = (0.005, 0.01, 0.02)
BUDGETS = tuple(2 * round(share * ALL / 2) for share in SHARES)
"""Even numbers, because `symmetric` asks each pair in both orders."""
CHOSEN = ("random", "no-repeat", "symmetric", "d-optimal")
ADAPTIVE = "bt-optimal"
BIAS, NOISE, AGREEMENT = 0.3, 1.0, 0.6
RESULTS = Path(__file__).resolve().parent / "results/efficiency.json"


@dataclass(frozen=True)
class Simulation:
    """People's scores, (n,), and the judge's p_first of each ordered pair, (n, n)."""

    people: np.ndarray
    p_first: np.ndarray

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> "Simulation":
        people = rng.normal(size=CANDIDATES)
        seen = AGREEMENT * people + np.sqrt(1 - AGREEMENT**2) * rng.normal(size=CANDIDATES)
        logits = seen[:, None] - seen + BIAS + NOISE * rng.normal(size=(CANDIDATES, CANDIDATES))
        return cls(people, expit(logits))

    def answers(self, pairs: OrderedPairs) -> Comparisons:
        return Comparisons(CANDIDATES, pairs.first, pairs.second, self.p_first[pairs.first, pairs.second])

    def correlation(self, ranking: str, pairs: OrderedPairs) -> float:
        """Return Spearman's correlation of people's scores with the scores that these pairs give."""
        return float(spearmanr(score(ranking, self.answers(pairs)).complete(), self.people).statistic)

    def selected(self, rng: np.random.Generator) -> Iterator[tuple[str, OrderedPairs]]:
        """Yield the pairs of each selection at each budget, and all pairs."""
        for selection in CHOSEN:
            for budget in BUDGETS:
                yield selection, select_pairs(selection, CANDIDATES, budget, rng)
        asked = OrderedPairs(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp))
        for budget in BUDGETS:
            while len(asked) < budget:  # a round has as many pairs as there are candidates, as in runs
                number = min(CANDIDATES, budget - len(asked))
                more = select_next_pairs(asked, self.answers(asked), number, rng)
                asked = OrderedPairs(np.r_[asked.first, more.first], np.r_[asked.second, more.second])
            yield ADAPTIVE, asked
        yield "full", select_pairs("full", CANDIDATES, None, rng)


@dataclass(frozen=True)
class Cell:
    """Correlation of one ranking for one selection and budget: the mean, the least and the most of the repeats."""

    ranking: str
    selection: str
    comparisons: int
    share: float
    mean: float
    least: float
    most: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FILE")
    options = parser.parse_args()
    cells = list(measured(options.repeats))
    print_tables(cells)
    document = {
        "candidates": CANDIDATES,
        "repeats": options.repeats,
        "bias": BIAS,
        "noise": NOISE,
        "agreement": AGREEMENT,
        "cells": [asdict(cell) for cell in cells],
        "machine": machine(("numpy", "scipy")),
    }
    options.output.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def measured(repeats: int) -> Iterator[Cell]:
    values: dict[tuple[str, str, int], list[float]] = {}
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        simulation = Simulation.drawn(rng)
        for selection, pairs in simulation.selected(rng):
            for ranking in RANKINGS:
                repeated = values.setdefault((ranking, selection, len(pairs)), [])
                repeated.append(simulation.correlation(ranking, pairs))
        say(f"repeat {seed + 1} of {repeats}")
    for (ranking, selection, budget), repeated in values.items():
        yield Cell(ranking, selection, budget, budget / ALL, float(np.mean(repeated)), min(repeated), max(repeated))


def print_tables(cells: list[Cell]) -> None:
    """Print one table for each budget: mean correlations, and their share of the correlation with all comparisons."""
    means = {(cell.ranking, cell.selection, cell.comparisons): cell.mean for cell in cells}
    selections = (*CHOSEN, ADAPTIVE)
    for share, budget in zip(SHARES, BUDGETS, strict=True):
        print(f"| {100 * share:g} %: {budget:,} of {ALL:,} | all | {' | '.join(f'`{name}`' for name in selections)} |")
        print("|---|" + "---|" * (1 + len(selections)))
        for ranking in RANKINGS:
            whole = means[ranking, "full", ALL]
            parts = [means[ranking, selection, budget] for selection in selections]
            row = " | ".join(f"{part:.3f} ({100 * part / whole:.1f} %)" for part in parts)
            print(f"| `{ranking}` | {whole:.3f} | {row} |")
        print()


if __name__ == "__main__":
    main()
