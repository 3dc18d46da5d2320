"""Report rows for pages, commands and the HTTP API, from the cache or computed; for commands, in several processes."""

import multiprocessing
import os
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cached_property, partial

import numpy as np
from django.db import connections
from django.db.models import prefetch_related_objects
from threadpoolctl import threadpool_limits

from evenhand.numerics import Comparisons
from evenhand.numerics.arrays import BoolArray, IntArray
from evenhand.numerics.shared_draws import Start, figure_threads, shared_draws
from evenhand.refusals import Refused
from judging.models import Attribute, Dataset, Exclusion, Run
from judging.models.datasets import PART_FIELD, TEST
from judging.models.exclusions import require_possible
from judging.services.activity import note_looks
from rankings.loading import Answers, CandidateTable, People, answers_of, candidate_table, people_of, text_lengths
from rankings.record_states import State, states_of
from rankings.report.left_out import ExcludedVotes, LeftOutParts, excluded_votes_of
from rankings.report.preferences.length_and_family import Kin, Traits
from rankings.report.report_choice import ALL, USUAL_CHOICE, ReportChoice, group_problems, require_field
from rankings.report.report_row import ReportRow
from rankings.report.rows_of_one_run import Answered, prepared_rows
from rankings.report.run_names import RunName
from rankings.report_cache import cached_together
from rankings.steering_patterns.steering_matches import own_labels, steering_texts

CONTEXTS_AT_ONCE = 400_000
"""Contexts times runs that share draws: measures of each context take up to 500 bytes of memory."""
COMPUTING_THREADS = 2
CONTEXTS_WORTH_THREADS = 10_000
"""With fewer, most of the time is spent in the interpreter, which runs one thread at a time."""


def why_nothing_compared(run: Run) -> str:
    """Say why a run has no answer on two different texts."""
    what = "compares texts with themselves; see its diagnostics" if run.asks_null_pairs else "has no answer yet"
    return f"run: {run.pk} {what}"


def report_rows(
    dataset: Dataset,
    *,
    runs: Iterable[Run] | None = None,
    choice: ReportChoice = USUAL_CHOICE,
    use_cache: bool = True,
    processes: int = 1,
    shown: Collection[str] = (),
) -> list[ReportRow]:
    """Return one row per run and subset, `all` first.

    runs: default: all runs of the dataset. choice: the answers that count, and groups of subsets.
    use_cache: read figures from the cache and store them there. processes: for rows that are not cached.
    shown: subsets whose rows somebody sees; default: all. Rows of the test part are noted as looks. If only `all` is
    shown, the other rows are not computed.
    Raises Refused for a field or groups that the dataset does not have, for unknown systems and contexts, and for runs
    that compare candidates with themselves.
    """
    require_field(choice.subsets_by, dataset.context_fields)
    require_possible(dataset, choice.exclusion)
    chosen = list(dataset.runs.ordinary().order_by("pk") if runs is None else runs)
    if null := [run for run in chosen if run.asks_null_pairs]:
        raise Refused(*map(why_nothing_compared, null))
    prefetch_related_objects(chosen, "judge", "attribute")
    only_all = set(shown) == {ALL}
    sources = Sources(dataset, choice, only_all=only_all)
    _note_looks(chosen, choice, shown)
    if choice.groups and (problems := group_problems(choice.groups, sources.table.subset_names)):
        raise Refused(*problems)
    if use_cache:
        states = states_of(chosen)
        keys: dict[Run, State] = {run: ("rows", states[run.pk], choice, only_all) for run in chosen}
        rows = cached_together(keys, partial(sources.rows, threads=COMPUTING_THREADS))
    else:
        rows = rows_in_processes(sources.rows, chosen, processes)
    return [replace(row, name=RunName.of(run)) for run in chosen for row in rows[run]]


def _note_looks(runs: Sequence[Run], choice: ReportChoice, shown: Collection[str]) -> None:
    by_part = choice.subsets_by == PART_FIELD
    with_test = {TEST, *(group.name for group in choice.groups if TEST in group.subsets)}
    if by_part and shown and with_test.isdisjoint(shown) and ALL not in shown:
        return
    note_looks(runs, figures="report", on_test=by_part and (not shown or not with_test.isdisjoint(shown)))


class Sources:
    """The arrays of a dataset, each loaded at its first use.

    choice: the answers that count, and the subsets. only_all: the rows of runs are those of all contexts.
    """

    def __init__(self, dataset: Dataset, choice: ReportChoice = USUAL_CHOICE, *, only_all: bool = False) -> None:
        self.dataset = dataset
        self.choice = choice
        self.only_all = only_all
        self._people: dict[int, People] = {}
        self._excluded: dict[int, ExcludedVotes | None] = {}
        self._steering: dict[tuple[str, ...], BoolArray] = {}
        self._last: Comparisons | None = None
        self._without: dict[Exclusion, Sources] = {choice.exclusion: self}

    @classmethod
    def of_run(cls, run: Run, choice: ReportChoice) -> "Sources":
        """Return the arrays for the figures of one run: without what the run and the choice leave out.

        Raises Refused for systems and contexts that the dataset lacks.
        """
        require_possible(run.dataset, choice.exclusion)
        return cls(run.dataset, choice).without(run.exclusion)

    def without(self, exclusion: Exclusion) -> "Sources":
        """Return the arrays of the dataset without the systems and contexts of the choice and of this exclusion."""
        joined = self.choice.exclusion | exclusion
        if joined not in self._without:
            self._without[joined] = Sources(
                self.dataset, replace(self.choice, exclusion=joined), only_all=self.only_all
            )
        return self._without[joined]

    @cached_property
    def table(self) -> CandidateTable:
        table = candidate_table(self.dataset, subsets_by=self.choice.subsets_by)
        return table.without(self.choice.exclusion) if self.choice.exclusion else table

    @property
    def left_out(self) -> LeftOutParts | None:
        """Return what is left out, for reports; None if nothing is."""
        exclusion = self.choice.exclusion
        return LeftOutParts(exclusion.systems, exclusion.contexts, self.table.small_contexts) if exclusion else None

    @cached_property
    def lengths(self) -> IntArray:
        """Return the characters of each candidate's text, (n_candidates,)."""
        return text_lengths(self.table, self.dataset)

    def steering(self, run: Run) -> BoolArray:
        """Return True for each text that may steer the judge of a run, (n_candidates,)."""
        labels = own_labels(run)
        if labels not in self._steering:
            self._steering[labels] = np.isin(self.table.ids, list(steering_texts(self.dataset, labels)))
        return self._steering[labels]

    def people(self, attribute: Attribute) -> People:
        if attribute.pk not in self._people:
            self._people[attribute.pk] = people_of(self.table, attribute)
        return self._people[attribute.pk]

    def excluded_votes(self, attribute: Attribute) -> ExcludedVotes | None:
        if attribute.pk not in self._excluded:
            self._excluded[attribute.pk] = excluded_votes_of(attribute)
        return self._excluded[attribute.pk]

    def answers(self, run: Run) -> Answers:
        """Return the answers of a run. Runs of the same pairs share what is computed from the pairs alone."""
        answers = answers_of(self.table, run, in_given_order=self.choice.order == "given")
        if self._last is not None and self._last.same_pairs(answers.comparisons):
            answers = replace(answers, comparisons=self._last.with_p_first(answers.comparisons.p_first))
        self._last = answers.comparisons
        return answers

    def rows(self, runs: Sequence[Run], threads: int = 1) -> dict[Run, list[ReportRow]]:
        """Return the report rows of each run, without what the run itself leaves out.

        Runs share the draws of contexts for their intervals, several runs at a time. threads: for long datasets.
        """
        if self.table.n_contexts < CONTEXTS_WORTH_THREADS:
            threads = 1
        rows: dict[Run, list[ReportRow]] = {}
        at_once = max(1, CONTEXTS_AT_ONCE // max(1, self.table.n_contexts))
        for at in range(0, len(runs), at_once):
            some = runs[at : at + at_once]
            with shared_draws():
                finish = self._prepared(some, threads)
            rows |= {run: finish_rows() for run, finish_rows in finish.items()}
        return rows

    def _prepared(self, runs: Sequence[Run], threads: int) -> dict[Run, Callable[[], list[ReportRow]]]:
        """Compute the figures of each run but their intervals.

        Returns the functions that return the rows, to call after the block of `shared_draws`. All is loaded in this
        thread, because each thread has its own connection to the database.
        """
        at_once = 1 if threads < 2 else len(runs)  # one run is in memory at a time, or all for the threads
        finish: dict[Run, Callable[[], Callable[[], list[ReportRow]]]] = {}
        with figure_threads(threads) as start:
            for at in range(0, len(runs), at_once):
                finish |= self._started(runs[at : at + at_once], start)
        return {run: finish_rows() for run, finish_rows in finish.items()}

    def _started(self, runs: Sequence[Run], start: Start) -> dict[Run, Callable[[], Callable[[], list[ReportRow]]]]:
        """Load runs, and start the scoring of all before anything that needs the texts, which takes long to read."""
        scored = []
        for run in runs:
            own = self.without(run.exclusion)
            answers = own.answers(run)
            scored.append((run, own, answers, start(partial(Answered.of, answers, own.table, own.choice))))
        return {run: start(own._preparation(run, answers, answered)) for run, own, answers, answered in scored}

    def _preparation(
        self, run: Run, answers: Answers, answered: Callable[[], Answered]
    ) -> Callable[[], Callable[[], list[ReportRow]]]:
        """Load what else the rows of a run are computed from.

        Returns the function that computes all but their intervals, and returns the function that returns the rows.
        """
        people, excluded, left_out = self.people(run.attribute), self.excluded_votes(run.attribute), self.left_out
        kin = Kin.of((run.judge.model, run.judge.name), self.table.systems)
        traits = Traits(self.lengths, kin, self.steering(run))
        name = RunName.of(run)

        def prepare() -> Callable[[], list[ReportRow]]:
            finish = prepared_rows(
                name, self.table, people, answers, answered(), traits, self.choice, only_all=self.only_all
            )
            return lambda: [replace(row, without=left_out, excluded_votes=excluded) for row in finish()]

        return prepare


MOST_PROCESSES = 4
"""Each takes up to 300 MB."""

RowsOfRuns = Callable[[Sequence[Run]], dict[Run, list[ReportRow]]]


def available_processes() -> int:
    """Return the number of processes that can compute rows at once; 1 where none can be forked.

    Only Linux forks safely once numpy has started threads. No process sees the open transaction of another.
    """
    if sys.platform != "linux" or any(one.in_atomic_block for one in connections.all(initialized_only=True)):
        return 1
    return min(MOST_PROCESSES, len(os.sched_getaffinity(0)))


def rows_in_processes(rows_of: RowsOfRuns, runs: Sequence[Run], processes: int) -> dict[Run, list[ReportRow]]:
    """Return what `rows_of` returns. Each process, this one included, computes the rows of some runs.

    Closes the connections to the database, because processes cannot share one. rows_of: is pickled. Matrices are
    multiplied in one thread: the idle threads of a library would take the cores from these processes, and sums differ
    in the last digit by the number of threads.
    """
    with threadpool_limits(1):
        return _computed(rows_of, runs, min(processes, len(runs)))


def _computed(rows_of: RowsOfRuns, runs: Sequence[Run], processes: int) -> dict[Run, list[ReportRow]]:
    if processes < 2:
        return rows_of(runs)
    own, *others = [runs[at::processes] for at in range(processes)]
    connections.close_all()
    with ProcessPoolExecutor(len(others), mp_context=multiprocessing.get_context("fork")) as pool:
        parts = [pool.submit(rows_of, part) for part in others]
        rows = rows_of(own)
        for part in parts:
            rows |= part.result()
    return rows
