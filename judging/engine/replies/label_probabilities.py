"""Which label word a judge wrote, and how probable both were where it wrote it. docs/endpoints.md has it in words."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from judging.engine.exceptions import QuestionRefused
from judging.engine.questions.pair_questions import Answer, Question, likeliest
from judging.engine.replies.endpoint_reply import Alternatives, Malformed, Reply

LARGEST_DOUBT = 0.01


@dataclass(frozen=True, slots=True)
class LabelWords:
    """The label words without the spaces around them, and the word that may come before. tie: empty for none."""

    first: str
    second: str
    prefix: str
    tie: str = ""

    @property
    def all(self) -> tuple[str, ...]:
        return (self.first, self.second, self.tie) if self.tie else (self.first, self.second)

    @property
    def pattern(self) -> str:
        """Any of them, the longest first."""
        return "|".join(re.escape(word) for word in sorted(self.all, key=len, reverse=True))

    def choice(self, word: str) -> str:
        """What a label word stands for: first, second or tie."""
        return {self.first: "first", self.second: "second", self.tie: "tie"}[word]

    def written_in(self, text: str) -> str | None:
        """The label word that a text answers with; None where it says anything else.

        Before the label word only the prefix, "Answer" and punctuation; after it, on its line, only punctuation.
        """
        lead = "|".join(re.escape(word) for word in (self.prefix, "answer") if word)
        match = re.match(rf"[\W_]*(?:(?i:{lead})[\W_]+)*(?P<word>{self.pattern})(?:[^\w\n]|_)*(?:\n|\Z)", text)
        return match["word"] if match else None

    def begun_in(self, text: str) -> str | None:
        """The label word that a text goes on with after the prefix, whatever follows it; None where it is another."""
        match = re.match(rf"\s*(?P<word>{self.pattern})(?!\w)", text)
        return match["word"] if match else None


def label_words(question: Question) -> LabelWords:
    """Raises QuestionRefused where two of them cannot be told apart."""
    first, second, tie = (word.strip() for word in (question.label_first, question.label_second, question.label_tie))
    words = LabelWords(first, second, question.answer_prefix.strip(), tie)
    if not first or not second or len(set(words.all)) < len(words.all):
        told = " and ".join(f'"{word}"' for word in words.all)
        raise QuestionRefused(f"the label words {told} cannot be told apart; choose others")
    return words


def hard_answer(reply: Reply, words: LabelWords) -> Answer:
    """1 or 0, by the label word that was written; of a question that offers a tie, what it stands for."""
    text = reply.text or reply.refusal
    word = words.written_in(text)
    if word is None:
        return Answer(unparsed=True, text=text, prompt_tokens=reply.prompt_tokens)
    if words.tie:
        return Answer(choice=words.choice(word), text=text, prompt_tokens=reply.prompt_tokens)
    return Answer(p_first=1.0 if word == words.first else 0.0, text=text, prompt_tokens=reply.prompt_tokens)


def soft_answer(reply: Reply, words: LabelWords) -> Answer:
    """The two label words' shares, at the position where one of them was written. Raises Malformed.

    Where the other is not among the alternatives listed, it has at most what the listed leave over. If that leaves
    p_first open by LARGEST_DOUBT or less, p_first is the end of its range nearer to 1/2, and the label not listed has
    no log-probability; else the answer is unparsed. Of a question that offers a tie, the likeliest of the three.
    """
    text = reply.text or reply.refusal
    word = words.written_in(text)
    if word is None:
        return Answer(unparsed=True, text=text, prompt_tokens=reply.prompt_tokens)
    alternatives = _at_label(reply, words, word)
    if words.tie:
        return _verdict(reply, words, alternatives)
    first, second = (_logprob_of(label, alternatives) for label in (words.first, words.second))
    p_first = _share(first, second, alternatives)
    if p_first is None:
        return Answer(unparsed=True, text=text, prompt_tokens=reply.prompt_tokens)
    return Answer(
        p_first=p_first, logprob_first=first, logprob_second=second, text=text, prompt_tokens=reply.prompt_tokens
    )


def _verdict(reply: Reply, words: LabelWords, alternatives: Alternatives) -> Answer:
    """The likeliest of three label words; unparsed where one that is not listed may have as much."""
    text, logprobs = reply.text or reply.refusal, [_logprob_of(label, alternatives) for label in words.all]
    known = [logprob for logprob in logprobs if logprob is not None]
    if not known or (len(known) < len(logprobs) and math.exp(max(known)) <= _left_over(alternatives)):
        return Answer(unparsed=True, text=text, prompt_tokens=reply.prompt_tokens)
    first, second, tie = (-math.inf if logprob is None else logprob for logprob in logprobs)
    return Answer(
        choice=likeliest(first, second, tie),
        logprob_first=logprobs[0],
        logprob_second=logprobs[1],
        logprob_tie=logprobs[2],
        text=text,
        prompt_tokens=reply.prompt_tokens,
    )


def _at_label(reply: Reply, words: LabelWords, word: str) -> Alternatives:
    if not reply.tokens:
        raise Malformed("the endpoint gave no log-probabilities with this answer")
    for token in reply.tokens:
        if bare(token.text) in map(bare, words.all):
            if bare(token.text) != bare(word):
                raise Malformed("the endpoint's tokens are not those of its text")
            return token.alternatives
    raise Malformed(
        f'the label word "{word}" is not one token of this model, so its probability cannot be read; '
        "choose label words such as A and B"
    )


def bare(token: str) -> str:
    """Without spaces and punctuation around it: `A`, ` A` and `**A` are ways to write one word."""
    return re.sub(r"^[\W_]+|[\W_]+$", "", token) or token.strip()


def _logprob_of(label: str, alternatives: Alternatives) -> float | None:
    """Of all ways to write the label together; None where none is listed."""
    listed = [logprob for token, logprob in alternatives if bare(token) == bare(label)]
    return _log_sum(listed) if listed else None


def _log_sum(logprobs: Sequence[float]) -> float:
    largest = max(logprobs)
    return largest + math.log(sum(math.exp(logprob - largest) for logprob in logprobs))


def _left_over(alternatives: Alternatives) -> float:
    """The probability of everything that is not listed."""
    return max(0.0, 1.0 - sum(math.exp(logprob) for _, logprob in alternatives))


def _share(first: float | None, second: float | None, alternatives: Alternatives) -> float | None:
    if first is not None and second is not None:
        return Answer.from_logprobs(first, second, prompt_tokens=0).p_first
    listed = first if first is not None else second
    if listed is None:
        return None
    left_over = _left_over(alternatives)
    share = math.exp(listed) / (math.exp(listed) + left_over) if listed > -700 else 0.0
    if 1.0 - share > LARGEST_DOUBT:
        return None
    return share if first is not None else 1.0 - share
