"""Figures that have an interval now, and what blocks the others. docs/reference/ready.md says how."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np

from evenhand.numerics import Comparisons, human_preferences
from evenhand.numerics.accuracy import both_orders
from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, counts
from evenhand.numerics.decisions import are_choices
from evenhand.numerics.intervals import FEWEST_CONTEXTS, FEWEST_DRAWN
from evenhand.numerics.scores import rounded
from evenhand.numerics.votes import majority_of_others
from evenhand.report_json import Help
from evenhand.units import counted
from judging.models import Attribute, Dataset, Run
from judging.models.runs import RunQuerySet
from rankings.agreement.raters import pairs_of
from rankings.diagnostics.prediction_powered import FEWEST_PAIRS, SystemPairs, system_pairs
from rankings.loading import CandidateTable, People, ratings_of
from rankings.record_states import states_of, states_of_votes
from rankings.report.report_rows import Sources
from rankings.report_cache import cached


@dataclass(frozen=True)
class ReadyFigure:
    """A figure that has its interval. n: contexts that count, of the attribute and the run that have most."""

    figure: str
    n: int


@dataclass(frozen=True)
class BlockedFigure:
    """A figure without an interval."""

    figure: str
    why: str
    needed: Annotated[int, Help("How many more would do, at least. `why` says of what.")]


@dataclass(frozen=True)
class ReadyReport:
    """Figures that can be computed of a dataset, and those that are blocked."""

    can: list[ReadyFigure]
    blocked: list[BlockedFigure]


@dataclass(frozen=True)
class Need:
    """A need of a figure, of people or of a judge.

    n, least: contexts that have it, and that an interval needs. more: how many of a unit are missing, at least.
    has, unit: in words.
    """

    n: int
    least: int
    more: int
    has: str
    unit: str

    @classmethod
    def of(cls, costs: FloatArray, least: int, has: str, unit: str, others: int = 0) -> "Need":
        """costs: of each context, how many more it needs; inf where it lacks candidates. others: needed in any case."""
        possible, n = np.sort(costs[np.isfinite(costs)])[:least], int(np.count_nonzero(costs == 0))
        if len(possible) < least:
            return cls(n, least, least - n, has, "context")
        return cls(n, least, max(int(possible.sum()), others), has, unit)


def ready_report(dataset: Dataset, runs: RunQuerySet) -> ReadyReport:
    """Print which figures can be computed of a dataset or of files now, and what would unblock the rest.

    Files are read as by import_dataset; nothing is stored.
    """
    found: dict[str, list[tuple[Need, ...]]] = {}
    for needs in _needs(Sources(dataset), list(runs.ordinary().order_by("pk"))):
        for figure, steps in needs.items():
            found.setdefault(figure, []).append(steps)
    best = {figure: max(some, key=_progress) for figure, some in found.items()}
    first = {figure: next((one for one in steps if one.more), None) for figure, steps in best.items()}
    return ReadyReport(
        can=[ReadyFigure(figure, best[figure][-1].n) for figure, need in first.items() if need is None],
        blocked=[_blocked(figure, need) for figure, need in first.items() if need],
    )


def _progress(steps: tuple[Need, ...]) -> tuple[int, int, int]:
    """Order needs by how near the figure is: steps that are not done, then what is missing, then contexts."""
    unmet = [one for one in steps if one.more]
    return -len(unmet), -unmet[0].more if unmet else 0, steps[-1].n


def _blocked(figure: str, need: Need) -> BlockedFigure:
    more = counted(need.more, f"more {need.unit}")
    found = f"{need.n} of {need.least}" if need.n < need.least else need.n
    return BlockedFigure(figure, f"{more} would do; {need.has} in {found} contexts", need.more)


def _needs(sources: Sources, runs: list[Run]) -> Iterator[Mapping[str, tuple[Need, ...]]]:
    """Yield figure -> its needs, for each attribute and each of its runs, or for none."""
    attributes, states = list(sources.dataset.attributes.all()), states_of(runs)
    votes = states_of_votes([one.pk for one in attributes])
    about = (sources.dataset.pk, sources.dataset.created_at)
    for attribute in attributes:
        own: list[Run | None] = [run for run in runs if run.attribute_id == attribute.pk]
        for run in own or [None]:
            key = ("ready", *about, votes[attribute.pk], run and states[run.pk])
            yield cached(key, partial(_needs_of, sources, attribute, run))


def _needs_of(sources: Sources, attribute: Attribute, run: Run | None) -> dict[str, tuple[Need, ...]]:
    table, people = sources.table, sources.people(attribute)
    none = np.zeros(0, dtype=np.intp)
    judge, values = Comparisons(len(table), none, none, np.zeros(0), table.starts), np.full(len(table), np.nan)
    is_scoring = False
    if run is not None:
        answers = sources.answers(run)
        judge, is_scoring = pairs_of(table, answers), answers.values is not None
        values = answers.values if answers.values is not None else np.where(judge.compared, 0.0, np.nan)
    return {
        **_of_people(table, people, ratings_of(table, attribute)),
        **_of_votes(table, people, judge),
        **_of_scores(table, people, values),
        **_of_orders(table, judge.select(np.zeros(len(judge), dtype=bool)) if is_scoring else judge),
    }


def _of_people(table: CandidateTable, people: People, ratings: FloatArray) -> dict[str, tuple[Need, ...]]:
    """Return the needs of the agreement between people."""
    votes = people.first_round
    voted, possible = _have(table, votes.comparisons.contexts), _possible(table, 2)
    agreed = _have(table, votes.comparisons.contexts[~np.isnan(majority_of_others(votes))])
    raters = (~np.isnan(ratings)).sum(axis=0)
    rated, twice = (_have(table, table.contexts[raters >= n]) for n in (1, 2))
    return {
        "human": (
            Need.of(np.where(agreed, 0, possible * (2 - voted)), FEWEST_CONTEXTS, "two people voted on a pair", "vote"),
        ),
        "krippendorff_alpha": (
            Need.of(
                np.where(twice, 0, _possible(table, 1) * (2 - rated)), FEWEST_DRAWN, "two people rated a text", "rating"
            ),
        ),
    }


def _of_votes(table: CandidateTable, people: People, judge: Comparisons) -> dict[str, tuple[Need, ...]]:
    """Return the needs of a judge's decisions against people's preferences."""
    scores, voted = people.human.scores, people.votes.comparisons
    preferred = _have(table, voted.contexts[~np.isnan(human_preferences(voted, scores, people.votes))])
    preferred |= _differ(table, scores)
    right = human_preferences(judge, scores, people.votes)
    met = _have(table, judge.contexts[~np.isnan(right)])
    is_sure = are_choices(judge.known().p_first)
    likely = _have(table, judge.contexts[:0]) if is_sure else met
    possible = _possible(table, 2)

    def needs(least: int, answered: BoolArray, what: str) -> tuple[Need, ...]:
        judged = np.where(answered, 0, np.where(preferred, 1, np.inf))
        return (
            Need.of(np.where(preferred, 0, possible), least, "people prefer one of two texts", "vote"),
            Need.of(judged, least, f"a judge compared a pair that people decided{what}", "comparison"),
        )

    return {
        "accuracy": needs(FEWEST_CONTEXTS, met, ""),
        "kappa": needs(FEWEST_DRAWN, met, ""),
        "expected_calibration_error": needs(FEWEST_DRAWN, likely, ", by probabilities,"),
        "win_rate": _of_systems(table, people, judge),
    }


def _of_systems(table: CandidateTable, people: People, judge: Comparisons) -> tuple[Need, ...]:
    """Return the needs of a prediction-powered win rate, for the system that is nearest to it."""
    if len(set(table.systems) - {""}) < 2:
        return (_unnamed(table),)
    pairs, possible = system_pairs(table, people.first_round, judge), _possible(table, 2)
    several = [pairs.seen_from(system) for system in range(len(pairs.names))] or [pairs]
    return max((_of_system(table, own, possible) for own in several), key=_progress)


def _of_system(table: CandidateTable, own: SystemPairs, possible: FloatArray) -> tuple[Need, ...]:
    judged, voted = (_have(table, some) for some in (own.answers.contexts, own.answers.contexts[own.voted]))
    costs, labelled = np.where(voted, 0, np.where(judged, 1, np.inf)), int(own.voted.sum())
    return (
        Need.of(np.where(judged, 0, possible), FEWEST_DRAWN, "a judge compared a system", "comparison"),
        Need.of(costs, FEWEST_DRAWN, "people voted on a system", "vote", others=FEWEST_PAIRS - labelled),
        Need.of(costs, 0, "people voted on all that a judge compared", "comparison", others=int(own.voted.all())),
    )


def _of_scores(table: CandidateTable, people: People, values: FloatArray) -> dict[str, tuple[Need, ...]]:
    """Return the needs of correlations. values: the judge's, (n_candidates,); NaN for texts that it did not judge."""
    scores = people.human.scores
    judged = np.where(np.isnan(values), np.nan, scores)
    scored = counts(table.contexts[~np.isnan(scores)], table.n_contexts)
    is_full = scored == counts(table.contexts, table.n_contexts)
    missing = np.where(is_full, np.inf, _possible(table, 2) * np.maximum(2 - scored, 1))
    differ, met = _differ(table, scores), _differ(table, judged)
    has, judged_too = "people’s scores of two texts differ", "a judge judged two such texts"
    per_context = (
        Need.of(np.where(differ, 0, missing), FEWEST_CONTEXTS, has, "score"),
        Need.of(np.where(met, 0, np.where(differ, 1, np.inf)), FEWEST_CONTEXTS, judged_too, "comparison"),
    )
    return {"spearman.per_context": per_context, "spearman.system": _of_system_means(table, scores, judged)}


def _of_system_means(table: CandidateTable, scores: FloatArray, judged: FloatArray) -> tuple[Need, ...]:
    if len(set(table.systems) - {""}) < 2:
        return (_unnamed(table),)
    known = table.system_numbers >= 0
    possible, scored, met = (
        _have(table, table.contexts[known & ~np.isnan(some)]) for some in (np.zeros(len(table)), scores, judged)
    )
    costs, after = (
        np.where(one, 0, np.where(before, 1, np.inf)) for one, before in ((scored, possible), (met, scored))
    )
    return (
        Need.of(costs, FEWEST_DRAWN, "people scored a text of a system", "score"),
        Need.of(after, FEWEST_DRAWN, "a judge judged such a text", "comparison"),
    )


def _unnamed(table: CandidateTable) -> Need:
    """Return the need of a dataset that names fewer than two systems."""
    return Need.of(np.full(table.n_contexts, np.inf), FEWEST_DRAWN, "two systems are named", "context")


def _of_orders(table: CandidateTable, judge: Comparisons) -> dict[str, tuple[Need, ...]]:
    """Return the needs of position bias, which takes no people."""
    compared, possible = _have(table, judge.contexts), _possible(table, 2)
    twice = _have(table, judge.contexts[both_orders(judge)[0]])
    second = np.where(twice, 0, possible * (2 - compared))
    return {
        "p_first": (
            Need.of(np.where(compared, 0, possible), FEWEST_CONTEXTS, "a judge compared a pair", "comparison"),
        ),
        "order_agreement": (Need.of(second, FEWEST_CONTEXTS, "a judge compared a pair in both orders", "comparison"),),
    }


def _have(table: CandidateTable, contexts: IntArray) -> BoolArray:
    """Return True for each context that is named, (n_contexts,)."""
    return counts(contexts, table.n_contexts) > 0


def _possible(table: CandidateTable, candidates: int) -> FloatArray:
    """Return 1 for each context with so many candidates, else inf, (n_contexts,)."""
    return np.where(counts(table.contexts, table.n_contexts) >= candidates, 1.0, np.inf)


def _differ(table: CandidateTable, scores: FloatArray) -> BoolArray:
    """Return True for each context with two scores that differ, (n_contexts,). scores: NaN where missing."""
    known, low, high = ~np.isnan(scores), np.full(table.n_contexts, np.inf), np.full(table.n_contexts, -np.inf)
    np.minimum.at(low, table.contexts[known], rounded(scores[known]))
    np.maximum.at(high, table.contexts[known], rounded(scores[known]))
    return high > low
