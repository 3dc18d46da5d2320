"""Answers from one reply that holds reasoning and verdict.

The judge writes the reply. The verdict is found by the prompt's pattern. Where the judge gives probabilities, they are
read at the label word of the verdict, with the reply before it. Otherwise the written verdict is the answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Protocol, TypeVar

from evenhand.engine.questions.pair_questions import Answer, Batch, Generation, Question, Request, WrittenToken
from evenhand.engine.questions.reply_questions import ReplyQuestion, reply_request
from evenhand.engine.questions.scale_questions import ScaleQuestion, ScoreAnswer, ScoreBatch
from evenhand.engine.questions.thinking import ReadingProblem
from evenhand.engine.questions.verdict_patterns import Place, VerdictPattern, WrittenVerdict
from evenhand.engine.replies.endpoint_reply import MalformedReply
from evenhand.engine.replies.label_probabilities import LabelWords, answer_from_alternatives, bare
from evenhand.engine.replies.reading_problems import AnswerT
from evenhand.engine.replies.reply_verdicts import ReplyReading, read_verdict
from evenhand.engine.replies.score_probabilities import mean_score

ContinuationT = TypeVar("ContinuationT", bound=Question)


class DescribedEngine(Protocol):
    """The part of an engine's description that is read here."""

    @property
    def family(self) -> str: ...


class ReplyEngine(Protocol):
    """The part of an engine that writes replies and reads probabilities after them."""

    def generate(self, requests: Sequence[Request]) -> list[Generation]: ...

    def p_first(self, questions: Sequence[Question]) -> Batch: ...

    def scores(self, questions: Sequence[ScaleQuestion]) -> ScoreBatch: ...

    def describe(self) -> DescribedEngine: ...


@dataclass(frozen=True, slots=True)
class _Reply:
    """A reply and what was read in it."""

    question: ReplyQuestion
    written: Generation
    reading: ReplyReading

    @property
    def pattern(self) -> VerdictPattern:
        return self.question.pattern

    @property
    def verdict(self) -> WrittenVerdict | None:
        """The verdict that counts. None after thinking that was cut or is empty, if the run reads no such answers."""
        thinking = self.question.thinking
        is_refused = thinking is not None and not thinking.reads_cut and bool(self.problem)
        return None if is_refused else self.reading.verdict

    @property
    def problem(self) -> str:
        if self.reading.verdict is None and self.written.error and self.written.text:
            return ReadingProblem.REFUSAL.value
        if self.reading.verdict is None and self.written.problem:
            return self.written.problem
        return self.reading.problem or self.written.problem

    @property
    def label_in_tokens(self) -> tuple[Sequence[WrittenToken], str, int]:
        """The tokens, their text, and the position of the verdict's label word in it."""
        lead = len(self.written.lead)
        return self.written.tokens, self.written.text, label_position(self.reading) - lead + self._skipped

    @property
    def _skipped(self) -> int:
        """Number of characters before the answer: a block of thinking within the text."""
        return len(self.written.lead + self.written.text) - len(self.reading.answer)

    @property
    def has_one_label(self) -> bool:
        """True if the verdict is a label word, or a whole number of the scale."""
        if self.verdict is None or self.pattern.compares_scores:
            return False
        return not self.pattern.is_score or self.verdict.label.isdecimal()

    @property
    def can_continue(self) -> bool:
        """True if a model on this machine can read its own reply up to the label word again."""
        return self.has_one_label and not self._skipped

    @property
    def thought(self) -> str | None:
        """The block of thinking before the reply; None for a judge that must not think."""
        return self.written.thinking if self.question.thinking else None


def ask_replies(engine: ReplyEngine, questions: Sequence[ReplyQuestion]) -> Batch:
    """Return the answers to questions about pairs, each read from one reply."""
    replies = _write(engine, questions)
    again = _indices_to_read_again(engine, replies)
    read = engine.p_first([_continuation(replies[index], Question) for index in again]) if again else Batch((), 0)
    results = dict(zip(again, read.answers, strict=True))
    answers = [_pair_answer(reply, results.get(index)) for index, reply in enumerate(replies)]
    return Batch(tuple(answers), _computed_tokens(replies) + read.computed_tokens)


def score_replies(engine: ReplyEngine, questions: Sequence[ReplyQuestion]) -> ScoreBatch:
    """Return the scores of single texts, each read from one reply."""
    replies = _write(engine, questions)
    again = _indices_to_read_again(engine, replies)
    scales = [_continuation(replies[index], ScaleQuestion) for index in again]
    read = engine.scores(scales) if again else ScoreBatch((), 0)
    results = dict(zip(again, read.answers, strict=True))
    answers = [_score_answer(reply, results.get(index)) for index, reply in enumerate(replies)]
    return ScoreBatch(tuple(answers), _computed_tokens(replies) + read.computed_tokens)


def _write(engine: ReplyEngine, questions: Sequence[ReplyQuestion]) -> list[_Reply]:
    written = engine.generate([reply_request(question) for question in questions])
    return [_Reply(question, one, _read(question, one)) for question, one in zip(questions, written, strict=True)]


def _read(question: ReplyQuestion, written: Generation) -> ReplyReading:
    return read_verdict(
        written.lead + written.text,
        question.pattern,
        complete=written.complete,
        asks_reasoning=question.asks_reasoning,
        thinking=written.thinking,
        shown=question.shown,
    )


def _indices_to_read_again(engine: ReplyEngine, replies: Sequence[_Reply]) -> list[int]:
    """Return the replies at whose label word a model on this machine gives probabilities."""
    if engine.describe().family not in ("decoder-only", "encoder-decoder"):
        return []
    return [index for index, reply in enumerate(replies) if reply.can_continue]


def continue_reply(
    question: ReplyQuestion, reply: str, *, thought: str | None, kind: type[ContinuationT]
) -> ContinuationT:
    """Return the question for the label word after the prompt and the judge's own reply.

    thought: what the judge thought before the reply; None without thinking. kind: of the question to return.
    """
    pattern = question.pattern
    return kind(
        question.text,
        reply[: label_position(read_verdict(reply, pattern))],
        pattern.first,
        pattern.second,
        question.system,
        pattern.tie,
        question.thinking,
        thought,
        follows_reply=True,
    )


def _continuation(reply: _Reply, kind: type[ContinuationT]) -> ContinuationT:
    text = reply.written.lead + reply.written.text
    return continue_reply(reply.question, text, thought=reply.thought, kind=kind)


def label_position(reading: ReplyReading) -> int:
    """Return the position of the verdict's label word in the answer; its length without a verdict."""
    return reading.verdict.label_start if reading.verdict else len(reading.answer)


def split_reply(reading: ReplyReading, place: str) -> tuple[str, str]:
    """Split an answer into reasoning and verdict. Joined they are the answer; see `join_reply`."""
    answer, verdict = reading.answer, reading.verdict
    if verdict is None:
        return "", answer
    if place == Place.START:
        return answer[verdict.end :], answer[: verdict.end]
    return (answer[: verdict.start], answer[verdict.start :]) if reading.follows_reasoning else ("", answer)


def join_reply(reasoning: str, verdict: str, place: str) -> str:
    """Join the parts of a reply."""
    return verdict + reasoning if place == Place.START else reasoning + verdict


def _pair_answer(reply: _Reply, result: Answer | None) -> Answer:
    """result: the answer that a model on this machine gave at the label word."""
    if reply.verdict is None:
        return _without_verdict(reply, Answer)
    if result is not None:
        return _with_reply(result, reply)
    if not (reply.written.tokens and reply.has_one_label):
        return _with_reply(Answer(choice=str(reply.verdict.reading)), reply)
    try:
        answer = choice_at_label(*reply.label_in_tokens, reply.pattern)
    except MalformedReply as fault:
        answer = Answer(error=str(fault))
    return _with_reply(answer, reply)


def _score_answer(reply: _Reply, result: ScoreAnswer | None) -> ScoreAnswer:
    """result: the score that a model on this machine gave at the label word."""
    if reply.verdict is None:
        return _without_verdict(reply, ScoreAnswer)
    if result is not None:
        return _with_reply(result, reply)
    if not (reply.written.tokens and reply.has_one_label):
        return _with_reply(ScoreAnswer(score=float(reply.verdict.reading)), reply)
    try:
        answer = score_at_label(*reply.label_in_tokens, reply.verdict.label, reply.pattern)
    except MalformedReply as fault:
        answer = ScoreAnswer(error=str(fault))
    return _with_reply(answer, reply)


def _without_verdict(reply: _Reply, kind: type[AnswerT]) -> AnswerT:
    """Return the answer of a reply without a verdict: unparsed, or an error if the judge failed to write."""
    if reply.written.error and not reply.written.text:
        return kind(error=reply.written.error, prompt_tokens=reply.written.prompt_tokens)
    return _with_reply(kind(unparsed=True, problem=reply.problem), reply)


def _with_reply(answer: AnswerT, reply: _Reply) -> AnswerT:
    """Add the reply to an answer: reasoning apart from the verdict, or thinking apart from the whole reply."""
    if answer.unparsed:
        problem = answer.problem or ReadingProblem.UNKNOWN_PROBABILITY.value
    else:
        problem = "" if answer.error else reply.problem
    reasoning, text = split_reply(reply.reading, reply.pattern.place)
    thinking = reply.written.thinking or reply.reading.thinking
    return replace(
        answer,
        text=(reply.reading.answer if thinking else text) if reply.verdict else reply.reading.answer.strip(),
        thinking=thinking or reasoning,
        thinking_tokens=reply.written.thinking_tokens,
        prompt_tokens=reply.written.prompt_tokens,
        problem=problem,
    )


def _computed_tokens(replies: Sequence[_Reply]) -> int:
    return sum(
        reply.written.prompt_tokens - reply.written.shared_tokens + reply.written.generated_tokens for reply in replies
    )


def choice_at_label(tokens: Sequence[WrittenToken], text: str, position: int, pattern: VerdictPattern) -> Answer:
    """Return p_first, or the likeliest of three label words. position: of the label word in the text.

    Raises MalformedReply.
    """
    token = tokens[_index_at(tokens, text, position)]
    if bare(token.text) not in map(bare, pattern.labels):
        raise MalformedReply(
            f'the label word is not one token of this model, which wrote "{token.text}", so its probability cannot be '
            "read; choose label words such as A and B"
        )
    return answer_from_alternatives(token.alternatives, LabelWords(pattern.first, pattern.second, "", pattern.tie))


def score_at_label(
    tokens: Sequence[WrittenToken], text: str, position: int, written: str, pattern: VerdictPattern
) -> ScoreAnswer:
    """Return the mean of the scale. position, written: of the score in the text. Raises MalformedReply."""
    scores = tuple(range(int(pattern.first), int(pattern.second) + 1))
    score = mean_score(tuple(tokens[_index_at(tokens, text, position) :]), written, scores)
    return ScoreAnswer(unparsed=True) if score is None else ScoreAnswer(score=score)


def _index_at(tokens: Sequence[WrittenToken], text: str, position: int) -> int:
    """Return the index of the token that holds a position of the text. Raises MalformedReply."""
    start = "".join(token.text for token in tokens).find(text)
    if start < 0:
        raise MalformedReply("the endpoint's tokens do not match its text")
    ends = accumulate(len(token.text) for token in tokens)
    return next(index for index, end in enumerate(ends) if start + position < end)
