"""Measure the time of a full set of ranking curves, for a run of the size of one attribute of SummEval.

`OMP_NUM_THREADS=1 python -m benchmarks.curves [--repeats 3] [--output FILE]` prints a table and writes one JSON
document (default: benchmarks/results/curves.json). The run has 100 contexts of 16 candidates with an answer for every
ordered pair. Curves have all rankings and 50 draws. Each selection is measured at the budgets of the pages, then at 20
budgets. Totals are given with and without `bt-optimal`, which replays adaptive selection. At last come the curves of
one context of 1,056 candidates with every ordered pair, as many as HANNA has stories. Seconds are processor time, the
least of the repeats, so that other work on the machine disturbs them little.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.efficiency import CANDIDATES as CANDIDATES_OF_HANNA
from benchmarks.efficiency import Simulation
from benchmarks.machine import machine, say
from benchmarks.numerics.curves import BUDGETS, CANDIDATES, CONTEXTS, DRAWS, made_run
from benchmarks.numerics.lines import seconds
from evenhand.numerics import (
    CURVE_SELECTIONS,
    RANKINGS,
    Comparisons,
    CurveLine,
    Debiasing,
    HumanJudgments,
    HumanScores,
    Votes,
    budget_grid,
    decide,
    people_curves,
    ranking_curves,
    select_pairs,
)
from evenhand.numerics.selection.pairs_sort import next_sort_pairs

ADAPTIVE = "bt-optimal"
RAW = [CurveLine(ranking) for ranking in RANKINGS]
VOTES_PER_CONTEXT = 60
OF_HANNA = ("win-ratio", "average-probability", "bradley-terry", "poe-bt")
DRAWS_OF_HANNA = 10
RESULTS = Path(__file__).resolve().parent / "results/curves.json"


@dataclass(frozen=True)
class Measured:
    """Seconds for all rankings at a number of budgets."""

    task: str
    budgets: int
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    run, people = made_run()
    say(f"{'task':60}{'budgets':>8}{'seconds':>9}")
    by_page = [*printed(of_selections(run, people, options.repeats, at_20=False))]
    at_20 = [*printed(of_selections(run, people, options.repeats, at_20=True))]
    others = [*printed(of_others(run, people, options.repeats))]
    large = [*printed(of_one_large_context())]
    sorts = comparisons_of_sorts(run)
    every = CANDIDATES * (CANDIDATES - 1)
    say(f"PairS asks {np.mean(sorts):.1f} of {every} comparisons per context, at most {max(sorts)}")
    document = {
        "pairs_sort_comparisons": {"mean": float(np.mean(sorts)), "most": max(sorts)},
        "contexts": CONTEXTS,
        "candidates": CANDIDATES,
        "draws": DRAWS,
        "rankings": list(RANKINGS),
        "lines": [asdict(line) for line in by_page + at_20 + others + large],
        "full_set_seconds": {"budgets of the page": full_set(by_page), "20 budgets": full_set(at_20)},
        f"without_{ADAPTIVE}_seconds": {
            "budgets of the page": not_adaptive(by_page),
            "20 budgets": not_adaptive(at_20),
        },
        "machine": machine(("numpy", "scipy")),
    }
    options.output.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def of_selections(run: Comparisons, people: HumanScores, repeats: int, *, at_20: bool) -> Iterator[Measured]:
    truth = HumanJudgments(people.scores[None])
    for selection in CURVE_SELECTIONS:
        budgets = budgets_of(run, selection, at_20=at_20)
        draw = partial(ranking_curves, RAW, run, truth, selection=selection, draws=DRAWS, budgets=budgets)
        yield Measured(selection, len(budgets), seconds(draw, repeats))


def budgets_of(run: Comparisons, selection: str, *, at_20: bool) -> Sequence[int]:
    if not at_20:
        return budget_grid(run, selection)
    return [(budget + 1) // 2 for budget in BUDGETS] if selection == "no-repeat" else BUDGETS


def of_others(run: Comparisons, people: HumanScores, repeats: int) -> Iterator[Measured]:
    truth, debiasing = HumanJudgments(people.scores[None]), Debiasing.of_run(run)
    debiased = [CurveLine(ranking, debiasing) for ranking in RANKINGS]
    tasks: dict[str, Callable[[], object]] = {
        "random, debiased": partial(ranking_curves, debiased, run, truth, draws=DRAWS, budgets=BUDGETS),
        "random, by accuracy": partial(
            ranking_curves, RAW, run, truth, measure="accuracy", draws=DRAWS, budgets=BUDGETS
        ),
        f"people, {VOTES_PER_CONTEXT} votes per context": partial(
            people_curves, RAW, some_votes(run), people.scores, measure="spearman", draws=DRAWS, seed=0
        ),
    }
    for task, work in tasks.items():
        yield Measured(task, 20, seconds(work, repeats))


def of_one_large_context() -> Iterator[Measured]:
    """Measure curves of all 1,114,080 ordered pairs of one context, once for each selection."""
    simulation = Simulation.drawn(np.random.default_rng(0))
    every = simulation.answers(select_pairs("full", CANDIDATES_OF_HANNA, None, np.random.default_rng(0)))
    lines, truth = [CurveLine(ranking) for ranking in OF_HANNA], HumanJudgments(simulation.people[None])
    for selection in ("random", "d-optimal"):
        draw = partial(ranking_curves, lines, every, truth, selection=selection, draws=DRAWS_OF_HANNA)
        task = f"{CANDIDATES_OF_HANNA:,} candidates, {len(lines)} rankings, {DRAWS_OF_HANNA} draws, {selection}"
        yield Measured(task, len(budget_grid(every, selection)), seconds(draw, 1))


def comparisons_of_sorts(run: Comparisons) -> list[int]:
    """Return how many comparisons a live PairS run asks in each context."""
    table = np.full((CONTEXTS, CANDIDATES, CANDIDATES), np.nan)
    table[run.contexts, run.first % CANDIDATES, run.second % CANDIDATES] = run.p_first
    numbers = []
    for context, answers in enumerate(table):
        known, start = np.full_like(answers, np.nan), np.random.default_rng([0, context]).permutation(CANDIDATES)
        while pairs := next_sort_pairs(start, known):
            for pair in pairs:
                known[pair] = answers[pair]
        numbers.append(int(np.count_nonzero(~np.isnan(known))))
    return numbers


def some_votes(run: Comparisons) -> Votes:
    """Return votes on random pairs that agree with the judge's decisions."""
    shown = run.select(np.random.default_rng(0).integers(0, len(run), VOTES_PER_CONTEXT * CONTEXTS))
    return Votes(shown.with_p_first(decide(shown.p_first)), np.zeros(len(shown), dtype=int))


def printed(lines: Iterator[Measured]) -> Iterator[Measured]:
    """Print each line as soon as it is measured."""
    for line in lines:
        say(f"{line.task:60}{line.budgets:8}{line.seconds:9.2f}")
        yield line


def full_set(lines: Sequence[Measured]) -> float:
    """Return the seconds of all selections."""
    total = sum(line.seconds for line in lines)
    say(f"{'full set':68}{total:9.2f}")
    return total


def not_adaptive(lines: Sequence[Measured]) -> float:
    """Return the seconds of all selections that are not adaptive."""
    total = sum(line.seconds for line in lines if line.task != ADAPTIVE)
    say(f"{'full set without ' + ADAPTIVE:68}{total:9.2f}")
    return total


if __name__ == "__main__":
    main()
