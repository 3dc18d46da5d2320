"""Token counts of prompts, with and without shared prefixes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from evenhand.engine.exceptions import QuestionRefused
from evenhand.engine.questions.label_tokens import Ids, TokenisedPrompt, common_prefix
from evenhand.engine.questions.pair_questions import Question
from evenhand.engine.questions.rendering import PromptRenderer


@dataclass(frozen=True, slots=True)
class PromptCount:
    """Token counts of some questions.

    prompts, groups: number of prompts and of their groups.
    refused: prompts that this model refuses at any length; the token counts leave them out.
    problem: reason for the first refusal.
    prompt_tokens: sum over all prompts, without sharing.
    shared_tokens: the same with each shared prefix of a group counted once. An encoder shares whole prompts only.
    longest: tokens of the longest prompt; 0 without prompts.
    too_long: prompts longer than the model's limit.
    unusual: prompts longer than those in training, for a model without a limit.
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
    """Count the tokens of questions, group by group. Prompts of different groups share nothing.

    go_on: called before each prompt but the first. If it returns False, the count covers the whole groups until
        then, or a part of the first group. Part of a group shares less than the whole.
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
    tried, prompts, problems = 0, [], []
    for question in questions:
        if tried and not go_on():
            break
        tried += 1
        try:
            prompts.append(renderer.tokenised(question))
        except QuestionRefused as reason:
            problems.append(str(reason))
    lengths = [prompt.longest_part for prompt in prompts]
    return PromptCount(
        prompts=tried,
        groups=1,
        refused=len(problems),
        problem=problems[0] if problems else "",
        prompt_tokens=sum(prompt.tokens for prompt in prompts),
        shared_tokens=_shared_tokens(prompts),
        longest=max(lengths, default=0),
        too_long=_longer(lengths, renderer.max_prompt_tokens),
        unusual=_longer(lengths, renderer.usual_prompt_tokens),
    )


def _longer(lengths: Sequence[int], limit: int | None) -> int:
    return 0 if limit is None else sum(length > limit for length in lengths)


def _shared_tokens(prompts: Sequence[TokenisedPrompt]) -> int:
    """Count the tokens to compute. An encoder reads each distinct prompt once, and its decoder rows share nothing."""
    rows = [row.ids for prompt in prompts for row in prompt.rows()]
    encoded = {prompt.encoder_ids for prompt in prompts if prompt.encoder_ids}
    return sum(map(len, encoded)) + sum(map(len, rows)) if encoded else tree_tokens(rows)


def tree_tokens(rows: Iterable[Ids]) -> int:
    """Count the tokens of the rows with every shared prefix counted once: the nodes of their prefix tree."""
    ordered = sorted(rows)
    return sum(map(len, ordered)) - sum(common_prefix(one, other) for one, other in pairwise(ordered))


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
