"""The held-out figures of an adaptive run, on pairs drawn at random before its first answer."""

from __future__ import annotations

from judging.models import Run
from rankings.loading import Answers, People
from rankings.numerics import accuracy, first_share, human_preferences, order_agreement, rankings_with_chosen_pairs
from rankings.numerics.arrays import BoolArray
from rankings.report.report_row import HoldOut


def hold_out_of(answers: Answers, people: People, contexts: BoolArray) -> HoldOut | None:
    """Return the held-out figures of some contexts, (n_contexts,); None for a run that is not adaptive."""
    if answers.held_out is None:
        return None
    held_out = answers.comparisons.select(answers.held_out).of_contexts(contexts)
    right = human_preferences(held_out, people.human.scores, people.votes)
    return HoldOut(
        comparisons=len(held_out),
        p_first=first_share(held_out),
        order_agreement=order_agreement(held_out),
        accuracy=accuracy(held_out, right),
    )


def chosen_by_answers(answers: Answers, contexts: BoolArray) -> int:
    """Count the comparisons of some contexts, (n_contexts,), on pairs that the run chose by its own answers."""
    if answers.held_out is None:
        return 0
    return int((contexts[answers.comparisons.contexts] & ~answers.held_out).sum())


def is_distorted(run: Run, ranking: str) -> bool:
    """Return True if an adaptive choice of pairs distorts the ranking of this run."""
    distorted = [record.name for record in rankings_with_chosen_pairs("distorted")]
    return run.hold_out is not None and ranking in distorted
