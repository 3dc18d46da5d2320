"""An engine without a model."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace

from evenhand.engine.exceptions import QuestionRefused
from evenhand.engine.questions.likelihood_questions import LikelihoodQuestion
from evenhand.engine.questions.pair_questions import (
    ANSWER_TOKENS,
    Answer,
    Batch,
    Generation,
    Question,
    RenderedPrompt,
    Request,
    likeliest,
)
from evenhand.engine.questions.scale_questions import ScaleQuestion, ScoreAnswer, ScoreBatch
from evenhand.engine.settings import Batching, EngineDescription


class FakeEngine:
    """Engine whose answers are functions of the question. The default functions hash the text of the question.

    answer: returns p_first, or a whole Answer (an error, an unparsed text). It may raise, like a broken engine.
        For a question with a tie, p_first above 2/3 is `first`, below 1/3 `second`, and a tie in between.
    score: returns the score of a text, or a whole ScoreAnswer.
    likelihood: returns the mean log-probability of a text's tokens, or a whole ScoreAnswer.
    batching, revision, tokenizer: fields of its EngineDescription.
    asked, requested: all questions and requests so far, in order.
    """

    def __init__(
        self,
        answer: Callable[[Question], float | Answer] | None = None,
        *,
        generate: Callable[[Request], str | Generation] | None = None,
        score: Callable[[ScaleQuestion], float | ScoreAnswer] | None = None,
        likelihood: Callable[[LikelihoodQuestion], float | ScoreAnswer] | None = None,
        batching: Batching | None = None,
        revision: str = "sha256:fake",
        tokenizer: str = "",
    ) -> None:
        self._answer = answer or _hashed_probability
        self._generate = generate or _hashed_text
        self._score = score or _hashed_score
        self._likelihood = likelihood or _hashed_likelihood
        self.asked: list[Question] = []
        self.requested: list[Request] = []
        self.closed = False
        self.batching = batching
        self.revision = revision
        self.tokenizer = tokenizer

    def p_first(self, questions: Sequence[Question]) -> Batch:
        self.asked.extend(questions)
        answers = tuple(self._answer_to(question) for question in questions)
        return Batch(answers=answers, computed_tokens=sum(answer.prompt_tokens for answer in answers))

    def _answer_to(self, question: Question) -> Answer:
        answer = self._answer(question)
        if isinstance(answer, Answer):
            return answer
        tokens = len(question.text.split())
        if question.label_tie:
            return Answer(choice=likeliest(answer, 1 - answer, 2 / 3), prompt_tokens=tokens)
        return Answer(p_first=answer, prompt_tokens=tokens)

    def expect(self, upcoming: Callable[[], Sequence[Question]]) -> None:
        """Do nothing: no question is tokenised."""

    def scores(self, questions: Sequence[ScaleQuestion]) -> ScoreBatch:
        self.asked.extend(questions)
        answers = tuple(self._score_of(question) for question in questions)
        return ScoreBatch(answers, computed_tokens=sum(answer.prompt_tokens for answer in answers))

    def _score_of(self, question: ScaleQuestion) -> ScoreAnswer:
        score = self._score(question)
        if isinstance(score, ScoreAnswer):
            return score
        return ScoreAnswer(score=score, text=str(round(score)), prompt_tokens=len(question.text.split()))

    def log_likelihoods(self, questions: Sequence[LikelihoodQuestion]) -> ScoreBatch:
        self.asked.extend(questions)
        answers = tuple(self._likelihood_of(question) for question in questions)
        return ScoreBatch(answers, computed_tokens=sum(answer.prompt_tokens for answer in answers))

    def _likelihood_of(self, question: LikelihoodQuestion) -> ScoreAnswer:
        try:
            question.require_text()
        except QuestionRefused as reason:
            return ScoreAnswer(error=str(reason))
        score = self._likelihood(question)
        if isinstance(score, ScoreAnswer):
            return score
        return ScoreAnswer(score=score, prompt_tokens=len(question.text.split()))

    def generate(self, requests: Sequence[Request]) -> list[Generation]:
        self.requested.extend(requests)
        return [self._generation_for(request) for request in requests]

    def _generation_for(self, request: Request) -> Generation:
        text = self._generate(request)
        if isinstance(text, Generation):
            return text
        return Generation(text=text, prompt_tokens=len(request.text.split()), generated_tokens=len(text.split()))

    def answer_request(self, question: Question) -> Request:
        return Request(
            question.text,
            question.system,
            ANSWER_TOKENS,
            answer_prefix=question.answer_prefix,
            thinking=question.thinking,
        )

    def render(self, question: Question) -> RenderedPrompt:
        system = f"{question.system}\n\n" if question.system else ""
        return RenderedPrompt(
            system + question.text, f" {question.answer_prefix}", question.label_first, question.label_second
        )

    def fingerprint(self) -> str:
        return self.tokenizer

    def describe(self) -> EngineDescription:
        return EngineDescription(
            backend="transformers",
            family="decoder-only",
            architecture="FakeEngine",
            model="fake",
            revision=self.revision,
            dtype="float32",
            device="cpu",
            batching=self.batching,
            tokenizer=self.tokenizer,
        )

    def close(self) -> None:
        self.closed = True


def _hashed_probability(question: Question) -> float:
    digest = hashlib.sha256(f"{question.system}\n{question.text}".encode()).digest()
    return int.from_bytes(digest[:4], "big") / 0xFFFFFFFF


def _hashed_score(question: ScaleQuestion) -> float:
    lowest, highest = min(question.labels()), max(question.labels())
    return lowest + (highest - lowest) * _hashed_probability(question)


def _hashed_likelihood(question: LikelihoodQuestion) -> float:
    return -5.0 * _hashed_probability(replace(question, text=question.text + question.label_first))


def _hashed_text(request: Request) -> str:
    return f"Analysis {hashlib.sha256(request.text.encode()).hexdigest()[:8]}."
