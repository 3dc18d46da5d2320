"""Self-generated metrics: what a judge writes for each context first, once, for a run that puts them in front."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from judging.engine import Generation, Request
from judging.exceptions import Refused
from judging.metrics_prompting import MetricsPrompt, shipped_metrics
from judging.models import ContextMetrics, Run
from judging.prompting import Wording
from judging.services.reasonings import analysis_of, write_in_slices
from judging.services.specs import Spec, metrics_in
from judging.services.texts import Analysis, Texts
from judging.services.work import Work
from judging.services.writings import writing_in


def metrics_named(name: str) -> MetricsPrompt:
    """The prompt of this name. Raises Refused where there is none."""
    known = shipped_metrics()
    if name not in known:
        raise Refused(f'metrics: there is no prompt "{name}" for metrics; there are: {", ".join(known)}')
    return known[name]


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
        question_sha256=run.metrics_sha256,
        context_id=context,
        text=analysis.text,
        error=analysis.error,
        generated_tokens=written.generated_tokens,
        complete=written.complete,
        **run.decoding,
    )
