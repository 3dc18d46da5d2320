"""The environment of a run: recorded once, and the same for all of its answers."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from evenhand.engine import EngineDescription, EngineError, Renderer
from evenhand.refusals import Refused
from judging.models import Judge, Run

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
