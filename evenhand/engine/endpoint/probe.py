"""The probe of an endpoint: one small question, asked again in other forms until the endpoint takes it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from evenhand.engine.endpoint.decision_models import PATHS, DecisionAsker
from evenhand.engine.endpoint.dialect_files import (
    UNKNOWN,
    Dialect,
    dialect_of_host,
    dialect_of_model_list,
    find_dialect,
)
from evenhand.engine.endpoint.http_client import EndpointClient
from evenhand.engine.endpoint.label_scoring import LabelScorer
from evenhand.engine.endpoint.request_form import RequestForm, RequestPart
from evenhand.engine.endpoint.retries import RequestFailed, RequestRefused
from evenhand.engine.exceptions import AlwaysThinks, EngineError, LoadFailed, Unavailable
from evenhand.engine.questions.pair_questions import ANSWER_TOKENS, Question
from evenhand.engine.questions.reply_questions import DecisionQuestion
from evenhand.engine.replies.endpoint_reply import EndpointReply, MalformedReply
from evenhand.engine.replies.label_probabilities import label_words, soft_answer
from evenhand.engine.settings import FORCED_CHOICE, LOGPROBS, SCORING, TEXT, EngineSettings

MOST_FORMS = 24
NO_LOGPROBS = "asked for log-probabilities, and gave none"
NOT_FORCED = "asked for one of the label words, and wrote another text"
NOT_SWITCHED = "asked not to think, and thought"
TRIAL_QUESTION = Question(
    "Text: A cat sat on a mat.\n\nSummary A: The cat sat on the mat.\n\nSummary B: Dogs bark at night.\n\n"
    "Which Summary is better, Summary A or Summary B?",
    "Summary",
    *("A", "B"),
)
TRIAL_DECISION = DecisionQuestion(
    TRIAL_QUESTION.text,
    *("", "Summary A", "Summary B"),
    state="Text: A cat sat on a mat.\n\nSummary A: The cat sat on the mat.",
)
FORCED_QUESTION = Question("Which letter is the third of the alphabet?", "", "A", "B")
"""A question with the answer C, so that only a forced choice is A or B."""


@dataclass(frozen=True, slots=True)
class EndpointTrial:
    """The result of the probe.

    model: the endpoint's own name of the model, often with a version.
    shows_reasoning: the reply showed or counted its reasoning.
    known_labels: how much of the reply can be read: 0 for no label word, 1 for one, 2 for the probabilities of both.
    scores: the endpoint scores label tokens after our own prompt, and is asked so.
    decides_at: where the endpoint decides, one of PATHS; empty where it is not asked for decisions.
    """

    form: RequestForm
    model: str
    shows_reasoning: bool = False
    known_labels: int = 1
    scores: bool = False
    decides_at: str = ""

    @property
    def asked_by(self) -> str:
        """How the endpoint is asked for a label word, one of ASKED_BY, or "systemone" or "decisions"."""
        if self.decides_at:
            return self.decides_at.rpartition("/")[2]
        return SCORING if self.scores else self.form.asked_by

    @property
    def dialect(self) -> Dialect:
        return self.form.dialect

    @property
    def is_read(self) -> bool:
        """True if the reply is a label word, and where the endpoint gives probabilities, those of both are known."""
        return self.known_labels == (2 if self.form.top_logprobs else 1)


def probe(client: EndpointClient, settings: EngineSettings) -> EndpointTrial:
    """Find the form of requests that an endpoint takes. Raises LoadFailed or Unavailable."""
    if settings.decides:
        return _decision_trial(client, settings)
    try:
        form = RequestForm(choose_dialect(client, settings), settings.thinking is not None, settings.ask_by)
        trial = _probe(form, settings, Prober(client, settings).ask)
        return replace(trial, scores=_scores(client, settings, trial))
    except (LoadFailed, Unavailable):
        raise
    except EngineError as failure:
        raise LoadFailed(str(failure)) from None


def _decision_trial(client: EndpointClient, settings: EngineSettings) -> EndpointTrial:
    """Ask a small question at each place where decision models answer. Raises LoadFailed or Unavailable."""
    reasons = []
    for path in PATHS:
        try:
            (decided,) = DecisionAsker(client, settings.model, path).ask([TRIAL_DECISION])
        except Unavailable:
            raise
        except (RequestFailed, MalformedReply, EngineError) as failure:
            reasons.append(f"{path}: {failure}")
            continue
        if not decided.answers[0].error:
            form = RequestForm(find_dialect(settings.dialect or UNKNOWN))
            return EndpointTrial(form, decided.reply.model, decides_at=path)
        reasons.append(f"{path}: {decided.answers[0].error}")
    raise LoadFailed(f"the endpoint answers no typed questions ({'; '.join(reasons)}); choose a decision model")


def _probe(form: RequestForm, settings: EngineSettings, ask: Callable[[RequestForm], EndpointReply]) -> EndpointTrial:
    """Ask as the settings say. Where they leave it open, force a choice if the free reply cannot be read otherwise."""
    refused = dict(settings.refused)
    forced = partial(_try_forced, replace(form, ask_by=FORCED_CHOICE).without(refused), ask)
    is_open = settings.ask_by in ("", SCORING)
    if is_open and settings.asked_before == FORCED_CHOICE and (trial := forced()):
        return trial
    free = _try_forms(form.without(refused), ask)
    if not is_open or settings.asked_before or free.is_read:
        return free
    trial = forced()
    return trial if trial and trial.known_labels > free.known_labels else free


def _scores(client: EndpointClient, settings: EngineSettings, trial: EndpointTrial) -> bool:
    """Return True if the endpoint scores label tokens, and is to be asked so. Raises LoadFailed if it must, and cannot.

    A judge that thinks writes a text, so it is asked in another way.
    """
    if settings.ask_by not in ("", SCORING):
        return False
    reason = ""
    if settings.thinking is not None:
        reason = "a judge that is asked so writes nothing, and cannot think first"
    elif not trial.dialect.scoring:
        reason = f'its dialect "{trial.dialect.name}" knows no such request'
    else:
        reason = _why_not_scored(client, settings, trial)
    if reason and settings.ask_by == SCORING:
        raise LoadFailed(f"the endpoint does not score label tokens ({reason}); leave ask-by out, or choose another")
    return not reason


def _why_not_scored(client: EndpointClient, settings: EngineSettings, trial: EndpointTrial) -> str:
    """Score the trial question, and return why this failed; empty for success. Raises Unavailable."""
    try:
        answer, reply = LabelScorer(client, settings.model, trial.form).ask(TRIAL_QUESTION)
    except Unavailable:
        raise
    except (RequestFailed, MalformedReply, EngineError) as failure:
        return str(failure)
    if reply.model != trial.model:
        return f'it scores with the model "{reply.model}", and chats with "{trial.model}"'
    return answer.error


def _try_forced(form: RequestForm, ask: Callable[[RequestForm], EndpointReply]) -> EndpointTrial | None:
    """Ask with a forced choice; None where the endpoint has none."""
    try:
        return _try_forms(form, ask)
    except (LoadFailed, Unavailable):
        return None


def choose_dialect(client: EndpointClient, settings: EngineSettings) -> Dialect:
    """Return the dialect of the settings, of the host, or of the server that the list of models names."""
    if settings.dialect:
        return find_dialect(settings.dialect)
    known = dialect_of_host(settings.base_url, settings.model)
    return known or dialect_of_model_list(client.list_models(), settings.model)


@dataclass(frozen=True, slots=True)
class Prober:
    """Asks the trial question."""

    client: EndpointClient
    settings: EngineSettings

    def ask(self, form: RequestForm) -> EndpointReply:
        """Ask in a form. Raises RequestRefused, LoadFailed and Unavailable."""
        question = replace(_trial_question(form), thinking=self.settings.thinking)
        try:
            body = form.question_body(self.settings.model, question)
            return self.client.ask(body, form.dialect.reasoning)
        except RequestRefused as refusal:
            self._require_effort(refusal, form)
            raise
        except MalformedReply as fault:
            url = self.settings.base_url
            raise LoadFailed(
                f'the model "{self.settings.model}" cannot be used: {fault}; '
                f"is {url} the base URL of its API (most end with /v1)?"
            ) from None
        except RequestFailed as failure:
            raise Unavailable(str(failure)) from None

    def _require_effort(self, refusal: RequestRefused, form: RequestForm) -> None:
        """Raise LoadFailed if an endpoint refuses the effort that a person asked for. It must not be left out."""
        effort = self.settings.thinking.effort if self.settings.thinking else ""
        name = form.dialect.effort.rpartition(".")[2]
        if effort and name and name in f"{refusal.parameter} {refusal}":
            raise LoadFailed(f'the endpoint does not take the reasoning effort "{effort}": {refusal}') from None


def _trial_question(form: RequestForm) -> Question:
    return FORCED_QUESTION if form.value(RequestPart.FORCED_CHOICE) else TRIAL_QUESTION


def _try_forms(form: RequestForm, ask: Callable[[RequestForm], EndpointReply]) -> EndpointTrial:
    """Ask in one form after another until the reply shows that the endpoint takes it. Raises LoadFailed."""
    variations: Iterator[RequestForm] | None = None
    first_refusal = ""
    for _ in range(MOST_FORMS):
        _require_forced_choice(form)
        try:
            reply = ask(form)
        except RequestRefused as refusal:
            first_refusal = first_refusal or str(refusal)
            named = form.after_refusal(refusal)
            variations = None if named else variations or form.variations(str(refusal))
            following = named or next(variations or iter(()), None)
        else:
            following = _after_ignored(form, reply)
            if following is None:
                return _trial(form, reply)
        if following is None:
            break
        form = following
    raise LoadFailed(f"the model cannot be used: {first_refusal or 'no form of the request worked'}")


def _require_forced_choice(form: RequestForm) -> None:
    """Raise LoadFailed if a choice is to be forced, and no form of it is left."""
    if form.ask_by == FORCED_CHOICE and not form.value(RequestPart.FORCED_CHOICE):
        refused = "; ".join(f"{name}: {words}" for name, words in form.refused.items())
        reason = refused or "its dialect knows none"
        raise LoadFailed(f"the endpoint has no forced choice ({reason}); leave ask-by out, or ask by {TEXT}")


def _after_ignored(form: RequestForm, reply: EndpointReply) -> RequestForm | None:
    """Return the form after a parameter that the endpoint ignored; None if it ignored none. Raises LoadFailed."""
    if not form.thinks and (reply.has_thought or _wrote_nothing(reply)):
        return _switch_off(form, reply)
    if form.value(RequestPart.FORCED_CHOICE) and label_words(FORCED_QUESTION).find_answer(reply.words) is None:
        return form.next(RequestPart.FORCED_CHOICE, f"{NOT_FORCED}: {reply.words.strip()[:100]!r}")
    return None


def _wrote_nothing(reply: EndpointReply) -> bool:
    text = reply.words.strip()
    return not text or text.startswith("<think")


def _switch_off(form: RequestForm, reply: EndpointReply) -> RequestForm:
    following = form.next(RequestPart.THINKING, NOT_SWITCHED)
    if following is None or not following.value(RequestPart.THINKING):
        how = "thought before it answered" if reply.has_thought else f"wrote no answer within {ANSWER_TOKENS} tokens"
        raise AlwaysThinks(
            f"the model {how}, and no known parameter switches its thinking off; "
            "let it think (thinking on), or switch thinking off at the endpoint"
        )
    return following


def _trial(form: RequestForm, reply: EndpointReply) -> EndpointTrial:
    """Return the trial of a reply. Raises LoadFailed for thinking that left no room for an answer."""
    if form.thinks and not reply.words.strip():
        raise LoadFailed(
            "the model wrote no answer to a very small question within its budget for thinking; give it more tokens"
        )
    if form.top_logprobs and not reply.tokens:
        form = _without_logprobs(form)
    if form.ask_by == LOGPROBS and not form.top_logprobs:
        words = next((words for name, words in form.refused.items() if "logprobs" in name), "its dialect knows none")
        raise LoadFailed(f"the endpoint gives no log-probabilities ({words}); add it with ask-by {TEXT}")
    return EndpointTrial(form, reply.model, reply.has_thought, _known_labels(form, reply))


def _known_labels(form: RequestForm, reply: EndpointReply) -> int:
    words = label_words(_trial_question(form))
    if words.find_answer(reply.words) is None:
        return 0
    try:
        answer = soft_answer(reply, words)
    except MalformedReply:
        return 1
    return 2 if answer.logprob_first is not None and answer.logprob_second is not None else 1


def _without_logprobs(form: RequestForm) -> RequestForm:
    while form.top_logprobs:
        form = form.next(RequestPart.LOGPROBS, NO_LOGPROBS) or form
    return form
