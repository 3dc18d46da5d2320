"""The candidates of a dataset, numbered across its contexts."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from django.db.models import QuerySet
from django.db.models.functions import Length

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, counts
from judging.models import Candidate, Dataset, Exclusion
from rankings.bulk_reading import number_rows

ROWS_PER_FETCH = 10_000
ROWS_TRANSPOSED_AT_ONCE = 100
LENGTH = np.dtype([("candidate", np.int64), ("characters", np.int64)])
T = TypeVar("T")


class StrayAnswer(LookupError):
    """Raised for an answer about a candidate, or a candidate of a context, that is not in the dataset."""


@dataclass(frozen=True)
class CandidateTable:
    """The candidates of a dataset, numbered across its contexts in the dataset's order.

    ids: int, (n_candidates,). Ids in the database. keys, systems: names; "" for no system.
    contexts: int, (n_candidates,). Context of each.
    starts: int, (n_contexts,). First candidate of each context.
    context_keys, subsets: names of each context and its subset; "" for no subset.
    left_out: int. Ids of the candidates of the dataset that are left out.
    small_contexts: number of contexts in which fewer than two candidates are left, and there were more.
    """

    ids: IntArray
    keys: Sequence[str]
    systems: Sequence[str]
    contexts: IntArray
    starts: IntArray
    context_keys: Sequence[str]
    subsets: Sequence[str]
    left_out: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    small_contexts: int = 0

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def n_contexts(self) -> int:
        return len(self.starts)

    @cached_property
    def subset_names(self) -> list[str]:
        """Return the subsets, in order of appearance."""
        return [name for name in dict.fromkeys(self.subsets) if name]

    @cached_property
    def subset_numbers(self) -> IntArray:
        """Subset of each context, (n_contexts,); -1 if it has none."""
        number_of = numbered(self.subset_names)
        return np.array([number_of.get(subset, -1) for subset in self.subsets], dtype=np.intp)

    @cached_property
    def system_numbers(self) -> IntArray:
        """Number of each candidate's system, (n_candidates,); -1 if unknown."""
        number_of = numbered(filter(None, self.systems))
        return np.array([number_of.get(system, -1) for system in self.systems], dtype=np.intp)

    def without(self, exclusion: Exclusion) -> "CandidateTable":
        """Leave systems and contexts out. Contexts without candidates go too, as if the dataset lacked them."""
        systems, keys = set(exclusion.systems), set(exclusion.contexts)
        named = np.array([key in keys for key in self.context_keys], dtype=bool)
        stays = ~(named[self.contexts] | np.array([system in systems for system in self.systems], dtype=bool))
        before, after = counts(self.contexts, self.n_contexts), counts(self.contexts[stays], self.n_contexts)
        kept = np.flatnonzero(~named & ((after > 0) | (before == 0)))
        numbers = np.searchsorted(kept, self.contexts[stays])
        return CandidateTable(
            ids=self.ids[stays],
            keys=chosen_values(self.keys, np.flatnonzero(stays)),
            systems=chosen_values(self.systems, np.flatnonzero(stays)),
            contexts=numbers,
            starts=np.searchsorted(numbers, np.arange(len(kept))),
            context_keys=chosen_values(self.context_keys, kept),
            subsets=chosen_values(self.subsets, kept),
            left_out=self.ids[~stays],
            small_contexts=int((~named & (before > 1) & (after < 2)).sum()),
        )

    def has(self, *ids: Sequence[int] | IntArray) -> BoolArray:
        """Return True where none of the candidates is left out, (n,). ids: of one or more candidates, each (n,)."""
        is_left_out = np.isin(np.array(ids, dtype=np.intp), self.left_out)
        return np.asarray(~is_left_out.any(axis=0))

    def numbers(self, ids: Sequence[int] | IntArray) -> IntArray:
        """Return the numbers of candidates by their ids in the database, (n,). Raises StrayAnswer for other ids."""
        return _places(self.ids, np.asarray(ids, dtype=np.intp), "candidate {} has an answer")


def candidate_table(dataset: Dataset, *, subsets_by: str = "subset") -> CandidateTable:
    """Load the candidates of a dataset, in two queries.

    subsets_by: the further field of contexts whose values are the subsets; "subset" for each context's own.
    """
    context_ids, context_keys, subsets = _transposed(_contexts_of(dataset, subsets_by), 3)
    candidates = Candidate.objects.filter(context__dataset=dataset).order_by("context__position", "position")
    ids, keys, systems, ids_of_contexts = columns_of(candidates.values_list("pk", "key", "system", "context"), 4)
    known, wanted = (np.array(some, dtype=np.intp) for some in (context_ids, ids_of_contexts))
    contexts = _places(known, wanted, "context {} has candidates")
    starts = np.searchsorted(contexts, np.arange(len(context_ids)))
    return CandidateTable(np.array(ids, dtype=np.intp), keys, systems, contexts, starts, context_keys, subsets)


def _places(ids: IntArray, wanted: IntArray, what: str) -> IntArray:
    """Return the index of each wanted id among all ids, (n_wanted,).

    what: names an id, and why it is wanted. Raises StrayAnswer for an id that is not there.
    """
    if len(ids) and (np.diff(ids) == 1).all():  # as after one import
        places = np.clip(wanted - ids[0], 0, len(ids) - 1)
    else:
        order = np.argsort(ids)
        places = order[np.minimum(np.searchsorted(ids, wanted, sorter=order), len(order) - 1)]
    if stray := wanted[ids[places] != wanted].tolist():
        raise StrayAnswer(f"{what.format(stray[0])}, but is not (or no longer) in this dataset")
    return places


def subset_names(dataset: Dataset, *, subsets_by: str = "subset") -> list[str]:
    """Return the names of the subsets in alphabetical order. subsets_by: as in `candidate_table`."""
    if subsets_by == "subset":
        return sorted(dataset.contexts.exclude(subset="").order_by().values_list("subset", flat=True).distinct())
    return sorted({name for _, _, name in _contexts_of(dataset, subsets_by) if name})


def _contexts_of(dataset: Dataset, subsets_by: str) -> Iterator[tuple[int, str, str]]:
    """Return id, key and subset of each context. The subset is "" where a context lacks the field."""
    contexts = dataset.contexts.order_by("position")
    if subsets_by == "subset":
        return contexts.values_list("pk", "key", "subset").iterator(ROWS_PER_FETCH)
    rows = contexts.values_list("pk", "key", "fields").iterator(ROWS_PER_FETCH)
    return ((pk, key, fields.get(subsets_by, "")) for pk, key, fields in rows)


def text_lengths(table: CandidateTable, dataset: Dataset) -> IntArray:
    """Count the characters of each candidate's text, (n_candidates,), in one query."""
    rows = number_rows(Candidate.objects.filter(context__dataset=dataset), LENGTH, "pk", Length("text"))
    return np.asarray(rows["characters"][np.searchsorted(rows["candidate"], table.ids)])


def at_candidates(table: CandidateTable, members: IntArray, values: FloatArray) -> FloatArray:
    """Return values at their candidates, (n_candidates,), NaN elsewhere."""
    spread = np.full(len(table), np.nan)
    spread[members] = values
    return spread


def of_table(table: CandidateTable, columns: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the rows about candidates of the table. columns: the first holds their ids."""
    chosen = np.flatnonzero(table.has(columns[0]))
    return [chosen_values(column, chosen) for column in columns]


def columns_of(rows: QuerySet[Any, tuple[Any, ...]], n: int) -> list[tuple[Any, ...]]:
    """Return the n columns of rows."""
    return _transposed(rows.iterator(chunk_size=ROWS_PER_FETCH), n)


def _transposed(rows: Iterator[tuple[Any, ...]], n: int) -> list[tuple[Any, ...]]:
    """Return the n columns of rows. Few rows exist at once, so that Python seldom searches for garbage."""
    columns: list[list[Any]] = [[] for _ in range(n)]
    while some := list(islice(rows, ROWS_TRANSPOSED_AT_ONCE)):
        for column, values in zip(columns, zip(*some, strict=True), strict=True):
            column.extend(values)
    return list(map(tuple, columns))


def chosen_values(values: Sequence[T], chosen: IntArray) -> tuple[T, ...]:
    """Return the values at some indices; all of them without a copy."""
    return tuple(values) if len(chosen) == len(values) else tuple(values[index] for index in chosen.tolist())


def numbered(names: Iterable[T]) -> dict[T, int]:
    """Number the different names in order of appearance."""
    return {name: number for number, name in enumerate(dict.fromkeys(names))}
