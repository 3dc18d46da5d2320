"""The texts that a judge is shown, fetched for the pairs at hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from judging.engine import Question, Request, ScaleQuestion
from judging.models import Candidate, Context
from judging.prompting import WordedPrompt
from judging.services.plans import Pair


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts by id.

    contexts: context -> text. candidates: candidate -> text. context_of: candidate -> context. keys: candidate -> key.
    """

    contexts: dict[int, str]
    candidates: dict[int, str]
    context_of: dict[int, int]
    keys: dict[int, str]


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a judge wrote about a candidate alone; or why it wrote nothing."""

    text: str
    error: str


def texts_of(pairs: Iterable[Sequence[int]]) -> Texts:
    """The texts of the candidates in some pairs, or alone, and of their contexts."""
    ids = {candidate for pair in pairs for candidate in pair}
    rows = list(Candidate.objects.filter(pk__in=ids).values_list("pk", "context_id", "key", "text"))
    context_ids = {context for _, context, _, _ in rows}
    return Texts(
        contexts=dict(Context.objects.filter(pk__in=context_ids).values_list("pk", "text")),
        candidates={pk: text for pk, _, _, text in rows},
        context_of={pk: context for pk, context, _, _ in rows},
        keys={pk: key for pk, _, key, _ in rows},
    )


def comparison_question(
    prompt: WordedPrompt, texts: Texts, pair: Pair, *, analyses: tuple[str, str] = ("", "")
) -> Question:
    """What is asked about an ordered pair. analyses: of its two candidates, for a method that has them."""
    first, second = pair
    text = prompt.comparison(
        context=texts.contexts[texts.context_of[first]],
        first=texts.candidates[first],
        second=texts.candidates[second],
        analysis_first=analyses[0],
        analysis_second=analyses[1],
    )
    return Question(text, prompt.answer_prefix, prompt.label_first, prompt.label_second, prompt.system)


def scale_question(prompt: WordedPrompt, texts: Texts, candidate: int) -> ScaleQuestion:
    """What is asked for the score of one candidate."""
    context = texts.contexts[texts.context_of[candidate]]
    return prompt.scale_question(context=context, candidate=texts.candidates[candidate])


def reasoning_request(prompt: WordedPrompt, texts: Texts, candidate: int, *, max_new_tokens: int) -> Request:
    """What is asked about one candidate alone."""
    context = texts.contexts[texts.context_of[candidate]]
    text = prompt.reasoning(context=context, candidate=texts.candidates[candidate])
    return Request(text, prompt.system, max_new_tokens=max_new_tokens)
