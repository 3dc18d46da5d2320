"""Thinking of a local model: texts up to the end of the block, written in batches and in stages."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, TypeVar

from evenhand.engine.exceptions import QuestionRefused
from evenhand.engine.local.written_texts import NO_NUMBERS, NO_TOKEN, OUT_OF_MEMORY, RequestPrompt, Stops, WrittenIds
from evenhand.engine.questions.label_tokens import Ids
from evenhand.engine.questions.pair_questions import Answer, Generation, Question, Request
from evenhand.engine.questions.rendering import PromptRenderer
from evenhand.engine.questions.scale_questions import ScoreAnswer
from evenhand.engine.questions.thinking import ReadingProblem, Thinking
from evenhand.engine.replies.sampled_answers import text_seed

FIRST_STAGE = 256
"""New tokens of the first stage; each further stage writes twice as many.

Memory is set aside for a whole stage. Most blocks are far shorter than their limit, so short stages run more texts
at once. A text that goes on is read again at the next stage, which costs little.
"""

ThoughtAnswer = TypeVar("ThoughtAnswer", Answer, ScoreAnswer)

LONGEST_MARK = 32
"""Most tokens of a mark at the end of thinking, also where each of its characters is a token."""


@dataclass(frozen=True, slots=True)
class Thought:
    """The thinking about one question or request.

    text: without the marks of the block; its end mark may follow it directly.
    tokens: that were written. problem: EMPTY_REASONING, CUT_REASONING or empty.
    error: the reason why there is no thinking; else empty.
    prompt_tokens, computed_tokens: of the prompts, and of everything that went through the model.
    """

    text: str = ""
    tokens: int = 0
    problem: str = ""
    error: str = ""
    prompt_tokens: int = 0
    computed_tokens: int = 0


class ThinkingWriter(Protocol):
    """The part of a model that writes."""

    def write_batches(self, requests: Sequence[RequestPrompt]) -> Iterator[Mapping[int, WrittenIds | None]]: ...


@dataclass(slots=True)
class Draft:
    """The thinking so far.

    start: tokens of the prompt. limit: most tokens of the thinking. temperature, seed: as in Thinking.
    is_over: it ended by itself, or with an error. computed: tokens that went through the model.
    """

    start: Ids
    limit: int
    temperature: float
    seed: int
    written: Ids = ()
    is_over: bool = False
    error: str = ""
    computed: int = 0

    @property
    def room(self) -> int:
        return self.limit - len(self.written)

    @property
    def goes_on(self) -> bool:
        return not self.is_over and self.room > 0


def thinking_before_answer(question: Question) -> Request:
    """Return the request whose text is the thinking about a question. Raises QuestionRefused without settings."""
    thinking = question.thinking or Thinking()
    seed = text_seed(thinking.seed, question.system, question.text) if thinking.temperature > 0 else 0
    return Request(question.text, question.system, thinking.tokens, thinking.temperature, seed, thinking=thinking)


def thinking_before_text(request: Request) -> Request:
    """Return the request whose text is the thinking before another request's text."""
    thinking = request.thinking or Thinking()
    seed = text_seed(request.seed, "thinking") if request.temperature > 0 else 0
    return replace(request, max_new_tokens=thinking.tokens, seed=seed, answer_prefix=None)


def must_think(asked: Question | Request) -> bool:
    """Return True if the judge has to think first; False without thinking, and after it."""
    return asked.thinking is not None and asked.thought is None


def reads_cut_thinking(asked: Question | Request) -> bool:
    """Return True if the answer is read although the thinking was cut or is empty."""
    return asked.thinking is None or asked.thinking.reads_cut


def answer_after_thinking(
    before: ThoughtAnswer, after: ThoughtAnswer, thought: Thought, *, reads_cut: bool
) -> ThoughtAnswer:
    """Combine the answer without thinking, the answer after it, and the thinking."""
    kind = type(after)
    if thought.error:
        return kind(error=thought.error, prompt_tokens=thought.prompt_tokens)
    if thought.problem and not reads_cut:
        after = kind(unparsed=True, prompt_tokens=after.prompt_tokens)
    problem = "" if after.error else thought.problem
    whole = replace(after, thinking=thought.text, thinking_tokens=thought.tokens, problem=problem)
    if isinstance(whole, Answer):
        return replace(whole, p_first_before=before.p_first)
    return replace(whole, score_before=before.score)


def text_after_thinking(generation: Generation, thought: Thought, *, reads_cut: bool) -> Generation:
    """Add the thinking to the text that follows it. No text is read after cut or empty thinking unless `reads_cut`."""
    if thought.error:
        return Generation(error=thought.error, prompt_tokens=thought.prompt_tokens)
    computed = thought.computed_tokens + generation.prompt_tokens - generation.shared_tokens
    return replace(
        generation,
        text="" if thought.problem and not reads_cut else generation.text,
        prompt_tokens=thought.prompt_tokens,
        generated_tokens=thought.tokens + generation.generated_tokens,
        shared_tokens=max(0, thought.prompt_tokens + thought.tokens - computed),
        thinking=thought.text,
        thinking_tokens=thought.tokens,
        problem=thought.problem,
    )


def think(
    writer: ThinkingWriter,
    renderer: PromptRenderer,
    prompts: Sequence[RequestPrompt | QuestionRefused],
    *,
    first_stage: int = FIRST_STAGE,
) -> Iterator[dict[int, Thought]]:
    """Write the thinking of prompts that end in an open block, until its end mark or its limit.

    Yields thoughts by the number of their prompt, batch by batch. Questions about a batch are answered fastest before
    the next begins, because the model may still hold its keys and values.
    """
    refused = {
        number: Thought(error=str(prompt))
        for number, prompt in enumerate(prompts)
        if isinstance(prompt, QuestionRefused)
    }
    drafts = {
        number: Draft(prompt.ids, prompt.max_new_tokens, prompt.temperature, prompt.seed)
        for number, prompt in enumerate(prompts)
        if not isinstance(prompt, QuestionRefused)
    }
    if refused:
        yield refused
    for ended in write_drafts(writer, drafts, end_of_thinking(renderer), first_stage=first_stage):
        yield {number: _thought(renderer, drafts[number]) for number in ended}


def write_drafts(
    writer: ThinkingWriter, drafts: Mapping[int, Draft], stops: Stops, *, first_stage: int = FIRST_STAGE
) -> Iterator[list[int]]:
    """Write all drafts until they stop or reach their limits, in stages of growing length.

    Yields the numbers of the drafts that ended with each batch.
    """
    stage = first_stage
    while going := [number for number, draft in drafts.items() if draft.goes_on]:
        for batch in _written_stage(writer, [drafts[number] for number in going], stage, stops):
            yield [going[place] for place in batch if not drafts[going[place]].goes_on]
        stage *= 2


def _written_stage(
    writer: ThinkingWriter, drafts: Sequence[Draft], stage: int, stops: Stops
) -> Iterator[Sequence[int]]:
    """Write at most `stage` further tokens of each draft. Yields the indices of the drafts in each batch."""
    requests = [
        RequestPrompt(
            draft.start + draft.written,
            min(stage, draft.room),
            draft.temperature,
            text_seed(draft.seed, str(len(draft.written))) if draft.written and draft.temperature > 0 else draft.seed,
            stops=partial(_stops_after, stops, draft.written[-LONGEST_MARK:]),
        )
        for draft in drafts
    ]
    for batch in writer.write_batches(requests):
        for index, text in batch.items():
            _extend(drafts[index], requests[index], text)
        yield list(batch)


def _extend(draft: Draft, request: RequestPrompt, text: WrittenIds | None) -> None:
    """Add a text to a draft. None: it does not fit into memory."""
    if text is None:
        draft.is_over, draft.error = True, OUT_OF_MEMORY.format(request.tokens)
        return
    draft.computed += request.tokens - text.shared + len(text.ids)
    draft.written += text.ids
    draft.is_over = text.complete or NO_TOKEN in text.ids
    draft.error = NO_NUMBERS if NO_TOKEN in text.ids else ""


def _thought(renderer: PromptRenderer, draft: Draft) -> Thought:
    """Read the text of a draft. White space is added before the end mark of a block that has none."""
    cost = Thought(tokens=len(draft.written), prompt_tokens=len(draft.start), computed_tokens=draft.computed)
    if draft.error:
        return replace(cost, error=draft.error)
    style = renderer.thinking
    text, mark, _ = renderer.decode(draft.written).partition(style.ends)
    if mark:
        return replace(cost, text=text, problem="" if text.strip() else ReadingProblem.EMPTY_REASONING.value)
    text = renderer.decode(draft.written[:-1]) if draft.is_over else text  # without the end token
    gap = "" if text.endswith(style.gap) else style.gap
    return replace(cost, text=text + gap, problem=ReadingProblem.CUT_REASONING.value)


def _stops_after(stops: Stops, before: Ids, ids: Sequence[int]) -> bool:
    """Return True if the text stops. before: its last tokens from earlier stages; a mark may begin in them."""
    return stops((*before, *ids[-LONGEST_MARK:]))


def end_of_thinking(renderer: PromptRenderer) -> Stops:
    """Return a function that is True for written tokens that end with the mark at which thinking ends."""
    mark = renderer.thinking.ends
    mark_ids = renderer.tokenizer(mark, add_special_tokens=False).input_ids
    if len(mark_ids) == 1:
        return lambda ids: bool(ids) and ids[-1] == mark_ids[0]
    return lambda ids: mark in renderer.decode([one for one in ids[-LONGEST_MARK:] if one != NO_TOKEN])
