"""The texts that a judge is shown, fetched for the pairs at hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from judging.engine import Question, Request
from judging.models import Candidate, Context
from judging.prompting.methods import METHODS
from judging.prompting.templates import WordedPrompt
from judging.services.plans.pair_plan import Pair

Shown = tuple[int, ...]
"""What a judge is shown at once: one candidate, an ordered pair, or nothing yet."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts by id.

    contexts: context -> text. references: context -> its reference, empty where it has none.
    candidates: candidate -> text. context_of: candidate -> context. keys: candidate -> key.
    metrics: context -> those that the judge wrote for it; empty where none are wanted.
    """

    contexts: dict[int, str]
    references: dict[int, str]
    candidates: dict[int, str]
    context_of: dict[int, int]
    keys: dict[int, str]
    metrics: Mapping[int, Analysis] = field(default_factory=dict)

    def known(self, prompt: WordedPrompt, candidate: int) -> WordedPrompt:
        """A prompt with the metrics that the judge wrote for a candidate's context, or with nothing in their place."""
        written = self.metrics.get(self.context_of[candidate])
        return prompt.given(written.text if written else "")

    def why_no_metrics(self, candidate: int) -> str:
        """Why there are none for a candidate's context; empty where there are, or none are wanted."""
        written = self.metrics.get(self.context_of[candidate])
        return (
            f"the metrics that the judge was to write first failed: {written.error}"
            if written and written.error
            else ""
        )


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a judge wrote about a candidate alone, about a pair or beforehand; or why it wrote nothing."""

    text: str
    error: str


def texts_of(pairs: Iterable[Sequence[int]]) -> Texts:
    """The texts of the candidates in some pairs, or alone, and of their contexts."""
    ids = {candidate for pair in pairs for candidate in pair}
    rows = list(Candidate.objects.filter(pk__in=ids).values_list("pk", "context_id", "key", "text"))
    context_ids = {context for _, context, _, _ in rows}
    contexts = list(Context.objects.filter(pk__in=context_ids).values_list("pk", "text", "reference"))
    return Texts(
        contexts={pk: text for pk, text, _ in contexts},
        references={pk: reference for pk, _, reference in contexts},
        candidates={pk: text for pk, _, _, text in rows},
        context_of={pk: context for pk, context, _, _ in rows},
        keys={pk: key for pk, _, key, _ in rows},
    )


def reasoned(method: str, shown: Shown) -> tuple[Shown, ...]:
    """What a judge is shown to write about before it answers: each candidate alone, or the pair as shown.

    `((),)` where it writes once, before it is shown anything; `()` where it writes nothing.
    """
    known = METHODS.get(method)
    if known is None or not known.reasons:
        return ()
    if known.reasons_once:
        return ((),)
    return (shown,) if known.reasons_about_pairs else tuple((one,) for one in shown)


def comparison_question(prompt: WordedPrompt, texts: Texts, pair: Pair, *, analyses: Sequence[str] = ()) -> Question:
    """What is asked about an ordered pair. analyses: what was written about all that `reasoned` names."""
    first, second = pair
    alone = analyses if len(analyses) == 2 else ("", "")
    text = texts.known(prompt, first).comparison(
        context=texts.contexts[texts.context_of[first]],
        first=texts.candidates[first],
        second=texts.candidates[second],
        analysis_first=alone[0],
        analysis_second=alone[1],
        reasoning=analyses[0] if len(analyses) == 1 else "",
    )
    labels = (prompt.label_first, prompt.label_second)
    return Question(text, prompt.answer_prefix, *labels, prompt.system, prompt.label_tie)


def score_question(prompt: WordedPrompt, texts: Texts, candidate: int, *, analyses: Sequence[str] = ()) -> Question:
    """What is asked for the score of one candidate. analyses: as for a pair."""
    context = texts.context_of[candidate]
    return texts.known(prompt, candidate).score_question(
        context=texts.contexts[context],
        candidate=texts.candidates[candidate],
        reasoning=analyses[0] if analyses else "",
        reference=texts.references[context],
    )


def question_of(prompt: WordedPrompt, texts: Texts, shown: Shown, *, analyses: Sequence[str] = ()) -> Question:
    """What is asked about one candidate, for a score, or about a pair."""
    if len(shown) == 1:
        return score_question(prompt, texts, shown[0], analyses=analyses)
    return comparison_question(prompt, texts, (shown[0], shown[1]), analyses=analyses)


def reasoning_request(prompt: WordedPrompt, texts: Texts, shown: Shown, *, max_new_tokens: int) -> Request:
    """What a judge is asked to write about one candidate alone, about a pair, or before it is shown either."""
    return Request(_first_step(prompt, texts, shown), prompt.system, max_new_tokens=max_new_tokens)


def _first_step(prompt: WordedPrompt, texts: Texts, shown: Shown) -> str:
    if not shown:
        return prompt.reasoning_beforehand()
    context, prompt = texts.contexts[texts.context_of[shown[0]]], texts.known(prompt, shown[0])
    candidates = [texts.candidates[one] for one in shown]
    if len(candidates) == 1:
        return prompt.reasoning(context=context, candidate=candidates[0])
    return prompt.pair_reasoning(context=context, first=candidates[0], second=candidates[1])
