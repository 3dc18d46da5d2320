"""The comparisons that all members of a jury answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from judging.exceptions import Refused
from judging.models import Run
from rankings.loading import CandidateTable
from rankings.numerics import Comparisons
from rankings.numerics.arrays import FloatArray, IntArray

MOST_MEMBERS = 60
JURY_METHOD = "jury"


@dataclass(frozen=True, slots=True, eq=False)
class MemberAnswers:
    """The answers of all members on the same ordered pairs.

    pairs: the ordered pairs that every member answered, with the first member's answers.
    p_first: float, (n_members, n_pairs).
    partly_answered: number of ordered pairs that only some members answered. They are not in the jury.
    """

    pairs: Comparisons
    p_first: FloatArray
    partly_answered: int


def require_members(runs: Sequence[Run]) -> None:
    """Raise Refused, with every reason, if the runs cannot be members of one jury."""
    if problems := [*_number_problems(runs), *(problem for run in runs for problem in _run_problems(run, runs[0]))]:
        raise Refused(*problems)


def _number_problems(runs: Sequence[Run]) -> list[str]:
    numbers = [run.pk for run in runs]
    if len(set(numbers)) < 2:
        return ["run: a jury has at least two members; name two runs or more"]
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
    if run.is_scoring:
        problems.append(f"run: {run.pk} gives scores; members of a jury compare pairs")
    if run.is_active:
        problems.append(f"run: {run.pk} is not finished; wait for it, or cancel it")
    return problems


def align_members(table: CandidateTable, answers: Sequence[Comparisons], runs: Sequence[Run]) -> MemberAnswers:
    """Select the ordered pairs that every member answered, in the order of the dataset.

    answers: of each member. Raises Refused if there is no such pair.
    """
    keys = [one.first * len(table) + one.second for one in answers]
    common = keys[0]
    for more in keys[1:]:
        common = np.intersect1d(common, more, assume_unique=True)
    if not len(common):
        raise Refused(_nothing_shared(keys, runs))
    common = np.sort(common)
    p_first = np.stack([one.p_first[_at(own, common)] for own, one in zip(keys, answers, strict=True)])
    pairs = Comparisons(len(table), common // len(table), common % len(table), p_first[0], table.starts)
    some = len(np.unique(np.concatenate(keys)))
    return MemberAnswers(pairs, p_first, some - len(common))


def _at(keys: IntArray, wanted: IntArray) -> IntArray:
    """Return the index of each wanted key. All of them occur."""
    order = np.argsort(keys)
    return np.asarray(order[np.searchsorted(keys, wanted, sorter=order)])


def _nothing_shared(keys: Sequence[IntArray], runs: Sequence[Run]) -> str:
    """Say which members share no pair with the first, or that only all together share none."""
    apart = [run for run, own in zip(runs, keys, strict=True) if not len(np.intersect1d(keys[0], own))]
    if len(keys[0]) and apart:
        names = ", ".join(str(run.pk) for run in apart)
        return f"run: {names} answered no comparison that run {runs[0].pk} answered; leave out one side"
    if not len(keys[0]):
        return f"run: {runs[0].pk} has no answered comparison; leave it out"
    return "run: no comparison was answered by all of these runs; leave out those with the fewest answers"
