"""Everything that is asked in a run, as one document with a hash."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from judging.exceptions import Refused
from judging.models import Attribute, Dataset, Judge, Prompt
from judging.models.runs import sha256_of
from judging.prompting.criteria import MetricsPrompt, with_metrics, without_metrics
from judging.prompting.methods import METHODS
from judging.prompting.templates import PromptError, PromptText, WordedPrompt, Wording, require_valid
from judging.services.plans.generation_settings import AS_USUAL, Writing
from judging.services.plans.pair_selection import Choice

Spec = dict[str, Any]


def build_spec(
    dataset: Dataset,
    *,
    attribute: Attribute,
    judge: Judge,
    prompt: Prompt,
    choice: Choice,
    writing: Writing = AS_USUAL,
    metrics: MetricsPrompt | None = None,
) -> Spec:
    """What the answers depend on, with every text in full: nothing that changes later can change what was asked."""
    spec: Spec = {
        "dataset": {"name": dataset.name, "sha256": dataset.sha256},
        "wording": asdict(wording_of(dataset, attribute)),
        "judge": {
            name: getattr(judge, name)
            for name in ("name", "backend", "model", "revision", "dtype", "device", "base_url")
        },
        "prompt": _told(prompt_text(prompt)),
        "method": {"name": prompt.method} | method_settings(prompt.method),
        **choice.spec(),
        **writing.spec(),
        **({"metrics": asdict(metrics)} if metrics else {}),
    }
    return spec


def _told(prompt: PromptText) -> dict[str, Any]:
    """Everything in a prompt. A label of ties only where there is one: runs older than such labels are found again."""
    told = asdict(prompt)
    return told if prompt.label_tie else {name: value for name, value in told.items() if name != "label_tie"}


def method_settings(method: str) -> dict[str, int]:
    """What a method needs to know beside its prompt."""
    known = METHODS.get(method)
    return {"max_new_tokens": known.reasoning_tokens} if known and known.reasoning_tokens else {}


def spec_hash(spec: Spec) -> str:
    """By which a run that was asked the same is found again."""
    return sha256_of(spec)


def prompt_text(prompt: Prompt) -> PromptText:
    """A stored prompt as the value that prompting works with."""
    return PromptText(
        name=prompt.name,
        version=prompt.version,
        method=prompt.method,
        system=prompt.system,
        template=prompt.template,
        reasoning_template=prompt.reasoning_template,
        answer_prefix=prompt.answer_prefix,
        label_first=prompt.label_first,
        label_second=prompt.label_second,
        source=prompt.source,
        label_tie=prompt.label_tie,
    )


def worded_prompt(spec: Spec) -> WordedPrompt:
    """The prompt of a spec in its dataset's words. Raises Refused if the two do not go together."""
    try:
        return shown_prompt(PromptText(**spec["prompt"]), metrics_in(spec), Wording(**spec["wording"]))
    except PromptError as error:
        raise Refused(str(error)) from error


def shown_prompt(prompt: PromptText, metrics: MetricsPrompt | None, wording: Wording) -> WordedPrompt:
    """A prompt as it is asked, with or without a place for metrics. Raises PromptError if they do not go together."""
    require_valid(prompt)
    if metrics is None:
        return without_metrics(prompt).worded(wording)
    metrics.require_words(wording)
    return with_metrics(prompt, metrics).worded(wording)


def metrics_in(spec: Spec) -> MetricsPrompt | None:
    """The prompt of a spec by which the judge writes its own metrics first; None where it writes none."""
    return MetricsPrompt(**spec["metrics"]) if "metrics" in spec else None


def wording_of(dataset: Dataset, attribute: Attribute) -> Wording:
    """The dataset's words; where it has no noun, prompting's own."""
    nouns = {"context_noun": dataset.context_noun, "candidate_noun": dataset.candidate_noun}
    return Wording(
        attribute=attribute.name,
        adjective=attribute.adjective,
        definition=attribute.definition,
        **{name: noun for name, noun in nouns.items() if noun},
    )
