"""How a prompt reads about the first texts of a dataset."""

from __future__ import annotations

from dataclasses import dataclass, replace

from judging.engine import Question
from judging.engine.endpoint.chat_messages import answer_text
from judging.exceptions import Refused
from judging.models import Attribute, Candidate, Dataset
from judging.prompting.criteria import CriteriaPrompt, criteria_prompt
from judging.prompting.methods import COMPARATIVE, METHODS, Method
from judging.prompting.templates import PromptError, PromptText
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

WRITTEN = (
    "[what the judge wrote in the first step]",
    "[what the judge wrote about this text in the first step]",
    "[what the judge wrote about both texts in the first step]",
)
"""By how many texts it was shown."""


METRICS = "[the metrics that the judge wrote for this context first]"


@dataclass(frozen=True, slots=True)
class Example:
    """A question about a real pair or text.

    prompt: its name. first_step: what the judge is asked to write before; empty if nothing. metrics_request: what it
    reads to write metrics for the context; empty without. shown_in: of a prompt for metrics, the prompt whose question
    shows them here; else empty.
    """

    prompt: str
    method: Method
    question: Question
    first_step: str
    metrics_request: str = ""
    shown_in: str = ""

    @property
    def sent(self) -> str:
        """The question as an endpoint gets it: nobody begins its reply, so that it is told how to answer."""
        return answer_text(self.question)


def example(prompt: PromptText, attribute: Attribute, *, metrics: CriteriaPrompt | None = None) -> Example:
    """How a judge is asked about the first pair of the attribute's dataset, or its first text, in its words.

    Raises Refused where the two do not go together, or the dataset has nothing to show.
    """
    wording = wording_of(attribute.dataset, attribute)
    try:
        worded = word_prompt(prompt, metrics, wording)
    except PromptError as error:
        raise Refused(str(error)) from error
    method = METHODS[prompt.method]
    shown = first_text(attribute.dataset) if method.is_scoring else first_pair(attribute.dataset)
    texts = load_texts([shown])
    ((number, context),) = texts.contexts.items()
    texts = replace(texts, criteria={number: WrittenText(METRICS, "")})
    first_step = reasoning_subjects(prompt.method, shown)
    analyses = not_yet_written(prompt.method, shown)
    written = reasoning_request(worded, texts, first_step[0], max_new_tokens=1).text if first_step else ""
    return Example(
        prompt.name,
        method,
        build_question(worded, texts, shown, reasonings=analyses),
        written,
        metrics.text(wording, context=context) if metrics else "",
    )


def metrics_example(prompt: PromptText, attribute: Attribute) -> Example:
    """How a judge is asked for metrics about the first context with a pair, and how the usual question shows them.

    Raises Refused as `example` does.
    """
    usual = prompts_of(COMPARATIVE.name)[0]
    shown = example(prompt_text(usual), attribute, metrics=criteria_prompt(prompt))
    return replace(shown, shown_in=usual.label)


def not_yet_written(method: str, shown: CandidateIds) -> list[str]:
    """What stands, in an example, in place of everything that a judge writes in a first step."""
    return [WRITTEN[len(one)] for one in reasoning_subjects(method, shown)]


def first_text(dataset: Dataset) -> CandidateIds:
    """The first candidate of the first context that has one. Raises Refused."""
    first = Candidate.objects.filter(context__dataset=dataset).order_by("context__position", "position").first()
    if first is None:
        raise Refused("there is nothing to score: no context has a candidate")
    return (first.pk,)


def first_pair(dataset: Dataset) -> tuple[int, int]:
    """The first two candidates of the first context that has two. Raises Refused."""
    seconds = Candidate.objects.filter(context__dataset=dataset, position=1).order_by("context__position")
    second = seconds.first()
    if second is None:
        raise Refused("there is nothing to compare: no context has two candidates")
    return Candidate.objects.values_list("pk", flat=True).get(context=second.context_id, position=0), second.pk
