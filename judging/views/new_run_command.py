"""The shell commands that estimate the runs of the form."""

from __future__ import annotations

import shlex

from judging.forms.run_settings import THINKING_FIELDS
from judging.forms.runs import RunForm
from judging.models import Dataset, Judge
from judging.services.forecasts.forecast_requests import PILOT

COMMAND_OPTIONS = {
    "selection": "--selection",
    "comparisons": "--comparisons",
    "contexts": "--contexts",
    "seed": "--seed",
    "hold_out": "--hold-out",
    "bound": "--bound",
    "anchor": "--anchor",
    "samples": "--samples",
    "temperature": "--temperature",
    "thinking_tokens": "--thinking-tokens",
    "reasoning_effort": "--reasoning-effort",
    "cut_thinking": "--cut-thinking",
    "metrics": "--metrics",
}


def dry_run_commands(dataset: Dataset, form: RunForm) -> str:
    """Return the shell commands that estimate the same runs, one command for each judge and method."""
    prompts: dict[str, list[str]] = {}
    for prompt in form.cleaned_data["prompts"]:
        prompts.setdefault(prompt.method, []).append(prompt.label)
    return "\n".join(
        dry_run_command(dataset, form, judge, method, names)
        for judge in form.cleaned_data["judges"]
        for method, names in prompts.items()
    )


def dry_run_command(dataset: Dataset, form: RunForm, judge: Judge, method: str, prompts: list[str]) -> str:
    chosen = form.cleaned_data
    words = ["evenhand", "judge", "--dataset", dataset.name, "--judge", judge.name]
    words += [word for attribute in chosen["attributes"] for word in ("--attribute", attribute.name)]
    words += ["--method", method]
    words += [word for prompt in prompts for word in ("--prompt", prompt)]
    thinks = chosen["thinking"] == "on"
    words += ["--thinking", "on"] if thinks else []
    fields = COMMAND_OPTIONS if thinks else COMMAND_OPTIONS.keys() - {*THINKING_FIELDS}
    options = {COMMAND_OPTIONS[field]: chosen[field] for field in COMMAND_OPTIONS if field in fields}
    words += [word for name, value in options.items() if value not in (None, "") for word in (name, str(value))]
    words += [word for name in chosen["without_system"] for word in ("--without-system", name)]
    words += [word for name in chosen["without_context"] for word in ("--without-context", name)]
    words += ["--batch"] if chosen["batch"] else []
    return shlex.join([*words, "--dry-run", "--pilot", str(PILOT)])
