"""The environment of a run: noted once, and the same for all of its answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from judging.engine import EngineDescription, EngineError, Renderer
from judging.exceptions import Refused
from judging.models import Judge, Run

MUST_AGREE = (
    "architecture",
    "revision",
    "dtype",
    "chat_template",
    "gives_probabilities",
    "top_logprobs",
    "torch",
    "transformers",
    "signature",
)
"""Fields of EngineDescription that change answers. The kind of device must agree too."""


class EnvironmentDiffers(EngineError):
    """Raised when this process would answer otherwise than the one that began the run."""


def agree_on_environment(run: Run, description: EngineDescription) -> None:
    """Store the engine as the run's environment, or compare it with the stored one. Raises EnvironmentDiffers."""
    Run.objects.filter(pk=run.pk, environment={}).update(environment=asdict(description))
    run.environment = noted = Run.objects.values_list("environment", flat=True).get(pk=run.pk)
    if differences := environment_differences(noted, description):
        raise EnvironmentDiffers(
            f"this process would answer otherwise than the one that began the run: {'; '.join(differences)}; "
            "resume it where it began, or start a new run"
        )


def environment_differences(noted: Mapping[str, Any], description: EngineDescription) -> list[str]:
    """Fields of an engine that may change answers and differ from those noted; of the device, only its kind."""
    here = asdict(description)
    devices = [environment["device"].partition(":")[0] for environment in (noted, here)]
    compared = [("device", *devices), *((name, noted.get(name), here[name]) for name in MUST_AGREE)]
    return [f"{name} is {there!r} in the run and {ours!r} here" for name, there, ours in compared if there != ours]


def require_same_tokenizer(run: Run, renderer: Renderer) -> None:
    """Raises Refused if prompts would now read otherwise, or have other tokens, than when the run was asked."""
    noted = run.environment
    if not noted.get("tokenizer") or noted["tokenizer"] == renderer.fingerprint():
        return
    raise Refused(
        f'prompts: judge "{run.judge.name}" now has another tokenizer or chat template than run {run.pk} was asked '
        f"with (model {noted['revision']}, transformers {noted['transformers']}), so these would not be the prompts "
        "that it saw; put that model back, or leave --prompts out"
    )


def is_tokenizer_known(run: Run) -> bool:
    """True if the run noted its tokenizer, was not begun, or has no prompts that are tokenised here."""
    noted = run.environment
    return not noted or noted["backend"] != Judge.Backend.TRANSFORMERS or bool(noted.get("tokenizer"))
