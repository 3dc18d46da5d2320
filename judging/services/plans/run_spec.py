"""The spec of a run: its full configuration as one JSON document with a hash."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from judging.exceptions import Refused
from judging.models import Attribute, Dataset, Judge, Prompt
from judging.models.runs import sha256_of
from judging.prompting.criteria import CriteriaPrompt, with_criteria, without_criteria
from judging.prompting.methods import METHODS
from judging.prompting.templates import PromptError, PromptText, WordedPrompt, Wording, require_valid
from judging.services.plans.generation_settings import DEFAULT_GENERATION, GenerationSettings
from judging.services.plans.selection_settings import SelectionSettings

Spec = dict[str, Any]


def build_spec(
    dataset: Dataset,
    *,
    attribute: Attribute,
    judge: Judge,
    prompt: Prompt,
    selection: SelectionSettings,
    generation: GenerationSettings = DEFAULT_GENERATION,
    criteria: CriteriaPrompt | None = None,
) -> Spec:
    """Build the spec. It holds every text in full, so that later changes cannot alter what was asked."""
    spec: Spec = {
        "dataset": {"name": dataset.name, "sha256": dataset.sha256},
        "wording": asdict(wording_of(dataset, attribute)),
        "judge": {
            name: getattr(judge, name)
            for name in ("name", "backend", "model", "revision", "dtype", "device", "base_url")
        },
        "prompt": _prompt_fields(prompt_text(prompt)),
        "method": {"name": prompt.method} | method_settings(prompt.method),
        **selection.spec(),
        **generation.spec(),
        **({"metrics": asdict(criteria)} if criteria else {}),
    }
    return spec


def _prompt_fields(prompt: PromptText) -> dict[str, Any]:
    """Return all fields of a prompt; `label_tie` only if set, so that specs without it keep their hash."""
    fields = asdict(prompt)
    return fields if prompt.label_tie else {name: value for name, value in fields.items() if name != "label_tie"}


def method_settings(method: str) -> dict[str, int]:
    """Return the settings of a method besides its prompt."""
    known = METHODS.get(method)
    return {"max_new_tokens": known.reasoning_tokens} if known and known.reasoning_tokens else {}


def spec_hash(spec: Spec) -> str:
    """Return the hash by which runs with the same spec are found."""
    return sha256_of(spec)


def prompt_text(prompt: Prompt) -> PromptText:
    """Convert a stored prompt to the value that `judging.prompting` uses."""
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
    """Return a spec's prompt in its dataset's wording. Raises Refused if prompt and wording do not fit."""
    try:
        return word_prompt(PromptText(**spec["prompt"]), criteria_prompt_in(spec), Wording(**spec["wording"]))
    except PromptError as error:
        raise Refused(str(error)) from error


def word_prompt(prompt: PromptText, criteria: CriteriaPrompt | None, wording: Wording) -> WordedPrompt:
    """Put a wording into a prompt, with or without a place for criteria. Raises PromptError if they do not fit."""
    require_valid(prompt)
    if criteria is None:
        return without_criteria(prompt).worded(wording)
    criteria.require_words(wording)
    return with_criteria(prompt, criteria).worded(wording)


def criteria_prompt_in(spec: Spec) -> CriteriaPrompt | None:
    """Read from a spec the prompt by which the judge writes criteria; None if it writes none."""
    return CriteriaPrompt(**spec["metrics"]) if "metrics" in spec else None


def wording_of(dataset: Dataset, attribute: Attribute) -> Wording:
    """Return the dataset's wording for an attribute; missing nouns get the defaults of `Wording`."""
    nouns = {"context_noun": dataset.context_noun, "candidate_noun": dataset.candidate_noun}
    return Wording(
        attribute=attribute.name,
        adjective=attribute.adjective,
        definition=attribute.definition,
        **{name: noun for name, noun in nouns.items() if noun},
    )
