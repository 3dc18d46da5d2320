"""How far a run can be trusted where it is surest. docs/reference/abstaining.md defines each number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from evenhand.numerics import Comparisons, Figure, human_preferences
from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.figure import IntervalFigure
from evenhand.numerics.reliability.coverage import (
    COVERAGES,
    accuracy_at_coverages,
    member_sureness,
    order_sureness,
    probability_sureness,
)
from evenhand.numerics.reliability.guaranteed_threshold import NoGuarantee, answered_and_wrong, guaranteed_threshold
from evenhand.numerics.shared_draws import shared_draws
from evenhand.options import Option
from evenhand.refusals import Refused
from evenhand.report_json import Flat, Help, IfAny
from judging.models import Run
from judging.models.datasets import DEVELOPMENT, PART_FIELD, TEST, choice_of_part_problems
from judging.services.activity import note_looks
from rankings.juries.jury_answers import JURY_METHOD
from rankings.loading import CandidateTable
from rankings.record_states import states_of
from rankings.report.left_out import LeftOutParts
from rankings.report.report_choice import SUBSET, USUAL_CHOICE, ReportChoice
from rankings.report.report_rows import Sources
from rankings.report.run_names import RunName
from rankings.report_cache import cached

SURENESS_TITLES: Mapping[str, str] = {
    "probability": "probability",
    "orders": "both orders",
    "members": "jury members",
}
"""Measure of sureness -> its title."""
NO_ORDERS = "no pair was answered in both orders"
NO_MEMBERS = "the run is no jury"
LOST_MEMBERS = "a member of the jury was deleted"


@dataclass(frozen=True)
class AccuracyAtCoverage:
    """The accuracy on the surest comparisons. coverage: their share."""

    coverage: float
    accuracy: IntervalFigure


@dataclass(frozen=True)
class MeasureOfSureness:
    """Accuracy against coverage by one measure."""

    by: str
    comparisons: Annotated[int, Help("Comparisons with a human preference and this measure.")]
    coverages: list[AccuracyAtCoverage]
    undefined: Annotated[IfAny[str], Help("Why the run has no such measure.")] = None


@dataclass(frozen=True)
class DoubtfulPair:
    """A pair below the threshold. sureness: of its less sure order; null if it has no measure."""

    context: str
    first: str
    second: str
    sureness: float | None
    preferred_by_people: Annotated[bool, Help("True if people already prefer one of the two.")]


@dataclass(frozen=True)
class Threshold:
    """The threshold with a guarantee, or the reason why there is none."""

    by: str
    alpha: Annotated[float, Help("Largest share of errors among answered comparisons.")]
    confidence: float
    threshold: Annotated[float | None, Help("Comparisons of at least this sureness are answered.")]
    answered: Annotated[IntervalFigure, Help("Share of the testing contexts' comparisons that are answered.")]
    error: Annotated[IntervalFigure, Help("Share of errors among them.")]
    ordering_contexts: Annotated[int | None, Help("Contexts that chose the order of the tests.")] = None
    testing_contexts: Annotated[int | None, Help("Contexts on which thresholds were tested.")] = None
    contexts_needed: Annotated[IfAny[int], Help("Contexts that would do, where there are too few.")] = None
    chosen_on: Annotated[IfAny[str], Help("The part of the contexts on which it was chosen, if not all.")] = None
    test_answered: Annotated[IfAny[IntervalFigure], Help("Share of answered comparisons on the test part.")] = None
    test_error: Annotated[IfAny[IntervalFigure], Help("Share of errors among them.")] = None
    doubtful_pairs: Annotated[list[DoubtfulPair], Help("Pairs with a comparison that is not answered.")] = ()  # type: ignore[assignment]


@dataclass(frozen=True)
class Abstaining:
    """Accuracy against coverage of a run, and its threshold."""

    name: Flat[RunName]
    measures: list[MeasureOfSureness]
    threshold: Threshold
    without: Annotated[IfAny[LeftOutParts], Help("Systems and contexts that are left out.")] = None


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """A run's comparisons, people's preferences on them, and the sureness by each measure, or why there is none."""

    table: CandidateTable
    comparisons: Comparisons
    right: FloatArray
    sureness: Mapping[str, FloatArray | str]

    def on(self, part: str) -> FloatArray:
        """Return people's preferences on one part of the contexts, (n,); NaN elsewhere."""
        in_part = np.array([one == part for one in self.table.subsets], dtype=bool)
        return np.where(in_part[self.comparisons.contexts], self.right, np.nan)


def abstaining_of(
    run: Run,
    answers: ReportChoice = USUAL_CHOICE,
    *,
    by: Annotated[
        str,
        Option(
            "Measure of sureness: distance of the probability from 1/2, agreement of both orders, or agreement of the "
            "members of a jury.",
            "Sure by",
            choices=SURENESS_TITLES,
        ),
    ] = "probability",
    alpha: Annotated[
        float, Option("Largest share of errors among answered comparisons.", "Most errors", above=0, below=1)
    ] = 0.1,
    confidence: Annotated[float, Option("Confidence that errors stay below alpha.", low=0.5, below=1)] = 0.95,
    choose_on: Annotated[
        str,
        Option(
            "Choose the threshold on the development part of a split dataset, and report it on the test part.",
            "Chosen on",
            choices={"": "all contexts", DEVELOPMENT: "development, read on test"},
        ),
    ] = "",
) -> Abstaining:
    """Print a run's accuracy by coverage, and a threshold that keeps errors among answered comparisons below alpha,
    with a guarantee.

    Raises Refused for a scoring run, or to choose on a part of a dataset that is not split.
    """
    problems = choice_of_part_problems(run.dataset, choose_on) if choose_on else []
    if run.is_scoring:
        problems.append(f"run: {run.pk} gives scores, which have no sureness; choose a run that compares pairs")
    if problems:
        raise Refused(*problems)
    sources = Sources.of_run(run, replace(answers, subsets_by=PART_FIELD if choose_on else SUBSET))
    states, options = [states_of([one])[one.pk] for one in (run, *_members(run))], (by, alpha, confidence, choose_on)
    key = ("abstaining", *states, *options, sources.choice.exclusion)
    report = cached(key, lambda: _abstaining(sources, run, *options))
    note_looks([run], figures="abstaining", on_test=report.threshold.test_error is not None)
    return report


@shared_draws()
def _abstaining(sources: Sources, run: Run, by: str, alpha: float, confidence: float, choose_on: str) -> Abstaining:
    judged = _judged(sources, run)
    measures = [_measure(judged, name) for name in SURENESS_TITLES]
    threshold = _threshold(judged, by, alpha, confidence, choose_on)
    return Abstaining(RunName.of(run), measures, threshold, sources.left_out)


def _judged(sources: Sources, run: Run) -> _Judged:
    comparisons, people = sources.answers(run).comparisons, sources.people(run.attribute)
    right = human_preferences(comparisons, people.human.scores, people.votes)
    orders = order_sureness(comparisons)
    sureness: dict[str, FloatArray | str] = {
        "probability": probability_sureness(comparisons),
        "orders": NO_ORDERS if np.isnan(orders).all() else orders,
        "members": _member_sureness(sources, run, comparisons),
    }
    return _Judged(sources.table, comparisons, right, sureness)


def _members(run: Run) -> list[Run]:
    """Return the members of a jury that still exist; none for another run."""
    made_of = run.spec.get(JURY_METHOD, {})
    numbers = [member["run"] for member in made_of.get("members", ())]
    return list(Run.objects.filter(pk__in=numbers, dataset=run.dataset_id).select_related("judge").order_by("pk"))


def _member_sureness(sources: Sources, run: Run, comparisons: Comparisons) -> FloatArray | str:
    members = _members(run)
    if not members:
        return NO_MEMBERS
    if len(members) < len(run.spec[JURY_METHOD]["members"]):
        return LOST_MEMBERS
    return member_sureness(np.stack([_on(comparisons, sources.answers(one).comparisons) for one in members]))


def _on(comparisons: Comparisons, member: Comparisons) -> FloatArray:
    """Return the member's probabilities on these comparisons, (n,); NaN where it has none."""
    member = member.known()
    wanted, own = (one.first * one.n_candidates + one.second for one in (comparisons, member))
    _, at, found = np.intersect1d(wanted, own, return_indices=True)
    p_first = np.full(len(wanted), np.nan)
    p_first[at] = member.p_first[found]
    return p_first


def _measure(judged: _Judged, by: str) -> MeasureOfSureness:
    sureness = judged.sureness[by]
    if isinstance(sureness, str):
        return MeasureOfSureness(by, 0, [], sureness)
    accuracies = accuracy_at_coverages(judged.comparisons, judged.right, sureness)
    counted = int((~np.isnan(judged.right) & ~np.isnan(sureness)).sum())
    rows = [AccuracyAtCoverage(share, accuracy) for share, accuracy in zip(COVERAGES, accuracies, strict=True)]
    return MeasureOfSureness(by, counted, rows)


def _threshold(judged: _Judged, by: str, alpha: float, confidence: float, choose_on: str) -> Threshold:
    sureness = judged.sureness[by]
    if isinstance(sureness, str):
        return _without_threshold(by, alpha, confidence, sureness)
    right = judged.on(choose_on) if choose_on else judged.right
    try:
        one = guaranteed_threshold(judged.comparisons, right, sureness, alpha=alpha, confidence=confidence)
    except NoGuarantee as none:
        return _without_threshold(by, alpha, confidence, none.reason, none.contexts)
    return Threshold(
        by,
        alpha,
        confidence,
        one.threshold,
        one.answered,
        one.error,
        one.ordering_contexts,
        one.testing_contexts,
        **(_on_test(judged, sureness, one.threshold, choose_on) if choose_on else {}),
        doubtful_pairs=_doubtful_pairs(judged, sureness, one.threshold),
    )


def _on_test(judged: _Judged, sureness: FloatArray, threshold: float, choose_on: str) -> dict[str, Any]:
    """Return what a threshold answers on the test part, and how often that is wrong."""
    right = judged.on(TEST)
    answered, error = answered_and_wrong(judged.comparisons, right, sureness, threshold)
    return {"chosen_on": choose_on, "test_answered": answered, "test_error": error}


def _without_threshold(by: str, alpha: float, confidence: float, why: str, needed: int | None = None) -> Threshold:
    missing = Figure.missing(why)
    return Threshold(by, alpha, confidence, None, missing, missing, contexts_needed=needed, doubtful_pairs=[])


def _doubtful_pairs(judged: _Judged, sureness: FloatArray, threshold: float) -> list[DoubtfulPair]:
    """Return the unordered pairs with a comparison that is not answered, the least sure first."""
    table, pairs = judged.table, judged.comparisons
    doubtful = np.flatnonzero(~(sureness >= threshold))
    least_sure_first = doubtful[np.argsort(np.nan_to_num(sureness[doubtful], nan=-1.0), kind="stable")]
    _, firsts = np.unique(pairs.pair_keys[least_sure_first], return_index=True)
    return [_doubtful_pair(table, judged, sureness, at) for at in least_sure_first[np.sort(firsts)].tolist()]


def _doubtful_pair(table: CandidateTable, judged: _Judged, sureness: FloatArray, at: int) -> DoubtfulPair:
    pairs = judged.comparisons
    one, other = sorted((int(pairs.first[at]), int(pairs.second[at])))
    return DoubtfulPair(
        table.context_keys[int(pairs.contexts[at])],
        table.keys[one],
        table.keys[other],
        None if np.isnan(sureness[at]) else float(sureness[at]),
        not np.isnan(judged.right[at]),
    )


def unasked_pairs(threshold: Threshold) -> Sequence[DoubtfulPair]:
    """Return the doubtful pairs on which people have no preference yet."""
    return [pair for pair in threshold.doubtful_pairs if not pair.preferred_by_people]
