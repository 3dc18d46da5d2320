"""The spec of a run, its configuration as one JSON document; hashes of what its judge writes first; its environment."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from itertools import groupby
from operator import attrgetter
from typing import Any

from evenhand.engine import EngineDescription, EngineError, Renderer
from evenhand.prompting.criteria import CriteriaPrompt, with_criteria, without_criteria
from evenhand.prompting.methods import asked_method
from evenhand.prompting.placeholders import TemplatePart
from evenhand.prompting.templates import PromptError, PromptText, WordedPrompt, require_valid
from evenhand.prompting.wording import Wording
from evenhand.refusals import Refused
from judging.models import Attribute, Dataset, Judge, Prompt, Run
from judging.models.runs import sha256_of
from judging.services.plans.generation_settings import thinking_in

Spec = dict[str, Any]


def prompt_text(prompt: Prompt) -> PromptText:
    """Convert a stored prompt to the value that `evenhand.prompting` uses."""
    return PromptText(**{field.name: getattr(prompt, field.name) for field in fields(PromptText)})


def worded_prompt(spec: Spec) -> WordedPrompt:
    """Return a spec's prompt in its dataset's wording, with its thinking.

    Raises Refused if prompt and wording do not fit.
    """
    try:
        prompt = word_prompt(PromptText(**spec["prompt"]), criteria_prompt_in(spec), Wording(**spec["wording"]))
    except PromptError as error:
        raise Refused(str(error)) from error
    if temperature := float(spec.get("writing", {}).get("temperature", 0.0)):
        prompt = prompt.with_decoding(temperature=temperature, seed=spec["seed"])
    return prompt.with_thinking(thinking_in(spec))


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


def reasoning_hashes(spec: Spec) -> dict[str, str]:
    """Return the values of Run.criteria_sha256 and Run.reasoning_sha256; empty strings if nothing is requested.

    Runs with the same hash share the stored texts. Attribute and prompt count only if the request shows them.

    Each hashes everything that the judge reads except the dataset's texts, and the dataset's own hash.
    Raises Refused if prompt and wording do not fit.
    """
    criteria = _criteria_sha256(spec)
    return {"criteria_sha256": criteria, "reasoning_sha256": _reasoning_sha256(spec, criteria)}


def _criteria_sha256(spec: Spec) -> str:
    criteria = criteria_prompt_in(spec)
    if criteria is None:
        return ""
    wording = Wording(**spec["wording"])
    return sha256_of(
        {
            "dataset": spec["dataset"],
            "system": criteria.system_text(wording),
            "text": _join_parts(criteria.parts(wording)),
            "max_new_tokens": criteria.max_new_tokens,
            **_thinking_part(spec),
        }
    )


def _reasoning_sha256(spec: Spec, criteria: str) -> str:
    """criteria: hash of the request for criteria, which the reasoning may show; empty without."""
    if not asked_method(spec["method"]["name"], one_reply=bool(spec["prompt"].get("verdict"))).reasons:
        return ""
    prompt = worded_prompt(spec)
    return sha256_of(
        {
            "dataset": spec["dataset"],
            "system": prompt.system,
            "text": _join_parts(prompt.reasoning_parts),
            "max_new_tokens": spec["method"]["max_new_tokens"],
            "metrics": criteria,
            **_thinking_part(spec),
        }
    )


def _thinking_part(spec: Spec) -> Spec:
    """Return the settings of the thinking before a text; empty without, so that older hashes stay."""
    return {"thinking": spec["thinking"]} if "thinking" in spec else {}


def _join_parts(parts: Iterable[TemplatePart]) -> list[list[str | bool]]:
    """Join neighbouring literal parts, so that only the text and the placeholders' positions count."""
    filled = (part for part in parts if part.text)
    return [
        [is_placeholder, "".join(part.text for part in group)]
        for is_placeholder, group in groupby(filled, key=attrgetter("is_placeholder"))
    ]


MUST_AGREE = (
    *("architecture", "revision", "dtype", "chat_template", "gives_probabilities", "top_logprobs"),
    *("torch", "transformers", "thinking", "without_thinking", "signature", "dialect", "asked_by", "forced_choice"),
)
"""Fields of EngineDescription that may change answers. The kind of device must agree too."""


class EnvironmentDiffers(EngineError):
    """Raised if this process may give other answers than the process that began the run."""


def agree_on_environment(run: Run, description: EngineDescription) -> None:
    """Record the engine as the run's environment, or compare it with the recorded one.

    Raises EnvironmentDiffers.
    """
    Run.objects.filter(pk=run.pk, environment={}).update(environment=asdict(description))
    run.environment = recorded = Run.objects.values_list("environment", flat=True).get(pk=run.pk)
    if differences := environment_differences(recorded, description):
        raise EnvironmentDiffers(
            f"this process may give other answers than the one that began the run: {'; '.join(differences)}; "
            "resume the run where it began, or start a new run"
        )


def environment_differences(recorded: Mapping[str, Any], description: EngineDescription) -> list[str]:
    """Return the fields that differ from the recorded ones and may change answers. Only the kind of device counts."""
    here = asdict(description)
    devices = [environment["device"].partition(":")[0] for environment in (recorded, here)]
    compared = [("device", *devices), *((name, recorded.get(name), here[name]) for name in MUST_AGREE)]
    return [f"{name} is {of_run!r} in the run and {ours!r} here" for name, of_run, ours in compared if of_run != ours]


def require_same_tokenizer(run: Run, renderer: Renderer) -> None:
    """Raises Refused if the judge's tokenizer or chat template has changed since the run."""
    recorded = run.environment
    if not recorded.get("tokenizer") or recorded["tokenizer"] == renderer.fingerprint():
        return
    raise Refused(
        f'prompts: judge "{run.judge.name}" now has another tokenizer or chat template than in run {run.pk} '
        f"(model {recorded['revision']}, transformers {recorded['transformers']}), so its prompts cannot be "
        "reproduced; restore that model, or leave --prompts out"
    )


def is_tokenizer_known(run: Run) -> bool:
    """True if the run recorded its tokenizer, has not begun, or its prompts are not tokenized here."""
    recorded = run.environment
    return not recorded or recorded["backend"] != Judge.Backend.TRANSFORMERS or bool(recorded.get("tokenizer"))
