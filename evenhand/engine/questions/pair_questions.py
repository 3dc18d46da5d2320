"""Questions, requests for text, and their answers, as plain values. No model, no torch, no Django."""

import hashlib
import json
import math
from dataclasses import dataclass

from evenhand.engine.questions.copied_labels import Shown
from evenhand.engine.questions.thinking import Thinking

ANSWER_TOKENS = 8
"""Most new tokens of an answer that is written as text, instead of read from probabilities."""


@dataclass(frozen=True, slots=True)
class Question:
    """One filled prompt, answered by one of two label words, or of three with a tie.

    text: the whole prompt, without chat template.
    answer_prefix: the beginning of the answer before the label word ("Summary"), without surrounding spaces; empty if
        the label word comes first.
    label_first, label_second: the two label words, each with the space that separates it from the prefix (" A", " B").
    system: the system message; empty for none.
    label_tie: the label word of a tie; empty if the judge must choose.
    thinking: settings of a judge that thinks first; None to answer without thinking.
    thought: what the judge thought about this question; None before it has.
    follows_reply: True if answer_prefix is what the judge itself wrote, exactly; no space is put before it.
    candidates: the candidates that the text shows, so that a reply which repeats one is no verdict.
    """

    text: str
    answer_prefix: str
    label_first: str
    label_second: str
    system: str = ""
    label_tie: str = ""
    thinking: Thinking | None = None
    thought: str | None = None
    follows_reply: bool = False
    candidates: tuple[str, ...] = ()

    @property
    def shown(self) -> Shown:
        return Shown(self.text, self.candidates)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerText:
    """An answer without its value: its text and thinking, or why it has no value.

    text: the judge's text; empty if its probabilities are read instead.
    unparsed: True if the judge's text contains no label word, or no score of the scale.
    error: the reason why there is no answer, in words for the person who started the run.
    prompt_tokens: number of tokens before the label word or the score; 0 if the judge was not asked.
    thinking: what the judge thought before its answer, without the marks of the block. White space is part of it, so
        that the prompt can be rendered again.
    thinking_tokens: number of tokens of the thinking.
    problem: the kind of an unparsed answer, a value of ReadingProblem. An answered one may have a problem of FLAGS.
    """

    text: str = ""
    unparsed: bool = False
    error: str = ""
    prompt_tokens: int = 0
    thinking: str = ""
    thinking_tokens: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Answer(AnswerText):
    """The answer to one question: exactly one of `p_first`, `choice`, `unparsed` and `error`.

    p_first: probability in [0, 1] of `label_first`, normalised over the two label words [Liusie2024, eq. 3].
    choice: the likeliest of "first", "second" and "tie", of a question with a tie; or the label word that is certainly
        likelier than one whose probability is not known.
    logprob_first, logprob_second, logprob_tie: natural log-probabilities of the label words, each the sum over its
        tokens; None if the judge gives no probabilities.
    p_first_before: p_first of the same question without thinking; None if it is not known.
    """

    p_first: float | None = None
    logprob_first: float | None = None
    logprob_second: float | None = None
    choice: str = ""
    logprob_tie: float | None = None
    p_first_before: float | None = None

    def __post_init__(self) -> None:
        if (self.p_first is not None) + bool(self.choice) + self.unparsed + bool(self.error) != 1:
            raise ValueError("an answer is exactly one of: p_first, choice, unparsed, error")
        if self.p_first is not None and not 0.0 <= self.p_first <= 1.0:
            raise ValueError(f"p_first is {self.p_first}; a probability lies in [0, 1]")

    @classmethod
    def from_logprobs(cls, first: float, second: float, *, prompt_tokens: int) -> "Answer":
        """Return the softmax of the two log-probabilities; an error if they are invalid."""
        if reason := _no_probability(first, second):
            return cls(error=reason, prompt_tokens=prompt_tokens)
        return cls(
            p_first=_logistic(first - second), logprob_first=first, logprob_second=second, prompt_tokens=prompt_tokens
        )

    @classmethod
    def from_three_logprobs(cls, first: float, second: float, tie: float, *, prompt_tokens: int) -> "Answer":
        """Return the likeliest of three label words; an error if the log-probabilities are invalid."""
        if reason := _no_probability(first, second, tie):
            return cls(error=reason, prompt_tokens=prompt_tokens)
        return cls(
            choice=likeliest(first, second, tie),
            logprob_first=first,
            logprob_second=second,
            logprob_tie=tie,
            prompt_tokens=prompt_tokens,
        )


def likeliest(first: float, second: float, tie: float) -> str:
    """Return the choice with the largest value: a side if it exceeds both others, else "tie"."""
    if first > max(second, tie):
        return "first"
    return "second" if second > max(first, tie) else "tie"


def _no_probability(*logprobs: float) -> str:
    """Return the reason why log-probabilities are invalid; empty if they are valid."""
    if not any(map(math.isnan, logprobs)) and math.inf not in logprobs and max(logprobs) > -math.inf:
        return ""
    return f"the model gave no probability for the label words (log-probabilities {' and '.join(map(str, logprobs))})"


def _logistic(x: float) -> float:
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    return math.exp(x) / (1.0 + math.exp(x))


@dataclass(frozen=True, slots=True)
class Batch:
    """Answers in the order of the questions, and the tokens computed for them.

    computed_tokens: tokens that the model computed, without padding. A prefix that prompts share with each other, or
        with the prompts just before, counts once, so this may be less than the sum of `prompt_tokens`.
    """

    answers: tuple[Answer, ...]
    computed_tokens: int


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """The exact strings for the tokenizer, so that anybody can recompute `p_first`.

    A decoder-only model reads `prompt_text + answer_prefix + label` as one string. An encoder-decoder model reads
    `prompt_text` in its encoder, and `answer_prefix + label` in its decoder after the decoder's start token.
    The log-probability of a label is summed over the tokens in which the two whole strings differ.

    prompt_text: the prompt with chat template and system message.
    answer_prefix: for a decoder-only model with the space before it (" Summary"), else without ("Summary").
    add_special_tokens: True if the tokenizer adds its special tokens, such as a beginning-of-sequence token. A chat
        template contains them already. No closing token follows the label in either case.
    """

    prompt_text: str
    answer_prefix: str
    label_first: str
    label_second: str
    add_special_tokens: bool = True
    label_tie: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """A request for free text.

    max_new_tokens: limit of the text. `Generation.complete` is False for a text that reached it.
    temperature: 0 is greedy; above 0 samples, reproducibly for one `seed`.
    answer_prefix: beginning of the answer that the text continues, without surrounding spaces; None for a reply
        without a given beginning.
    thinking: settings of a judge that thinks before the text; None for no thinking. The text's own temperature and
        seed hold for the thinking too.
    thought: what the judge thought before the text; None before it has.
    alternatives: True to list the likely tokens at each position, where an endpoint can.
    """

    text: str
    system: str = ""
    max_new_tokens: int = 512
    temperature: float = 0.0
    seed: int = 0
    answer_prefix: str | None = None
    thinking: Thinking | None = None
    thought: str | None = None
    alternatives: bool = False


Alternatives = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class WrittenToken:
    """A token that the model wrote.

    alternatives: (token, natural log-probability) at this position, the written token included; all finite.
    """

    text: str
    alternatives: Alternatives


@dataclass(frozen=True, slots=True)
class Generation:
    """The text for one request, or the error.

    text: the judge's text; with an error, the judge's refusal if it wrote one.
    complete: False if the text was truncated at `max_new_tokens`.
    generated_tokens: new tokens, with the end token and without padding.
    shared_tokens: prompt tokens that were computed for another request with the same prefix.
    thinking, thinking_tokens, problem: as in Answer. `generated_tokens` includes the thinking.
    lead: white space that the judge wrote before the text.
    tokens: the tokens of lead and text, if the request asked for alternatives and the endpoint lists them.
    """

    text: str = ""
    error: str = ""
    complete: bool = True
    prompt_tokens: int = 0
    generated_tokens: int = 0
    shared_tokens: int = 0
    thinking: str = ""
    thinking_tokens: int = 0
    problem: str = ""
    lead: str = ""
    tokens: tuple[WrittenToken, ...] = ()


def text_seed(seed: int, *parts: str) -> int:
    """Return a seed in [0, 2³¹) that depends only on the run's seed and these texts."""
    digest = hashlib.sha256(json.dumps([seed, *parts]).encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1
