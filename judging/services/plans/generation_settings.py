"""How a judge generates text: its reasoning and criteria, and sampled answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import Any

from judging.engine import Request
from judging.engine.questions.pair_questions import text_seed
from judging.engine.replies.sampled_answers import Sampling
from judging.models import Run
from judging.prompting.methods import METHODS

MOST_SAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """Settings of everything that a judge generates.

    samples: sampled texts per answer [Liusie2024, eq. 5]. None reads the answer's probabilities, or the one text
        that an endpoint without probabilities writes.
    temperature: sampling temperature of all generated text, reasoning included. 0 is greedy.
    """

    samples: int | None = None
    temperature: float = 0.0

    def spec(self) -> dict[str, Any]:
        """Return the part of a run's spec; empty for the default settings."""
        return {} if self == DEFAULT_GENERATION else {"writing": asdict(self)}

    def apply_to(self, request: Request, *, seed: int) -> Request:
        """Add temperature and seed to a request for reasoning or criteria. seed: the run's."""
        if self.temperature == 0:
            return request
        request_seed = text_seed(seed, request.system, request.text)
        return replace(request, temperature=self.temperature, seed=request_seed)

    def sampling(self, seed: int) -> Sampling | None:
        """Return the sampling of answers, by the run's seed; None if answers are not sampled."""
        return None if self.samples is None else Sampling(self.samples, self.temperature, seed)


DEFAULT_GENERATION = GenerationSettings()


def generation_in(spec: Mapping[str, Any]) -> GenerationSettings:
    """Read the generation settings from a run's spec."""
    return GenerationSettings(**spec.get("writing", {}))


def sampling_of(run: Run) -> Sampling | None:
    """Return the sampling of a run's answers; None if they are not sampled."""
    return generation_in(run.spec).sampling(run.seed)


def generation_problems(generation: GenerationSettings, *, method: str, writes_first: bool) -> list[str]:
    """Return the problems of these settings for a method.

    writes_first: the judge writes reasoning or criteria before its answers.
    """
    return [*_sample_problems(generation, method), *_temperature_problems(generation, writes_first)]


def _sample_problems(generation: GenerationSettings, method: str) -> Iterator[str]:
    if generation.samples is None:
        return
    if not 1 <= generation.samples <= MOST_SAMPLES:
        yield f"samples: {generation.samples} — give a whole number from 1 to {MOST_SAMPLES:,}"
    elif not METHODS[method].has_labels:
        yield f"samples: {generation.samples} — method {method} generates no answers; leave it out"
    elif generation.temperature == 0:
        yield (
            f"samples: {generation.samples} — at temperature 0 all samples would be the same; give a temperature "
            "above 0, such as 1"
        )


def _temperature_problems(generation: GenerationSettings, writes_first: bool) -> Iterator[str]:
    if not (isfinite(generation.temperature) and generation.temperature >= 0):
        yield f"temperature: {generation.temperature:g} — give a number from 0"
    elif generation.temperature > 0 and generation.samples is None and not writes_first:
        yield (
            f"temperature: {generation.temperature:g} — the judge generates no text here, its probabilities are read; "
            "leave it out, or give a number of samples"
        )
