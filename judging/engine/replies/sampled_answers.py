"""Answers from several texts that a judge samples, where it gives no probabilities [Liusie2024, eq. 5]."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Protocol, TypeVar

from judging.engine.exceptions import QuestionRefused
from judging.engine.questions.pair_questions import Answer, Batch, Generation, Question, Request, likeliest
from judging.engine.questions.scale_questions import ScaleQuestion, ScoreAnswer, ScoreBatch
from judging.engine.replies.label_probabilities import label_words
from judging.engine.replies.score_probabilities import begun_score, written_score

Read = str | int | None
"""What a text answers: "first", "second", "tie" or a score; None where it answers with nothing that was asked for."""

Q = TypeVar("Q", bound=Question)


class Writes(Protocol):
    """The part of an engine that writes."""

    def answer_request(self, question: Question) -> Request: ...

    def generate(self, requests: Sequence[Request]) -> list[Generation]: ...


@dataclass(frozen=True, slots=True)
class Sampling:
    """How answers are sampled: so many texts of each, at a temperature above 0, each from a seed of its own."""

    samples: int
    temperature: float
    seed: int = 0

    def requests(self, request: Request) -> list[Request]:
        """The same request once for each sample; the seeds follow from the run's, the text and the sample's number."""
        seeds = [text_seed(self.seed, request.system, request.text, str(n)) for n in range(self.samples)]
        return [replace(request, temperature=self.temperature, seed=seed) for seed in seeds]


@dataclass(frozen=True, slots=True)
class Sample:
    """A sampled text and what it answers."""

    text: str
    read: Read


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What became of the requests for one question. error: why there is no answer, if so."""

    samples: tuple[Sample, ...] = ()
    error: str = ""
    prompt_tokens: int = 0
    computed_tokens: int = 0


def text_seed(seed: int, *parts: str) -> int:
    """A seed in [0, 2³¹) for one text: the same wherever, whenever and beside whatever it is asked."""
    digest = hashlib.sha256(json.dumps([seed, *parts]).encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def sample_answers(engine: Writes, questions: Sequence[Question], sampling: Sampling) -> Batch:
    """p_first of each question: the share of `first` among its samples that name one of the two [Liusie2024, eq. 5].

    Where none does, the answer is unparsed; where a request failed, it is an error, for a share of the others is no
    share of as many as were asked for. `text` holds the samples, as `samples_of` reads them. Of a question that
    offers a tie, the answer is what most samples say: a side only if more do than say the other, and than call a tie.
    """
    drawn = _draw(engine, questions, sampling, _read_choice)
    answers = tuple(_answer(question, one) for question, one in zip(questions, drawn, strict=True))
    return Batch(answers, sum(one.computed_tokens for one in drawn))


def sample_scores(engine: Writes, questions: Sequence[ScaleQuestion], sampling: Sampling) -> ScoreBatch:
    """The mean of the numbers that the samples of each question give; else as `sample_answers`."""
    drawn = _draw(engine, questions, sampling, _read_score)
    return ScoreBatch(tuple(_score(one) for one in drawn), sum(one.computed_tokens for one in drawn))


def samples_of(text: str) -> tuple[Sample, ...]:
    """The samples that the text of a sampled answer holds; none where nothing was written."""
    if not text:
        return ()
    return tuple(Sample(one["text"], one["read"]) for one in json.loads(text))


def count_reads(samples: Sequence[Sample]) -> Mapping[Read, int]:
    """How many samples gave each answer, None among them, in the order of the answers, None last."""
    counts = Counter(sample.read for sample in samples)
    return {read: counts[read] for read in sorted(counts, key=lambda read: (read is None, read))}


def told_of(samples: Sequence[Sample]) -> str:
    """The counts in words: how many samples gave which choice, or a number, and how many neither."""
    counts = count_reads(samples)
    numbers = sum(number for read, number in counts.items() if isinstance(read, int))
    told = [f"{number} {read}" for read, number in counts.items() if isinstance(read, str)]
    told += [f"{numbers} with a number"] if numbers else []
    return ", ".join([*told, f"{counts[None]} unparsed"] if None in counts else told)


def _draw(
    engine: Writes, questions: Sequence[Q], sampling: Sampling, read: Callable[[Q, Request, str], Read]
) -> list[_Drawn]:
    """All requests of all questions at once, so that an engine can share what they begin with."""
    asked: dict[int, list[Request]] = {}
    refused: dict[int, _Drawn] = {}
    for number, question in enumerate(questions):
        try:
            _require_readable(question)
            asked[number] = sampling.requests(engine.answer_request(question))
        except QuestionRefused as reason:
            refused[number] = _Drawn(error=str(reason))
    written = iter(engine.generate([request for requests in asked.values() for request in requests]))
    drawn = {
        number: _drawn(requests[0], islice(written, len(requests)), questions[number], read)
        for number, requests in asked.items()
    }
    return [(drawn | refused)[number] for number in range(len(questions))]


def _drawn(
    request: Request, written: Iterator[Generation], question: Q, read: Callable[[Q, Request, str], Read]
) -> _Drawn:
    generations = list(written)
    there = [one for one in generations if one.text or not one.error]
    failures = [one.error for one in generations if one.error and not one.text]
    told = f"{len(failures)} of {len(generations)} samples failed, the first because {failures[0]}" if failures else ""
    return _Drawn(
        samples=tuple(Sample(one.text, read(question, request, one.text)) for one in there),
        error=told,
        prompt_tokens=sum(one.prompt_tokens for one in generations),
        computed_tokens=sum(one.prompt_tokens - one.shared_tokens + one.generated_tokens for one in generations),
    )


def _require_readable(question: Question) -> None:
    """Raises QuestionRefused where no answer could be told from another."""
    if isinstance(question, ScaleQuestion):
        question.labels()
    else:
        label_words(question)


def _read_choice(question: Question, request: Request, text: str) -> Read:
    words = label_words(question)
    word = words.written_in(text) if request.answer_prefix is None else words.begun_in(text)
    return words.choice(word) if word else None


def _read_score(question: ScaleQuestion, request: Request, text: str) -> Read:
    return written_score(text, question) if request.answer_prefix is None else begun_score(text, question)


def _answer(question: Question, drawn: _Drawn) -> Answer:
    text, tokens = _text(drawn.samples), drawn.prompt_tokens
    if drawn.error:
        return Answer(error=drawn.error, text=text, prompt_tokens=tokens)
    firsts, seconds, ties = (sum(sample.read == one for sample in drawn.samples) for one in ("first", "second", "tie"))
    if not firsts + seconds + ties:
        return Answer(unparsed=True, text=text, prompt_tokens=tokens)
    if question.label_tie:
        return Answer(choice=likeliest(firsts, seconds, ties), text=text, prompt_tokens=tokens)
    return Answer(p_first=firsts / (firsts + seconds), text=text, prompt_tokens=tokens)


def _score(drawn: _Drawn) -> ScoreAnswer:
    text, tokens = _text(drawn.samples), drawn.prompt_tokens
    if drawn.error:
        return ScoreAnswer(error=drawn.error, text=text, prompt_tokens=tokens)
    scores = [sample.read for sample in drawn.samples if isinstance(sample.read, int)]
    if not scores:
        return ScoreAnswer(unparsed=True, text=text, prompt_tokens=tokens)
    return ScoreAnswer(score=sum(scores) / len(scores), text=text, prompt_tokens=tokens)


def _text(samples: Sequence[Sample]) -> str:
    """As `samples_of` reads it; empty without samples."""
    shown = [{"text": sample.text, "read": sample.read} for sample in samples]
    return json.dumps(shown, ensure_ascii=False) if shown else ""
