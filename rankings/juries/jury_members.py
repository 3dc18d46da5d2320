"""The comparisons that all members of a jury answered."""

from collections.abc import Sequence

import numpy as np

from evenhand.numerics import Comparisons
from evenhand.numerics.decisions import are_choices
from evenhand.refusals import Refused
from judging.models import Run
from rankings.repeats.repeated_answers import RepeatedAnswers, common_answers

MOST_MEMBERS = 60
JURY_METHOD = "jury"


def require_members(runs: Sequence[Run], *, least: int = 2) -> None:
    """Raise Refused, with every reason, if the runs cannot be members of one jury. least: members that it needs."""
    if problems := [
        *_number_problems(runs, least),
        *(problem for run in runs for problem in _run_problems(run, runs[0])),
    ]:
        raise Refused(*problems)


def _number_problems(runs: Sequence[Run], least: int) -> list[str]:
    numbers = [run.pk for run in runs]
    if len(set(numbers)) < least:
        return ["run: a jury has at least two members; name two runs or more, or calibrate one with learned weights"]
    if len(numbers) > MOST_MEMBERS:
        return [f"run: {len(numbers)} members — a jury has at most {MOST_MEMBERS}"]
    repeated = sorted({number for number in numbers if numbers.count(number) > 1})
    return [f"run: {number} is named twice; a member counts once" for number in repeated]


def _run_problems(run: Run, first: Run) -> list[str]:
    problems = []
    if run.dataset_id != first.dataset_id:
        problems.append(f'run: {run.pk} is of the dataset "{run.dataset}", {first.pk} of "{first.dataset}"')
    elif run.attribute_id != first.attribute_id:
        problems.append(
            f'run: {run.pk} judged "{run.attribute}", {first.pk} "{first.attribute}"; name runs of one attribute'
        )
    if run.added_sentence:
        problems.append(f"run: {run.pk} has an added sentence; name the run without it")
    if run.asks_null_pairs:
        problems.append(f"run: {run.pk} compares texts with themselves; name a run that compares different ones")
    if run.is_scoring:
        problems.append(f"run: {run.pk} gives scores; members of a jury compare pairs")
    if run.is_active:
        problems.append(f"run: {run.pk} is not finished; wait for it, or cancel it")
    return problems


def require_probabilities(answers: Comparisons, run: Run) -> None:
    """Raise Refused if a judge that is to be calibrated gave choices alone."""
    if len(answers) and are_choices(answers.p_first):
        raise Refused(
            f"run: {run.pk} gave choices, and only probabilities can be calibrated; judge with a model that has "
            "them, or name two runs or more"
        )


def align_members(answers: Sequence[Comparisons], runs: Sequence[Run]) -> RepeatedAnswers:
    """Select the ordered pairs that every member answered, in the order of the dataset.

    answers: of each member. Raises Refused if there is no such pair.
    """
    try:
        return common_answers(answers)
    except Refused:
        raise Refused(_nothing_shared(answers, runs)) from None


def _nothing_shared(answers: Sequence[Comparisons], runs: Sequence[Run]) -> str:
    """Say which members share no pair with the first, or that only all together share none."""
    keys = [one.first * one.n_candidates + one.second for one in answers]
    apart = [run for run, own in zip(runs, keys, strict=True) if not len(np.intersect1d(keys[0], own))]
    if len(keys[0]) and apart:
        names = ", ".join(str(run.pk) for run in apart)
        return f"run: {names} answered no comparison that run {runs[0].pk} answered; leave out one side"
    if not len(keys[0]):
        return f"run: {runs[0].pk} has no answered comparison; leave it out"
    return "run: no comparison was answered by all of these runs; leave out those with the fewest answers"
