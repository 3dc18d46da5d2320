"""Reasoning and criteria: the judge writes them before its answers, about a candidate, a pair, a context or the task,
once for all runs that request the same.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Model, Q, QuerySet
from django.db.models.fields.json import KT

from evenhand.engine import Generation, Request
from evenhand.prompting.criteria import CriteriaPrompt, criteria_prompt
from evenhand.prompting.methods import CRITERIA, METHODS
from evenhand.prompting.wording import Wording
from judging.models import Criteria, Prompt, Reasoning, Run
from judging.models.judges import PromptQuerySet, prompt_label
from judging.models.reasonings import WrittenByJudge
from judging.models.runs import RunQuerySet
from judging.services.execution.bulk_insert import storable
from judging.services.execution.claimed_chunk import ClaimedChunk, SliceCost
from judging.services.execution.slices import SliceWriter
from judging.services.judges.loaded_engine import Pace
from judging.services.plans.generation_settings import generation_in
from judging.services.plans.question_texts import (
    CandidateIds,
    QuestionTexts,
    WrittenText,
    reasoning_request,
    reasoning_subjects,
)
from judging.services.plans.run_spec import Spec, criteria_prompt_in, prompt_text
from judging.services.prompts.prompt_library import find_prompts

NOTHING_WRITTEN = "the judge wrote nothing"
FIRST_SLICE_TEXTS, SLICE_SECONDS = 4, 20.0  # texts that are generated together take little longer than one

T = TypeVar("T")


def write_reasonings(claimed: ClaimedChunk, items: Sequence[CandidateIds]) -> dict[CandidateIds, WrittenText]:
    """Return subject -> reasoning for these items; the judge writes those that are not stored yet.

    The stored rows are used, so that two workers use the same text about a candidate.
    Raises LeaseLost and RunStopped.
    """
    run = claimed.run
    subjects = list(dict.fromkeys(subject for item in items for subject in reasoning_subjects(run.asked_method, item)))
    before = stored_reasonings(run, subjects)
    missing = [subject for subject in subjects if subject not in before]
    delete_removed(_rows_about(run, missing))
    write_in_slices(claimed, missing, request=partial(_request, claimed), row=partial(_to_row, run))
    # Retrying errors in another run may have deleted a failed row since; for this chunk it stays failed.
    return before | stored_reasonings(run, subjects)


def write_in_slices(
    claimed: ClaimedChunk, items: Sequence[T], *, request: Callable[[T], Request], row: Callable[[T, Generation], Model]
) -> None:
    """Have the judge write a text for each item, and store the texts slice by slice.

    request: builds an item's request. row: builds the row to store; an existing row stays.
    Raises LeaseLost and RunStopped.
    """
    pace = claimed.pace if claimed.run.in_batches else Pace(first=FIRST_SLICE_TEXTS, seconds=SLICE_SECONDS)
    left = list(items)
    with SliceWriter() as writer:
        while left:
            size = pace.size
            batch, left = left[:size], left[size:]
            started = time.monotonic()
            generations = claimed.engine.generate([request(item) for item in batch])
            seconds = time.monotonic() - started
            pace.record(len(batch), seconds)
            rows = [row(item, generation) for item, generation in zip(batch, generations, strict=True)]
            cost = SliceCost.of_generations(generations, seconds)
            writer.store([partial(_store, claimed, rows, cost)], is_last=not left)
            claimed.end_slice()


def _store(claimed: ClaimedChunk, rows: Sequence[Model], cost: SliceCost) -> None:
    with transaction.atomic():
        claimed.add_cost(cost)
        type(rows[0])._default_manager.bulk_create(rows, ignore_conflicts=True)


def stored_reasonings(run: Run, subjects: Iterable[CandidateIds]) -> dict[CandidateIds, WrittenText]:
    """Load subject -> reasoning, also those that other runs had written."""
    rows = _rows_about(run, subjects)
    return {row.candidate_ids: written_text(row.text, row.error) for row in rows if not row.is_removed}


def _rows_about(run: Run, subjects: Iterable[CandidateIds]) -> list[Reasoning]:
    wanted = set(subjects)
    if not wanted:
        return []
    about = Q(candidate__in={subject[0] for subject in wanted if subject})
    rows = Reasoning.objects.of_run(run).filter(about | Q(candidate=None) if () in wanted else about)
    return [row for row in rows if row.candidate_ids in wanted]


def delete_removed(rows: Iterable[WrittenByJudge]) -> None:
    """Delete rows whose text was removed because of its age, so that the judge can write it again."""
    for row in rows:
        if row.is_removed:
            row.delete()


def to_written_text(generation: Generation) -> WrittenText:
    """Convert an engine's reply to the text that is stored."""
    return written_text(storable(generation.text), storable(generation.error))


def written_text(text: str, error: str) -> WrittenText:
    """Return a judge's text; an empty text is an error, because no answer can rest on it."""
    return WrittenText(text, error or ("" if text.strip() else NOTHING_WRITTEN))


def evaluation_steps(run: Run) -> Reasoning | None:
    """Return the judge's reasoning about the task; None if its method has none or it is not written yet."""
    if run.prompt_id is None or not METHODS[run.method].reasons_once:
        return None
    return Reasoning.objects.of_run(run).filter(candidate=None).first()


def _max_new_tokens(run: Run) -> int:
    return int(run.spec["method"]["max_new_tokens"])


def _request(claimed: ClaimedChunk, subject: CandidateIds) -> Request:
    run = claimed.run
    request = reasoning_request(claimed.prompt, claimed.texts, subject, max_new_tokens=_max_new_tokens(run))
    return generation_in(run.spec).apply_to(request, seed=run.seed)


def _to_row(run: Run, subject: CandidateIds, generation: Generation) -> Reasoning:
    return Reasoning(
        question_sha256=run.reasoning_sha256,
        candidate_id=subject[0] if subject else None,
        second_id=subject[1] if len(subject) > 1 else None,
        max_new_tokens=_max_new_tokens(run),
        **written_columns(run, generation),
    )


def written_columns(run: Run, generation: Generation) -> dict[str, Any]:
    """Return the columns that reasoning and criteria of a run have in common."""
    written = to_written_text(generation)
    return {
        "judge_id": run.judge_id,
        "revision": run.revision,
        "text": written.text,
        "thinking": storable(generation.thinking),
        "error": written.error,
        "generated_tokens": generation.generated_tokens,
        "complete": generation.complete,
        **run.decoding,
    }


def find_criteria_prompt(name: str) -> CriteriaPrompt:
    """Find a prompt for criteria by `name` (its latest version) or `name@version`. Raises Refused if unknown."""
    unknown = 'metrics: there is no prompt "{}" for metrics'
    [prompt] = find_prompts(list(criteria_prompts()), [name], unknown=unknown)
    return criteria_prompt(prompt_text(prompt))


def criteria_prompts() -> PromptQuerySet:
    """Return all versions of the prompts for criteria: shipped ones first, the latest version of each first."""
    return Prompt.objects.filter(method=CRITERIA.name)


def runs_with_criteria(runs: RunQuerySet, prompt: Prompt) -> RunQuerySet:
    """Filter runs whose judge writes criteria by this prompt."""
    return runs.filter(spec__metrics__name=prompt.name, spec__metrics__version=prompt.version)


def count_runs_by_criteria_prompt(runs: QuerySet[Run]) -> Counter[str]:
    """Count runs by the label of their prompt for criteria. Runs without criteria are left out."""
    prompts = runs.exclude(criteria_sha256="").values_list(KT("spec__metrics__name"), KT("spec__metrics__version"))
    return Counter(prompt_label(name, int(version)) for name, version in prompts)


def write_criteria(claimed: ClaimedChunk) -> ClaimedChunk:
    """Return the chunk with criteria for its contexts; the judge writes those that are not stored yet.

    The stored rows are used, so that two workers use the same criteria. Raises LeaseLost and RunStopped.
    """
    run = claimed.run
    if criteria_prompt_in(run.spec) is None:
        return claimed
    contexts = list(claimed.texts.contexts)
    before = stored_criteria(run, contexts)
    missing = [context for context in contexts if context not in before]
    delete_removed(Criteria.objects.of_run(run).filter(context__in=missing))
    write_in_slices(
        claimed,
        missing,
        request=lambda context: criteria_request(run.spec, claimed.texts.contexts[context], seed=run.seed),
        row=partial(_criteria_row, run),
    )
    # Retrying errors in another run may have deleted a failed row since; for this chunk it stays failed.
    return replace(claimed, texts=replace(claimed.texts, criteria=before | stored_criteria(run, contexts)))


def add_stored_criteria(run: Run, texts: QuestionTexts) -> QuestionTexts:
    """Add the criteria that are stored for the contexts of these texts."""
    if criteria_prompt_in(run.spec) is None:
        return texts
    return replace(texts, criteria=stored_criteria(run, texts.contexts))


def stored_criteria(run: Run, contexts: Iterable[int]) -> dict[int, WrittenText]:
    """Load context -> criteria, also those that other runs had written."""
    rows = Criteria.objects.of_run(run).filter(context__in=set(contexts))
    return {row.context_id: WrittenText(row.text, row.error) for row in rows if not row.is_removed}


def criteria_request(spec: Spec, context: str, *, seed: int) -> Request:
    """Build the request for criteria for a context's text."""
    prompt, wording = CriteriaPrompt(**spec["metrics"]), Wording(**spec["wording"])
    text, system = prompt.text(wording, context=context), prompt.system_text(wording)
    return generation_in(spec).apply_to(Request(text, system, prompt.max_new_tokens), seed=seed)


def _criteria_row(run: Run, context: int, generation: Generation) -> Criteria:
    columns = written_columns(run, generation)
    return Criteria(question_sha256=run.criteria_sha256, context_id=context, **columns)
