"""Training examples of the demo judge: rendered prompts with the answer and the positions of flaws."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from benchmarks.demo_judge.grammar import (
    FLAWS,
    DemoCandidate,
    Story,
    invent_story,
    write_analysis,
    write_candidate,
    write_notes,
)
from benchmarks.demo_judge.vocabulary import Domain, invent_domain
from evenhand.prompting.templates import PromptText, WordedPrompt
from evenhand.prompting.wording import Wording

_ValueT = TypeVar("_ValueT")

# Value -> its weight when one is drawn.
_ATTRIBUTES = {"coherence": 5, "overall": 2, "fluency": 2, "relevance": 1}
_CANDIDATE_NOUNS = {"summary": 6, "response": 2, "output": 2, "text": 1, "story": 1}
_CONTEXT_NOUNS = {"notes": 5, "passage": 2, "instruction": 2, "article": 1}
_FLAW_COUNTS = {0: 3, 1: 3, 2: 2, 3: 1}

_MENTIONED_SHARE = 0.9  # of the flaws, in the analyses before a comparison


@dataclass(frozen=True, slots=True)
class ComparisonExample:
    """A prompt with its answer prefix, the right label word, and the positions of candidates and spoiled words.

    label: empty for an example without a question.
    first_span, second_span, spoiled_spans: start and end in `text`.
    """

    text: str
    label: str
    first_span: tuple[int, int]
    second_span: tuple[int, int]
    spoiled_spans: tuple[tuple[int, int], ...]

    def cut_after_first_candidate(self) -> ComparisonExample:
        """Return the example up to the end of its first candidate. It trains reading and asks no question."""
        return replace(self, text=self.text[: self.first_span[1]], label="")


@dataclass(frozen=True, slots=True)
class AnalysisExample:
    """A prompt that asks for the analysis of one candidate, and the analysis."""

    text: str
    analysis: str


@dataclass(frozen=True, slots=True)
class ExampleSampler:
    """Draws training examples from some domains.

    invented_share: share of examples whose stories use invented words.
    equal_share: share of pairs whose two candidates are equally good.
    first_share_of_equal: share of these pairs whose answer is "first". It sets the position bias that the judge learns.
    """

    domains: Sequence[Domain]
    invented_share: float = 0.0
    equal_share: float = 0.2
    first_share_of_equal: float = 0.9

    def draw_comparison(self, rng: random.Random, prompt: PromptText) -> ComparisonExample:
        """Draw a comparison of two candidates of one story, in random order."""
        wording = _draw_wording(rng)
        worded, attribute = prompt.worded(wording), _deciding_attribute(wording.attribute)
        domains = self._draw_domains(rng)
        story = invent_story(rng, rng.choice(domains))
        first, second = self._draw_pair(rng, story, domains, attribute)
        difference = second.severity(attribute) - first.severity(attribute)
        first_is_better = difference > 0 or (difference == 0 and rng.random() < self.first_share_of_equal)
        return _render_comparison(rng, worded, story, first, second, first_is_better)

    def draw_analysis(self, rng: random.Random, prompt: PromptText) -> AnalysisExample:
        """Draw the analysis of a single candidate."""
        worded = prompt.worded(_draw_wording(rng))
        domains = self._draw_domains(rng)
        story = invent_story(rng, rng.choice(domains))
        candidate = _draw_candidate(rng, story, domains)
        text = worded.reasoning([candidate.text], context=write_notes(story))
        return AnalysisExample(_add_system_text(worded, text), f" {write_analysis(candidate.flaws)}")

    def _draw_domains(self, rng: random.Random) -> Sequence[Domain]:
        return [invent_domain(rng) for _ in range(3)] if rng.random() < self.invented_share else self.domains

    def _draw_pair(
        self, rng: random.Random, story: Story, domains: Sequence[Domain], attribute: str
    ) -> tuple[DemoCandidate, DemoCandidate]:
        """Draw two candidates with different texts, equally severe in a share of `equal_share` of the pairs."""
        wants_equal = rng.random() < self.equal_share
        while True:
            first, second = (_draw_candidate(rng, story, domains) for _ in range(2))
            is_equal = first.severity(attribute) == second.severity(attribute)
            if is_equal == wants_equal and first.text != second.text:
                return first, second


def _draw_candidate(rng: random.Random, story: Story, domains: Sequence[Domain]) -> DemoCandidate:
    flaws = rng.sample(list(FLAWS), _draw_weighted(rng, _FLAW_COUNTS))
    return write_candidate(rng, story, flaws, other_domains=domains)


def _draw_weighted(rng: random.Random, weights: dict[_ValueT, int]) -> _ValueT:
    return rng.choices(list(weights), list(weights.values()))[0]


def _draw_wording(rng: random.Random) -> Wording:
    return Wording(
        attribute=_draw_weighted(rng, _ATTRIBUTES),
        context_noun=_draw_weighted(rng, _CONTEXT_NOUNS),
        candidate_noun=_draw_weighted(rng, _CANDIDATE_NOUNS),
    )


def _deciding_attribute(attribute: str) -> str:
    """Return the attribute whose severity decides. Overall quality is coherence, which every flaw harms."""
    return "coherence" if attribute == "overall" else attribute


def _render_comparison(
    rng: random.Random,
    worded: WordedPrompt,
    story: Story,
    first: DemoCandidate,
    second: DemoCandidate,
    first_is_better: bool,
) -> ComparisonExample:
    prompt = worded.comparison(
        context=write_notes(story),
        first=first.text,
        second=second.text,
        analysis_first=write_analysis(_draw_mentioned_flaws(rng, first)),
        analysis_second=write_analysis(_draw_mentioned_flaws(rng, second)),
    )
    text = _add_system_text(worded, f"{prompt} {worded.answer_prefix}")
    first_start = text.index(first.text)
    second_start = text.index(second.text, first_start + len(first.text))
    return ComparisonExample(
        text=text,
        label=worded.label_first if first_is_better else worded.label_second,
        first_span=(first_start, first_start + len(first.text)),
        second_span=(second_start, second_start + len(second.text)),
        spoiled_spans=_shift_spans(first, first_start) + _shift_spans(second, second_start),
    )


def _draw_mentioned_flaws(rng: random.Random, candidate: DemoCandidate) -> list[str]:
    return [flaw for flaw in candidate.flaws if rng.random() < _MENTIONED_SHARE]


def _shift_spans(candidate: DemoCandidate, offset: int) -> tuple[tuple[int, int], ...]:
    return tuple((start + offset, end + offset) for start, end in candidate.spoiled_spans)


def _add_system_text(worded: WordedPrompt, text: str) -> str:
    """Put the system text in front, as for a decoder-only model without chat template."""
    return f"{worded.system}\n\n{text}" if worded.system else text
