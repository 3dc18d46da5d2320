"""The kind of a reply that answers nothing, and of an answer after thinking that was cut or is empty."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from evenhand.engine.questions.pair_questions import Answer
from evenhand.engine.questions.scale_questions import ScoreAnswer
from evenhand.engine.questions.thinking import ReadingProblem, Thinking
from evenhand.engine.replies.endpoint_reply import EndpointReply

AnswerT = TypeVar("AnswerT", Answer, ScoreAnswer)
FindVerdict = Callable[[str], object]
"""Returns the verdict that a text answers with; None for any other text."""

REFUSED = re.compile(
    r"\W*(?:i['’]?m sorry|i am sorry|sorry|i can(?:no|['’])t|i['’]m (?:not able|unable)"
    r"|i am (?:not able|unable)|i won['’]t|as an ai\b)",
    re.IGNORECASE,
)


def explain(
    answer: AnswerT, reply: EndpointReply, find: FindVerdict, *, thinking: Thinking | None, shows_reasoning: bool
) -> AnswerT:
    """Return the answer with its reasoning and the kind of its problem.

    thinking: settings of the thinking; None if the judge should not think.
    shows_reasoning: the endpoint shows or counts its reasoning, so that a reply without reasoning had none.
    """
    answer = replace(answer, thinking=reply.reasoning, thinking_tokens=reply.thinking_tokens)
    if answer.error:
        return answer
    if reply.has_thought and thinking is None:
        return unparsed(answer, ReadingProblem.IGNORED_PARAMETER)
    if answer.unparsed or _has_two_verdicts(reply.words, find):
        return unparsed(answer, problem_of_text(reply, find))
    flag = _flag(reply, thinking, shows_reasoning=shows_reasoning) if thinking else ""
    if flag and thinking and not thinking.reads_cut:
        return unparsed(answer, flag)
    return replace(answer, problem=flag)


def unparsed(answer: AnswerT, problem: str) -> AnswerT:
    """Return an unparsed answer with the texts and counts of this one."""
    return type(answer)(
        unparsed=True,
        text=answer.text,
        prompt_tokens=answer.prompt_tokens,
        thinking=answer.thinking,
        thinking_tokens=answer.thinking_tokens,
        problem=problem,
    )


def problem_of_text(reply: EndpointReply, find: FindVerdict) -> str:
    """Return the kind of a reply without exactly one verdict."""
    if _has_two_verdicts(reply.words, find):
        return ReadingProblem.TWO_VERDICTS
    if reply.refusal or REFUSED.match(reply.words):
        return ReadingProblem.REFUSAL
    if reply.has_thought and reply.is_cut and not reply.words.strip():
        return ReadingProblem.CUT_REASONING
    if find(reply.words) is not None:
        return ReadingProblem.UNKNOWN_PROBABILITY
    if not reply.words.strip() and _last_verdict(reply.reasoning, find) is not None:
        return ReadingProblem.VERDICT_IN_REASONING
    return ReadingProblem.NO_VERDICT


def _has_two_verdicts(text: str, find: FindVerdict) -> bool:
    """Return True if two lines of a text are different verdicts."""
    verdicts = {find(line) for line in text.splitlines()} - {None}
    return len(verdicts) > 1


def _last_verdict(reasoning: str, find: FindVerdict) -> object:
    lines = [line for line in reasoning.splitlines() if line.strip()]
    return find(lines[-1]) if lines else None


def _flag(reply: EndpointReply, thinking: Thinking, *, shows_reasoning: bool) -> str:
    """Return the problem of thinking before an answer that could be read; empty for none."""
    if shows_reasoning and not reply.has_thought:
        return ReadingProblem.EMPTY_REASONING
    if reply.reasoning_tokens is not None and reply.reasoning_tokens >= thinking.tokens:
        return ReadingProblem.CUT_REASONING
    return ""
