"""Thinking of a local model: texts up to the end of the block, written in batches and in stages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from judging.engine.exceptions import QuestionRefused
from judging.engine.local.local_engine import NO_NUMBERS, NO_TOKEN, OUT_OF_MEMORY, RequestPrompt, WrittenIds
from judging.engine.questions.label_tokens import Ids
from judging.engine.questions.pair_questions import Question, Request
from judging.engine.questions.rendering import PromptRenderer
from judging.engine.questions.thinking import ReadingProblem, Thinking
from judging.engine.replies.sampled_answers import text_seed

FIRST_STAGE = 256
"""New tokens of the first stage; each further stage writes twice as many.

Memory is set aside for a whole stage. Most blocks are far shorter than their limit, so short stages run more texts
at once. A text that goes on is read again at the next stage, which costs little.
"""


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


class Writer(Protocol):
    """The part of a model that writes."""

    def write(self, requests: Sequence[RequestPrompt]) -> list[WrittenIds | None]: ...


@dataclass(slots=True)
class _Draft:
    """The thinking so far. limit: most tokens. is_over: it ended by itself, or with an error."""

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


def request_for_thinking(question: Question) -> Request:
    """Return the request whose text is the thinking about a question. Raises QuestionRefused without settings."""
    thinking = question.thinking or Thinking()
    seed = text_seed(thinking.seed, question.system, question.text) if thinking.temperature > 0 else 0
    return Request(question.text, question.system, thinking.tokens, thinking.temperature, seed, thinking=thinking)


def thinking_of_request(request: Request) -> Request:
    """Return the request whose text is the thinking before another request's text."""
    thinking = request.thinking or Thinking()
    seed = text_seed(request.seed, "thinking") if request.temperature > 0 else 0
    return replace(request, max_new_tokens=thinking.tokens, seed=seed, answer_prefix=None)


def think(
    writer: Writer,
    renderer: PromptRenderer,
    prompts: Sequence[RequestPrompt | QuestionRefused],
    *,
    first_stage: int = FIRST_STAGE,
) -> list[Thought]:
    """Write the thinking of prompts that end in an open block, until its end mark or its limit."""
    is_end = end_of_thinking(renderer)
    drafts = {
        number: _Draft(prompt.ids, prompt.max_new_tokens, prompt.temperature, prompt.seed)
        for number, prompt in enumerate(prompts)
        if not isinstance(prompt, QuestionRefused)
    }
    stage = first_stage
    while going := [draft for draft in drafts.values() if not draft.is_over and draft.room]:
        _write_stage(writer, going, stage, is_end)
        stage *= 2
    return [
        Thought(error=str(prompt)) if isinstance(prompt, QuestionRefused) else _thought(renderer, drafts[number], is_end)
        for number, prompt in enumerate(prompts)
    ]


def _write_stage(writer: Writer, drafts: Sequence[_Draft], stage: int, is_end: Callable[[Sequence[int]], bool]) -> None:
    """Write at most `stage` further tokens of each draft."""
    requests = [
        RequestPrompt(
            draft.start + draft.written,
            min(stage, draft.room),
            draft.temperature,
            text_seed(draft.seed, str(len(draft.written))) if draft.written and draft.temperature > 0 else draft.seed,
            stops=is_end,
        )
        for draft in drafts
    ]
    for draft, request, text in zip(drafts, requests, writer.write(requests), strict=True):
        if text is None:
            draft.is_over, draft.error = True, OUT_OF_MEMORY.format(request.tokens)
            continue
        draft.computed += request.tokens - text.shared + len(text.ids)
        draft.written += text.ids
        draft.is_over = text.complete or NO_TOKEN in text.ids
        draft.error = NO_NUMBERS if NO_TOKEN in text.ids else ""


def _thought(renderer: PromptRenderer, draft: _Draft, is_end: Callable[[Sequence[int]], bool]) -> Thought:
    """Read the text of a draft. White space is added before the end mark of a block that has none."""
    cost = Thought(tokens=len(draft.written), prompt_tokens=len(draft.start), computed_tokens=draft.computed)
    if draft.error:
        return replace(cost, error=draft.error)
    style, is_closed = renderer.thinking, is_end(draft.written)
    ids = draft.written[:-1] if draft.is_over and not is_closed else draft.written  # without the end token
    text = renderer.decode(ids)
    if is_closed:
        text = text.rpartition(style.ends)[0]
        return replace(cost, text=text, problem="" if text.strip() else ReadingProblem.EMPTY_REASONING.value)
    gap = "" if text.endswith(style.gap) else style.gap
    return replace(cost, text=text + gap, problem=ReadingProblem.CUT_REASONING.value)


def end_of_thinking(renderer: PromptRenderer) -> Callable[[Sequence[int]], bool]:
    """Return a function that is True for written tokens that end with the mark at which thinking ends."""
    mark = renderer.thinking.ends
    mark_ids = renderer.tokenizer(mark, add_special_tokens=False).input_ids
    if len(mark_ids) == 1:
        return lambda ids: bool(ids) and ids[-1] == mark_ids[0]
    longest = len(mark) + 4  # tokens: each has a character as a rule, and some have only a part of one
    return lambda ids: mark in renderer.decode([one for one in ids[-longest:] if one != NO_TOKEN])
