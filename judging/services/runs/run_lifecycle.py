"""The life of a run: creating, finding, cancelling and resuming it, and the mail at its end."""

import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Annotated

from django.core.cache import cache
from django.db import transaction
from django.db.models import F, Q

from evenhand.engine import EngineDescription
from evenhand.options import Option, require_values
from evenhand.refusals import Refusals, Refused
from judging.models import AnswerProblem, Chunk, Criteria, Dataset, Outcome, Reasoning, Run, RunEvent, User
from judging.models.activity_and_looks import Act
from judging.models.runs import sha256_of
from judging.services.activity import noted
from judging.services.plans.added_sentences import sentence_in
from judging.services.plans.generation_settings import generation_in
from judging.services.plans.long_prompts import length_warning
from judging.services.plans.question_texts import CandidateIds
from judging.services.plans.run_spec import Spec, criteria_prompt_in, environment_differences, reasoning_hashes
from judging.services.plans.selection_settings import selection_of
from judging.services.runs.run_request import RunRequest, checked_specs

TOLD = (Run.Status.DONE, Run.Status.FAILED)
REMEMBERED = 24 * 3600  # seconds, in which the messages of a run's other chunks may still come
POST_SECONDS = 10.0

logger = logging.getLogger(__name__)
ERRORS_AT_ONCE = 10_000
PROBLEMS = dict(AnswerProblem.choices)
AS_NEW = {"status": Run.Status.PENDING, "error": ""} | dict.fromkeys(
    ("finished_at", "queued_at", "texts_removed", "asked_in_all")
)


def tell_of_end(webhook: str, **which: int) -> None:
    """Post once that a run is done or failed, if there is a webhook. What cannot be posted is logged, without it.

    which: the run, as a filter says it.
    """
    run = Run.objects.select_related("dataset", "judge").filter(status__in=TOLD, **which).first() if webhook else None
    if run is None:
        return
    ended = run.finished_at.timestamp() if run.finished_at else 0
    if not cache.add(f"told:{run.pk}:{ended}", True, REMEMBERED):
        return
    import httpx  # noqa: PLC0415 - web processes import the tasks, and never post

    told = {"run": run.pk, "status": run.status, "error": run.error}
    try:
        httpx.post(
            webhook, json=told | {"dataset": run.dataset.name, "judge": run.judge.name}, timeout=POST_SECONDS
        ).raise_for_status()
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        logger.warning("RUN_WEBHOOK did not take that run %s is %s: %s", run.pk, run.status, type(error).__name__)


def create_runs(requests: Sequence[RunRequest], *, owner: User | None = None) -> list[Run]:
    """Store all runs or none, without starting them. Raises Refused with the problems of all."""
    specs = checked_specs(requests)
    warnings = length_warnings(requests)
    with transaction.atomic():
        return [
            _store(request, spec, warning, owner=owner)
            for request, spec, warning in zip(requests, specs, warnings, strict=True)
        ]


def create_or_continue(request: RunRequest, *, engine: EngineDescription | None = None) -> Run:
    """Resume the run of a command with the same spec, or create it, as `create_or_continue_all` does."""
    [run] = create_or_continue_all([request], engine=engine)
    return run


def create_or_continue_all(
    requests: Sequence[RunRequest], *, owner: User | None = None, engine: EngineDescription | None = None
) -> list[Run]:
    """Resume the owner's runs with the same specs, or create them: all or none. Raises Refused.

    engine: the engine that would answer; runs begun by another engine are not continued.
    """
    specs = checked_specs(requests)
    warnings = length_warnings(requests, lambda request: find_run(request, owner=owner, engine=engine) is None)
    with transaction.atomic():
        return [
            _create_or_continue(request, spec, warning, owner=owner, engine=engine)
            for request, spec, warning in zip(requests, specs, warnings, strict=True)
        ]


def _create_or_continue(
    request: RunRequest, spec: Spec, warning: str, *, owner: User | None, engine: EngineDescription | None
) -> Run:
    # The lock makes a second process with the same request wait, and then find the run.
    Dataset.objects.select_for_update(no_key=True).only("pk").get(pk=request.dataset.pk)
    run = find_run(request, owner=owner, engine=engine)
    if run is None:
        return _store(request, spec, warning, owner=owner)
    Run.objects.filter(pk=run.pk).update(in_batches=request.in_batches)
    return resume(run)


def warnings_of(runs: Iterable[Run]) -> list[str]:
    """Return the warnings at the start of these runs, each once."""
    return list(dict.fromkeys(run.warning for run in runs if run.warning))


def length_warnings(
    requests: Sequence[RunRequest], is_new: Callable[[RunRequest], bool] = lambda request: True
) -> list[str]:
    """Return what to say of the prompts of each new run that its judge cannot take. Raises Refused if it can take none.

    Counting takes seconds, so it comes before the transaction.
    """
    refusals = Refusals()
    warnings = [refusals.of(partial(_length_warning, one)) if is_new(one) else "" for one in requests]
    refusals.raise_if_any()
    return [warning or "" for warning in warnings]


def _length_warning(request: RunRequest) -> str:
    def draw() -> tuple[Sequence[CandidateIds], int]:
        plan = request.plan()
        return [item for chunk in plan.chunks for item in chunk.pairs], plan.planned

    return length_warning(request.judge, request.dataset, request.spec(), draw)


def find_run(request: RunRequest, *, owner: User | None = None, engine: EngineDescription | None = None) -> Run | None:
    """Find the owner's latest run of this judge and attribute with this spec. owner: None for runs of the command line.

    engine: if given, the run must be done, or this engine must be able to continue it.
    """
    of_request = {"attribute": request.attribute, "judge": request.judge, "spec_hash": sha256_of(request.spec())}
    runs = Run.objects.filter(owner=owner, **of_request)
    return next((run for run in runs if engine is None or _can_continue(run, engine)), None)


def _can_continue(run: Run, engine: EngineDescription) -> bool:
    has_not_begun = not run.environment
    return has_not_begun or run.status == Run.Status.DONE or not environment_differences(run.environment, engine)


@noted(Act.CANCEL)
def cancel(run: Run) -> bool:
    """Cancel a run; workers stop at their next slice, and stored answers stay. False if it had ended."""
    return Run.objects.stop(run.pk, status=Run.Status.CANCELLED)


@noted(Act.RESUME)
def resume(
    run: Run,
    *,
    errors: Annotated[bool, Option("Ask all answers with an error again, even if the run is done.")] = False,
    unparsed: Annotated[bool, Option("Ask all unparsed answers again.")] = False,
    problems: Annotated[
        Sequence[str], Option("Ask answers with these problems again.", choices=PROBLEMS, argument="problem")
    ] = (),
) -> Run:
    """Set a cancelled, failed or abandoned run to pending; only unanswered items will be asked.

    A run that is done or being judged stays as it is.

    Raises Refused if the run's spec has changed, and for answers to ask again while the run is being judged.
    """
    run.refresh_from_db()  # its status may have changed since it was read
    _require_same_spec(run)
    run.batches.filter(status="failed").supersede()  # first, so that two resumes wait for one another
    if again := _asked_again(errors=errors, unparsed=unparsed, problems=problems):
        _delete_answers(run, again, with_failed_texts=errors)
        run.batches.supersede()
        run.refresh_from_db()
    is_being_judged = run.is_active and Chunk.objects.filter(run=run).held().exists()
    if run.status != Run.Status.DONE and not is_being_judged:
        unfinished = Run.objects.filter(pk=run.pk).exclude(status=Run.Status.DONE)
        if unfinished.update(**AS_NEW):
            RunEvent.objects.record(run.pk, RunEvent.Kind.RESUMED)
        Run.objects.finish(run.pk)
    run.refresh_from_db()
    return run


def _asked_again(*, errors: bool, unparsed: bool, problems: Sequence[str]) -> Q | None:
    """Return the filter for the answers to ask again; None for none. Raises Refused for an unknown kind."""
    require_values(resume, problems=problems)
    outcomes = [Outcome.ERROR] * errors + [Outcome.UNPARSED] * unparsed
    if not outcomes and not problems:
        return None
    return Q(outcome__in=outcomes) | Q(problem__in=list(problems))


def _delete_answers(run: Run, again: Q, *, with_failed_texts: bool) -> None:
    """Delete the answers of a run that match, and set the run to pending.

    Raises Refused while a worker holds a chunk of the run, because that worker would not ask them again.
    """
    if Chunk.objects.filter(run=run).held().exists():
        raise _being_judged(run)
    rows = _rows_of_items(run, again)
    items_of = run.chunks.values_list("pk", "pairs")
    chunks = [pk for pk, items in items_of if any(tuple(item) in rows for item in items)]
    if Chunk.objects.reopen(chunks) < len(chunks):
        raise _being_judged(run)
    if not rows:
        return
    if with_failed_texts:
        _delete_failed_texts(run)
    _delete(run, list(rows.values()))
    Run.objects.filter(pk=run.pk).update(**AS_NEW, answer_changes=F("answer_changes") + 1)


def _rows_of_items(run: Run, matching: Q) -> dict[tuple[int, ...], int]:
    """Return item -> row id of the matching answers. An item is a pair or a single candidate, as in its chunk."""
    rows = run.answers.filter(matching).values_list("pk", *run.candidate_fields)
    return {tuple(item): pk for pk, *item in rows}


def _delete_failed_texts(run: Run) -> None:
    """Delete failed reasonings and criteria too, or the comparisons would fail for the same reason."""
    Criteria.objects.of_run(run).exclude(error="").delete()
    Reasoning.objects.of_run(run).exclude(error="", text__gt="").delete()


def _delete(run: Run, rows: Sequence[int]) -> None:
    """Delete these rows only: rows that another process has just added stay."""
    for start in range(0, len(rows), ERRORS_AT_ONCE):
        run.answers.filter(pk__in=rows[start : start + ERRORS_AT_ONCE]).delete()


def _being_judged(run: Run) -> Refused:
    return Refused(f"run {run.pk} is being judged; wait for it, or cancel it first")


def _require_same_spec(run: Run) -> None:
    """Raises Refused if resuming would mix answers to different questions."""
    if run.prompt is None or not run.judge.can_be_asked:
        source = "is a jury of other runs" if run.judge.is_jury else "was recorded elsewhere"
        raise Refused(f"run {run.pk} {source}; there is nothing to resume")
    generation, criteria = generation_in(run.spec), criteria_prompt_in(run.spec)
    request = RunRequest(
        *(run.dataset, run.attribute, run.judge, run.prompt),
        selection_of(run),
        generation,
        criteria,
        sentence=sentence_in(run.spec),
    )
    spec = request.spec()
    if sha256_of(spec) != run.spec_hash:
        changed = ", ".join(part for part in spec if spec[part] != run.spec.get(part))
        raise Refused(f"run {run.pk} cannot go on: {changed} changed since it began; start a new run")


@noted(Act.START, returned=True)
def _store(request: RunRequest, spec: Spec, warning: str, *, owner: User | None) -> Run:
    plan = request.plan()
    run = Run.objects.create(
        dataset=request.dataset,
        attribute=request.attribute,
        judge=request.judge,
        prompt=request.prompt,
        prompt_name=request.prompt.label + (f" + {request.sentence.name}" if request.sentence else ""),
        added_sentence=request.sentence.name if request.sentence else "",
        method=request.prompt.method,
        owner=owner,
        warning=warning,
        selection=request.selection.rule,
        comparisons_per_context=request.selection.comparisons,
        contexts=request.selection.contexts,
        seed=request.selection.seed,
        in_batches=request.in_batches,
        is_scoring=request.is_scoring,
        planned=plan.planned,
        reasonings_planned=request.count_criteria()
        + request.count_reasonings(planned=plan.planned, candidates=plan.candidates),
        spec=spec,
        spec_hash=sha256_of(spec),
        **reasoning_hashes(spec),
    )
    Chunk.objects.bulk_create(
        Chunk(run=run, position=position, pairs=chunk.pairs, held_out=chunk.held_out, planned=chunk.planned)
        for position, chunk in enumerate(plan.chunks)
    )
    return run
