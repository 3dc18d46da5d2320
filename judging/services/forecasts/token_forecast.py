"""Counts the prompts of a run and their tokens before it starts, and renders its first prompt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from random import Random

from evenhand.engine import Question, RenderedPrompt, Renderer
from evenhand.engine.questions.rendering import PromptRenderer
from evenhand.engine.questions.token_counts import PromptCount, count_prompts
from evenhand.prompting.templates import WordedPrompt
from judging.models import Criteria, Reasoning, Run
from judging.services.plans.question_texts import CandidateIds, build_question, load_texts, reasoning_subjects
from judging.services.plans.run_spec import reasoning_hashes, worded_prompt
from judging.services.plans.text_sizes import TextSize, group_by_context, load_sizes
from judging.services.prompts.prompt_preview import reasoning_stand_ins
from judging.services.runs.progress import count_outcomes
from judging.services.runs.run_lifecycle import find_run
from judging.services.runs.run_request import RunRequest, checked_spec

SAMPLED_PROMPTS = 2_000
LONGEST_PROMPTS = 20


@dataclass(frozen=True, slots=True)
class TokenForecast:
    """Tokens of a run's prompts by the judge's own tokenizer, without reasoning and criteria.

    counted: prompts that were counted. contexts: their contexts. is_exact: all prompts were counted; otherwise the
        totals are extrapolated from contexts evenly spread over the dataset, and from some with the longest texts.
    is_partial: time ran out, so that fewer contexts were counted, drawn at random.
    prompt_tokens: sum over all prompts, once per sample of an answer.
    shared_tokens: the same if the common beginning of a context's prompts is computed once.
    longest: tokens of the longest counted prompt.
    limit: the most tokens that the model takes; None for no limit. too_long: prompts above it, which become errors.
    usual: the prompt length in the model's own files; None if they give none. unusual: prompts above it.
    refused: prompts that the model cannot be asked. problem: why the first of them is refused.
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
    """Prompts, texts and tokens that a run will need.

    planned: comparisons, or scores. reused: those that the continued run already has.
    reasonings: texts of reasoning that no run has had written yet. criteria: contexts without criteria yet.
    contexts: those with items. candidates: theirs.
    tokens: None if only an endpoint knows its tokenizer. example: the first prompt as the tokenizer gets it.
    items: per context, the pairs drawn so far, or the candidates to score.
    """

    planned: int
    reused: int
    reasonings: int
    criteria: int
    contexts: int
    candidates: int
    tokens: TokenForecast | None
    example: RenderedPrompt
    items: Sequence[Sequence[CandidateIds]]

    @property
    def left(self) -> int:
        """Comparisons or scores still to ask."""
        return self.planned - self.reused


PlannedTexts = defaultdict[str, set[CandidateIds]]
"""Subjects of reasoning and criteria that earlier runs of the same forecast will write, by the hash of their request.

A later run with the same hash does not write them again.
"""


def forecast_run(
    request: RunRequest,
    *,
    renderer: Renderer,
    is_new: bool = False,
    planned_texts: PlannedTexts | None = None,
    go_on: Callable[[], bool] = lambda: True,
) -> Forecast:
    """Forecast one run. Raises Refused if it is impossible, and QuestionRefused if its first prompt cannot be rendered.

    is_new: forecast a new run; otherwise the command line's run with the same spec is continued.
    planned_texts: texts of runs before this one; this run's texts are added.
    go_on: polled while prompts are counted; counting stops once it returns False.
    """
    prompt = worded_prompt(checked_spec(request))
    sizes = load_sizes(request.dataset)
    plan = request.plan()
    items: list[CandidateIds] = [item for chunk in plan.chunks for item in chunk.pairs]
    by_context = group_by_context(sizes, items)
    run = None if is_new else find_run(request)
    first = by_context[0][0]
    [first_question] = _questions(prompt, [first], reasoning_stand_ins(request.prompt.method_record, first))
    missing = _MissingTexts(request, run, items, PlannedTexts(set) if planned_texts is None else planned_texts)
    return Forecast(
        planned=plan.planned,
        reused=sum(count_outcomes(run).values()) if run else 0,
        reasonings=missing.reasonings(request.count_reasonings(plan)),
        criteria=missing.criteria(request.count_criteria(), contexts={sizes[item[0]].context for item in items}),
        contexts=len(by_context),
        candidates=plan.candidates,
        tokens=_TokenCounter(renderer, prompt, sizes, request.generation.samples or 1, go_on).tokens(
            by_context, plan.planned
        )
        if isinstance(renderer, PromptRenderer)
        else None,
        example=renderer.render(first_question),
        items=by_context,
    )


class _MissingTexts:
    """Counts the reasoning and criteria that are not written yet.

    run: the run that would be continued, with the pairs drawn so far. items: the pairs drawn before the first answer.
    """

    def __init__(
        self, request: RunRequest, run: Run | None, items: Sequence[CandidateIds], planned_texts: PlannedTexts
    ) -> None:
        self._planned_texts = planned_texts
        self._method = request.prompt.method_record
        self._run = run or Run(
            judge=request.judge,
            seed=request.selection.seed,
            spec=request.spec(),
            **reasoning_hashes(request.spec()),
        )
        chunks = run.chunks.values_list("pairs", flat=True) if run else [items]
        self._items = [tuple(item) for pairs in chunks for item in pairs]

    def reasonings(self, planned: int) -> int:
        """Count the planned texts of reasoning that neither a stored row nor an earlier run provides."""
        wanted = {subject for item in self._items for subject in reasoning_subjects(self._method, item)}
        rows = Reasoning.objects.of_run(self._run).values_list("candidate", "second") if planned else ()
        missing = wanted.difference(tuple(pk for pk in row if pk is not None) for row in rows)
        return planned - len(wanted) + self._count_new(self._run.reasoning_sha256, missing)

    def criteria(self, planned: int, *, contexts: set[int]) -> int:
        """Count the contexts whose criteria neither a stored row nor an earlier run provides."""
        if not planned:
            return 0
        stored = Criteria.objects.of_run(self._run).values_list("context", flat=True)
        missing: set[CandidateIds] = {(context,) for context in contexts.difference(stored)}
        return planned - len(contexts) + self._count_new(self._run.criteria_sha256, missing)

    def _count_new(self, request_hash: str, subjects: set[CandidateIds]) -> int:
        """Count subjects that no earlier run of the forecast has, and add them."""
        new = subjects - self._planned_texts[request_hash]
        self._planned_texts[request_hash] |= new
        return len(new)


def _questions(prompt: WordedPrompt, items: Sequence[CandidateIds], reasonings: Sequence[str] = ()) -> list[Question]:
    """Load the texts of pairs or single candidates, and build their questions. reasonings: shown in each of them."""
    texts = load_texts(items)
    return [build_question(prompt, texts, item, reasonings=reasonings) for item in items]


@dataclass(frozen=True, slots=True)
class _TokenCounter:
    """Counts the tokens of a run's prompts, grouped by context. times: samples per answer."""

    renderer: PromptRenderer
    prompt: WordedPrompt
    sizes: Mapping[int, TextSize]
    times: int
    go_on: Callable[[], bool]

    def tokens(self, by_context: Sequence[Sequence[CandidateIds]], planned: int) -> TokenForecast:
        """Count a sample of the prompts, and extrapolate to all planned prompts."""
        sample = _sample_contexts(by_context)
        counted = self._count(sample)
        is_exact = counted.prompts == planned
        longest = counted if is_exact else self._count([[item] for item in self._longest(by_context)])
        factor = planned / counted.prompts
        return TokenForecast(
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

    def _count(self, by_context: Iterable[Sequence[CandidateIds]]) -> PromptCount:
        questions = (_questions(self.prompt, items) for items in by_context)
        return count_prompts(self.renderer, questions, go_on=self.go_on)

    def _longest(self, by_context: Iterable[Sequence[CandidateIds]]) -> list[CandidateIds]:
        """Return the item with the most characters of each context, for the 20 longest contexts."""
        longest = (max(items, key=self._characters) for items in by_context)
        return sorted(longest, key=self._characters, reverse=True)[:LONGEST_PROMPTS]

    def _characters(self, item: CandidateIds) -> int:
        return self.sizes[item[0]].context_text + sum(self.sizes[candidate].text for candidate in item)


def _sample_contexts(by_context: Iterable[Sequence[CandidateIds]]) -> list[Sequence[CandidateIds]]:
    """Return contexts with about SAMPLED_PROMPTS items in all, evenly spread; all contexts if they have fewer.

    The order is random but always the same, so that the first contexts stand for all if time runs out.
    """
    limited = [items[:SAMPLED_PROMPTS] for items in by_context]
    chosen = limited[:: ceil(sum(map(len, limited)) / SAMPLED_PROMPTS)]
    return Random(0).sample(chosen, len(chosen))
