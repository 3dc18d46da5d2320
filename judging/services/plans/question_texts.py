"""Questions of a run: loads the texts of candidates and contexts, and fills prompts with them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from evenhand.engine import Question, Request
from evenhand.prompting.methods import Method
from evenhand.prompting.templates import WordedPrompt
from judging.models import Candidate, Context, Run
from judging.services.plans.added_sentences import SentenceHolders, sentence_holders
from judging.services.plans.run_plan import CandidatePair

CandidateIds = tuple[int, ...]
"""Ids of the candidates in one question or request: one, an ordered pair, or none (the task alone)."""


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A judge's reasoning or criteria; or the error if it wrote nothing."""

    text: str
    error: str


@dataclass(frozen=True, slots=True)
class QuestionTexts:
    """Texts that fill prompts, by id.

    contexts: context -> text. references: context -> reference text, empty if it has none.
    candidates: candidate -> text. context_of: candidate -> context. keys: candidate -> key.
    criteria: context -> the judge's criteria; empty if the run uses none.
    holders: who gets the sentence that a robustness run adds; None for an ordinary run.
    """

    contexts: dict[int, str]
    references: dict[int, str]
    candidates: dict[int, str]
    context_of: dict[int, int]
    keys: dict[int, str]
    criteria: Mapping[int, WrittenText] = field(default_factory=dict)
    holders: SentenceHolders | None = None

    def shown(self, candidate: int, pair: CandidatePair) -> str:
        """Return the text of a candidate as the judge sees it in a pair."""
        text = self.candidates[candidate]
        return text if self.holders is None else self.holders.text(candidate, pair, text)

    def fill_criteria(self, prompt: WordedPrompt, candidate: int) -> WordedPrompt:
        """Put the criteria of a candidate's context into a prompt, or nothing if there are none."""
        written = self.criteria.get(self.context_of[candidate])
        return prompt.with_criteria(written.text if written else "")

    def criteria_problem(self, candidate: int) -> str:
        """Return why the criteria of a candidate's context are missing; empty if they are not."""
        written = self.criteria.get(self.context_of[candidate])
        return f"the judge failed to write criteria: {written.error}" if written and written.error else ""


@dataclass(frozen=True, slots=True)
class QuestionSource:
    """The texts that a run's questions show. reasonings: subject -> the judge's reasoning."""

    method: Method
    prompt: WordedPrompt
    texts: QuestionTexts
    reasonings: Mapping[CandidateIds, WrittenText]

    def problem(self, item: CandidateIds) -> str:
        """Return why the criteria or the reasoning for a question are missing; empty if they are not."""
        return self.texts.criteria_problem(item[0]) or "; ".join(
            f"the judge failed to write its reasoning{self._describe(subject)}: {self.reasonings[subject].error}"
            for subject in reasoning_subjects(self.method, item)
            if self.reasonings[subject].error
        )

    def question(self, item: CandidateIds) -> Question:
        reasonings = [self.reasonings[subject].text for subject in reasoning_subjects(self.method, item)]
        return build_question(self.prompt, self.texts, item, reasonings=reasonings)

    def _describe(self, subject: CandidateIds) -> str:
        """Describe what reasoning is about; empty for the task."""
        if len(subject) == 1:
            return f' about candidate "{self.texts.keys[subject[0]]}"'
        return " about the pair" if subject else ""


def load_texts_of(run: Run, items: Iterable[Sequence[int]]) -> QuestionTexts:
    """Load the texts that a run's questions show. items: as in `load_texts`."""
    return load_texts(items, holders=sentence_holders(run.dataset, run.spec) if run.added_sentence else None)


def load_texts(items: Iterable[Sequence[int]], *, holders: SentenceHolders | None = None) -> QuestionTexts:
    """Load the texts of these candidates and of their contexts. items: pairs or single candidates.

    holders: who gets an added sentence.
    """
    ids = {candidate for item in items for candidate in item}
    rows = list(Candidate.objects.filter(pk__in=ids).values_list("pk", "context_id", "key", "text"))
    context_ids = {context for _, context, _, _ in rows}
    contexts = list(Context.objects.filter(pk__in=context_ids).values_list("pk", "text", "reference"))
    return QuestionTexts(
        contexts={pk: text for pk, text, _ in contexts},
        references={pk: reference for pk, _, reference in contexts},
        candidates={pk: text for pk, _, _, text in rows},
        context_of={pk: context for pk, context, _, _ in rows},
        keys={pk: key for pk, _, key, _ in rows},
        holders=holders,
    )


def reasoning_subjects(method: Method, item: CandidateIds) -> tuple[CandidateIds, ...]:
    """Return what the judge reasons about before it answers on an item: each candidate alone, or the pair.

    method: as its prompt asks it. `((),)` if it reasons once, about the task; `()` if it writes no reasoning before.
    """
    if not method.reasons:
        return ()
    if method.reasons_once:
        return ((),)
    return (item,) if method.reasons_about_pairs else tuple((candidate,) for candidate in item)


def comparison_question(
    prompt: WordedPrompt, texts: QuestionTexts, pair: CandidatePair, *, reasonings: Sequence[str] = ()
) -> Question:
    """Build the question about an ordered pair. reasonings: one text for each of its `reasoning_subjects`."""
    first, second = pair
    alone = reasonings if len(reasonings) == 2 else ("", "")
    return texts.fill_criteria(prompt, first).question(
        context=texts.contexts[texts.context_of[first]],
        first=texts.shown(first, pair),
        second=texts.shown(second, pair),
        analysis_first=alone[0],
        analysis_second=alone[1],
        reasoning=reasonings[0] if len(reasonings) == 1 else "",
    )


def score_question(
    prompt: WordedPrompt, texts: QuestionTexts, candidate: int, *, reasonings: Sequence[str] = ()
) -> Question:
    """Build the question for the score of one candidate. reasonings: as for a pair."""
    context = texts.context_of[candidate]
    return texts.fill_criteria(prompt, candidate).score_question(
        context=texts.contexts[context],
        candidate=texts.candidates[candidate],
        reasoning=reasonings[0] if reasonings else "",
        reference=texts.references[context],
    )


def build_question(
    prompt: WordedPrompt, texts: QuestionTexts, item: CandidateIds, *, reasonings: Sequence[str] = ()
) -> Question:
    """Build the question about one candidate (for a score) or about an ordered pair."""
    if len(item) == 1:
        return score_question(prompt, texts, item[0], reasonings=reasonings)
    return comparison_question(prompt, texts, (item[0], item[1]), reasonings=reasonings)


def reasoning_request(
    prompt: WordedPrompt, texts: QuestionTexts, subject: CandidateIds, *, max_new_tokens: int
) -> Request:
    """Build the request for reasoning about one candidate, a pair, or the task."""
    text = _reasoning_prompt(prompt, texts, subject)
    return Request(text, prompt.system, max_new_tokens=max_new_tokens, thinking=prompt.thinking)


def _reasoning_prompt(prompt: WordedPrompt, texts: QuestionTexts, subject: CandidateIds) -> str:
    if not subject:
        return prompt.reasoning()
    context, prompt = texts.contexts[texts.context_of[subject[0]]], texts.fill_criteria(prompt, subject[0])
    return prompt.reasoning([texts.candidates[candidate] for candidate in subject], context=context)
