"""The answers and the cost of a cascade of recorded runs. docs/reference/cascade.md defines each number."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from evenhand.numerics import Comparisons, Figure, human_preferences
from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.decisions import are_choices
from evenhand.numerics.figure import IntervalFigure
from evenhand.numerics.reliability.cascade import Cascade, guaranteed_cascade
from evenhand.numerics.reliability.guaranteed_threshold import NoGuarantee
from evenhand.options import Option
from evenhand.refusals import Refused
from evenhand.report_json import Flat, Help, IfAny
from judging.models import Run
from rankings.record_states import states_of
from rankings.report.left_out import LeftOutParts
from rankings.report.report_choice import USUAL_CHOICE, ReportChoice
from rankings.report.report_rows import Sources
from rankings.report.run_names import RunName
from rankings.report_cache import cached


@dataclass(frozen=True)
class CascadeMember:
    """One judge of a cascade."""

    name: Flat[RunName]
    sureness: Annotated[float | None, Help("It answers from this |p − 1/2| on; null where it never does.")]
    asked: Annotated[int, Help("Comparisons that reach it.")]
    answered: Annotated[int, Help("Comparisons that it answers.")]
    tokens: Annotated[int | None, Help("Prompt tokens of those that reach it; null for a recorded run.")]
    choices_only: Annotated[bool, Help("It gives no probability, so it answers all or nothing.")]


@dataclass(frozen=True)
class CascadeCost:
    """Cost of one way of judging all pairs. votes: one for each pair that is left to people."""

    tokens: int | None
    votes: int


@dataclass(frozen=True)
class CascadeReport:
    """A cascade with a guarantee, or the reason why there is none."""

    members: list[CascadeMember]
    alpha: Annotated[float, Help("Largest share of errors among answered comparisons.")]
    confidence: float
    comparisons: int
    answered: Annotated[IntervalFigure, Help("Share of the testing contexts' comparisons that a judge answers.")]
    error: Annotated[IntervalFigure, Help("Share of errors among them.")]
    cost: Annotated[CascadeCost | None, Help("Of the cascade.")]
    last_alone: Annotated[CascadeCost | None, Help("Of the last judge and people, with the same guarantee.")]
    ordering_contexts: int | None = None
    testing_contexts: int | None = None
    contexts_needed: Annotated[IfAny[int], Help("Contexts that would do, where there are too few.")] = None
    without: Annotated[IfAny[LeftOutParts], Help("Systems and contexts that are left out.")] = None


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """The ordered pairs of all runs, people's preferences, and the probabilities of each run, NaN where it has none."""

    pairs: Comparisons
    right: FloatArray
    p_first: FloatArray

    def cost(self, found: Cascade, runs: Sequence[Run]) -> CascadeCost:
        tokens = [_tokens(run, self.reaching(found, at), len(self.pairs)) for at, run in enumerate(runs)]
        votes = len(np.unique(self.pairs.pair_keys[found.by < 0]))
        return CascadeCost(None if None in tokens else sum(one or 0 for one in tokens), votes)

    def reaching(self, found: Cascade, member: int) -> int:
        """Count the comparisons that no earlier member answers."""
        return int(np.count_nonzero((found.by < 0) | (found.by >= member)))


def cascade_report(
    run: Run,
    answers: ReportChoice = USUAL_CHOICE,
    *,
    then: Annotated[
        tuple[Run, ...], Option("Runs that are asked where those before are unsure, in this order.", "Then", row="run")
    ] = (),
    alpha: Annotated[
        float, Option("Largest share of errors among answered comparisons.", "Most errors", above=0, below=1)
    ] = 0.1,
    confidence: Annotated[float, Option("Confidence that errors stay below alpha.", low=0.5, below=1)] = 0.95,
) -> CascadeReport:
    """Print what a cascade of recorded runs would answer and cost: the first judge where it is sure, the next where it
    is not, and people for the rest, with errors among the answers of judges below alpha, with a guarantee.

    Raises Refused for runs that score, that are about something else, or that asked other pairs than the first.
    """
    runs = (run, *then)
    _require_alike(runs)
    sources = Sources.of_run(run, answers)
    key = ("cascade", *(states_of(runs)[one.pk] for one in runs), answers.exclusion, alpha, confidence)
    return cached(key, lambda: _report(sources, runs, alpha, confidence))


def _report(sources: Sources, runs: Sequence[Run], alpha: float, confidence: float) -> CascadeReport:
    asked = _asked(sources, runs)
    n, without = len(asked.pairs), sources.left_out
    try:
        found = guaranteed_cascade(asked.pairs, asked.p_first, asked.right, alpha=alpha, confidence=confidence)
    except NoGuarantee as none:
        members = [_member(asked, run, at, None) for at, run in enumerate(runs)]
        why = Figure.missing(none.reason)
        return CascadeReport(
            members, alpha, confidence, n, why, why, None, None, contexts_needed=none.contexts, without=without
        )
    return CascadeReport(
        [_member(asked, run, at, found) for at, run in enumerate(runs)],
        *(alpha, confidence, n, found.answered, found.error, asked.cost(found, runs)),
        *(_last_alone(asked, runs, alpha, confidence), found.ordering_contexts, found.testing_contexts),
        without=without,
    )


def _member(asked: _Asked, run: Run, at: int, found: Cascade | None) -> CascadeMember:
    """Return one judge. found: None without a guarantee, where no judge answers."""
    choices_only = are_choices(asked.p_first[at][~np.isnan(asked.p_first[at])])
    if found is None:
        return CascadeMember(RunName.of(run), None, 0, 0, None, choices_only)
    reached, least = asked.reaching(found, at), float(found.sureness[at])
    tokens = _tokens(run, reached, len(asked.pairs))
    sureness = least if np.isfinite(least) else None
    return CascadeMember(RunName.of(run), sureness, reached, int((found.by == at).sum()), tokens, choices_only)


def _last_alone(asked: _Asked, runs: Sequence[Run], alpha: float, confidence: float) -> CascadeCost | None:
    """Return the cost of the last judge and people alone; None without a guarantee, or without another judge."""
    alone = _Asked(asked.pairs, asked.right, asked.p_first[-1:])
    try:
        found = guaranteed_cascade(alone.pairs, alone.p_first, alone.right, alpha=alpha, confidence=confidence)
    except NoGuarantee:
        return None
    return alone.cost(found, runs[-1:]) if len(runs) > 1 else None


def _tokens(run: Run, comparisons: int, of: int) -> int | None:
    """Return the prompt tokens of some of the comparisons of a run; None where they were not counted."""
    return round(run.prompt_tokens * comparisons / of) if run.prompt_tokens and of else None


def _require_alike(runs: Sequence[Run]) -> None:
    problems, first = list[str](), runs[0]
    for run in runs:
        if run.is_scoring:
            problems.append(f"run: {run.pk} gives scores; a cascade needs probabilities of pairs")
        if (run.dataset_id, run.attribute_id) != (first.dataset_id, first.attribute_id):
            problems.append(
                f"then: run {run.pk} is about something else than run {first.pk}; name runs of one attribute"
            )
        if [one.pk for one in runs].count(run.pk) > 1:
            problems.append(f"then: run {run.pk} is named twice; a judge is asked once")
    if problems:
        raise Refused(*dict.fromkeys(problems))


def _asked(sources: Sources, runs: Sequence[Run]) -> _Asked:
    """Align the runs. Raises Refused where one asked other pairs than the first."""
    found = [sources.answers(run) for run in runs]
    keys, columns = [], []
    for one in found:
        answered, none = one.comparisons, one.unanswered
        known = answered.p_first if answered.bounded is None else np.where(answered.bounded, np.nan, answered.p_first)
        own = np.concatenate([part.first * part.n_candidates + part.second for part in (answered, none)])
        order = np.argsort(own, kind="stable")
        keys.append(own[order])
        columns.append(np.append(known, np.full(len(none), np.nan))[order])
    for run, own in zip(runs, keys, strict=True):
        if not np.array_equal(own, keys[0]):
            raise Refused(
                f"then: run {run.pk} asked other pairs than run {runs[0].pk} ({len(own):,} and {len(keys[0]):,}); "
                "judge the same pairs, with the same selection and seed"
            )
    base = found[0].comparisons
    first, second = np.divmod(keys[0], max(base.n_candidates, 1))
    pairs = Comparisons(base.n_candidates, first, second, np.nan_to_num(columns[0], nan=0.5), base.starts)
    people = sources.people(runs[0].attribute)
    return _Asked(pairs, human_preferences(pairs, people.human.scores, people.votes), np.stack(columns))
