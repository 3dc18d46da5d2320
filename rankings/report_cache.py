"""What a report rests on, in a few numbers: while they stay the same, so do its figures, and they are kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache as once
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from django.core.cache import cache
from django.db.models import Count, Max, Model, Sum

from judging.models import Comparison, Run, Score, Vote

KEPT_SECONDS = 24 * 3600

T = TypeVar("T")
State = tuple[object, ...]


def states_of(runs: Sequence[Run]) -> dict[int, State]:
    """run -> what its figures rest on: its records, and the votes of its attribute. In three queries.

    Datasets do not change. Records are added, and errors replaced by other records: the number of records, the largest
    and the sum of their ids tell. Votes may be changed and taken back. The time of creation tells a run from one of
    another database that had its number.
    """
    comparisons, scores = _records(Comparison, runs), _records(Score, runs)
    votes = states_of_votes({run.attribute_id for run in runs})
    return {
        run.pk: (run.pk, run.created_at, comparisons.get(run.pk), scores.get(run.pk), votes.get(run.attribute_id))
        for run in runs
    }


def states_of_votes(attributes: Collection[int]) -> dict[int, list[object]]:
    """attribute -> what figures of its votes rest on; attributes without votes are left out. In one query."""
    rows = Vote.objects.filter(attribute__in=attributes).order_by().values_list("attribute")
    return {attribute: state for attribute, *state in rows.annotate(Count("pk"), Max("pk"), Max("changed_at"))}


def kept(what: State, compute: Callable[[], T]) -> T:
    """What was computed before for the same `what` by the same code; else computed now, and kept for a day."""
    key = sha256(repr((code_version(), what)).encode()).hexdigest()
    found: T | None = cache.get(key)
    if found is not None:
        return found
    computed = compute()
    cache.set(key, computed, KEPT_SECONDS)
    return computed


@once
def code_version() -> str:
    """A hash of the code that computes figures."""
    digest = sha256()
    for file in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _records(model: type[Model], runs: Sequence[Run]) -> dict[int, list[object]]:
    rows = model._default_manager.filter(run__in=[run.pk for run in runs]).order_by().values_list("run")
    return {run: state for run, *state in rows.annotate(Max("pk"), Count("pk"), Sum("pk"))}
