"""Ask an endpoint for the probabilities of label tokens after our own prompt, without a generated token.

Sources: vLLM, "Generative Scoring" and its `/tokenize`; SGLang, `/v1/score` in its native APIs.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from evenhand.engine.endpoint.chat_messages import ChatMessage, answer_beginning, chat_messages
from evenhand.engine.endpoint.dialect_files import Dialect
from evenhand.engine.endpoint.direct_requests import DirectRequests, counting_faults
from evenhand.engine.endpoint.http_client import EndpointClient
from evenhand.engine.endpoint.model_watch import ModelWatch, of_model
from evenhand.engine.endpoint.request_form import RequestBody, RequestForm, RequestPart
from evenhand.engine.endpoint.retries import RequestFailed
from evenhand.engine.exceptions import QuestionRefused
from evenhand.engine.questions.label_tokens import Ids, TokenisedPrompt, labelled_prompt, scale_prompt
from evenhand.engine.questions.pair_questions import Answer, Question
from evenhand.engine.questions.scale_questions import ScaleQuestion, ScoreAnswer
from evenhand.engine.replies.endpoint_reply import EndpointReply, MalformedReply, json_object
from evenhand.engine.replies.reading_problems import AnswerT

MOST_MERGED = 4
"""Most tokens at the end of a prompt that may merge with the beginning of the judge's turn."""

ROUNDING = 1e-3
"""Largest excess of a probability over 1."""


@dataclass(frozen=True, slots=True)
class LabelScorer:
    """Scores label tokens at one endpoint, in the form of its dialect."""

    client: EndpointClient
    model: str
    form: RequestForm

    @property
    def dialect(self) -> Dialect:
        return self.form.dialect

    def ask(self, question: Question) -> tuple[Answer | ScoreAnswer, EndpointReply]:
        """Return the answer, and a reply with the endpoint's name of the model.

        Raises QuestionRefused, RequestFailed, MalformedReply and EngineError.
        """
        prompt = self._tokenised(question)
        replies = list[EndpointReply]()
        values = [self._logprob(row.ids, row.given, label, replies) for row in prompt.rows() for label in row.labels]
        last = next((one for one in replies if one.model != replies[0].model), replies[0])
        return _finite(prompt.answer(values)), last

    def _tokenised(self, question: Question) -> TokenisedPrompt:
        """Tokenise the prompt with each label word as one text, as a local judge does, and split off the labels."""
        messages = chat_messages(question.text, question.system)
        ids = self._ids(tokenize_body(self.model, messages, self.form))
        body = detokenize_body(self.model, ids)
        beginning = text_of_tokens(self._post("detokenize", body)) + answer_beginning(question)

        def whole(label: str) -> Ids:
            return self._ids(text_body(self.model, beginning + label))

        if isinstance(question, ScaleQuestion):
            prompt: TokenisedPrompt = scale_prompt({one: whole(label) for one, label in question.labels().items()})
        else:
            labels = [question.label_first, question.label_second, *filter(None, [question.label_tie])]
            prompt = labelled_prompt([whole(label) for label in labels])
        if prompt.given_ids[: len(ids) - MOST_MERGED] != ids[:-MOST_MERGED]:
            raise MalformedReply("the endpoint's tokens of the prompt do not give back its text")
        return prompt

    def _ids(self, body: RequestBody) -> Ids:
        return read_tokens(self._post("tokenize", body))

    def _post(self, name: str, body: RequestBody) -> bytes:
        return self.client.post_from_root(self.dialect.scoring[name], body)

    def _logprob(self, ids: Ids, given: int, label: Ids, replies: list[EndpointReply]) -> float:
        """Return the log-probability of a label, the sum over its tokens, each after those before it."""
        total = 0.0
        for step, token in enumerate(label):
            total += self._token_logprob(ids[: given + step], token, replies)
        return total

    def _token_logprob(self, ids: Ids, token: int, replies: list[EndpointReply]) -> float:
        content = self._post("path", scoring_body(self.model, ids, token))
        probability, reply = read_probability(content, asked=len(ids))
        replies.append(reply)
        return math.log(probability) if probability > 0 else -math.inf


def score_labels(
    scorer: LabelScorer, kind: type[AnswerT], questions: Sequence[Question], *, model: str
) -> list[AnswerT]:
    """Return the answers to questions, several asked at the same time. model: the endpoint's own name, as in its probe.

    Raises EngineError where further requests would fail.
    """
    watch, retries = ModelWatch(model), scorer.client.retries

    def ask(question: Question) -> AnswerT:
        try:
            with counting_faults(retries):
                answer, reply = scorer.ask(question)
        except (QuestionRefused, RequestFailed, MalformedReply) as failure:
            return kind(error=str(failure))
        watch.check(reply)
        return of_model(cast("AnswerT", answer), reply, model)

    answers = DirectRequests(scorer.client).map(ask, questions)
    watch.require_expected()
    return answers


def tokenize_body(model: str, messages: Sequence[ChatMessage], form: RequestForm) -> RequestBody:
    """Return the request for the tokens of messages, up to where the judge's turn begins."""
    switch = form.value(RequestPart.THINKING).get("chat_template_kwargs")
    body: RequestBody = {"model": model, "messages": list(messages), "add_generation_prompt": True}
    return body | ({"chat_template_kwargs": switch} if switch else {})


def text_body(model: str, text: str) -> RequestBody:
    """Return the request for the tokens of a text that holds its special tokens already."""
    return {"model": model, "prompt": text, "add_special_tokens": False}


def detokenize_body(model: str, ids: Ids) -> RequestBody:
    """Return the request for the text of tokens. SGLang would leave special tokens out."""
    return {"model": model, "tokens": list(ids), "skip_special_tokens": False}


def scoring_body(model: str, ids: Ids, token: int) -> RequestBody:
    """Return the request for the probability of one token after others, over the whole vocabulary.

    One token a request: vLLM gives the probability of the first label alone. It has the others in its cache.
    """
    body: RequestBody = {"model": model, "query": list(ids[:-1]), "items": [[ids[-1]]]}
    return body | {"label_token_ids": [token], "apply_softmax": False}


def read_tokens(content: bytes) -> Ids:
    """Raises MalformedReply."""
    tokens = json_object(content).get("tokens")
    if not isinstance(tokens, list) or not tokens or not all(type(token) is int for token in tokens):
        raise MalformedReply("the endpoint's reply to /tokenize has no list of tokens")
    return tuple(tokens)


def text_of_tokens(content: bytes) -> str:
    """Return the text of tokens: `prompt` of vLLM, `text` of SGLang. Raises MalformedReply."""
    document = json_object(content)
    text = document.get("prompt", document.get("text"))
    if not isinstance(text, str):
        raise MalformedReply("the endpoint's reply to /detokenize has no text")
    return text


def read_probability(content: bytes, *, asked: int) -> tuple[float, EndpointReply]:
    """Return the probability of the label token, and model and tokens of the reply. Raises MalformedReply.

    asked: number of tokens that were sent. A server that cuts a long prompt reads fewer, and one that is set to score
    several items at once puts tokens of its own between them: their probabilities are those of another prompt.
    """
    document = json_object(content)
    numbers = list(_numbers(document))
    if len(numbers) != 1:
        raise MalformedReply(f"the endpoint gave {len(numbers)} probabilities where one was asked for")
    usage = document.get("usage")
    read = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    if read != asked:
        raise MalformedReply(f"the endpoint read {read} tokens where {asked} were sent; it scored another prompt")
    if not 0 <= numbers[0] <= 1 + ROUNDING:  # False for NaN
        raise MalformedReply(f"the endpoint gives {numbers[0]} as a probability")
    return min(numbers[0], 1.0), EndpointReply(None, (), "", str(document.get("model") or ""), prompt_tokens=asked)


def _numbers(document: dict[str, Any]) -> Iterator[float]:
    """Yield the numbers under data[].score (vLLM) or scores[][] (SGLang)."""
    for one in document.get("data") or ():
        yield _number(one.get("score") if isinstance(one, dict) else None)
    for row in document.get("scores") or ():
        yield from map(_number, row if isinstance(row, list) else [None])


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan


def _finite(answer: Answer | ScoreAnswer) -> Answer | ScoreAnswer:
    """Leave out the logarithm of a probability that was rounded to 0: it is not known."""
    if isinstance(answer, ScoreAnswer):
        return answer
    first, second, tie = (
        None if logprob == -math.inf else logprob
        for logprob in (answer.logprob_first, answer.logprob_second, answer.logprob_tie)
    )
    return replace(answer, logprob_first=first, logprob_second=second, logprob_tie=tie)
