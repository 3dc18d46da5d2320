"""Label words in an endpoint's reply, and their probabilities at the position of the answer.

See docs/reference/endpoints.md.
"""

import math
import re
from dataclasses import dataclass, replace
from functools import partial

from evenhand.engine.exceptions import QuestionRefused
from evenhand.engine.questions.copied_labels import NOTHING_SHOWN, Shown
from evenhand.engine.questions.pair_questions import Alternatives, Answer, Question, likeliest
from evenhand.engine.replies.endpoint_reply import EndpointReply, MalformedReply

LARGEST_DOUBT = 0.01
"""Widest range of p_first, or of a score as a share of its scale, that still counts as an answer."""


@dataclass(frozen=True, slots=True)
class LabelWords:
    """The label words of a question and its answer prefix, without surrounding spaces.

    tie: empty for none. shown: by the prompt; a label word that only repeats it is no answer.
    """

    first: str
    second: str
    prefix: str
    tie: str = ""
    shown: Shown = NOTHING_SHOWN

    @property
    def all(self) -> tuple[str, ...]:
        return (self.first, self.second, self.tie) if self.tie else (self.first, self.second)

    @property
    def pattern(self) -> str:
        """Regular expression that matches any label word, the longest first."""
        return "|".join(re.escape(word) for word in sorted(self.all, key=len, reverse=True))

    def choice(self, word: str) -> str:
        """Return the choice that a label word means: first, second or tie."""
        return {self.first: "first", self.second: "second", self.tie: "tie"}[word]

    def find_answer(self, text: str) -> str | None:
        """Return the label word that a text answers with; None for any other text.

        Only the prefix, "Answer" and punctuation may precede the label word. Only punctuation may follow on its line,
        and nothing that repeats the prompt.
        """
        lead = "|".join(re.escape(word) for word in (self.prefix, "answer") if word)
        match = re.match(rf"[\W_]*(?:(?i:{lead})[\W_]+)*(?P<word>{self.pattern})(?:[^\w\n]|_)*(?:\n|\Z)", text)
        return match["word"] if match and not self.shown.is_repeated(text, *match.span("word")) else None

    def find_continuation(self, text: str) -> str | None:
        """Return the label word that a text begins with; None for another beginning, or if it repeats the prompt."""
        match = re.match(rf"\s*(?P<word>{self.pattern})(?!\w)", text)
        if match is None or self.shown.is_repeated(text, *match.span("word")):
            return None
        return None if self.shown.is_list(text, *match.span("word"), self.all) else match["word"]


def label_words(question: Question) -> LabelWords:
    """Return the label words of a question. Raises QuestionRefused if one is empty or two are the same."""
    first, second, tie = (word.strip() for word in (question.label_first, question.label_second, question.label_tie))
    words = LabelWords(first, second, question.answer_prefix.strip(), tie, question.shown)
    if not first or not second or len(set(words.all)) < len(words.all):
        quoted = " and ".join(f'"{word}"' for word in words.all)
        raise QuestionRefused(f"the label words {quoted} cannot be distinguished; choose others")
    return words


def hard_answer(reply: EndpointReply, words: LabelWords) -> Answer:
    """Return p_first 1 or 0 for the label word in the text; a choice if the question offers a tie."""
    answer = partial(Answer, text=reply.words, prompt_tokens=reply.prompt_tokens)
    word = words.find_answer(reply.words)
    if word is None:
        return answer(unparsed=True)
    return answer(choice=words.choice(word)) if words.tie else answer(p_first=1.0 if word == words.first else 0.0)


def soft_answer(reply: EndpointReply, words: LabelWords) -> Answer:
    """Return p_first from the probabilities of both label words at the position of the answer.

    A label word that is not listed has at most the probability that the listed alternatives leave, and no
    log-probability. If p_first is then known to within LARGEST_DOUBT, it is the end of its range nearer to 1/2. If only
    the likelier label word is known, it is the choice. Otherwise the answer is unparsed. If the question offers a tie,
    the likeliest of the three label words is the choice. An answer without log-probabilities is unparsed. Raises
    MalformedReply.
    """
    word = words.find_answer(reply.words)
    if word is None or not reply.tokens:
        return Answer(unparsed=True, text=reply.words, prompt_tokens=reply.prompt_tokens)
    answer = answer_from_alternatives(_alternatives_at_label(reply, words, word), words)
    return replace(answer, text=reply.words, prompt_tokens=reply.prompt_tokens)


def answer_from_alternatives(alternatives: Alternatives, words: LabelWords) -> Answer:
    """Return p_first, or the likeliest of three label words, from the tokens listed at the label word's position."""
    if words.tie:
        return _likeliest_choice(words, alternatives)
    first, second = (_logprob_of(label, alternatives) for label in words.all)
    p_first = _p_first(first, second, alternatives)
    if p_first is None:
        return _likeliest_choice(words, alternatives)
    return Answer(p_first=p_first, logprob_first=first, logprob_second=second)


def _likeliest_choice(words: LabelWords, alternatives: Alternatives) -> Answer:
    """Return the likeliest label word; unparsed if an unlisted one may be as likely."""
    logprobs = {word: _logprob_of(word, alternatives) for word in words.all}
    known = [logprob for logprob in logprobs.values() if logprob is not None]
    if not known or (len(known) < len(logprobs) and math.exp(max(known)) <= _left_over(alternatives)):
        return Answer(unparsed=True)
    first, second, tie = (logprobs.get(word) for word in (words.first, words.second, words.tie))
    choice = likeliest(*(-math.inf if logprob is None else logprob for logprob in (first, second, tie)))
    return Answer(choice=choice, logprob_first=first, logprob_second=second, logprob_tie=tie)


def _alternatives_at_label(reply: EndpointReply, words: LabelWords, word: str) -> Alternatives:
    for token in reply.tokens:
        if bare(token.text) in map(bare, words.all):
            if bare(token.text) != bare(word):
                raise MalformedReply("the endpoint's tokens do not match its text")
            return token.alternatives
    raise MalformedReply(
        f'the label word "{word}" is not one token of this model, so its probability cannot be read; '
        "choose label words such as A and B"
    )


def bare(token: str) -> str:
    """Return a token without surrounding spaces and punctuation: `A`, ` A` and `**A` are one word."""
    return re.sub(r"^[\W_]+|[\W_]+$", "", token) or token.strip()


def _logprob_of(label: str, alternatives: Alternatives) -> float | None:
    """Return the log-probability of all spellings of a label together; None if none is listed."""
    listed = [logprob for token, logprob in alternatives if bare(token) == bare(label)]
    largest = max(listed, default=0.0)
    return largest + math.log(sum(math.exp(logprob - largest) for logprob in listed)) if listed else None


def _left_over(alternatives: Alternatives) -> float:
    """Return the probability of everything that is not listed."""
    return max(0.0, 1.0 - sum(math.exp(logprob) for _, logprob in alternatives))


def _p_first(first: float | None, second: float | None, alternatives: Alternatives) -> float | None:
    """Return p_first, or None if it is not known to within LARGEST_DOUBT."""
    if first is not None and second is not None:
        return Answer.from_logprobs(first, second, prompt_tokens=0).p_first
    listed = first if first is not None else second
    if listed is None:
        return None
    left_over = _left_over(alternatives)
    probability = math.exp(listed) / (math.exp(listed) + left_over) if listed > -700 else 0.0
    if 1.0 - probability > LARGEST_DOUBT:
        return None
    return probability if first is not None else 1.0 - probability
