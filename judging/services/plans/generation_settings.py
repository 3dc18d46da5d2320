"""How a judge generates text: its thinking, its reasoning and criteria, and sampled answers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from evenhand.engine import Request, Thinking
from evenhand.engine.questions.pair_questions import text_seed
from evenhand.engine.questions.thinking import THINKING_TOKENS
from evenhand.engine.replies.sampled_answers import Sampling
from evenhand.prompting.methods import METHODS
from evenhand.refusals import raise_if_any, unknown_choice
from judging.models import Run

MOST_SAMPLES = 1_000
MOST_THINKING_TOKENS = 1_000_000
THINKING_MODES = {"off": "off: the judge answers at once", "on": "on: the judge thinks before it answers"}
CUT_THINKING = {"read": "are read and counted", "unparsed": "are unparsed"}
"""Read an answer whose thinking is cut at its budget or empty, or count it as unparsed."""


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """Settings of everything that a judge generates.

    samples: sampled texts per answer [Liusie2024, eq. 5]. None reads the answer's probabilities, or the one text
        that an endpoint without probabilities writes.
    temperature: sampling temperature of all generated text, thinking and reasoning included. 0 is greedy.
    thinking: settings of the thinking before every text and answer; None for a judge that must not think. Its own
        temperature and seed are unused.
    """

    samples: int | None = None
    temperature: float = 0.0
    thinking: Thinking | None = None

    def spec(self) -> dict[str, Any]:
        """Return the part of a run's spec; empty for the default settings."""
        writing = {"samples": self.samples, "temperature": self.temperature}
        parts: dict[str, Any] = {} if writing == DEFAULT_WRITING else {"writing": writing}
        return parts | ({"thinking": thinking_spec(self.thinking)} if self.thinking else {})

    def apply_to(self, request: Request, *, seed: int) -> Request:
        """Add thinking, temperature and seed to a request for reasoning or criteria. seed: the run's."""
        if self.temperature == 0:
            return replace(request, thinking=self.thinking)
        request_seed = text_seed(seed, request.system, request.text)
        return replace(request, temperature=self.temperature, seed=request_seed, thinking=self.thinking)

    def sampling(self, seed: int) -> Sampling | None:
        """Return the sampling of answers, by the run's seed; None if answers are not sampled."""
        return None if self.samples is None else Sampling(self.samples, self.temperature, seed)


DEFAULT_GENERATION = GenerationSettings()
DEFAULT_WRITING = {"samples": None, "temperature": 0.0}


def generation_in(spec: Mapping[str, Any]) -> GenerationSettings:
    """Read the generation settings from a run's spec."""
    thinking = Thinking(**spec["thinking"]) if "thinking" in spec else None
    return GenerationSettings(**spec.get("writing", {}), thinking=thinking)


def thinking_spec(thinking: Thinking) -> dict[str, Any]:
    """Return the part of a spec with the settings of the thinking."""
    return {"tokens": thinking.tokens, "effort": thinking.effort, "reads_cut": thinking.reads_cut}


def thinking_in(spec: Mapping[str, Any]) -> Thinking | None:
    """Read the thinking of a run's questions from its spec, with temperature and seed; None without thinking."""
    generation = generation_in(spec)
    if generation.thinking is None or generation.temperature == 0:
        return generation.thinking
    return replace(generation.thinking, temperature=generation.temperature, seed=spec["seed"])


def choose_thinking(
    mode: str | None, *, tokens: int | None = None, effort: str | None = None, cut: str | None = None
) -> Thinking | None:
    """Return the settings of the thinking that a person chose; None for "off". None or "" is the default of each.

    Raises Refused for unknown choices, and for settings of thinking that is off.
    """
    problems = []
    if (mode or "off") not in THINKING_MODES:
        problems.append(unknown_choice("thinking", str(mode), THINKING_MODES))
    if (cut or "read") not in CUT_THINKING:
        problems.append(unknown_choice("cut_thinking", str(cut), CUT_THINKING))
    chosen = {"thinking_tokens": tokens, "reasoning_effort": effort, "cut_thinking": cut}
    if (mode or "off") == "off":
        given = {name: value for name, value in chosen.items() if value}
        problems += [f"{name}: {value} — the judge does not think; choose thinking on" for name, value in given.items()]
    raise_if_any(problems)
    if mode != "on":
        return None
    return Thinking(THINKING_TOKENS if tokens is None else tokens, (effort or "").strip(), (cut or "read") == "read")


def sampling_of(run: Run) -> Sampling | None:
    """Return the sampling of a run's answers; None if they are not sampled."""
    return generation_in(run.spec).sampling(run.seed)


def generation_problems(generation: GenerationSettings, *, method: str, writes_first: bool) -> list[str]:
    """Return the problems of these settings for a method.

    writes_first: the judge writes reasoning or criteria before its answers.
    """
    return [
        *_sample_problems(generation, method),
        *_temperature_problems(generation, writes_first),
        *_thinking_problems(generation, method),
    ]


def _thinking_problems(generation: GenerationSettings, method: str) -> Iterator[str]:
    if generation.thinking is None:
        return
    if not 1 <= generation.thinking.tokens <= MOST_THINKING_TOKENS:
        yield (
            f"thinking_tokens: {generation.thinking.tokens} — give a whole number from 1 to {MOST_THINKING_TOKENS:,}"
        )
    if not METHODS[method].has_labels:
        yield f"thinking: on — method {method} reads no answer that a judge could think about; leave it off"


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
    elif generation.temperature > 0 and generation.samples is None and not (generation.thinking or writes_first):
        yield (
            f"temperature: {generation.temperature:g} — the judge generates no text here, its probabilities are read; "
            "leave it out, or give a number of samples"
        )
