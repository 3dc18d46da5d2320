"""Verdicts that LLM judges gave on LLMBar, recorded by its authors, and the accuracies that they published."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from evenhand.formats import ComparisonRecord

Verdict = dict[str, Any]

PUBLISHED = {  # judge, strategy: accuracy on Natural and on Neighbor, in per cent, over both orders
    ("GPT-4", "Vanilla_NoRules"): (93.5, 64.2),
    ("GPT-4", "Vanilla"): (95.5, 78.7),
    ("GPT-4", "CoT"): (94.5, 75.0),
    ("GPT-4", "Swap"): (94.5, 77.6),
    ("GPT-4", "Metrics_Reference"): (96.0, 85.4),
    ("ChatGPT", "Vanilla"): (81.5, 19.4),
    ("ChatGPT", "CoT"): (74.0, 22.8),
    ("ChatGPT", "Metrics_Reference"): (82.5, 38.1),
    ("LLaMA2", "Vanilla"): (80.5, 24.6),
    ("LLaMA2", "CoT"): (75.5, 36.9),
    ("PaLM2", "Vanilla"): (83.0, 62.7),
    ("PaLM2", "Metrics_Reference"): (86.5, 69.8),
    ("Falcon", "Vanilla"): (74.0, 50.4),
}


def read_verdicts(shared_data: Path) -> list[Verdict]:
    """Read the verdicts. Each has a dataset, an item, a label, a judge, a strategy, and the winner in both orders."""
    lines = (shared_data / "data" / "llmbar" / "recorded_verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def subset_of(verdict: Verdict) -> str:
    return verdict["dataset"].rpartition("/")[2]


def comparisons_of(verdicts: Iterable[Verdict], judge: str, strategy: str) -> Iterator[ComparisonRecord]:
    """Both orders of each item: output 1 first, then output 2 first. The winner is an output, whatever the order."""
    for verdict in verdicts:
        if (verdict["judge"], verdict["strategy"]) == (judge, strategy):
            context = f"{subset_of(verdict)}/{verdict['idx']}"
            for first, second, winner in (("1", "2", verdict["winner_ab"]), ("2", "1", verdict["winner_ba"])):
                choice = "unparsed" if winner is None else "first" if str(winner) == first else "second"
                yield ComparisonRecord("", 0, context, "overall", first, second, choice=choice)
