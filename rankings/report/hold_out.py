"""The figures of an adaptive run over what it holds out: comparisons of pairs that no answer led to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judging.models import Run
from rankings.loading import Answers, People
from rankings.numerics import accuracy, order_agreement, p_first, truth
from rankings.numerics.arrays import BoolArray
from rankings.numerics.reliability.trust_checks import DISTORTED
from rankings.report.figure_json import INTERVAL, figure


def hold_out_figures(answers: Answers, people: People, contexts: BoolArray) -> dict[str, Any]:
    """What a row has of them, over some contexts, (n_contexts,); nothing for a run that is not adaptive."""
    if answers.held_out is None:
        return {}
    held_out = answers.comparisons.select(answers.held_out).of_contexts(contexts)
    right = truth(held_out, people.human.scores, people.votes)
    return {
        "hold_out": {
            "comparisons": len(held_out),
            "p_first": figure(p_first(held_out), *INTERVAL),
            "order_agreement": figure(order_agreement(held_out), "n"),
            "accuracy": figure(accuracy(held_out, right), *INTERVAL),
        }
    }


def chosen_by_answers(answers: Answers, contexts: BoolArray) -> int:
    """How many comparisons of some contexts, (n_contexts,), are of pairs that the run chose by its own answers."""
    if answers.held_out is None:
        return 0
    return int((contexts[answers.comparisons.contexts] & ~answers.held_out).sum())


def is_distorted(run: Run, ranking: str) -> bool:
    """Whether the choice of pairs by answers distorts a ranking of a run."""
    return run.hold_out is not None and ranking in DISTORTED


def held_out_rows(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows of whole runs that are adaptive."""
    return [row for row in rows if row["subset"] == "all" and "hold_out" in row]
