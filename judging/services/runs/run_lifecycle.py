"""Runs: making, finding, cancelling and resuming them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from django.db import transaction

from judging.engine import EngineDescription
from judging.exceptions import Refusals, Refused
from judging.models import Attribute, Chunk, Dataset, Judge, Prompt, Run, User
from judging.prompting.criteria import MetricsPrompt
from judging.prompting.methods import METHODS
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.execution.reasoning_keys import first_step_hashes
from judging.services.judges.metric_judges import metric_problems
from judging.services.plans.generation_settings import AS_USUAL, Writing, writing_in, writing_problems
from judging.services.plans.pair_plan import Part, Plan, PlanSize, make_plan, plan_size
from judging.services.plans.pair_selection import EVERY_PAIR, Choice, choice_problems
from judging.services.plans.run_environment import environment_differences
from judging.services.plans.run_spec import Spec, build_spec, metrics_in, spec_hash, worded_prompt
from judging.services.plans.scoring_plan import (
    ScoringPart,
    ScoringPlan,
    make_scoring_plan,
    scoring_problems,
    scoring_size,
)
from judging.services.runs.progress import Progress, progress
from judging.services.runs.retry_errors import forget_errors

__all__ = [
    "Asked",
    "Progress",
    "cancel",
    "checked_spec",
    "create_or_continue",
    "create_run",
    "create_runs",
    "execute_chunk",
    "find_run",
    "progress",
    "resume",
]


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody wants to be judged."""

    dataset: Dataset
    attribute: Attribute
    judge: Judge
    prompt: Prompt
    choice: Choice
    writing: Writing = AS_USUAL
    metrics: MetricsPrompt | None = None

    @property
    def is_scoring(self) -> bool:
        """Whether a score of each candidate is asked, not the better of two."""
        return METHODS[self.prompt.method].is_scoring

    def size(self) -> PlanSize:
        """How much is asked. Raises Refused where it cannot be."""
        if self.is_scoring:
            return scoring_size(self.dataset, choice=self.choice)
        return plan_size(self.dataset, choice=self.choice)

    def plan(self) -> Plan | ScoringPlan:
        """What is asked, part by part. Raises Refused as `size` does."""
        if self.is_scoring:
            return make_scoring_plan(self.dataset, choice=self.choice)
        return make_plan(self.dataset, choice=self.choice)

    def reasonings(self, plan: Plan | ScoringPlan) -> int:
        """How many texts the judge writes in a first step."""
        method = METHODS[self.prompt.method]
        if not method.reasons:
            return 0
        if method.reasons_once:
            return 1
        return plan.planned if method.reasons_about_pairs else plan.candidates

    def metrics_planned(self) -> int:
        """For how many contexts the judge writes metrics first."""
        return self.size().contexts if self.metrics else 0

    def spec(self) -> Spec:
        return build_spec(
            self.dataset,
            attribute=self.attribute,
            judge=self.judge,
            prompt=self.prompt,
            choice=self.choice,
            writing=self.writing,
            metrics=self.metrics,
        )


def create_run(
    dataset: Dataset,
    *,
    attribute: Attribute,
    judge: Judge,
    prompt: Prompt,
    choice: Choice = EVERY_PAIR,
    writing: Writing = AS_USUAL,
    metrics: MetricsPrompt | None = None,
    owner: User | None = None,
) -> Run:
    """Store a run with everything it will ask; nobody judges it yet. Raises Refused with every problem."""
    return create_runs([Asked(dataset, attribute, judge, prompt, choice, writing, metrics)], owner=owner)[0]


def create_runs(asked: Sequence[Asked], *, owner: User | None = None) -> list[Run]:
    """Store all of several runs, or none; nobody judges them yet. Raises Refused with the problems of every one."""
    refusals = Refusals()
    specs = [refusals.of(partial(checked_spec, one)) for one in asked]
    refusals.raise_if_any()
    with transaction.atomic():
        return [_store(one, spec, owner=owner) for one, spec in zip(asked, specs, strict=True) if spec is not None]


@transaction.atomic
def create_or_continue(asked: Asked, *, owner: User | None = None, engine: EngineDescription | None = None) -> Run:
    """The owner's run that asks exactly this, ready to go on; a new one where there is none. Raises Refused.

    engine: what would answer; a run that something else began is then not gone on with.
    """
    spec = checked_spec(asked)
    # Whoever asks the same just then waits, and finds the run.
    Dataset.objects.select_for_update(no_key=True).only("pk").get(pk=asked.dataset.pk)
    run = find_run(spec, owner=owner, engine=engine)
    return resume(run) if run else _store(asked, spec, owner=owner)


def find_run(spec: Spec, *, owner: User | None = None, engine: EngineDescription | None = None) -> Run | None:
    """The latest run of this owner (None: of the command line) that asks exactly this.

    engine: what would answer; then only a run that is done, or that it may go on with.
    """
    runs = Run.objects.filter(spec_hash=spec_hash(spec), owner=owner)
    return next((run for run in runs if engine is None or _may_go_on(run, engine)), None)


def _may_go_on(run: Run, engine: EngineDescription) -> bool:
    is_untouched = not run.environment
    return is_untouched or run.status == Run.Status.DONE or not environment_differences(run.environment, engine)


def cancel(run: Run) -> bool:
    """Stop a run at once; a worker stops at its next slice, and what is stored stays. False if it had ended."""
    return Run.objects.stop(run.pk, status=Run.Status.CANCELLED)


def resume(run: Run, *, errors: bool = False) -> Run:
    """Make a run that was cancelled, failed or abandoned ready to go on; only what has no answer is asked.

    A run that is done, or in somebody's hands, stays as it is. errors: what ended as an error is asked again too, also
    of a run that is done. Raises Refused where the run would not ask the same as before, and for errors of a run in
    somebody's hands.
    """
    run.refresh_from_db()  # it may have been stopped since it was read
    _require_same_spec(run)
    if errors:
        forget_errors(run)
        run.refresh_from_db()
    in_hand = run.is_active and Chunk.objects.filter(run=run).held().exists()
    if run.status != Run.Status.DONE and not in_hand:
        unfinished = Run.objects.filter(pk=run.pk).exclude(status=Run.Status.DONE)
        unfinished.update(status=Run.Status.PENDING, error="", finished_at=None, queued_at=None)
        Run.objects.finish(run.pk)
    run.refresh_from_db()
    return run


def _require_same_spec(run: Run) -> None:
    """Raises Refused where a run that goes on would mix answers to two different questions."""
    if run.prompt is None or run.judge.is_recorded:
        raise Refused(f"run {run.pk} was recorded elsewhere; there is nothing to resume")
    choice = Choice(run.selection, run.budget, run.context_limit, run.seed, run.hold_out)
    writing, metrics = writing_in(run.spec), metrics_in(run.spec)
    now = Asked(run.dataset, run.attribute, run.judge, run.prompt, choice, writing, metrics).spec()
    if spec_hash(now) != run.spec_hash:
        changed = ", ".join(part for part in now if now[part] != run.spec.get(part))
        raise Refused(f"run {run.pk} cannot go on: {changed} changed since it began; start a new run")


def checked_spec(asked: Asked) -> Spec:
    """The spec of what is asked. Raises Refused with every reason why it cannot be."""
    problems = choice_problems(asked.choice)
    if asked.attribute.dataset_id != asked.dataset.pk:
        problems.append(f'attribute: "{asked.attribute.name}" belongs to another dataset than "{asked.dataset.name}"')
    if asked.judge.is_recorded:
        problems.append(f'judge: "{asked.judge.name}" is a name for recorded judgments; it cannot be asked')
    if asked.prompt.method not in METHODS:
        methods = ", ".join(METHODS)
        problems.append(f'method: a judge is not asked by "{asked.prompt.method}"; choose one of: {methods}')
    else:
        problems += [*_method_problems(asked), *_wording_problems(asked)]
    if problems:
        raise Refused(*problems)
    asked.size()
    return asked.spec()


def _method_problems(asked: Asked) -> list[str]:
    """Why this method cannot be had with this choice, or of this judge."""
    method = METHODS[asked.prompt.method]
    problems = scoring_problems(asked.choice) if asked.is_scoring else []
    problems += metric_problems(asked.dataset, judge=asked.judge, prompt=asked.prompt)
    writes_first = method.reasons or asked.metrics is not None
    problems += writing_problems(asked.writing, method=asked.prompt.method, writes_first=writes_first)
    if asked.metrics and not method.takes_criteria:
        able = ", ".join(name for name, one in METHODS.items() if one.takes_criteria)
        problems.append(f"metrics: method {asked.prompt.method} has no place for them; leave them out, or use: {able}")
    if asked.judge.is_endpoint and not method.runs_at_endpoints:
        problems.append(
            f'judge: "{asked.judge.name}" is an endpoint, which does not tell how likely a text is that it did not '
            f"write; method {asked.prompt.method} needs a model that runs here"
        )
    return problems


def _wording_problems(asked: Asked) -> Sequence[str]:
    """Why the prompt cannot be read in the words of the dataset; that it takes no metrics is told elsewhere."""
    takes_criteria = METHODS[asked.prompt.method].takes_criteria
    try:
        worded_prompt((asked if takes_criteria else replace(asked, metrics=None)).spec())
    except Refused as refusal:
        return refusal.problems
    return ()


def _store(asked: Asked, spec: Spec, *, owner: User | None) -> Run:
    plan = asked.plan()
    parts: tuple[Part | ScoringPart, ...] = plan.parts
    with transaction.atomic():
        run = Run.objects.create(
            dataset=asked.dataset,
            attribute=asked.attribute,
            judge=asked.judge,
            prompt=asked.prompt,
            prompt_name=asked.prompt.label,
            method=asked.prompt.method,
            owner=owner,
            selection=asked.choice.selection,
            budget=asked.choice.budget,
            context_limit=asked.choice.context_limit,
            seed=asked.choice.seed,
            is_scoring=asked.is_scoring,
            planned=plan.planned,
            reasonings_planned=asked.metrics_planned() + asked.reasonings(plan),
            spec=spec,
            spec_hash=spec_hash(spec),
            **first_step_hashes(spec),
        )
        Chunk.objects.bulk_create(
            Chunk(run=run, part=number, pairs=part.pairs, held_out=part.held_out, planned=part.planned)
            for number, part in enumerate(parts)
        )
    return run
