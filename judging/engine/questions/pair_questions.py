"""What is asked of a judge, and what comes back. Plain values: no model, no torch, no Django."""

from __future__ import annotations

import math
from dataclasses import dataclass

ANSWER_TOKENS = 8
"""The most tokens that a judge gets which writes its answer down instead of being read off."""


@dataclass(frozen=True, slots=True)
class Question:
    """One thing asked of a judge, answered by one of two label words, or of three where it may call a tie.

    text: the whole prompt as the judge reads it, without chat template.
    answer_prefix: what is put into the judge's mouth before the label word ("Summary"), without surrounding spaces;
        empty if the label word comes first.
    label_first, label_second: the two label words, each with the space that parts it from the prefix (" A", " B").
    system: the system message; empty for none.
    label_tie: the label word of a tie; empty where the judge has to choose.
    """

    text: str
    answer_prefix: str
    label_first: str
    label_second: str
    system: str = ""
    label_tie: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one question: exactly one of `p_first`, `choice`, `unparsed` and `error`.

    p_first: probability in [0, 1] that `label_first` is the answer, over the two label words alone [Liusie2024, eq. 3].
    choice: of a question that offers a tie, which has no p_first: the likeliest answer, "first", "second" or "tie".
    logprob_first, logprob_second, logprob_tie: natural log-probabilities of the label words, each the sum over its
        tokens; None where the judge gives a decision without them.
    text: what the judge wrote, where it writes; else empty.
    unparsed: the judge answered, but with no label word.
    error: why there is no answer, in words for the person who started the run.
    prompt_tokens: tokens given to the judge before its label word; 0 if it never came to that.
    """

    p_first: float | None = None
    logprob_first: float | None = None
    logprob_second: float | None = None
    text: str = ""
    unparsed: bool = False
    error: str = ""
    prompt_tokens: int = 0
    choice: str = ""
    logprob_tie: float | None = None

    def __post_init__(self) -> None:
        if (self.p_first is not None) + bool(self.choice) + self.unparsed + bool(self.error) != 1:
            raise ValueError("an answer is exactly one of: p_first, choice, unparsed, error")
        if self.p_first is not None and not 0.0 <= self.p_first <= 1.0:
            raise ValueError(f"p_first is {self.p_first}; a probability lies in [0, 1]")

    @classmethod
    def from_logprobs(cls, first: float, second: float, *, prompt_tokens: int) -> Answer:
        """The softmax of the two log-probabilities; an error if they are not numbers."""
        if reason := _no_probability(first, second):
            return cls(error=reason, prompt_tokens=prompt_tokens)
        return cls(
            p_first=_logistic(first - second), logprob_first=first, logprob_second=second, prompt_tokens=prompt_tokens
        )

    @classmethod
    def from_three_logprobs(cls, first: float, second: float, tie: float, *, prompt_tokens: int) -> Answer:
        """The likeliest of three label words; an error if the log-probabilities are not numbers."""
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
    """Which of three answers has most: a side only if it has more than the other and more than the tie."""
    if first > max(second, tie):
        return "first"
    return "second" if second > max(first, tie) else "tie"


def _no_probability(*logprobs: float) -> str:
    """What is wrong with the log-probabilities of label words; empty if nothing is."""
    if not any(map(math.isnan, logprobs)) and math.inf not in logprobs and max(logprobs) > -math.inf:
        return ""
    return f"the model gave no probability for the label words (log-probabilities {' and '.join(map(str, logprobs))})"


def _logistic(x: float) -> float:
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    return math.exp(x) / (1.0 + math.exp(x))


@dataclass(frozen=True, slots=True)
class Batch:
    """Answers in the order of the questions, and what they cost.

    computed_tokens: tokens the model ran over, padding not counted; fewer than the sum of `prompt_tokens` where
        prompts share a beginning, with each other or with what was asked just before, that is computed once.
    """

    answers: tuple[Answer, ...]
    computed_tokens: int


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """Exactly what the tokenizer is given, so that a stranger can compute `p_first` again.

    A decoder-only model reads `prompt_text + answer_prefix + label` as one string. An encoder-decoder model reads
    `prompt_text` in its encoder, and `answer_prefix + label` in its decoder after the decoder's start token.
    The log-probability of a label is summed over the tokens in which the two whole strings differ.

    prompt_text: chat template and system message included.
    answer_prefix: for a decoder-only model with the space before it (" Summary"), else without ("Summary").
    add_special_tokens: whether the tokenizer adds its special tokens (such as a beginning-of-sequence token); not after
        a chat template, which writes them itself. A closing token after the label is left out in any case.
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

    max_new_tokens: where the judge is cut off; a text so cut is marked in its Generation.
    temperature: 0 takes the likeliest token each time; above 0 samples, reproducibly for one `seed`.
    answer_prefix: what is put into the judge's mouth, where the text goes on, without surrounding spaces; None where
        the judge begins a reply of its own.
    """

    text: str
    system: str = ""
    max_new_tokens: int = 512
    temperature: float = 0.0
    seed: int = 0
    answer_prefix: str | None = None


@dataclass(frozen=True, slots=True)
class Generation:
    """The text for one request, or the error.

    text: beside an error, what the judge wrote instead, as where it refuses.
    complete: the judge came to its own end; False if it was cut at `max_new_tokens`.
    generated_tokens: the end token included, padding not.
    shared_tokens: those of the prompt that were computed for another request at the same time, which begins alike.
    """

    text: str = ""
    error: str = ""
    complete: bool = True
    prompt_tokens: int = 0
    generated_tokens: int = 0
    shared_tokens: int = 0
