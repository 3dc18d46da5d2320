"""Criteria: the judge writes them for each context before its answers, once for all runs that request the same."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from django.db.models import QuerySet
from django.db.models.fields.json import KT

from evenhand.engine import Generation, Request
from evenhand.prompting.criteria import CriteriaPrompt, criteria_prompt
from evenhand.prompting.methods import CRITERIA
from evenhand.prompting.wording import Wording
from judging.models import Criteria, Prompt, Run
from judging.models.judges import PromptQuerySet, prompt_label
from judging.models.runs import RunQuerySet
from judging.services.execution.claimed_chunk import ClaimedChunk
from judging.services.execution.reasoning import delete_removed, write_in_slices, written_columns
from judging.services.plans.generation_settings import generation_in
from judging.services.plans.question_texts import QuestionTexts, WrittenText
from judging.services.plans.run_spec import Spec, criteria_prompt_in, prompt_text
from judging.services.prompts.prompt_library import find_prompts


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
        row=partial(_to_row, run),
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


def _to_row(run: Run, context: int, generation: Generation) -> Criteria:
    columns = written_columns(run, generation)
    return Criteria(question_sha256=run.criteria_sha256, context_id=context, **columns)
