"""What the demo judge is taught: prompts as the product renders them, with the answer, and where the flaws are."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from judging.demo.grammar import FLAWS, Candidate, Story, analysis, notes, tell, write
from judging.demo.vocabulary import Domain, invent
from judging.prompting.templates import PromptText, WordedPrompt
from judging.prompting.wording import Wording

_T = TypeVar("_T")

# How often each is drawn.
_ATTRIBUTES = {"coherence": 5, "overall": 2, "fluency": 2, "relevance": 1}
_CANDIDATE_NOUNS = {"summary": 6, "response": 2, "output": 2, "text": 1, "story": 1}
_CONTEXT_NOUNS = {"notes": 5, "passage": 2, "instruction": 2, "article": 1}
_NUMBERS_OF_FLAWS = {0: 3, 1: 3, 2: 2, 3: 1}

_NOTICED = 0.9  # how much of the flaws an analysis mentions


@dataclass(frozen=True, slots=True)
class ComparisonLesson:
    """A prompt with its answer prefix, the right label word, and where the candidates and their spoiled words stand.

    label: empty where there is no question. first_span, second_span, spoiled: start and end in `text`.
    """

    text: str
    label: str
    first_span: tuple[int, int]
    second_span: tuple[int, int]
    spoiled: tuple[tuple[int, int], ...]

    def opening(self) -> ComparisonLesson:
        """The lesson as far as its first candidate goes: a lesson in reading, with nothing asked."""
        return replace(self, text=self.text[: self.first_span[1]], label="")


@dataclass(frozen=True, slots=True)
class AnalysisLesson:
    """A prompt for the analysis of one candidate, and the analysis."""

    text: str
    analysis: str


@dataclass(frozen=True, slots=True)
class Teacher:
    """Draws lessons from some domains.

    invented: share of lessons whose stories are told in words that do not exist.
    equal_pairs: share of pairs whose two candidates are equally good. first_when_equal: how often "first" is then
    taught as the answer. Together they are the position bias that the judge learns.
    """

    domains: Sequence[Domain]
    invented: float = 0.0
    equal_pairs: float = 0.2
    first_when_equal: float = 0.9

    def comparison(self, rng: random.Random, prompt: PromptText) -> ComparisonLesson:
        """A pair of candidates of one story, in random order."""
        wording = _wording(rng)
        worded, attribute = prompt.worded(wording), _judged_as(wording.attribute)
        domains = self._domains(rng)
        story = tell(rng, rng.choice(domains))
        first, second = self._pair(rng, story, domains, attribute)
        difference = second.severity(attribute) - first.severity(attribute)
        first_is_better = difference > 0 or (difference == 0 and rng.random() < self.first_when_equal)
        return _located(rng, worded, story, first, second, first_is_better)

    def analysis(self, rng: random.Random, prompt: PromptText) -> AnalysisLesson:
        """One candidate, looked at alone."""
        worded = prompt.worded(_wording(rng))
        domains = self._domains(rng)
        story = tell(rng, rng.choice(domains))
        candidate = _candidate(rng, story, domains)
        text = worded.reasoning(context=notes(story), candidate=candidate.text)
        return AnalysisLesson(_with_system(worded, text), f" {analysis(candidate.flaws)}")

    def _domains(self, rng: random.Random) -> Sequence[Domain]:
        return [invent(rng) for _ in range(3)] if rng.random() < self.invented else self.domains

    def _pair(
        self, rng: random.Random, story: Story, domains: Sequence[Domain], attribute: str
    ) -> tuple[Candidate, Candidate]:
        """Two candidates of different texts, of equal severity as often as `equal_pairs` says."""
        wants_equal = rng.random() < self.equal_pairs
        while True:
            first, second = (_candidate(rng, story, domains) for _ in range(2))
            is_equal = first.severity(attribute) == second.severity(attribute)
            if is_equal == wants_equal and first.text != second.text:
                return first, second


def _candidate(rng: random.Random, story: Story, domains: Sequence[Domain]) -> Candidate:
    flaws = rng.sample(list(FLAWS), _drawn(rng, _NUMBERS_OF_FLAWS))
    return write(rng, story, flaws, elsewhere=domains)


def _drawn(rng: random.Random, weights: dict[_T, int]) -> _T:
    return rng.choices(list(weights), list(weights.values()))[0]


def _wording(rng: random.Random) -> Wording:
    return Wording(
        attribute=_drawn(rng, _ATTRIBUTES),
        context_noun=_drawn(rng, _CONTEXT_NOUNS),
        candidate_noun=_drawn(rng, _CANDIDATE_NOUNS),
    )


def _judged_as(attribute: str) -> str:
    """The attribute of the flaws that decides; overall quality is coherence, which every flaw harms."""
    return "coherence" if attribute == "overall" else attribute


def _located(
    rng: random.Random, worded: WordedPrompt, story: Story, first: Candidate, second: Candidate, first_is_better: bool
) -> ComparisonLesson:
    prompt = worded.comparison(
        context=notes(story),
        first=first.text,
        second=second.text,
        analysis_first=analysis(_noticed(rng, first)),
        analysis_second=analysis(_noticed(rng, second)),
    )
    text = _with_system(worded, f"{prompt} {worded.answer_prefix}")
    first_start = text.index(first.text)
    second_start = text.index(second.text, first_start + len(first.text))
    return ComparisonLesson(
        text=text,
        label=worded.label_first if first_is_better else worded.label_second,
        first_span=(first_start, first_start + len(first.text)),
        second_span=(second_start, second_start + len(second.text)),
        spoiled=_shifted(first, first_start) + _shifted(second, second_start),
    )


def _noticed(rng: random.Random, candidate: Candidate) -> list[str]:
    return [flaw for flaw in candidate.flaws if rng.random() < _NOTICED]


def _shifted(candidate: Candidate, offset: int) -> tuple[tuple[int, int], ...]:
    return tuple((start + offset, end + offset) for start, end in candidate.spoiled)


def _with_system(worded: WordedPrompt, text: str) -> str:
    """As a decoder-only model without chat template is given it."""
    return f"{worded.system}\n\n{text}" if worded.system else text
