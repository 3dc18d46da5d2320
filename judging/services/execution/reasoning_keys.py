"""Under what a judge's first steps are kept: whoever asks it the same about the same text uses what it wrote.

The same is what reads the same: the attribute and the prompt do not matter where the question does not show them.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter

from judging.models.runs import sha256_of
from judging.prompting.methods import METHODS
from judging.prompting.placeholders import Part
from judging.prompting.templates import Wording
from judging.services.plans.run_spec import Spec, metrics_in, worded_prompt


def first_step_hashes(spec: Spec) -> dict[str, str]:
    """The fields of a run that name what is written first, of its metrics and its first step; empty without.

    Each is a SHA-256 over everything that the judge reads there but the texts of the dataset, and over the dataset.
    Raises Refused if prompt and words do not go together.
    """
    metrics = _metrics_sha256(spec)
    return {"metrics_sha256": metrics, "reasoning_sha256": _reasoning_sha256(spec, metrics)}


def _metrics_sha256(spec: Spec) -> str:
    metrics = metrics_in(spec)
    if metrics is None:
        return ""
    wording = Wording(**spec["wording"])
    return sha256_of(
        {
            "dataset": spec["dataset"],
            "system": metrics.system_text(wording),
            "text": _pieces(metrics.parts(wording)),
            "max_new_tokens": metrics.max_new_tokens,
        }
    )


def _reasoning_sha256(spec: Spec, metrics: str) -> str:
    """metrics: what names the metrics that are among the texts; empty without."""
    method = METHODS.get(spec["method"]["name"])
    if method is None or not method.reasons:
        return ""
    prompt = worded_prompt(spec)
    return sha256_of(
        {
            "dataset": spec["dataset"],
            "system": prompt.system,
            "text": _pieces(prompt.first_step),
            "max_new_tokens": spec["method"]["max_new_tokens"],
            "metrics": metrics,
        }
    )


def _pieces(parts: Iterable[Part]) -> list[list[str | bool]]:
    """What stands between the texts, and where which text stands, however it came together."""
    some = (part for part in parts if part.text)
    return [
        [is_placeholder, "".join(part.text for part in group)]
        for is_placeholder, group in groupby(some, key=attrgetter("is_placeholder"))
    ]
