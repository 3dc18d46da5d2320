"""Answers of a judge that gives no probabilities, from several sampled texts [Liusie2024, eq. 5]."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Protocol, TypeVar

from evenhand.engine.exceptions import QuestionRefused
from evenhand.engine.questions.pair_questions import (
    Answer,
    Batch,
    Generation,
    Question,
    Request,
    likeliest,
    text_seed,
)
from evenhand.engine.questions.reply_questions import ReplyQuestion, reply_request
from evenhand.engine.questions.scale_questions import ScaleQuestion, ScoreAnswer, ScoreBatch
from evenhand.engine.questions.thinking import ReadingProblem
from evenhand.engine.replies.label_probabilities import label_words
from evenhand.engine.replies.reply_verdicts import read_verdict
from evenhand.engine.replies.score_probabilities import find_score, find_score_continuation

SampleReading = str | int | float | None
"""The answer in a text: "first", "second", "tie" or a score; None if the text has no valid answer."""

QuestionT = TypeVar("QuestionT", bound=Question)
ReadSample = Callable[[QuestionT, Request, Generation], SampleReading]


class TextGenerator(Protocol):
    """The part of an engine that generates text."""

    def answer_request(self, question: Question) -> Request: ...

    def generate(self, requests: Sequence[Request]) -> list[Generation]: ...


@dataclass(frozen=True, slots=True)
class Sampling:
    """Settings of sampled answers: number of texts for each answer, temperature above 0, and the run's seed."""

    samples: int
    temperature: float
    seed: int = 0

    def requests(self, request: Request) -> list[Request]:
        """Return the request once for each sample. Seeds depend on the run's seed, text and sample number."""
        seeds = [text_seed(self.seed, request.system, request.text, str(n)) for n in range(self.samples)]
        return [replace(request, temperature=self.temperature, seed=seed) for seed in seeds]


@dataclass(frozen=True, slots=True)
class SampledText:
    """A sampled text and the answer in it. thinking: the judge's thinking before the text."""

    text: str
    read: SampleReading
    thinking: str = ""


@dataclass(frozen=True, slots=True)
class _QuestionSamples:
    """All samples for one question. error: the reason why there is no answer, or empty."""

    samples: tuple[SampledText, ...] = ()
    error: str = ""
    prompt_tokens: int = 0
    computed_tokens: int = 0
    thinking_tokens: int = 0
    problem: str = ""


def sample_answers(engine: TextGenerator, questions: Sequence[Question], sampling: Sampling) -> Batch:
    """Return p_first of each question: the share of `first` among its samples with an answer [Liusie2024, eq. 5].

    The answer is unparsed if no sample has an answer, and an error if any request failed. `text` holds the samples as
    JSON, which `read_samples` parses. If the question offers a tie, the choice of most samples counts. A side then
    needs more samples than the other side, and more than the tie.
    """
    drawn = _draw(engine, questions, sampling, _read_choice)
    answers = tuple(_answer(question, one) for question, one in zip(questions, drawn, strict=True))
    return Batch(answers, sum(one.computed_tokens for one in drawn))


def sample_scores(
    engine: TextGenerator, questions: Sequence[ScaleQuestion | ReplyQuestion], sampling: Sampling
) -> ScoreBatch:
    """Return the mean score of each question's samples; unparsed, error and text as in `sample_answers`."""
    drawn = _draw(engine, questions, sampling, _read_score)
    answers = tuple(_score(question, one) for question, one in zip(questions, drawn, strict=True))
    return ScoreBatch(answers, sum(one.computed_tokens for one in drawn))


def read_samples(text: str) -> tuple[SampledText, ...]:
    """Parse the samples in the text of a sampled answer; none for an empty text."""
    if not text:
        return ()
    return tuple(SampledText(**one) for one in json.loads(text))


def count_readings(samples: Sequence[SampledText]) -> Mapping[SampleReading, int]:
    """Count the samples with each reading, in the order of the readings; None, for unparsed ones, comes last."""
    counts = Counter(sample.read for sample in samples)
    return {read: counts[read] for read in sorted(counts, key=lambda read: (read is None, read))}


def describe_samples(samples: Sequence[SampledText]) -> str:
    """Return the counts in words, for example "3 first, 1 second, 1 unparsed"."""
    counts = count_readings(samples)
    numbers = sum(number for read, number in counts.items() if isinstance(read, int | float))
    phrases = [f"{number} {read}" for read, number in counts.items() if isinstance(read, str)]
    phrases += [f"{numbers} with a number"] if numbers else []
    return ", ".join([*phrases, f"{counts[None]} unparsed"] if None in counts else phrases)


def _draw(
    engine: TextGenerator,
    questions: Sequence[QuestionT],
    sampling: Sampling,
    read: ReadSample[QuestionT],
) -> list[_QuestionSamples]:
    """Generate the samples of all questions in one call, so that an engine can share their prefixes."""
    requests_of: dict[int, list[Request]] = {}
    refused: dict[int, _QuestionSamples] = {}
    for number, question in enumerate(questions):
        try:
            _require_readable(question)
            requests_of[number] = sampling.requests(_request(engine, question))
        except QuestionRefused as reason:
            refused[number] = _QuestionSamples(error=str(reason))
    written = iter(engine.generate([request for requests in requests_of.values() for request in requests]))
    drawn = {
        number: _samples(requests[0], islice(written, len(requests)), questions[number], read)
        for number, requests in requests_of.items()
    }
    return [(drawn | refused)[number] for number in range(len(questions))]


def _samples(
    request: Request,
    written: Iterator[Generation],
    question: QuestionT,
    read: ReadSample[QuestionT],
) -> _QuestionSamples:
    generations = list(written)
    usable = [one for one in generations if one.text or not one.error]
    failures = [one.error for one in generations if one.error and not one.text]
    error = f"{len(failures)} of {len(generations)} samples failed, the first because {failures[0]}" if failures else ""
    return _QuestionSamples(
        samples=tuple(SampledText(one.text, read(question, request, one), one.thinking) for one in usable),
        error=error,
        prompt_tokens=sum(one.prompt_tokens for one in generations),
        computed_tokens=sum(one.prompt_tokens - one.shared_tokens + one.generated_tokens for one in generations),
        thinking_tokens=sum(one.thinking_tokens for one in generations),
        problem=next((one.problem for one in usable if one.problem), ""),
    )


def _request(engine: TextGenerator, question: Question) -> Request:
    """Return the request for one sample: a whole reply, or a short answer."""
    if isinstance(question, ReplyQuestion):
        return replace(reply_request(question), alternatives=False)
    return engine.answer_request(question)


def _require_readable(question: Question) -> None:
    """Raise QuestionRefused if two answers of a question could not be distinguished."""
    if isinstance(question, ReplyQuestion):
        return  # the prompt's checks have read each label word back
    if isinstance(question, ScaleQuestion):
        question.labels()
    else:
        label_words(question)


def _read_choice(question: Question, request: Request, written: Generation) -> SampleReading:
    if isinstance(question, ReplyQuestion):
        return _read_reply(question, written)
    words = label_words(question)
    find = words.find_answer if request.answer_prefix is None else words.find_continuation
    word = find(written.text)
    return words.choice(word) if word else None


def _read_reply(question: ReplyQuestion, written: Generation) -> SampleReading:
    verdict = read_verdict(written.text, question.pattern, complete=written.complete, shown=question.shown).verdict
    return verdict.reading if verdict else None


def _read_score(question: ScaleQuestion | ReplyQuestion, request: Request, written: Generation) -> SampleReading:
    if isinstance(question, ReplyQuestion):
        return _read_reply(question, written)
    find = find_score if request.answer_prefix is None else find_score_continuation
    return find(written.text, question)


def _answer(question: Question, drawn: _QuestionSamples) -> Answer:
    answer = partial(Answer, text=text_of_samples(drawn.samples), prompt_tokens=drawn.prompt_tokens)
    answer = partial(answer, thinking_tokens=drawn.thinking_tokens)
    if drawn.error:
        return answer(error=drawn.error)
    firsts, seconds, ties = (sum(sample.read == one for sample in drawn.samples) for one in ("first", "second", "tie"))
    if not firsts + seconds + ties:
        return answer(unparsed=True, problem=_problem(question, drawn))
    if _offers_tie(question):
        return answer(choice=likeliest(firsts, seconds, ties))
    return answer(p_first=firsts / (firsts + seconds))


def _offers_tie(question: Question) -> bool:
    return question.pattern.offers_tie if isinstance(question, ReplyQuestion) else bool(question.label_tie)


def _problem(question: Question, drawn: _QuestionSamples) -> str:
    """Return the kind of the first sample's thinking, or the kind that all whole replies have in common."""
    if drawn.problem or not isinstance(question, ReplyQuestion):
        return drawn.problem
    kinds = {read_verdict(sample.text, question.pattern, shown=question.shown).problem for sample in drawn.samples}
    return kinds.pop() if len(kinds) == 1 else ReadingProblem.NO_VERDICT.value


def _score(question: Question, drawn: _QuestionSamples) -> ScoreAnswer:
    answer = partial(ScoreAnswer, text=text_of_samples(drawn.samples), prompt_tokens=drawn.prompt_tokens)
    answer = partial(answer, thinking_tokens=drawn.thinking_tokens)
    if drawn.error:
        return answer(error=drawn.error)
    scores = [sample.read for sample in drawn.samples if isinstance(sample.read, int | float)]
    if not scores:
        return answer(unparsed=True, problem=_problem(question, drawn))
    return answer(score=sum(scores) / len(scores))


def text_of_samples(samples: Sequence[SampledText]) -> str:
    """Return the samples as JSON, which `read_samples` parses; empty without samples."""
    records = [_record(sample) for sample in samples]
    return json.dumps(records, ensure_ascii=False) if records else ""


def _record(sample: SampledText) -> dict[str, SampleReading]:
    thinking: dict[str, SampleReading] = {"thinking": sample.thinking} if sample.thinking else {}
    return {"text": sample.text, "read": sample.read, **thinking}
