"""Answers from one reply that holds reasoning and verdict.

The judge writes the reply. The verdict is found by the prompt's pattern. Where the judge gives probabilities, they are
read at the label word of the verdict, with the reply before it. Otherwise the written verdict is the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from judging.engine.questions.pair_questions import Answer, Batch, Generation, Question, Request
from judging.engine.questions.reply_questions import ReplyQuestion, reply_request
from judging.engine.questions.scale_questions import ScaleQuestion, ScoreAnswer, ScoreBatch
from judging.engine.questions.thinking import ReadingProblem
from judging.engine.questions.verdict_patterns import WrittenVerdict
from judging.engine.replies.endpoint_reply import MalformedReply
from judging.engine.replies.reply_verdicts import ReplyReading, read_verdict
from judging.engine.replies.verdict_probabilities import choice_at_label, score_at_label
from judging.engine.settings import EngineDescription

ReadAnswerT = TypeVar("ReadAnswerT", Answer, ScoreAnswer)


class ReplyEngine(Protocol):
    """The part of an engine that writes replies and reads probabilities after them."""

    def generate(self, requests: Sequence[Request]) -> list[Generation]: ...

    def p_first(self, questions: Sequence[Question]) -> Batch: ...

    def scores(self, questions: Sequence[ScaleQuestion]) -> ScoreBatch: ...

    def describe(self) -> EngineDescription: ...


@dataclass(frozen=True, slots=True)
class _Reply:
    """A reply and what was read in it."""

    question: ReplyQuestion
    written: Generation
    reading: ReplyReading

    @property
    def verdict(self) -> WrittenVerdict | None:
        return self.reading.verdict

    @property
    def label_position(self) -> int:
        """Position of the verdict's label word in the text."""
        before = len(self.written.text) - len(self.reading.answer)
        return before + (self.verdict.label_start if self.verdict else 0)

    @property
    def can_continue(self) -> bool:
        """True if a model could read its own reply up to the label word again."""
        return self.verdict is not None and not self.question.pattern.compares_scores and not self.written.thinking

    @property
    def has_listed_label(self) -> bool:
        """True if an endpoint listed the tokens at the label word."""
        return bool(self.written.tokens) and self.verdict is not None and not self.question.pattern.compares_scores

    @property
    def token_position(self) -> int:
        """Position of the verdict's label word in the text of the tokens."""
        return len(self.written.lead) + self.label_position

    @property
    def thinking(self) -> str:
        """Everything that the judge wrote as reasoning, in order."""
        parts = (self.written.thinking, self.reading.thinking)
        blocks = [part for part in parts if part]
        return "\n\n".join([*blocks, self.reading.reasoning]) if blocks else self.reading.reasoning

    @property
    def problem(self) -> str:
        if self.written.error and self.written.text and self.verdict is None:
            return ReadingProblem.REFUSAL.value
        return self.reading.problem or self.written.problem


def ask_replies(engine: ReplyEngine, questions: Sequence[ReplyQuestion]) -> Batch:
    """Return the answers to questions about pairs, each read from one reply."""
    replies = _write(engine, questions)
    again = [reply for reply in replies if _reads_again(engine, reply)]
    read = engine.p_first([_continuation(reply) for reply in again]) if again else Batch((), 0)
    results = iter(read.answers)
    answers = [_pair_answer(reply, results if reply in again else None) for reply in replies]
    return Batch(tuple(answers), _computed_tokens(replies) + read.computed_tokens)


def score_replies(engine: ReplyEngine, questions: Sequence[ReplyQuestion]) -> ScoreBatch:
    """Return the scores of single texts, each read from one reply."""
    replies = _write(engine, questions)
    again = [reply for reply in replies if _reads_again(engine, reply) and _is_whole(reply)]
    read = engine.scores([_scale_continuation(reply) for reply in again]) if again else ScoreBatch((), 0)
    results = iter(read.answers)
    answers = [_score_answer(reply, results if reply in again else None) for reply in replies]
    return ScoreBatch(tuple(answers), _computed_tokens(replies) + read.computed_tokens)


def _write(engine: ReplyEngine, questions: Sequence[ReplyQuestion]) -> list[_Reply]:
    written = engine.generate([reply_request(question) for question in questions])
    return [_Reply(question, one, _read(question, one)) for question, one in zip(questions, written, strict=True)]


def _read(question: ReplyQuestion, written: Generation) -> ReplyReading:
    return read_verdict(
        written.text,
        question.pattern,
        complete=written.complete,
        asks_reasoning=question.asks_reasoning and not written.thinking,
    )


def _reads_again(engine: ReplyEngine, reply: _Reply) -> bool:
    """Return True if a model on this machine can give the probabilities at the label word."""
    return reply.can_continue and engine.describe().family in ("decoder-only", "encoder-decoder")


def _is_whole(reply: _Reply) -> bool:
    return reply.verdict is not None and reply.verdict.label.isdecimal()


def _continuation(reply: _Reply) -> Question:
    """Return the question for the label word after the prompt and the judge's own reply."""
    pattern = reply.question.pattern
    return Question(
        reply.question.text,
        _prefix(reply),
        pattern.first,
        pattern.second,
        reply.question.system,
        pattern.tie,
        follows_reply=True,
    )


def _scale_continuation(reply: _Reply) -> ScaleQuestion:
    pattern = reply.question.pattern
    return ScaleQuestion(
        reply.question.text, _prefix(reply), pattern.first, pattern.second, reply.question.system, follows_reply=True
    )


def _prefix(reply: _Reply) -> str:
    return reply.written.lead + reply.written.text[: reply.label_position]


def _pair_answer(reply: _Reply, results: Iterator[Answer] | None) -> Answer:
    if reply.verdict is None:
        return _without_verdict(reply, Answer)
    if results is not None:
        return _with_reply(next(results), reply)
    if not reply.has_listed_label:
        return _with_reply(Answer(choice=str(reply.verdict.reading)), reply)
    try:
        answer = choice_at_label(reply.written.tokens, reply.token_position, reply.question.pattern)
    except MalformedReply as fault:
        answer = Answer(error=str(fault))
    return _with_reply(answer, reply)


def _score_answer(reply: _Reply, results: Iterator[ScoreAnswer] | None) -> ScoreAnswer:
    if reply.verdict is None:
        return _without_verdict(reply, ScoreAnswer)
    if results is not None:
        return _with_reply(next(results), reply)
    if not (reply.has_listed_label and reply.verdict.label.isdecimal()):
        return _with_reply(ScoreAnswer(score=float(reply.verdict.reading)), reply)
    try:
        label, pattern = reply.verdict.label, reply.question.pattern
        answer = score_at_label(reply.written.tokens, reply.token_position, label, pattern)
    except MalformedReply as fault:
        answer = ScoreAnswer(error=str(fault))
    return _with_reply(answer, reply)


def _without_verdict(reply: _Reply, kind: type[ReadAnswerT]) -> ReadAnswerT:
    """Return the answer of a reply without a verdict: unparsed, or an error if the judge failed to write."""
    if reply.written.error and not reply.written.text:
        return kind(error=reply.written.error, prompt_tokens=reply.written.prompt_tokens)
    return _with_reply(kind(unparsed=True), reply)


def _with_reply(answer: ReadAnswerT, reply: _Reply) -> ReadAnswerT:
    """Add the reply to an answer: its verdict as the text, and its reasoning apart."""
    return replace(
        answer,
        text=reply.reading.verdict_text,
        thinking=reply.thinking,
        thinking_tokens=reply.written.thinking_tokens,
        prompt_tokens=reply.written.prompt_tokens,
        problem="" if answer.error else answer.problem or reply.problem,
    )


def _computed_tokens(replies: Sequence[_Reply]) -> int:
    return sum(
        reply.written.prompt_tokens - reply.written.shared_tokens + reply.written.generated_tokens for reply in replies
    )
