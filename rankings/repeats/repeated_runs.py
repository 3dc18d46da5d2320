"""Runs that repeat each other: one judge, asked the same questions in the same way."""

from collections.abc import Iterable, Sequence

from django.db.models import Q

from evenhand.refusals import Refused
from judging.models import Run
from judging.models.runs import sha256_of

QUESTION_PARTS = ("wording", "judge", "prompt", "method", "writing", "thinking", "metrics", "steering")
"""Parts of a spec that settle how a pair is asked. The seed, and the rule that selects pairs, are not among them."""


def question_key(run: Run) -> tuple[object, ...]:
    """Return what two repeats have in common: the attribute, the judge with its revision, and how it is asked."""
    parts = {name: run.spec[name] for name in QUESTION_PARTS if name in run.spec}
    return run.attribute_id, run.judge_id, run.method, run.prompt_name, run.revision, sha256_of(parts)


def repeat_groups(runs: Iterable[Run]) -> list[list[Run]]:
    """Return the groups of two or more runs that repeat each other, by the number of their first run."""
    groups: dict[tuple[object, ...], list[Run]] = {}
    for run in sorted(runs, key=lambda run: run.pk):
        if not run.judge.is_jury:  # juries of one name may have different members
            groups.setdefault(question_key(run), []).append(run)
    return [group for group in groups.values() if len(group) > 1]


def repeats_of(run: Run) -> list[Run]:
    """Return the run and all its repeats, by number. Everybody who may see the run may see these.

    Repeats of other owners are left out, so that figures are the same for all their readers.
    """
    visible = Run.objects.filter(Q(owner=run.owner_id) | Q(owner=None), attribute=run.attribute_id, judge=run.judge_id)
    others = visible.exclude(pk=run.pk).select_related("judge", "attribute", "dataset")
    return next((group for group in repeat_groups([run, *others]) if run in group), [run])


def require_repeats(runs: Sequence[Run]) -> None:
    """Raise Refused, with every reason, if the runs do not repeat each other.

    Recorded runs may have different judges, because one judge records each pair only once.
    """
    if len({run.pk for run in runs}) < 2:
        raise Refused("run: repeats are two or more runs; name two different ones, or none for all repeats")
    if problems := [problem for run in runs[1:] for problem in _differences(run, runs[0])]:
        raise Refused(*problems)


def _differences(run: Run, first: Run) -> list[str]:
    compared = [
        ("dataset", run.dataset.name, first.dataset.name),
        ("attribute", run.attribute.name, first.attribute.name),
        ("method", run.method, first.method),
        ("prompt", run.prompt_name, first.prompt_name),
    ]
    are_recorded = "recorded" in run.spec and "recorded" in first.spec
    if not are_recorded:
        compared.append(("judge", run.judge.name, first.judge.name))
    different = [one for one in compared if one[1] != one[2]]
    problems = [f'run: {run.pk} has the {name} "{own}", {first.pk} "{other}"' for name, own, other in different]
    if problems or are_recorded or question_key(run) == question_key(first):
        return [f"{problem}; repeats ask the same questions" for problem in problems]
    return [f"run: {run.pk} asks with other settings than {first.pk}; repeats differ only in seed and pairs"]
