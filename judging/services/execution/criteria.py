"""Self-generated metrics: what a judge writes for each context first, once, for a run that puts them in front."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from django.db.models import QuerySet
from django.db.models.fields.json import KT

from judging.engine import Generation, Request
from judging.exceptions import Refused
from judging.models import ContextMetrics, Prompt, Run
from judging.models.judges import PromptQuerySet, prompt_label
from judging.models.runs import RunQuerySet
from judging.prompting.criteria import MetricsPrompt, metrics_prompt
from judging.prompting.methods import CRITERIA
from judging.prompting.templates import Wording
from judging.services.execution.claimed_chunk import Work
from judging.services.execution.reasoning import analysis_of, write_in_slices
from judging.services.plans.generation_settings import writing_in
from judging.services.plans.question_texts import Analysis, Texts
from judging.services.plans.run_spec import Spec, metrics_in, prompt_text
from judging.services.prompts.prompt_library import known_by_name


def metrics_named(name: str) -> MetricsPrompt:
    """The latest version of the prompt of this name, or the one told after an @. Raises Refused where there is none."""
    prompts = list(metrics_prompts())
    known = known_by_name(prompts)
    if name not in known:
        there = ", ".join(dict.fromkeys(prompt.name for prompt in prompts))
        raise Refused(f'metrics: there is no prompt "{name}" for metrics; there are: {there}')
    return metrics_prompt(prompt_text(known[name]))


def metrics_prompts() -> PromptQuerySet:
    """Every version of every prompt for metrics: Evenhand's own first, of each the latest version first."""
    return Prompt.objects.filter(method=CRITERIA.name)


def runs_after_metrics(runs: RunQuerySet, prompt: Prompt) -> RunQuerySet:
    """Those of some runs whose judge writes metrics by a prompt first."""
    return runs.filter(spec__metrics__name=prompt.name, spec__metrics__version=prompt.version)


def count_runs_after_metrics(runs: QuerySet[Run]) -> Counter[str]:
    """How many of some runs have their judge write metrics first, by the label of the prompt for them."""
    told = runs.exclude(metrics_sha256="").values_list(KT("spec__metrics__name"), KT("spec__metrics__version"))
    return Counter(prompt_label(name, int(version)) for name, version in told)


def knowing_metrics(work: Work) -> Work:
    """The work with the metrics of its contexts; only those are written which nobody has written yet.

    What is stored counts, so that two workers use the same. Raises LeaseLost and RunStopped.
    """
    if metrics_in(work.run.spec) is None:
        return work
    contexts = list(work.texts.contexts)
    there = stored_metrics(work.run, contexts)
    missing = [context for context in contexts if context not in there]
    run = work.run
    write_in_slices(
        work,
        missing,
        request=lambda context: metrics_request(run.spec, work.texts.contexts[context], seed=run.seed),
        row=partial(_row, run),
    )
    # One that failed may have been taken away since, for a run that asks it again; here it failed.
    return replace(work, texts=replace(work.texts, metrics=there | stored_metrics(work.run, contexts)))


def with_stored_metrics(run: Run, texts: Texts) -> Texts:
    """Texts with those metrics of their contexts that are written."""
    if metrics_in(run.spec) is None:
        return texts
    return replace(texts, metrics=stored_metrics(run, texts.contexts))


def stored_metrics(run: Run, contexts: Iterable[int]) -> dict[int, Analysis]:
    """context -> what is written for it, whichever run asked for it."""
    rows = ContextMetrics.objects.of_run(run).filter(context__in=set(contexts))
    return {row.context_id: Analysis(row.text, row.error) for row in rows}


def metrics_request(spec: Spec, context: str, *, seed: int) -> Request:
    """What the judge of a spec is asked to write for a context."""
    prompt, wording = MetricsPrompt(**spec["metrics"]), Wording(**spec["wording"])
    text, system = prompt.text(wording, context=context), prompt.system_text(wording)
    return writing_in(spec).request(Request(text, system, prompt.max_new_tokens), seed=seed)


def _row(run: Run, context: int, written: Generation) -> ContextMetrics:
    analysis = analysis_of(written)
    return ContextMetrics(
        judge_id=run.judge_id,
        revision=run.revision,
        question_sha256=run.metrics_sha256,
        context_id=context,
        text=analysis.text,
        error=analysis.error,
        generated_tokens=written.generated_tokens,
        complete=written.complete,
        **run.decoding,
    )
