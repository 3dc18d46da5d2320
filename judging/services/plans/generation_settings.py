"""How a judge writes, where it writes: in a first step, and where its answers are sampled texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import Any

from judging.engine import Request
from judging.engine.replies.sampled_answers import Sampling, text_seed
from judging.models import Run
from judging.prompting.methods import METHODS

MOST_SAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Writing:
    """What a judge writes, and how.

    samples: texts that are sampled for each answer [Liusie2024, eq. 5]; None where the answer is read off by
        probability, or is the one text that an endpoint without probabilities writes.
    temperature: of everything that is written, first steps among it; 0 takes the likeliest token each time.
    """

    samples: int | None = None
    temperature: float = 0.0

    def spec(self) -> dict[str, Any]:
        """For the spec of a run; nothing where it is as usual."""
        return {} if self == AS_USUAL else {"writing": asdict(self)}

    def request(self, request: Request, *, seed: int) -> Request:
        """A request for a text of a first step, from the seed of a run."""
        if self.temperature == 0:
            return request
        own = text_seed(seed, request.system, request.text)
        return replace(request, temperature=self.temperature, seed=own)

    def sampling(self, seed: int) -> Sampling | None:
        """How answers are sampled, from the seed of a run; None where they are not."""
        return None if self.samples is None else Sampling(self.samples, self.temperature, seed)


AS_USUAL = Writing()


def writing_in(spec: Mapping[str, Any]) -> Writing:
    """That of a spec."""
    return Writing(**spec.get("writing", {}))


def sampling_of(run: Run) -> Sampling | None:
    """How the answers of a run are sampled; None where they are not."""
    return writing_in(run.spec).sampling(run.seed)


def writing_problems(writing: Writing, *, method: str, writes_first: bool) -> list[str]:
    """What is wrong with it for a method. writes_first: whether something is written in a first step."""
    return [*_sample_problems(writing, method), *_temperature_problems(writing, writes_first)]


def _sample_problems(writing: Writing, method: str) -> Iterator[str]:
    if writing.samples is None:
        return
    if not 1 <= writing.samples <= MOST_SAMPLES:
        yield f"samples: {writing.samples} — give a whole number from 1 to {MOST_SAMPLES:,}"
    elif not METHODS[method].takes_samples:
        yield f"samples: {writing.samples} — by method {method} nothing is written; leave it out"
    elif writing.temperature == 0:
        yield (
            f"samples: {writing.samples} — at temperature 0 all of them would be the same; give a temperature above 0, "
            "such as 1"
        )


def _temperature_problems(writing: Writing, writes_first: bool) -> Iterator[str]:
    if not (isfinite(writing.temperature) and writing.temperature >= 0):
        yield f"temperature: {writing.temperature:g} — give a number from 0"
    elif writing.temperature > 0 and writing.samples is None and not writes_first:
        yield (
            f"temperature: {writing.temperature:g} — the judge writes nothing here, its answers are read off; leave it "
            "out, or give a number of samples"
        )
