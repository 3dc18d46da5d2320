"""What a run would ask, before anything is asked or stored: prompts, their tokens, and how the first one reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from random import Random
from types import MappingProxyType

from django.db.models.functions import Length

from judging.engine import Question, RenderedPrompt, Renderer
from judging.engine.questions.rendering import PromptRenderer
from judging.engine.questions.token_counts import PromptCount, count_prompts
from judging.models import Candidate, ContextMetrics, Dataset, Reasoning, Run
from judging.prompting.templates import WordedPrompt
from judging.services.execution.reasoning_keys import first_step_hashes
from judging.services.plans.question_texts import Shown, question_of, reasoned, texts_of
from judging.services.plans.run_spec import worded_prompt
from judging.services.prompts.prompt_preview import not_yet_written
from judging.services.runs.progress import count_outcomes
from judging.services.runs.run_lifecycle import Asked, checked_spec, find_run

CHEAP_PROMPTS = 2_000
LONGEST_PROMPTS = 20

Item = tuple[int, ...]
NO_ANALYSES: Mapping[Item, Sequence[str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of a run's prompts, by the judge's own tokenizer; of PRePair, without the analyses.

    counted, contexts: how many prompts were counted, of how many contexts; is_exact: whether these are all. Else the
    rest is extrapolated from them: contexts evenly spread over the dataset, and of the longest texts a few more.
    is_partial: whether the time was up before these were counted; then it is from some of them, drawn at random.
    prompt_tokens: each prompt alone, once for each sample of its answer. shared_tokens: where what the prompts of a
    context share at their beginning is computed once. longest: of the longest prompt counted. limit: the most that the
    model takes; None where nothing ends it. too_long: prompts with more, which would be refused. usual: where nothing
    ends it, the length that its files speak of; None where they do not. unusual: prompts with more. refused: prompts
    that cannot be put to the model, and problem, why the first of them cannot.
    """

    counted: int
    contexts: int
    is_exact: bool
    is_partial: bool
    prompt_tokens: int
    shared_tokens: int
    longest: int
    limit: int | None
    too_long: int
    usual: int | None
    unusual: int
    refused: int
    problem: str


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a run would ask.

    planned: comparisons, or scores; reused: those that have a row already, in the run that would be gone on with.
    analyses: texts to write in a first step. metrics: lists of metrics to write before that, one for each context. Of
    both those that nobody has written yet, whichever run asked for them.
    contexts: with something to ask; candidates: in them.
    tokens: None where only an endpoint knows its tokenizer. example: the first prompt, as the tokenizer gets it.
    items: of each context the pairs, as far as they are drawn, or the candidates that are scored alone.
    """

    planned: int
    reused: int
    analyses: int
    metrics: int
    contexts: int
    candidates: int
    tokens: Tokens | None
    example: RenderedPrompt
    items: Sequence[Sequence[Item]]

    @property
    def left(self) -> int:
        """What is still to be asked."""
        return self.planned - self.reused


class Foreseen:
    """What a judge will have written for some runs, by the hash of the question: what it was shown, or the contexts of
    its metrics. Another run that asks the same does not have it written again.
    """

    def __init__(self) -> None:
        self._known: dict[str, set[Shown]] = defaultdict(set)

    def new(self, question: str, wanted: set[Shown]) -> set[Shown]:
        """What of it is not foreseen yet; from now on it is."""
        new = wanted - self._known[question]
        self._known[question] |= new
        return new


def forecast(
    asked: Asked,
    *,
    renderer: Renderer,
    is_new: bool = False,
    foreseen: Foreseen | None = None,
    go_on: Callable[[], bool] = lambda: True,
) -> Forecast:
    """Raises Refused for a run that cannot be, and QuestionRefused where the first prompt cannot be rendered.

    is_new: whether a run of its own is to be started, that goes on with no other; else that of the command line is.
    foreseen: for runs that come before it; added to.
    go_on: asked now and then while prompts are counted; where it says no, no more are.
    """
    prompt = worded_prompt(checked_spec(asked))
    sizes = _sizes(asked.dataset)
    plan = asked.plan()
    items: list[Item] = [item for part in plan.parts for item in part.pairs]
    groups = _by_context(sizes, items)
    run = None if is_new else find_run(asked.spec())
    first_steps = _FirstSteps(asked, run, items, foreseen or Foreseen())
    return Forecast(
        planned=plan.planned,
        reused=sum(count_outcomes(run).values()) if run else 0,
        analyses=first_steps.analyses(asked.reasonings(plan)),
        metrics=first_steps.metrics(asked.metrics_planned(), contexts={sizes[item[0]].context for item in items}),
        contexts=len(groups),
        candidates=plan.candidates,
        tokens=_Counter(renderer, prompt, sizes, asked.writing.samples or 1, go_on).tokens(groups, plan.planned)
        if isinstance(renderer, PromptRenderer)
        else None,
        example=renderer.render(_first_question(prompt, asked.prompt.method, groups[0][0])),
        items=groups,
    )


class _FirstSteps:
    """What is still to be written before the first question can be asked."""

    def __init__(self, asked: Asked, run: Run | None, items: Sequence[Item], foreseen: Foreseen) -> None:
        """run: that would be gone on with, with what it has drawn since. items: drawn before the first answer."""
        self._foreseen = foreseen
        self._method = asked.prompt.method
        self._run = run or Run(
            judge=asked.judge,
            seed=asked.choice.seed,
            spec=asked.spec(),
            **first_step_hashes(asked.spec()),
        )
        chunks = run.chunks.values_list("pairs", flat=True) if run else [items]
        self._items = [tuple(item) for pairs in chunks for item in pairs]

    def analyses(self, planned: int) -> int:
        """How many of those planned nobody has written, nor will have for a run before it."""
        wanted = {shown for item in self._items for shown in reasoned(self._method, item)}
        rows = Reasoning.objects.of_run(self._run).values_list("candidate", "second") if planned else ()
        missing = wanted.difference(tuple(pk for pk in row if pk is not None) for row in rows)
        return planned - len(wanted) + len(self._foreseen.new(self._run.reasoning_sha256, missing))

    def metrics(self, planned: int, *, contexts: set[int]) -> int:
        """The same of lists of metrics, for these contexts."""
        if not planned:
            return 0
        there = ContextMetrics.objects.of_run(self._run).values_list("context", flat=True)
        missing: set[Shown] = {(context,) for context in contexts.difference(there)}
        return planned - len(contexts) + len(self._foreseen.new(self._run.metrics_sha256, missing))


def _first_question(prompt: WordedPrompt, method: str, item: Item) -> Question:
    """With a word wherever something is put in that the judge has yet to write."""
    return questions_of(prompt, [item], analyses={item: not_yet_written(method, item)})[0]


def questions_of(
    prompt: WordedPrompt, items: Sequence[Item], *, analyses: Mapping[Item, Sequence[str]] = NO_ANALYSES
) -> list[Question]:
    """What is asked about some pairs, or candidates alone. analyses: what a first step wrote about each."""
    texts = texts_of(items)
    return [question_of(prompt, texts, item, analyses=analyses.get(item, ())) for item in items]


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


def _by_context(sizes: Mapping[int, _Size], items: Iterable[Item]) -> list[list[Item]]:
    groups: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        groups[sizes[item[0]].context].append(item)
    return list(groups.values())


@dataclass(frozen=True, slots=True)
class _Counter:
    """Counts the tokens of a run's prompts, grouped by context. times: how often each is asked."""

    renderer: PromptRenderer
    prompt: WordedPrompt
    sizes: Mapping[int, _Size]
    times: int
    go_on: Callable[[], bool]

    def tokens(self, groups: Sequence[Sequence[Item]], planned: int) -> Tokens:
        sample = _sample(groups)
        counted = self._count(sample)
        is_exact = counted.prompts == planned
        longest = counted if is_exact else self._count([[item] for item in self._longest(groups)])
        factor = planned / counted.prompts
        return Tokens(
            counted=counted.prompts,
            contexts=counted.groups,
            is_exact=is_exact,
            is_partial=counted.prompts < sum(map(len, sample)),
            prompt_tokens=round(counted.prompt_tokens * factor) * self.times,
            shared_tokens=round(counted.shared_tokens * factor),
            longest=max(counted.longest, longest.longest),
            limit=self.renderer.max_prompt_tokens,
            too_long=max(round(counted.too_long * factor), longest.too_long),
            usual=self.renderer.usual_prompt_tokens,
            unusual=max(round(counted.unusual * factor), longest.unusual),
            refused=round(counted.refused * factor),
            problem=counted.problem,
        )

    def _count(self, groups: Iterable[Sequence[Item]]) -> PromptCount:
        questions = (questions_of(self.prompt, items) for items in groups)
        return count_prompts(self.renderer, questions, go_on=self.go_on)

    def _longest(self, groups: Iterable[Sequence[Item]]) -> list[Item]:
        """What has the most characters of each of the contexts with the most, the longest first."""
        longest = (max(items, key=self._characters) for items in groups)
        return sorted(longest, key=self._characters, reverse=True)[:LONGEST_PROMPTS]

    def _characters(self, item: Item) -> int:
        return self.sizes[item[0]].context_text + sum(self.sizes[candidate].text for candidate in item)


def _sample(groups: Iterable[Sequence[Item]]) -> list[Sequence[Item]]:
    """All contexts where they have few prompts, else some, evenly spread; of a large one, the first of its prompts.

    In an order drawn at random, the same each time: where the time is up early, the first of them stand for all.
    """
    some = [items[:CHEAP_PROMPTS] for items in groups]
    spread = some[:: ceil(sum(map(len, some)) / CHEAP_PROMPTS)]
    return Random(0).sample(spread, len(spread))
