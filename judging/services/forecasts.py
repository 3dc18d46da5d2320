"""What a run would ask, before anything is asked or stored: prompts, their tokens, and how the first one reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from django.db.models.functions import Length

from judging.engine import Question, RenderedPrompt, Renderer
from judging.engine.counting import PromptCount, count_prompts
from judging.engine.rendering import PromptRenderer
from judging.models import Candidate, Dataset
from judging.prompting import WordedPrompt
from judging.services.plans import Pair, make_plan
from judging.services.progress import count_outcomes
from judging.services.runs import Asked, checked_spec, find_run
from judging.services.specs import worded_prompt
from judging.services.texts import comparison_question, texts_of

CHEAP_PROMPTS = 2_000
LONGEST_PROMPTS = 20


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of a run's prompts, by the judge's own tokenizer; of PRePair, without the analyses.

    counted, contexts: how many prompts were counted, of how many contexts; is_exact: whether these are all. Else the
    rest is extrapolated from them: contexts evenly spread over the dataset, and of the longest texts a few more.
    prompt_tokens: each prompt alone. shared_tokens: where what the prompts of a context share at their beginning is
    computed once. longest: of the longest prompt counted. limit: the most that the model takes; None where nothing
    ends it. too_long: prompts with more, which would be refused.
    """

    counted: int
    contexts: int
    is_exact: bool
    prompt_tokens: int
    shared_tokens: int
    longest: int
    limit: int | None
    too_long: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a run would ask.

    comparisons: planned; reused: those that have a row already, in the run that would be gone on with.
    contexts: with something to compare; candidates: in them.
    tokens: None where only an endpoint knows its tokenizer. example: the first prompt, as the tokenizer gets it.
    pairs: of each context, as far as they are drawn.
    """

    comparisons: int
    reused: int
    contexts: int
    candidates: int
    tokens: Tokens | None
    example: RenderedPrompt
    pairs: Sequence[Sequence[Pair]]

    @property
    def left(self) -> int:
        """Comparisons that are still to be asked."""
        return self.comparisons - self.reused


def forecast(asked: Asked, *, renderer: Renderer) -> Forecast:
    """Raises Refused for a run that cannot be, and QuestionRefused where the first pair cannot be asked."""
    prompt = worded_prompt(checked_spec(asked))
    plan = make_plan(asked.dataset, choice=asked.choice)
    sizes = _sizes(asked.dataset)
    groups = _by_context(sizes, (pair for part in plan.parts for pair in part.pairs))
    run = find_run(asked.spec())
    return Forecast(
        comparisons=plan.planned,
        reused=sum(count_outcomes(run).values()) if run else 0,
        contexts=len(groups),
        candidates=plan.candidates,
        tokens=_Counter(renderer, prompt, sizes).tokens(groups, plan.planned)
        if isinstance(renderer, PromptRenderer)
        else None,
        example=renderer.render(questions_of(prompt, groups[0][:1])[0]),
        pairs=groups,
    )


def questions_of(prompt: WordedPrompt, pairs: Sequence[Pair]) -> list[Question]:
    """What is asked about some pairs; of PRePair, with empty analyses."""
    texts = texts_of(pairs)
    return [comparison_question(prompt, texts, pair) for pair in pairs]


@dataclass(frozen=True, slots=True)
class _Size:
    """Characters of a candidate's text and of its context's."""

    context: int
    text: int
    context_text: int


def _sizes(dataset: Dataset) -> dict[int, _Size]:
    """candidate -> its size, of all candidates of a dataset."""
    lengths = Candidate.objects.filter(context__dataset=dataset).annotate(
        length=Length("text"), context_length=Length("context__text")
    )
    rows = lengths.values_list("pk", "context_id", "length", "context_length")
    return {pk: _Size(context, text, context_text) for pk, context, text, context_text in rows}


def _by_context(sizes: Mapping[int, _Size], pairs: Iterable[Pair]) -> list[list[Pair]]:
    groups: dict[int, list[Pair]] = defaultdict(list)
    for pair in pairs:
        groups[sizes[pair[0]].context].append(pair)
    return list(groups.values())


@dataclass(frozen=True, slots=True)
class _Counter:
    """Counts the tokens of a run's prompts, grouped by context."""

    renderer: PromptRenderer
    prompt: WordedPrompt
    sizes: Mapping[int, _Size]

    def tokens(self, groups: Sequence[Sequence[Pair]], planned: int) -> Tokens:
        sample = _sample(groups)
        counted = self._count(sample)
        is_exact = counted.prompts == planned
        longest = counted if is_exact else self._count([[pair] for pair in self._longest(groups)])
        factor = planned / counted.prompts
        return Tokens(
            counted=counted.prompts,
            contexts=len(sample),
            is_exact=is_exact,
            prompt_tokens=round(counted.prompt_tokens * factor),
            shared_tokens=round(counted.shared_tokens * factor),
            longest=max(counted.longest, longest.longest),
            limit=self.renderer.max_prompt_tokens,
            too_long=max(round(counted.too_long * factor), longest.too_long),
        )

    def _count(self, groups: Iterable[Sequence[Pair]]) -> PromptCount:
        return count_prompts(self.renderer, (questions_of(self.prompt, pairs) for pairs in groups))

    def _longest(self, groups: Iterable[Sequence[Pair]]) -> list[Pair]:
        """The pair with the most characters of each of the contexts with the most."""
        return sorted((max(pairs, key=self._characters) for pairs in groups), key=self._characters)[-LONGEST_PROMPTS:]

    def _characters(self, pair: Pair) -> int:
        first, second = (self.sizes[candidate] for candidate in pair)
        return first.context_text + first.text + second.text


def _sample(groups: Iterable[Sequence[Pair]]) -> list[Sequence[Pair]]:
    """All contexts where they have few pairs, else some, evenly spread; of a large one, the first of its pairs."""
    some = [pairs[:CHEAP_PROMPTS] for pairs in groups]
    return some[:: ceil(sum(map(len, some)) / CHEAP_PROMPTS)]
