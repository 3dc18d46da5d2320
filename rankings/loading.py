"""Loads rows of the database into arrays. The only module of rankings that knows both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from django.db.models import Case, FloatField, QuerySet, When
from django.db.models.functions import Coalesce, Length

from judging.models import Attribute, Candidate, Dataset, Exclusion, HumanScore, Outcome, Run, Vote
from judging.models.comparisons import P_FIRST_OF_CHOICE
from rankings.bulk_reading import number_rows
from rankings.numerics import Comparisons, HumanScores, Votes
from rankings.numerics.arrays import BoolArray, FloatArray, IntArray, counts, sums

OUTCOMES = (Outcome.ANSWERED, Outcome.UNPARSED, Outcome.ERROR)
ROWS_PER_FETCH = 10_000
T = TypeVar("T")
COMPARISON = np.dtype([("first", np.int64), ("second", np.int64), ("answer", np.float64)])
THOUGHT_COMPARISON = np.dtype([*COMPARISON.descr, ("before", np.float64)])
ANSWER = Case(
    When(p_first__isnull=False, then="p_first"),
    *(When(choice=choice, then=p_first) for choice, p_first in P_FIRST_OF_CHOICE.items()),
    *(When(outcome=outcome, then=-float(column)) for column, outcome in enumerate(OUTCOMES) if column),
    output_field=FloatField(),
)
"""In SQL, the p_first of a comparison with an answer; else minus the index of its outcome in OUTCOMES."""


BEFORE_THINKING = Coalesce("p_first_before", -1.0, output_field=FloatField())
"""In SQL, the p_first without thinking; -1 where it is not known."""


class StrayAnswer(LookupError):
    """Raised for an answer about a candidate that is not in the dataset."""


@dataclass(frozen=True, slots=True)
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

    @property
    def subset_names(self) -> list[str]:
        """Return the subsets, in order of appearance."""
        return [name for name in dict.fromkeys(self.subsets) if name]

    @property
    def subset_numbers(self) -> IntArray:
        """Subset of each context, (n_contexts,); -1 if it has none."""
        number_of = _numbered(self.subset_names)
        return np.array([number_of.get(subset, -1) for subset in self.subsets], dtype=np.intp)

    @property
    def system_numbers(self) -> IntArray:
        """Number of each candidate's system, (n_candidates,); -1 if unknown."""
        number_of = _numbered(self.systems)
        return np.array([number_of[system] if system else -1 for system in self.systems], dtype=np.intp)

    def without(self, exclusion: Exclusion) -> CandidateTable:
        """Leave systems and contexts out. Contexts without candidates go too, as if the dataset lacked them."""
        systems, keys = set(exclusion.systems), set(exclusion.contexts)
        named = np.array([key in keys for key in self.context_keys], dtype=bool)
        stays = ~(named[self.contexts] | np.array([system in systems for system in self.systems], dtype=bool))
        before, after = counts(self.contexts, self.n_contexts), counts(self.contexts[stays], self.n_contexts)
        kept = np.flatnonzero(~named & ((after > 0) | (before == 0)))
        numbers = np.searchsorted(kept, self.contexts[stays])
        return CandidateTable(
            ids=self.ids[stays],
            keys=_chosen(self.keys, np.flatnonzero(stays)),
            systems=_chosen(self.systems, np.flatnonzero(stays)),
            contexts=numbers,
            starts=np.searchsorted(numbers, np.arange(len(kept))),
            context_keys=_chosen(self.context_keys, kept),
            subsets=_chosen(self.subsets, kept),
            left_out=self.ids[~stays],
            small_contexts=int((~named & (before > 1) & (after < 2)).sum()),
        )

    def has(self, *ids: Sequence[int] | IntArray) -> BoolArray:
        """Return True where none of the candidates is left out, (n,). ids: of one or more candidates, each (n,)."""
        is_left_out = np.isin(np.array(ids, dtype=np.intp), self.left_out)
        return np.asarray(~is_left_out.any(axis=0))

    def numbers(self, ids: Sequence[int] | IntArray) -> IntArray:
        """Return the numbers of candidates by their ids in the database, (n,). Raises StrayAnswer for other ids."""
        order, wanted = np.argsort(self.ids), np.asarray(ids, dtype=np.intp)
        at = np.searchsorted(self.ids, wanted, sorter=order)
        numbers = order[np.minimum(at, len(order) - 1)]
        if stray := wanted[self.ids[numbers] != wanted].tolist():
            raise StrayAnswer(f"candidate {stray[0]} has an answer, but is not (or no longer) in this dataset")
        return numbers


@dataclass(frozen=True, slots=True)
class People:
    """Human scores and votes for one attribute.

    raters: names, indexed by the rater numbers of the votes.
    """

    human: HumanScores
    votes: Votes
    raters: Sequence[str]


@dataclass(frozen=True, slots=True)
class Answers:
    """The records of a run.

    comparisons: the answered ones; none for a run that gives scores.
    values: float, (n_candidates,). Scores, NaN where missing; None for a run that compares.
    outcomes: int, (n_contexts, 3). Numbers of answered, unparsed and error records of each context.
    held_out: bool, (n_comparisons,). True for the held-out comparisons of an adaptive run; None for any other run.
    unanswered: the unparsed and failed comparisons, with a p_first of 1/2; none for a run that gives scores.
    before_thinking: float, (n_comparisons,). p_first without thinking, NaN where it is not known; None for a run whose
        judge does not think.
    unanswered_held_out: as held_out, for these. unscored: bool, (n_candidates,). True for unparsed and failed scores.
    """

    comparisons: Comparisons
    values: FloatArray | None
    outcomes: IntArray
    unanswered: Comparisons
    unscored: BoolArray
    held_out: BoolArray | None = None
    unanswered_held_out: BoolArray | None = None
    before_thinking: FloatArray | None = None

    @property
    def recorded(self) -> BoolArray:
        """True for contexts with a record in the run, (n_contexts,)."""
        return np.asarray(self.outcomes.sum(axis=1) > 0)


def candidate_table(dataset: Dataset, *, subsets_by: str = "subset") -> CandidateTable:
    """Load the candidates of a dataset, in two queries.

    subsets_by: the further field of contexts whose values are the subsets; "subset" for each context's own.
    """
    columns: list[tuple[Any, ...]] = list(zip(*_contexts_of(dataset, subsets_by), strict=True))
    context_ids, context_keys, subsets = columns or [()] * 3
    candidates = Candidate.objects.filter(context__dataset=dataset).order_by("context__position", "position")
    ids, keys, systems, ids_of_contexts = _columns(candidates.values_list("pk", "key", "system", "context"), 4)
    number_of = _numbered(context_ids)
    numbers = np.array([number_of[pk] for pk in ids_of_contexts], dtype=np.intp)
    starts = np.searchsorted(numbers, np.arange(len(context_ids)))
    return CandidateTable(np.array(ids, dtype=np.intp), keys, systems, numbers, starts, context_keys, subsets)


def subset_names(dataset: Dataset, *, subsets_by: str = "subset") -> list[str]:
    """Return the names of the subsets in alphabetical order. subsets_by: as in `candidate_table`."""
    return sorted({name for _, _, name in _contexts_of(dataset, subsets_by) if name})


def _contexts_of(dataset: Dataset, subsets_by: str) -> Iterator[tuple[int, str, str]]:
    """Yield id, key and subset of each context. The subset is "" where a context lacks the field."""
    column = "subset" if subsets_by == "subset" else "fields"
    for pk, key, value in dataset.contexts.order_by("position").values_list("pk", "key", column):
        yield pk, key, value.get(subsets_by, "") if isinstance(value, dict) else value


def people_of(table: CandidateTable, attribute: Attribute) -> People:
    """Load all human scores and the votes that count in figures, imported or given here, in two queries."""
    human = HumanScores(human_scores(table, attribute), table.contexts, table.system_numbers)
    votes_of_attribute = Vote.objects.in_figures().filter(attribute=attribute).order_by("pk")
    rows = votes_of_attribute.values_list("first", "second", "choice", "rater")
    first, second, choices, raters = _columns(rows, 4)
    chosen = np.flatnonzero(table.has(first, second))
    first, second, choices, raters = (_chosen(column, chosen) for column in (first, second, choices, raters))
    number_of = _numbered(raters)
    answers = np.array([P_FIRST_OF_CHOICE[choice] for choice in choices], dtype=np.float64)
    votes = Votes(
        Comparisons(len(table), table.numbers(first), table.numbers(second), answers, table.starts),
        np.array([number_of[rater] for rater in raters], dtype=np.intp),
    )
    return People(human, votes, list(number_of))


def human_scores(table: CandidateTable, attribute: Attribute) -> FloatArray:
    """Return the score of each candidate, (n_candidates,): the dataset's own, else its mean rating, else NaN."""
    rows = HumanScore.objects.filter(attribute=attribute).order_by("pk").values_list("candidate", "rater", "value")
    ids, raters, values = _of_table(table, _columns(rows, 3))
    members, scores = table.numbers(ids), np.array(values, dtype=np.float64)
    rated = np.array([bool(rater) for rater in raters], dtype=bool)
    ratings = counts(members[rated], len(table))
    means = sums(members[rated], scores[rated], len(table)) / np.where(ratings > 0, ratings, np.nan)
    own = _at_candidates(table, members[~rated], scores[~rated])
    return np.where(np.isnan(own), means, own)


def ratings_of(table: CandidateTable, attribute: Attribute) -> FloatArray:
    """Load ratings, (n_raters, n_candidates), NaN where missing, in one query."""
    rows = HumanScore.objects.filter(attribute=attribute).exclude(rater="").values_list("candidate", "rater", "value")
    candidates, raters, values = _of_table(table, _columns(rows, 3))
    row_of = _numbered(sorted(raters))
    ratings = np.full((len(row_of), len(table)), np.nan)
    ratings[[row_of[rater] for rater in raters], table.numbers(candidates)] = values
    return ratings


def text_lengths(table: CandidateTable, dataset: Dataset) -> IntArray:
    """Count the characters of each candidate's text, (n_candidates,), in one query."""
    lengths = dict(Candidate.objects.filter(context__dataset=dataset).values_list("pk", Length("text")))
    return np.array([lengths[pk] for pk in table.ids.tolist()], dtype=np.intp)


def answers_of(table: CandidateTable, run: Run, *, in_given_order: bool = False) -> Answers:
    """Load the records of a run so far. A choice without p_first counts as p_first 1, 1/2 or 0.

    in_given_order: only comparisons whose first candidate stands before the second in the dataset.
    """
    return _score_answers(table, run) if run.is_scoring else _comparison_answers(table, run, in_given_order)


def _comparison_answers(table: CandidateTable, run: Run, in_given_order: bool) -> Answers:
    may_think = run.thinking is not None or run.prompt_id is None  # recorded answers may be those after thinking
    columns, row_type = ((BEFORE_THINKING,), THOUGHT_COMPARISON) if may_think else ((), COMPARISON)
    rows = number_rows(run.comparisons.all(), row_type, "first", "second", ANSWER, *columns)
    if len(table.left_out):
        rows = rows[table.has(rows["first"], rows["second"])]
    if in_given_order:
        rows = rows[table.numbers(rows["first"]) < table.numbers(rows["second"])]
    first, second, answers = table.numbers(rows["first"]), table.numbers(rows["second"]), rows["answer"]
    answered = answers >= 0
    comparisons = Comparisons(len(table), first[answered], second[answered], answers[answered], table.starts)
    unanswered = Comparisons(
        len(table), first[~answered], second[~answered], np.full(np.count_nonzero(~answered), 0.5), table.starts
    )
    outcomes = np.where(answered, 0, -answers).astype(np.intp)
    is_adaptive = run.hold_out is not None
    return Answers(
        comparisons,
        None,
        _outcomes_of_contexts(table, table.contexts[first], outcomes),
        unanswered,
        unscored=np.zeros(len(table), dtype=bool),
        held_out=_held_out(table, run, comparisons) if is_adaptive else None,
        unanswered_held_out=_held_out(table, run, unanswered) if is_adaptive else None,
        before_thinking=_before_thinking(run, rows["before"][answered]) if may_think else None,
    )


def _before_thinking(run: Run, values: FloatArray) -> FloatArray | None:
    """Return p_first without thinking, NaN where unknown; None for a recorded run that has none."""
    known = values >= 0
    return np.where(known, values, np.nan) if run.thinking is not None or known.any() else None


def _held_out(table: CandidateTable, run: Run, comparisons: Comparisons) -> BoolArray:
    """Return True for comparisons of held-out pairs of an adaptive run, (n_comparisons,)."""
    first, second = np.array(list(run.held_out_pairs()), dtype=np.intp).reshape(-1, 2).T
    chosen = table.has(first, second)
    first, second = first[chosen], second[chosen]
    held_out = table.numbers(first) * len(table) + table.numbers(second)
    return np.isin(comparisons.first * len(table) + comparisons.second, held_out)


def _score_answers(table: CandidateTable, run: Run) -> Answers:
    rows = run.scores.order_by("pk").values_list("candidate", "outcome", "value")
    candidates, outcomes, scores = _of_table(table, _columns(rows, 3))
    members = table.numbers(candidates)
    values = _at_candidates(table, members, np.array(scores, dtype=np.float64))
    columns = np.array([OUTCOMES.index(outcome) for outcome in outcomes], dtype=np.intp)
    no_comparisons = Comparisons(len(table), members[:0], members[:0], np.zeros(0), table.starts)
    unscored = np.zeros(len(table), dtype=bool)
    unscored[members] = np.isnan(values[members])
    outcomes_of_contexts = _outcomes_of_contexts(table, table.contexts[members], columns)
    return Answers(no_comparisons, values, outcomes_of_contexts, no_comparisons, unscored)


def _at_candidates(table: CandidateTable, members: IntArray, values: FloatArray) -> FloatArray:
    """Return values at their candidates, (n_candidates,), NaN elsewhere."""
    spread = np.full(len(table), np.nan)
    spread[members] = values
    return spread


def _outcomes_of_contexts(table: CandidateTable, contexts: IntArray, outcomes: IntArray) -> IntArray:
    """Count the records of each context and outcome, (n_contexts, 3); outcomes: indices in OUTCOMES."""
    shape = (table.n_contexts, len(OUTCOMES))
    return counts(contexts * len(OUTCOMES) + outcomes, table.n_contexts * len(OUTCOMES)).reshape(shape)


def _of_table(table: CandidateTable, columns: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the rows about candidates of the table. columns: the first holds their ids."""
    chosen = np.flatnonzero(table.has(columns[0]))
    return [_chosen(column, chosen) for column in columns]


def _chosen(values: Sequence[T], chosen: IntArray) -> tuple[T, ...]:
    """Return the values at some indices; all of them without a copy."""
    return tuple(values) if len(chosen) == len(values) else tuple(values[index] for index in chosen.tolist())


def _numbered(names: Iterable[T]) -> dict[T, int]:
    """Number the different names in order of appearance."""
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def _columns(rows: QuerySet[Any, tuple[Any, ...]], n: int) -> list[tuple[Any, ...]]:
    """Return the n columns of rows, each a tuple; empty tuples if there are no rows."""
    columns = list(zip(*rows.iterator(chunk_size=ROWS_PER_FETCH), strict=True))
    return columns or [()] * n
