"""What answered a run: noted once, and not to be mixed with anything that would answer otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from judging.engine import EngineDescription, EngineError, Renderer
from judging.exceptions import Refused
from judging.models import Run

MUST_AGREE = ("architecture", "revision", "dtype", "chat_template", "torch", "transformers", "signature")


class EnvironmentDiffers(EngineError):
    """This process would answer otherwise than the one that began the run."""


def agree_on_environment(run: Run, description: EngineDescription) -> None:
    """Note what answers, or hold it against what was noted. Raises EnvironmentDiffers rather than mix two judges."""
    Run.objects.filter(pk=run.pk, environment={}).update(environment=asdict(description))
    run.environment = noted = Run.objects.values_list("environment", flat=True).get(pk=run.pk)
    if differences := environment_differences(noted, description):
        raise EnvironmentDiffers(
            f"this process would answer otherwise than the one that began the run: {'; '.join(differences)}; "
            "resume it where it began, or start a new run"
        )


def environment_differences(noted: Mapping[str, Any], description: EngineDescription) -> list[str]:
    """What of an engine is not as noted and may change answers. Which GPU it is does not, nor how many threads."""
    here = asdict(description)
    devices = [environment["device"].partition(":")[0] for environment in (noted, here)]
    # A run noted before something was known about engines has no word about it.
    compared = [("device", *devices), *((name, noted.get(name, ""), here[name]) for name in MUST_AGREE)]
    return [f"{name} is {there!r} in the run and {ours!r} here" for name, there, ours in compared if there != ours]


def require_same_tokenizer(run: Run, renderer: Renderer) -> None:
    """Raises Refused where prompts would not read, or not be tokenised, as they were when the run was asked."""
    noted = run.environment
    if not noted.get("tokenizer") or noted["tokenizer"] == renderer.fingerprint():
        return
    raise Refused(
        f'prompts: judge "{run.judge.name}" now has another tokenizer or chat template than run {run.pk} was asked '
        f"with (model {noted['revision']}, transformers {noted['transformers']}), so these would not be the prompts "
        "that it saw; put that model back, or leave --prompts out"
    )


def is_tokenizer_known(run: Run) -> bool:
    """Whether the run noted what tokenised its prompts, if anything here did and it was begun."""
    noted = run.environment
    return not noted or noted["backend"] != "transformers" or bool(noted.get("tokenizer"))
