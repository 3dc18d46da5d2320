"""The figures of an adaptive run over what it holds out: comparisons of pairs that no answer led to."""

from __future__ import annotations

from judging.models import Run
from rankings.loading import Answers, People
from rankings.numerics import accuracy, first_share, human_preferences, order_agreement, rankings_with_chosen_pairs
from rankings.numerics.arrays import BoolArray
from rankings.report.report_row import HoldOut


def hold_out_of(answers: Answers, people: People, contexts: BoolArray) -> HoldOut | None:
    """The held-out figures of some contexts, (n_contexts,); None for a run that is not adaptive."""
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
    """How many comparisons of some contexts, (n_contexts,), are of pairs that the run chose by its own answers."""
    if answers.held_out is None:
        return 0
    return int((contexts[answers.comparisons.contexts] & ~answers.held_out).sum())


def is_distorted(run: Run, ranking: str) -> bool:
    """Whether the choice of pairs by answers distorts a ranking of a run."""
    distorted = [record.name for record in rankings_with_chosen_pairs("distorted")]
    return run.hold_out is not None and ranking in distorted
