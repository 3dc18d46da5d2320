"""How many tokens prompts have, each alone and where what they share at their beginning is computed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from judging.engine.exceptions import QuestionRefused
from judging.engine.questions.label_tokens import Ids, TokenisedPrompt, common_beginning
from judging.engine.questions.pair_questions import Question
from judging.engine.questions.rendering import PromptRenderer


@dataclass(frozen=True, slots=True)
class PromptCount:
    """What some questions come to.

    prompts, groups: how many there are. refused: those that cannot be asked whatever their length, in none of the
        others; problem: why the first of them cannot.
    prompt_tokens: of all prompts, each alone. shared_tokens: those left where what the prompts of one group share at
        their beginning is computed once; an encoder shares whole prompts only.
    longest: tokens of the longest prompt, 0 for none; too_long: prompts with more than the model takes; unusual: with
        more than is usual for it, where it takes any number.
    """

    prompts: int = 0
    groups: int = 0
    refused: int = 0
    problem: str = ""
    prompt_tokens: int = 0
    shared_tokens: int = 0
    longest: int = 0
    too_long: int = 0
    unusual: int = 0


def count_prompts(
    renderer: PromptRenderer, groups: Iterable[Sequence[Question]], *, go_on: Callable[[], bool] = lambda: True
) -> PromptCount:
    """Count questions, group by group; prompts of different groups share nothing.

    go_on: asked before each prompt but the first; where it says no, the groups counted until then are returned, or
        what was counted of the first: a part of a group shares less than the whole.
    """
    total = PromptCount()
    for questions in groups:
        if total.groups and not go_on():
            break
        counted = _count(renderer, questions, go_on)
        if total.groups and counted.prompts < len(questions):
            break
        total = _sum(total, counted)
    return total


def _count(renderer: PromptRenderer, questions: Sequence[Question], go_on: Callable[[], bool]) -> PromptCount:
    asked, prompts, problems = 0, [], []
    for question in questions:
        if asked and not go_on():
            break
        asked += 1
        try:
            prompts.append(renderer.tokenised(question))
        except QuestionRefused as reason:
            problems.append(str(reason))
    lengths = [renderer.length(prompt) for prompt in prompts]
    return PromptCount(
        prompts=asked,
        groups=1,
        refused=len(problems),
        problem=problems[0] if problems else "",
        prompt_tokens=sum(prompt.tokens for prompt in prompts),
        shared_tokens=_encoder_tokens(prompts) + _decoder_tokens(prompts),
        longest=max(lengths, default=0),
        too_long=_longer(lengths, renderer.max_prompt_tokens),
        unusual=_longer(lengths, renderer.usual_prompt_tokens),
    )


def _longer(lengths: Sequence[int], limit: int | None) -> int:
    return 0 if limit is None else sum(length > limit for length in lengths)


def _encoder_tokens(prompts: Sequence[TokenisedPrompt]) -> int:
    """What an encoder runs over: a prompt that several texts follow is encoded once."""
    return sum(map(len, {prompt.encoder_ids for prompt in prompts}))


def _decoder_tokens(prompts: Sequence[TokenisedPrompt]) -> int:
    rows = [row.ids for prompt in prompts for row in prompt.rows()]
    if any(prompt.encoder_ids for prompt in prompts):
        return sum(map(len, rows))
    return tree_tokens(rows)


def tree_tokens(rows: Iterable[Ids]) -> int:
    """The nodes of the rows' prefix tree: tokens left where every common beginning counts once."""
    ordered = sorted(rows)
    return sum(map(len, ordered)) - sum(common_beginning(one, other) for one, other in pairwise(ordered))


def _sum(one: PromptCount, other: PromptCount) -> PromptCount:
    return PromptCount(
        prompts=one.prompts + other.prompts,
        groups=one.groups + other.groups,
        refused=one.refused + other.refused,
        problem=one.problem or other.problem,
        prompt_tokens=one.prompt_tokens + other.prompt_tokens,
        shared_tokens=one.shared_tokens + other.shared_tokens,
        longest=max(one.longest, other.longest),
        too_long=one.too_long + other.too_long,
        unusual=one.unusual + other.unusual,
    )
