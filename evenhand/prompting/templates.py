"""Prompts: the template of a method, the checks of a template, and the text that a judge reads.

A template is text with placeholders. `<context>`, `<A>`, `<B>`, `<analysis A>`, `<analysis B>` and `<reasoning>` stand
for texts. `{adjective}`, `{attribute}`, `{definition}` and the nouns (`{candidate_noun}`, `{Candidate_noun}` with a
capital, and the same for the context) stand for words of the dataset. All are filled in one step, so that a
placeholder inside a candidate is never replaced.
"""

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Annotated

from evenhand.engine import LikelihoodQuestion, Question, ScaleQuestion, Thinking
from evenhand.engine.metrics import Against, MetricQuestion
from evenhand.engine.questions.reply_questions import REPLY_TOKENS, DecisionQuestion, ReplyQuestion
from evenhand.engine.questions.scale_questions import is_scale
from evenhand.engine.questions.verdict_patterns import Place
from evenhand.options import Option
from evenhand.prompting.methods import PROMPTED, Method, Reading
from evenhand.prompting.placeholders import (
    PLACEHOLDER,
    fill_template,
    insert_criteria,
    join_parts,
    split_template,
)
from evenhand.prompting.template_problems import WORDS, PromptError, check_template, method_named, unknown_placeholder
from evenhand.prompting.verdicts import LONGEST_REPLY, PLACES, has_two_scores, verdict_problems, worded_pattern
from evenhand.prompting.wording import Wording

NO_LABELS = {
    Reading.LIKELIHOOD: "the candidate itself follows the prompt",
    Reading.DECISION: "the choices are the two candidates",
    Reading.METRIC: "a metric gives a number, not words",
    Reading.NOTHING: "other prompts show the judge's text; it is no answer",
}
VERDICT = Option(
    "Forms of the verdict in a reply, one a line, with <verdict>, <score>, or <score A> and <score B>; empty if the "
    "answer is a label word alone."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptText:
    """A named, versioned prompt of one method.

    template: text of the question. It shows the reasoning, if the method has one. A prompt for scores shows one
        candidate, as `<A>`.
    reasoning_template: text of the request for reasoning, with one candidate as `<A>`, the pair, or neither. Empty
        for a method without reasoning.
    answer_prefix: beginning of the answer before the label word, without surrounding spaces. It may contain words of
        the dataset, and no texts.
    label_first, label_second: the two label words; for a scale, the lowest and the highest score as whole numbers.
        Both, and answer_prefix, are empty for a method that reads the likelihood of the candidate.
    source: origin of the wording.
    label_tie: the label word of a tie, for a method that compares; empty if the judge must choose.
    verdict: the forms of the verdict in a reply, one a line; empty if the judge answers with a label word alone. A
        prompt with a verdict has no reasoning about the pair before: the reply holds it.
    verdict_place: the verdict that counts, a value of Place. reply_tokens: limit on the tokens of a reply.
    """

    name: str
    version: Annotated[int, Option("1 for a new name, else the next version of that name.", low=1)] = 1
    method: Annotated[str, Option(f"One of: {', '.join(PROMPTED)}.")]
    template: str
    answer_prefix: str = ""
    label_first: str = ""
    label_second: str = ""
    system: str = ""
    reasoning_template: str = ""
    source: str = ""
    label_tie: str = ""
    verdict: Annotated[str, VERDICT] = ""
    verdict_place: Annotated[str, Option(f"One of: {', '.join(PLACES)}.")] = Place.ANYWHERE.value
    reply_tokens: Annotated[int, Option(low=1, high=LONGEST_REPLY)] = REPLY_TOKENS

    @property
    def asked_method(self) -> Method:
        """Its method, as this prompt asks it. Raises PromptError for an unknown method."""
        method = method_named(self.method)
        return method.in_one_reply() if self.verdict else method

    def worded(self, wording: Wording) -> "WordedPrompt":
        """Return the prompt with the words of one dataset and attribute.

        Raises PromptError if the prompt is invalid, or needs a definition that the attribute does not have.
        """
        require_valid(self)
        require_words(self.name, (self.template, self.reasoning_template, self.system), wording)
        return WordedPrompt(self, wording)


def require_words(name: str, texts: Iterable[str], wording: Wording) -> None:
    """Raise PromptError if the texts of a prompt need a definition that the attribute does not have."""
    if not wording.definition and any("{definition}" in text for text in texts):
        raise PromptError(
            f'prompt "{name}" asks for {{definition}}, and the attribute "{wording.attribute}" has none; '
            "give the attribute a definition or choose another prompt"
        )


class WordedPrompt:
    """A prompt with the words of a dataset and attribute; only the texts are missing."""

    def __init__(self, prompt: PromptText, wording: Wording) -> None:
        words = wording.values()
        self._reading = PROMPTED[prompt.method].reading
        self._asks_reasoning = PROMPTED[prompt.method].reasons_about_pairs
        self._reply_tokens = prompt.reply_tokens
        self._temperature, self._seed = 0.0, 0
        self.pattern = worded_pattern(prompt, wording)
        self.label_first = prompt.label_first
        self.label_second = prompt.label_second
        self.label_tie = prompt.label_tie
        self.answer_prefix = fill_template(prompt.answer_prefix, wording, {})
        self.system = fill_template(prompt.system, wording, {})
        self.thinking: Thinking | None = None
        self._against = _against(prompt.template)
        self._template = split_template(prompt.template, words)
        self._state = split_template(_before_second(prompt.template), words)
        self._choices = tuple(fill_template(f"{{Candidate_noun}} {letter}", wording, {}) for letter in "AB")
        self.reasoning_parts = split_template(prompt.reasoning_template, words)

    def comparison(
        self,
        *,
        context: str,
        first: str,
        second: str,
        analysis_first: str = "",
        analysis_second: str = "",
        reasoning: str = "",
    ) -> str:
        """Return the text of a comparison of `first`, shown as A, with `second`, shown as B.

        analysis_first, analysis_second: the judge's analysis of each candidate alone.
        reasoning: the judge's reasoning about both.
        """
        texts = {"<context>": context, "<A>": first, "<B>": second}
        written = {"<analysis A>": analysis_first, "<analysis B>": analysis_second, "<reasoning>": reasoning}
        return join_parts(self._template, texts | written)

    def question(self, *, context: str, first: str, second: str, **written: str) -> Question:
        """Return a comparison as a question for an engine. written: analyses or reasoning, as in `comparison`."""
        text = self.comparison(context=context, first=first, second=second, **written)
        if self._reading is Reading.DECISION:
            state = join_parts(self._state, {"<context>": context, "<A>": first})
            words = ("", self._choices[0], self._choices[1], self.system)
            return DecisionQuestion(text, *words, candidates=(first, second), state=state)
        return self._ask(Question, text, (first, second))

    def _ask(self, kind: type[Question], text: str, candidates: tuple[str, ...]) -> Question:
        """Return a question with label words; for a prompt with a verdict, one that a reply answers."""
        labels = (self.label_first, self.label_second)
        if self.pattern is None:
            words = (self.answer_prefix, *labels, self.system, self.label_tie)
            return kind(text, *words, self.thinking, candidates=candidates)
        return ReplyQuestion(
            text,
            "",
            *labels,
            self.system,
            self.label_tie,
            self.thinking,
            candidates=candidates,
            pattern=self.pattern,
            max_new_tokens=self._reply_tokens,
            asks_reasoning=self._asks_reasoning,
            temperature=self._temperature,
            seed=self._seed,
        )

    def with_decoding(self, *, temperature: float, seed: int) -> "WordedPrompt":
        """Return the prompt with the sampling temperature of its replies, and the run's seed."""
        prompt = copy(self)
        prompt._temperature, prompt._seed = temperature, seed
        return prompt

    def with_thinking(self, thinking: Thinking | None) -> "WordedPrompt":
        """Return the prompt for a judge that thinks first, or that must not think."""
        prompt = copy(self)
        prompt.thinking = thinking
        return prompt

    def with_criteria(self, criteria: str) -> "WordedPrompt":
        """Return the prompt with the criteria that the judge wrote for a context."""
        prompt = copy(self)
        prompt._template = insert_criteria(self._template, criteria)
        prompt.reasoning_parts = insert_criteria(self.reasoning_parts, criteria)
        return prompt

    def reasoning(self, candidates: Sequence[str] = (), *, context: str = "") -> str:
        """Return the request for reasoning about one candidate, about a pair, or without texts about the task."""
        texts = dict(zip(("<A>", "<B>"), candidates, strict=False))
        return join_parts(self.reasoning_parts, {"<context>": context, **texts})

    def scoring(self, *, context: str, candidate: str, reasoning: str = "", reference: str = "") -> str:
        """Return the text of a question for the score of one candidate.

        reasoning: the judge's reasoning about the task. reference: reference text of the context, for metrics only.
        """
        texts = {"<context>": context, "<A>": candidate, "<reasoning>": reasoning, "<reference>": reference}
        return join_parts(self._template, texts)

    def score_question(self, *, context: str, candidate: str, reasoning: str = "", reference: str = "") -> Question:
        """Return a question for the score of one candidate, of the kind that the method reads."""
        text = self.scoring(context=context, candidate=candidate, reasoning=reasoning, reference=reference)
        if self._reading is Reading.LIKELIHOOD:
            return LikelihoodQuestion(text, "", candidate, "", self.system)
        if self._reading is Reading.METRIC:
            other = {"reference": reference, "context": context, "": ""}[self._against]
            return MetricQuestion(text, "", "", "", candidate=candidate, against=self._against, other=other)
        return self._ask(ScaleQuestion if self._reading is Reading.SCALE else Question, text, (candidate,))


def _before_second(template: str) -> str:
    """Return a template up to the paragraph with the second candidate: what a decision model gets as the state."""
    return template.partition("<B>")[0].rpartition("\n\n")[0]


def _against(template: str) -> Against:
    """Return the text that a metric compares a candidate with, from the template's placeholders."""
    if "<reference>" in template:
        return "reference"
    return "context" if "<context>" in template else ""


def require_valid(prompt: PromptText) -> None:
    """Raise PromptError with every problem of the prompt."""
    if problems := prompt_problems(prompt):
        raise PromptError(f'prompt "{prompt.name}": ' + "; ".join(problems))


def prompt_problems(prompt: PromptText) -> list[str]:
    """Return every problem of a prompt, each beginning with the name of its field.

    Raises PromptError for an unknown method.
    """
    method, one_reply = method_named(prompt.method), bool(prompt.verdict)
    wrong = check_template(prompt.template, method=prompt.method, one_reply=one_reply)
    return [
        *(f"template: {problem}" for problem in wrong),
        *_reasoning_problems(prompt, method.in_one_reply() if one_reply else method),
        *_word_problems(prompt),
        *_label_problems(prompt),
        *verdict_problems(prompt, method, WORDS),
    ]


def _reasoning_problems(prompt: PromptText, method: Method) -> list[str]:
    """Return the problems of a prompt's reasoning template. method: as the prompt asks it."""
    if not method.reasons:
        why = "the reply holds the reasoning; leave it empty" if prompt.verdict else "this method has none"
        return [f"reasoning_template: {why}"] if prompt.reasoning_template else []
    if not prompt.reasoning_template.strip() and method.reasons_once:
        return ["reasoning_template: is empty; the judge would be asked to write nothing first"]
    wrong = check_template(prompt.reasoning_template, method=prompt.method, reasoning=True)
    return [f"reasoning_template: {problem}" for problem in wrong]


def _word_problems(prompt: PromptText) -> list[str]:
    """Return the problems of the system message and the answer prefix, which may contain words and no texts."""
    texts = {"system": prompt.system, "answer_prefix": prompt.answer_prefix}
    return [
        f"{field}: {unknown_placeholder(text, match, WORDS)}"
        for field, text in texts.items()
        for match in PLACEHOLDER.finditer(text)
        if match.group() not in WORDS
    ]


def _label_problems(prompt: PromptText) -> list[str]:
    method = method_named(prompt.method)
    if prompt.label_tie and method.is_scoring:
        return ["label_tie: only a method that compares can offer a tie; leave it empty"]
    if method.reads_scale:
        return _scale_problems(prompt)
    if has_two_scores(prompt):
        return []  # verdict_problems checks the ends of their scale
    if not method.has_labels:
        words = prompt.answer_prefix or prompt.label_first or prompt.label_second or prompt.label_tie
        why = NO_LABELS[method.reading] if words else ""
        return [f"answer_prefix, label_first, label_second: leave them empty; {why}"] if words else []
    if not prompt.label_first.strip() or not prompt.label_second.strip():
        return ["label_first, label_second: both label words must be given"]
    if prompt.label_first.strip() == prompt.label_second.strip():
        return [f'label_first, label_second: both are "{prompt.label_first}"; the answers could not be distinguished']
    if prompt.label_tie and prompt.label_tie.strip() in ("", prompt.label_first.strip(), prompt.label_second.strip()):
        return [f'label_tie: "{prompt.label_tie}" — give a word that is neither of the two others']
    return []


def _scale_problems(prompt: PromptText) -> list[str]:
    if is_scale(prompt.label_first, prompt.label_second):
        return []
    return [
        f'label_first, label_second: "{prompt.label_first}" and "{prompt.label_second}" are the ends of no scale; '
        "give the lowest and the highest score as whole numbers"
    ]
