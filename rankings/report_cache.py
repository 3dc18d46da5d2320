"""The cache of computed figures, and the check that a cached figure is stale.

A figure is stale when its votes or records changed since. `states_of` and `states_of_votes` read the state of
votes and records.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import cache as once
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TypeVar, cast

from django.core.cache import cache
from django.db.models import Count, Model, Sum

from judging.models import Attribute, Comparison, Run, Score

CACHE_SECONDS = 24 * 3600
LOADED_AT_ONCE = 128
LARGEST_LOADED = 1 << 18
"""Each process keeps this many values of at most so many pickled bytes. Six rows of a run: 50 kB, 0.3 MB in memory."""

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
State = tuple[object, ...]


def states_of(runs: Sequence[Run]) -> dict[int, State]:
    """Return run -> the state of the data of its figures: its records, and the votes of its attribute.

    Takes three queries. Datasets and their human scores do not change. Records are added, and errors are replaced by
    new records. These have larger ids, so the number of records and the sum of their ids change. The time of creation
    distinguishes runs of two databases that have the same number. Figures hold the judge's name, which may change.
    """
    comparisons, scores = _records(Comparison, runs), _records(Score, runs)
    votes = states_of_votes({run.attribute_id for run in runs})
    return {
        run.pk: (
            run.pk,
            run.created_at,
            run.judge.name,
            comparisons.get(run.pk),
            scores.get(run.pk),
            votes[run.attribute_id],
        )
        for run in runs
    }


def states_of_votes(attributes: Collection[int]) -> dict[int, State]:
    """Return attribute -> the state of its votes: the number of changes, and the number of votes. Takes one query.

    A state never returns, not even when a new vote is withdrawn, because figures with that vote may be in the cache.
    Times would not work: servers' clocks differ, and transactions may end in another order than they begin.
    """
    rows = Attribute.objects.filter(pk__in=attributes).order_by().annotate(Count("votes"))
    return {state[0]: state for state in rows.values_list("pk", "vote_changes", "votes__count")}


def cached(what: State, compute: Callable[[], T]) -> T:
    """Return the value cached for `what` by this version of the code; else compute it and cache it for a day."""
    key = _key(what)
    value: T | None = cache.get(key)
    if value is None:
        value = compute()
        cache.set(key, value, CACHE_SECONDS)
    return value


def cached_together(whats: Mapping[K, State], compute: Callable[[Sequence[K]], Mapping[K, T]]) -> dict[K, T]:
    """Return the values cached for each state; the others are computed together, and cached for a day.

    Callers must not modify the values: the next call may return the same objects.
    """
    keys = {name: _key(what) for name, what in whats.items()}
    known = cache.get_many(keys.values())
    missing = [name for name, key in keys.items() if known.get(key) is None]
    computed = compute(missing) if missing else {}
    cache.set_many({keys[name]: pickle.dumps(value) for name, value in computed.items()}, CACHE_SECONDS)
    return {name: computed[name] if name in computed else cast(T, _loaded(known[key])) for name, key in keys.items()}


def _loaded(pickled: bytes) -> object:
    return _kept(pickled) if len(pickled) <= LARGEST_LOADED else pickle.loads(pickled)


@lru_cache(maxsize=LOADED_AT_ONCE)
def _kept(pickled: bytes) -> object:
    """Return the pickled value. Unpickling takes longer than the rest of a page, so the objects stay in memory."""
    return pickle.loads(pickled)


def _key(what: State) -> str:
    return sha256(repr((code_version(), what)).encode()).hexdigest()


@once
def code_version() -> str:
    """Return a hash of the code that computes figures."""
    digest = sha256()
    for file in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _records(model: type[Model], runs: Sequence[Run]) -> dict[int, list[object]]:
    rows = model._default_manager.filter(run__in=[run.pk for run in runs]).order_by().values_list("run")
    return {run: state for run, *state in rows.annotate(Count("pk"), Sum("pk"))}
