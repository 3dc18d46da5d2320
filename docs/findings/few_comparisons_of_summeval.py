"""Compute how few comparisons rank SummEval's systems, and what stopping when sure saves on SummEval and TopicalChat.

The judges are synthetic: no judge was asked. Run it with the folder that holds summeval/ and topicalchat/:

    python docs/findings/few_comparisons_of_summeval.py FOLDER

It writes few_comparisons_of_summeval.json next to this file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit

from evenhand.numerics import Comparisons, HumanScores, Scores, score
from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.correlation.correlations import pooled_spearman, spearman_within_contexts
from evenhand.numerics.selection.replayed_runs import replay_run

ATTRIBUTES = ("coherence", "consistency", "fluency", "relevance")
TOTALS = (50, 100, 200, 400, 800, 1_600, 4_800, 24_000)
BOUNDS = (0.1, 0.05, 0.04)
DRAWS, REPLAYS = 200, 6
RANKING = "poe-gaussian"
DIGITS = 4


@dataclass(frozen=True)
class SyntheticJudge:
    """A judge that sees 0.6 times people's scores plus 0.8 times noise of its own, both standardised.

    scale: of the difference of two candidates in the log-odds of an answer. bias: position bias, in the log-odds.
    noise: standard deviation of the error of an answer. Half of its variance is common to both orders of a pair.
    """

    name: str
    scale: float
    bias: float
    noise: float = 1.0


JUDGES = (SyntheticJudge("decided", scale=1.5, bias=0.3), SyntheticJudge("hesitant", scale=0.8, bias=0.8))


@dataclass(frozen=True)
class JudgedDataset:
    """People's scores, (n_candidates,), the system of each candidate, and the answers of a judge to all pairs."""

    scores: FloatArray
    systems: IntArray
    answers: Comparisons


def systems_of(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows about rankings of SummEval's systems, an attribute and a judge after the other."""
    for attribute, judge in product(ATTRIBUTES, JUDGES):
        for row in ranked_systems(judged(read_summeval(folder, attribute), judge)):
            yield {"attribute": attribute, "judge": judge.name} | row


def stopped_of(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows about stopping when sure, a dataset and a judge after the other."""
    datasets = {"TopicalChat": read_topicalchat, "SummEval": partial(read_summeval, attribute="coherence")}
    for (name, read), judge in product(datasets.items(), JUDGES):
        for row in stopped_when_sure(judged(read(folder), judge)):
            yield {"dataset": name, "judge": judge.name} | row


def read_summeval(folder: Path, attribute: str) -> FloatArray:
    """Return people's scores, (n_articles, n_systems); the systems have the same order in every article."""
    lines = (folder / "summeval" / "summeval_16sys.jsonl").read_text(encoding="utf-8").splitlines()
    articles = [sorted(json.loads(line)["candidates"], key=lambda one: one["system"]) for line in lines]
    return np.array([[candidate["scores"][attribute] for candidate in article] for article in articles])


def read_topicalchat(folder: Path) -> FloatArray:
    """Return people's scores of coherence, (n_dialogues, n_systems)."""
    rows = json.loads((folder / "topicalchat" / "topical_chat.json").read_text(encoding="utf-8"))
    dialogues: dict[str, list[float]] = {}
    for row in sorted(rows, key=lambda row: row["system_id"]):
        dialogues.setdefault(row["source"], []).append(row["scores"]["coherence"])
    return np.array(list(dialogues.values()))


def judged(scores: FloatArray, judge: SyntheticJudge) -> JudgedDataset:
    """Let a synthetic judge answer every ordered pair of each context. scores: (n_contexts, n_systems)."""
    rng = np.random.default_rng(1)
    n_contexts, size = scores.shape
    standard = (scores - scores.mean()) / scores.std()
    seen = 0.6 * standard + 0.8 * rng.normal(size=scores.shape)
    common = np.triu(rng.normal(size=(n_contexts, size, size)), 1)
    errors = common - common.transpose(0, 2, 1) + rng.normal(size=common.shape)
    logits = judge.scale * (seen[:, :, None] - seen[:, None, :]) + judge.bias + judge.noise * errors / np.sqrt(2)
    context, first, second = np.nonzero(np.broadcast_to(~np.eye(size, dtype=bool), logits.shape))
    starts = np.arange(n_contexts) * size
    p_first = expit(logits[context, first, second])
    answers = Comparisons(scores.size, starts[context] + first, starts[context] + second, p_first, starts)
    return JudgedDataset(scores.ravel(), np.tile(np.arange(size), n_contexts), answers)


def ranked_systems(data: JudgedDataset) -> list[dict[str, Any]]:
    """Rank the systems by random comparisons from all articles together, and correlate with people and all answers."""
    n = int(data.systems.max()) + 1
    people = np.bincount(data.systems, data.scores) / np.bincount(data.systems)
    whole = score(RANKING, between_systems(data, np.arange(len(data.answers)))).values
    rows = []
    for total in TOTALS:
        rng = np.random.default_rng(2)
        draws = DRAWS if total < len(data.answers) else 1  # all of them are the same in each draw
        drawn = [between_systems(data, rng.choice(len(data.answers), total, replace=False)) for _ in range(draws)]
        scores = [score(RANKING, one) for one in drawn if one.compared.all()]
        with_people = [spearman(one, people) for one in scores]
        shown = {
            "people": np.mean(with_people),
            "low": np.quantile(with_people, 0.05),
            "high": np.quantile(with_people, 0.95),
            "all_answers": np.mean([spearman(one, whole) for one in scores]),
        }
        rows.append(
            {"comparisons": total, "systems": n} | {name: round(float(one), DIGITS) for name, one in shown.items()}
        )
    return rows


def between_systems(data: JudgedDataset, chosen: IntArray) -> Comparisons:
    """Return chosen comparisons as comparisons of the systems behind their candidates."""
    answers = data.answers
    first, second = data.systems[answers.first[chosen]], data.systems[answers.second[chosen]]
    return Comparisons(int(data.systems.max()) + 1, first, second, answers.p_first[chosen])


def spearman(scores: Scores, truth: FloatArray) -> float:
    """Return the rank correlation of the scores of systems with others."""
    nobody = np.full(len(truth), -1)
    figure = pooled_spearman(
        scores, HumanScores(truth, np.zeros(len(truth), dtype=np.intp), nobody), np.ones(1, dtype=bool)
    )
    return figure.value or 0.0


def stopped_when_sure(data: JudgedDataset) -> list[dict[str, Any]]:
    """Replay the answers until each bound is met; return the correlation within contexts, and that of all answers."""
    human = HumanScores(data.scores, data.answers.candidate_contexts, data.systems)
    complete = within(data.answers, human)
    draws = [replay_run(data.answers, bounds=BOUNDS, seed=seed) for seed in range(REPLAYS)]
    return [
        {
            "bound": bound,
            "asked": round(float(np.mean([len(draw[bound].asked) for draw in draws]) / len(data.answers)), DIGITS),
            "spearman": round(float(np.mean([within(draw[bound].asked, human) for draw in draws])), DIGITS),
            "all_answers": round(complete, DIGITS),
        }
        for bound in BOUNDS
    ]


def within(comparisons: Comparisons, human: HumanScores) -> float:
    """Return the mean over contexts of Spearman's correlation with people."""
    every = np.ones(comparisons.n_contexts, dtype=bool)
    return float(np.nanmean(spearman_within_contexts(score(RANKING, comparisons), human, every)))


def main() -> None:
    folder = Path(sys.argv[1])
    rows = {"systems": list(systems_of(folder)), "stopped": list(stopped_of(folder))}
    Path(__file__).with_suffix(".json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
