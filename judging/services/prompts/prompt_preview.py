"""Examples of a prompt, filled with the first texts of a dataset."""

from dataclasses import dataclass, replace

from evenhand.engine import Question
from evenhand.engine.endpoint.chat_messages import answer_text
from evenhand.engine.questions.reply_questions import ReplyQuestion
from evenhand.engine.questions.verdict_patterns import VerdictPattern
from evenhand.prompting.criteria import CriteriaPrompt, criteria_prompt
from evenhand.prompting.methods import COMPARATIVE, Method
from evenhand.prompting.templates import PromptError, PromptText
from evenhand.prompting.verdicts import pattern_examples
from evenhand.refusals import Refused
from judging.models import Attribute, Candidate, Dataset
from judging.services.plans.question_texts import (
    CandidateIds,
    WrittenText,
    build_question,
    load_texts,
    reasoning_request,
    reasoning_subjects,
)
from judging.services.plans.run_spec import prompt_text, word_prompt, wording_of
from judging.services.prompts.prompt_library import prompts_of

REASONING_STAND_INS = (
    "[the judge’s reasoning]",
    "[the judge’s reasoning about this text]",
    "[the judge’s reasoning about both texts]",
)
"""Indexed by the number of texts that the reasoning prompt shows."""

CRITERIA_STAND_IN = "[the judge’s criteria for this context]"


@dataclass(frozen=True, slots=True)
class PromptExample:
    """A prompt filled with a real pair or text.

    prompt: its name. reasoning_request: the reasoning prompt; empty for none.
    criteria_request: the prompt for self-generated criteria; empty for none.
    criteria_shown_in: for such a prompt, the prompt whose question shows the criteria here; else empty.
    """

    prompt: str
    method: Method
    question: Question
    reasoning_request: str
    criteria_request: str = ""
    criteria_shown_in: str = ""

    @property
    def endpoint_text(self) -> str:
        """The question as a chat endpoint gets it: with an instruction on the answer instead of an answer prefix."""
        return self.question.text if self.pattern else answer_text(self.question)

    @property
    def pattern(self) -> VerdictPattern | None:
        """The pattern by which the verdict of a reply is found; None if no reply is asked for."""
        return self.question.pattern if isinstance(self.question, ReplyQuestion) else None

    @property
    def verdicts(self) -> list[tuple[str, str]]:
        """Pairs of meaning and text: each verdict that the judge may write; for one score, the highest."""
        return list(pattern_examples(self.pattern).items()) if self.pattern else []


def prompt_example(prompt: PromptText, attribute: Attribute, *, metrics: CriteriaPrompt | None = None) -> PromptExample:
    """Fill a prompt with the first pair of the attribute's dataset, or its first text for a scoring method.

    metrics: the prompt for self-generated criteria.
    Raises Refused if prompt and dataset do not fit, or the dataset has no such pair or text.
    """
    wording = wording_of(attribute.dataset, attribute)
    try:
        worded = word_prompt(prompt, metrics, wording)
    except PromptError as error:
        raise Refused(str(error)) from error
    method = prompt.asked_method
    shown = first_text(attribute.dataset) if method.is_scoring else first_pair(attribute.dataset)
    texts = load_texts([shown])
    ((number, context),) = texts.contexts.items()
    texts = replace(texts, criteria={number: WrittenText(CRITERIA_STAND_IN, "")})
    steps = reasoning_subjects(method, shown)
    request = reasoning_request(worded, texts, steps[0], max_new_tokens=1).text if steps else ""
    analyses = [REASONING_STAND_INS[len(step)] for step in steps]
    return PromptExample(
        prompt.name,
        method,
        build_question(worded, texts, shown, reasonings=analyses),
        request,
        metrics.text(wording, context=context) if metrics else "",
    )


def criteria_example(prompt: PromptText, attribute: Attribute) -> PromptExample:
    """Fill a prompt for self-generated criteria, and the default question that shows the criteria.

    Raises Refused as `prompt_example` does.
    """
    usual = prompts_of(COMPARATIVE.name)[0]
    filled = prompt_example(prompt_text(usual), attribute, metrics=criteria_prompt(prompt))
    return replace(filled, criteria_shown_in=usual.label)


def first_text(dataset: Dataset) -> CandidateIds:
    """Return the first candidate of the first context that has one. Raises Refused if none has."""
    first = Candidate.objects.filter(context__dataset=dataset).order_by("context__position", "position").first()
    if first is None:
        raise Refused("there is nothing to score: no context has a candidate")
    return (first.pk,)


def first_pair(dataset: Dataset) -> tuple[int, int]:
    """Return the first two candidates of the first context that has two. Raises Refused if none has."""
    seconds = Candidate.objects.filter(context__dataset=dataset, position=1).order_by("context__position")
    second = seconds.first()
    if second is None:
        raise Refused("there is nothing to compare: no context has two candidates")
    return Candidate.objects.values_list("pk", flat=True).get(context=second.context_id, position=0), second.pk
