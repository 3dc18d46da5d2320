"""What pages, commands and the HTTP API all show: report rows and scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from django.db.models import prefetch_related_objects

from judging.exceptions import Refused
from judging.models import Attribute, Dataset, Run
from rankings.loading import Answers, CandidateTable, People, answers_of, candidate_table, people_of, text_lengths
from rankings.numerics import METHODS, Comparisons, Debiasing, Scores, Undefined, averaged, places
from rankings.numerics.arrays import IntArray
from rankings.report.preferences import Kin, Traits
from rankings.report.run_figures import SCORE, rows_of_run, score_or_why
from rankings.report_cache import kept, states_of

NO_HUMAN_SCORE = "the candidate has no human score"

Row = dict[str, Any]


def report_rows(dataset: Dataset, *, runs: Iterable[Run] | None = None, keep: bool = True) -> list[Row]:
    """One row per run and subset, `all` first; without runs, for all runs of the dataset.

    keep: whether figures are kept for the next time, and looked for; of no use to a process that ends after this.
    """
    chosen = list(dataset.runs.order_by("pk") if runs is None else runs)
    prefetch_related_objects(chosen, "judge", "attribute")
    sources = Sources(dataset)
    if keep:
        states = states_of(chosen)
        rows = {run: kept(("rows", states[run.pk]), partial(sources.rows, run)) for run in chosen}
    else:
        rows = {run: sources.rows(run) for run in chosen}
    return [name_of(run) | row for run in chosen for row in rows[run]]


def scores_of(run: Run, *, ranking: str, debias: bool = False, average_orders: bool = False) -> list[Row]:
    """A score for each candidate of the contexts that have a record in the run, its rank, and the human score.

    debias: with the position bias taken out by the threshold or the shifts of the run; average_orders: with the mean of
    both orders of each pair instead. Raises Refused for a ranking that the run does not have.
    """
    _require_ranking(run, ranking, debias=debias, average_orders=average_orders)
    what = ("scores", states_of([run])[run.pk], ranking, debias, average_orders)
    return kept(what, lambda: list(_scores(run, ranking, debias=debias, average_orders=average_orders)))


class Sources:
    """The arrays of a dataset, loaded once, and only if something has to be computed."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self._people: dict[int, People] = {}
        self._last: Comparisons | None = None

    @cached_property
    def table(self) -> CandidateTable:
        return candidate_table(self.dataset)

    @cached_property
    def lengths(self) -> IntArray:
        """Characters of each candidate's text, (n_candidates,)."""
        return text_lengths(self.table, self.dataset)

    def people(self, attribute: Attribute) -> People:
        if attribute.pk not in self._people:
            self._people[attribute.pk] = people_of(self.table, attribute)
        return self._people[attribute.pk]

    def answers(self, run: Run) -> Answers:
        """Where a run asked the same pairs as the one before, what rests on the pairs is not computed again."""
        answers = answers_of(self.table, run)
        if self._last is not None and self._last.same_pairs(answers.comparisons):
            answers = replace(answers, comparisons=self._last.with_p_first(answers.comparisons.p_first))
        self._last = answers.comparisons
        return answers

    def rows(self, run: Run) -> list[Row]:
        """The rows of a run, without what names it."""
        return rows_of_run(self.table, self.people(run.attribute), self.answers(run), self.traits(run))

    def traits(self, run: Run) -> Traits:
        """What the judge of a run may prefer."""
        return Traits(self.lengths, Kin.of((run.judge.model, run.judge.name), self.table.systems))


def name_of(run: Run) -> Row:
    """What tells a run's rows from those of another."""
    return {
        "run": run.pk,
        "judge": run.judge.name,
        "method": run.method,
        "prompt": run.prompt_name,
        "attribute": run.attribute.name,
        **_manner(run),
    }


def _manner(run: Run) -> Row:
    """How what the judge writes was sampled, and by which prompt it wrote metrics of its own; nothing where nothing."""
    sampled = {"samples": run.samples, "temperature": run.temperature}
    return ({"sampled": sampled} if run.temperature else {}) | (
        {"own_metrics": run.metrics_name} if run.metrics_name else {}
    )


def _scores(run: Run, ranking: str, *, debias: bool, average_orders: bool) -> Iterator[Row]:
    sources = Sources(run.dataset)
    table, answers = sources.table, sources.answers(run)
    scores = _ranked(answers, ranking, debias=debias, average_orders=average_orders)
    human = sources.people(run.attribute).human.scores
    ranks = np.full(len(table), np.nan) if isinstance(scores, str) else places(scores, table.contexts)
    for candidate in np.flatnonzero(answers.recorded[table.contexts]).tolist():
        found = _score(scores, candidate, float(ranks[candidate]))
        why = found.pop("undefined")
        if np.isnan(human[candidate]):
            why = why | {"human": NO_HUMAN_SCORE}
        yield {
            "context": table.context_keys[table.contexts[candidate]],
            "candidate": table.keys[candidate],
            "system": table.systems[candidate] or None,
            **found,
            "human": None if np.isnan(human[candidate]) else float(human[candidate]),
            "undefined": why,
        }


def _ranked(answers: Answers, ranking: str, *, debias: bool, average_orders: bool) -> Scores | str:
    """The scores, or why this run has none by this ranking."""
    if answers.values is not None:
        return Scores.given(answers.values)
    if average_orders:
        try:
            return score_or_why(ranking, averaged(answers.comparisons))
        except Undefined as undefined:
            return undefined.reason
    return score_or_why(ranking, answers.comparisons, Debiasing.of_run(answers.comparisons) if debias else None)


def _score(scores: Scores | str, candidate: int, rank: float) -> Row:
    """Score, standard error and rank of one candidate, and for those that do not exist, why."""
    fields = ("score", "standard_error", "rank")
    if isinstance(scores, str):
        return dict.fromkeys(fields) | {"undefined": dict.fromkeys(fields, scores)}
    no_score, no_error = scores.why(candidate), scores.why_no_error(candidate)
    reasons = {"score": no_score, "standard_error": no_error, "rank": no_score}
    return {
        "score": None if no_score else float(scores.values[candidate]),
        "standard_error": None if no_error else float(scores.errors[candidate]),
        "rank": None if no_score else rank,
        "undefined": {field: reason for field, reason in reasons.items() if reason},
    }


def _require_ranking(run: Run, ranking: str, *, debias: bool, average_orders: bool) -> None:
    known = [SCORE] if run.is_scoring else list(METHODS)
    if ranking not in known:
        raise Refused(f'ranking: run {run.pk} has no ranking "{ranking}"; there are: {", ".join(known)}')
    if debias and average_orders:
        raise Refused("debias: the mean of both orders has no position bias left to take out; choose one of the two")
    if (debias or average_orders) and known == [SCORE]:
        raise Refused(f"debias: run {run.pk} scores candidates one by one, so there is no position bias to take out")
