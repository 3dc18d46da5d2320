"""A dataset and a run that are imported from files, and the same answers as columns for a notebook."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from django.core.management import call_command
from scipy.special import expit

from judging.models import Run

COLUMNS = ("context", "attribute", "first", "second", "p_first", "choice")


@dataclass(frozen=True)
class StoredRun:
    """An imported run. columns: its answers. human: the human scores, in the order of the dataset."""

    run: Run
    columns: dict[str, list[Any]]
    human: dict[tuple[str, str], float | None]


def made_contexts(n_contexts: int = 12, n_candidates: int = 5) -> list[dict[str, Any]]:
    """Contexts whose candidates are systems. Some candidates have no human score, and one context equal ones."""
    rng = np.random.default_rng(3)
    return [
        {
            "context": f"c{number}",
            "text": f"Article {number}.",
            "candidates": [
                {
                    "candidate": f"s{system}",
                    "system": f"s{system}",
                    "text": f"Summary {system} of {number}.",
                    "scores": {"fluency": 1.0}
                    | (
                        {}
                        if (number, system) == (2, 1)
                        else {"coherence": 3.0 if number == 4 else rng.integers(1, 6) / 2}
                    ),
                }
                for system in range(n_candidates)
            ],
        }
        for number in range(n_contexts)
    ]


def answers_to(
    contexts: list[dict[str, Any]], *, scores: dict[tuple[str, str], float | None], in_order: bool
) -> list[dict[str, Any]]:
    """Answer most ordered pairs in no order, or all in order. Some answers are ties, choices, or unparsed."""
    rng = np.random.default_rng(7)
    rows = []
    for context in contexts:
        keys = [candidate["candidate"] for candidate in context["candidates"]]
        for first, second in ((one, other) for one in keys for other in keys if one != other):
            gap = (scores[context["context"], first] or 0.0) - (scores[context["context"], second] or 0.0)
            p_first = 0.5 if rng.random() < 0.03 else float(expit(gap + 0.4 + rng.normal()))
            row = {"context": context["context"], "first": first, "second": second, "p_first": p_first, "choice": None}
            if rng.random() < 0.05:
                row |= {"p_first": None, "choice": str(rng.choice(["first", "second", "tie", "unparsed"]))}
            if in_order or rng.random() < 0.9:
                rows.append(row)
    return rows if in_order else [rows[at] for at in rng.permutation(len(rows))]


def human_scores(contexts: list[dict[str, Any]]) -> dict[tuple[str, str], float | None]:
    """Return the scores on coherence, in the order of the dataset."""
    return {
        (context["context"], candidate["candidate"]): candidate["scores"].get("coherence")
        for context in contexts
        for candidate in context["candidates"]
    }


def stored_run(
    folder: Path, dataset: Path, contexts: list[dict[str, Any]], *, judged: int, in_order: bool = False
) -> StoredRun:
    """Import a dataset and answers on its attribute `coherence`, and a second run that must not leak in.

    contexts: of the dataset. Answers are given on the first `judged` ones. in_order: as the dataset has them.
    """
    human = human_scores(contexts)
    rows = answers_to(contexts[:judged], scores=human, in_order=in_order)
    call_command("import_dataset", str(dataset), "--name", "Stored")
    for judge, attribute, own in (("mine", "coherence", rows), ("other", "fluency", rows[: len(rows) // 2])):
        path = folder / f"{judge}.csv"
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows({"attribute": attribute, **row} for row in own)
        call_command("import_comparisons", str(path), "--dataset", "Stored", "--judge", judge)
    columns = {name: [row[name] for row in rows] for name in ("context", "first", "second", "p_first", "choice")}
    return StoredRun(Run.objects.get(judge__name="mine"), columns, human)
