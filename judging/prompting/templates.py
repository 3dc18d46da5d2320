"""Prompt text, wording and a pair of candidates in; the string that a judge reads out.

A template is text with placeholders. `<context>`, `<A>`, `<B>`, `<analysis A>`, `<analysis B>` and `<reasoning>` stand
for texts, `{adjective}`, `{attribute}`, `{definition}` and the nouns (`{candidate_noun}`, `{Candidate_noun}` with a
capital, and the same for the context) for the dataset's words. Everything is put in at once: what a candidate contains
is never taken for a placeholder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass

from judging.engine import LikelihoodQuestion, Question, ScaleQuestion
from judging.engine.metrics import Against, MetricQuestion
from judging.engine.questions.scale_questions import is_scale
from judging.prompting.methods import PROMPTED, Method, Reading
from judging.prompting.placeholders import PLACEHOLDER, Part, filled, given, parts_of
from judging.prompting.wording import Wording, default_adjective

__all__ = [
    "PromptError",
    "PromptText",
    "TemplateProblem",
    "WordedPrompt",
    "Wording",
    "check_template",
    "default_adjective",
    "prompt_problems",
    "require_valid",
]

_NOUNS = frozenset({"{candidate_noun}", "{Candidate_noun}", "{context_noun}", "{Context_noun}"})
_WORDS = frozenset({"{adjective}", "{attribute}", "{definition}"}) | _NOUNS


NO_LABELS = {
    Reading.LIKELIHOOD: "the candidate itself follows the prompt",
    Reading.METRIC: "a metric answers in no words",
    Reading.NOTHING: "what the judge writes is shown, not read off",
}


class PromptError(ValueError):
    """A prompt cannot be used; the message names the place and the reason."""


@dataclass(frozen=True, slots=True)
class PromptText:
    """A named, versioned prompt: what a method needs to ask.

    template: of a method in two steps the second, which shows what was written in the first; for scores it shows one
        candidate, as `<A>`.
    reasoning_template: the first step, which shows one candidate as `<A>`, the pair, or neither; empty for other
        methods.
    answer_prefix: what stands before the label word, without surrounding spaces; may contain nouns, not texts.
    label_first, label_second: the two label words; for a score read off a scale the lowest and the highest, whole
        numbers. A method that asks how likely a text is has none, and no answer_prefix: the text itself follows.
    source: where the wording comes from.
    label_tie: of a method that compares, the label word of a tie; empty where the judge has to choose.
    """

    name: str
    version: int
    method: str
    template: str
    answer_prefix: str = ""
    label_first: str = ""
    label_second: str = ""
    system: str = ""
    reasoning_template: str = ""
    source: str = ""
    label_tie: str = ""

    def worded(self, wording: Wording) -> WordedPrompt:
        """The prompt in the words of one dataset and attribute.

        Raises PromptError if the prompt is faulty, or asks for a definition and the attribute has none.
        """
        require_valid(self)
        require_words(self.name, (self.template, self.reasoning_template, self.system), wording)
        return WordedPrompt(self, wording)


def require_words(name: str, texts: Iterable[str], wording: Wording) -> None:
    """Raises PromptError where the texts of a prompt ask for a word that is not there."""
    if not wording.definition and any("{definition}" in text for text in texts):
        raise PromptError(
            f'prompt "{name}" asks for {{definition}}, and the attribute "{wording.attribute}" has none; '
            "give the attribute a definition or choose another prompt"
        )


class WordedPrompt:
    """A prompt with every word in place; only the texts are missing."""

    def __init__(self, prompt: PromptText, wording: Wording) -> None:
        words = wording.values()
        self._reading = PROMPTED[prompt.method].reading
        self.label_first = prompt.label_first
        self.label_second = prompt.label_second
        self.label_tie = prompt.label_tie
        self.answer_prefix = filled(parts_of(prompt.answer_prefix, words), {})
        self.system = filled(parts_of(prompt.system, words), {})
        self._against = _against(prompt.template)
        self._template = parts_of(prompt.template, words)
        self._reasoning = parts_of(prompt.reasoning_template, words)

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
        """What the judge reads to compare `first`, shown as A, with `second`, shown as B.

        analysis_first, analysis_second: what it wrote about each alone; reasoning: about both.
        """
        texts = {"<context>": context, "<A>": first, "<B>": second}
        written = {"<analysis A>": analysis_first, "<analysis B>": analysis_second, "<reasoning>": reasoning}
        return filled(self._template, texts | written)

    def question(self, *, context: str, first: str, second: str, **written: str) -> Question:
        """The same, with everything an engine needs."""
        text = self.comparison(context=context, first=first, second=second, **written)
        labels = (self.label_first, self.label_second)
        return Question(text, self.answer_prefix, *labels, self.system, self.label_tie)

    def given(self, metrics: str) -> WordedPrompt:
        """The prompt with the metrics that the judge wrote for a context."""
        known = copy(self)
        known._template, known._reasoning = (given(parts, metrics) for parts in (self._template, self._reasoning))
        return known

    @property
    def first_step(self) -> tuple[Part, ...]:
        """What the judge reads in its first step, without the texts; empty without one."""
        return self._reasoning

    def reasoning(self, *, context: str, candidate: str) -> str:
        """What the judge reads to think about one candidate alone (prepair's first step)."""
        return filled(self._reasoning, {"<context>": context, "<A>": candidate})

    def pair_reasoning(self, *, context: str, first: str, second: str) -> str:
        """What the judge reads to think about a pair (the first step of cot and prepair-star)."""
        return filled(self._reasoning, {"<context>": context, "<A>": first, "<B>": second})

    def reasoning_beforehand(self) -> str:
        """What the judge reads to think about the task, before it is shown anything (the first step of geval)."""
        return filled(self._reasoning, {})

    def scoring(self, *, context: str, candidate: str, reasoning: str = "", reference: str = "") -> str:
        """What the judge reads to score one candidate.

        reasoning: what it wrote beforehand. reference: of the context; a metric alone is shown it.
        """
        texts = {"<context>": context, "<A>": candidate, "<reasoning>": reasoning, "<reference>": reference}
        return filled(self._template, texts)

    def score_question(self, *, context: str, candidate: str, reasoning: str = "", reference: str = "") -> Question:
        """The same, with everything an engine needs: a question of the kind that the method is read off."""
        text = self.scoring(context=context, candidate=candidate, reasoning=reasoning, reference=reference)
        if self._reading is Reading.LIKELIHOOD:
            return LikelihoodQuestion(text, "", candidate, "", self.system)
        if self._reading is Reading.METRIC:
            other = {"reference": reference, "context": context, "": ""}[self._against]
            return MetricQuestion(text, "", "", "", candidate=candidate, against=self._against, other=other)
        kind = ScaleQuestion if self._reading is Reading.SCALE else Question
        return kind(text, self.answer_prefix, self.label_first, self.label_second, self.system)


def _against(template: str) -> Against:
    """What a metric holds a candidate against: what is shown beside it."""
    if "<reference>" in template:
        return "reference"
    return "context" if "<context>" in template else ""


@dataclass(frozen=True, slots=True)
class TemplateProblem:
    """One fault of a template. line, column: from 1; both 0 for something that is missing."""

    placeholder: str
    line: int
    column: int
    reason: str

    def __str__(self) -> str:
        where = f"line {self.line}, column {self.column}: " if self.line else ""
        return f"{where}{self.placeholder} {self.reason}"


def check_template(template: str, *, method: str, reasoning: bool = False) -> list[TemplateProblem]:
    """Every fault of a template of a method, or of its reasoning template; empty if there is none.

    A tag that is closed again (`<article>…</article>`) is no placeholder. Raises PromptError for an unknown method.
    """
    rules = _rules(method)
    required = (rules.reasoning or frozenset()) if reasoning else rules.template
    known = rules.known(reasoning=reasoning) | _WORDS
    problems = [
        _unknown_placeholder(template, match, known)
        for match in PLACEHOLDER.finditer(template)
        if match.group() not in known and f"</{match.group()[1:]}" not in template
    ]
    missing = sorted(required - set(PLACEHOLDER.findall(template)))
    return problems + [TemplateProblem(name, 0, 0, "is missing; the judge would not see it") for name in missing]


def _rules(method: str) -> Method:
    if method not in PROMPTED:
        raise PromptError(f'method "{method}" is unknown; choose one of: {", ".join(PROMPTED)}')
    return PROMPTED[method]


def _unknown_placeholder(template: str, match: re.Match[str], known: frozenset[str]) -> TemplateProblem:
    before = template[: match.start()]
    line, column = before.count("\n") + 1, match.start() - (before.rfind("\n") + 1) + 1
    return TemplateProblem(match.group(), line, column, f"is unknown here; known are {', '.join(sorted(known))}")


def require_valid(prompt: PromptText) -> None:
    """Raises PromptError, naming every fault of the prompt."""
    if problems := prompt_problems(prompt):
        raise PromptError(f'prompt "{prompt.name}": ' + "; ".join(problems))


def prompt_problems(prompt: PromptText) -> list[str]:
    """Every fault of a prompt, each beginning with its field; empty if there is none.

    Raises PromptError for an unknown method.
    """
    problems = [f"template: {problem}" for problem in check_template(prompt.template, method=prompt.method)]
    if not _rules(prompt.method).reasons:
        problems += ["reasoning_template: this method has none"] if prompt.reasoning_template else []
    elif not prompt.reasoning_template.strip() and _rules(prompt.method).reasons_once:
        problems.append("reasoning_template: is empty; the judge would be asked to write nothing first")
    else:
        found = check_template(prompt.reasoning_template, method=prompt.method, reasoning=True)
        problems += [f"reasoning_template: {problem}" for problem in found]
    return problems + _word_problems(prompt) + _label_problems(prompt)


def _word_problems(prompt: PromptText) -> list[str]:
    """Faults of what is shown beside the template: only words may stand there, no texts."""
    shown = {"system": prompt.system, "answer_prefix": prompt.answer_prefix}
    return [
        f"{field}: {_unknown_placeholder(text, match, _WORDS)}"
        for field, text in shown.items()
        for match in PLACEHOLDER.finditer(text)
        if match.group() not in _WORDS
    ]


def _label_problems(prompt: PromptText) -> list[str]:
    method = _rules(prompt.method)
    if prompt.label_tie and method.is_scoring:
        return ["label_tie: only a method that compares can offer a tie; leave it empty"]
    if method.reads_scale:
        return _scale_problems(prompt)
    if not method.has_labels:
        return _no_label_problems(prompt)
    if not prompt.label_first.strip() or not prompt.label_second.strip():
        return ["label_first, label_second: both label words must be given"]
    if prompt.label_first.strip() == prompt.label_second.strip():
        return [f'label_first, label_second: both are "{prompt.label_first}"; the answers could not be told apart']
    if prompt.label_tie and prompt.label_tie.strip() in ("", prompt.label_first.strip(), prompt.label_second.strip()):
        return [f'label_tie: "{prompt.label_tie}" — give a word that is neither of the two others']
    return []


def _no_label_problems(prompt: PromptText) -> list[str]:
    if not (prompt.answer_prefix or prompt.label_first or prompt.label_second or prompt.label_tie):
        return []
    why = NO_LABELS[_rules(prompt.method).reading]
    return [f"answer_prefix, label_first, label_second: leave them empty; {why}"]


def _scale_problems(prompt: PromptText) -> list[str]:
    if is_scale(prompt.label_first, prompt.label_second):
        return []
    return [
        f'label_first, label_second: "{prompt.label_first}" and "{prompt.label_second}" are the ends of no scale; '
        "give the lowest and the highest score as whole numbers"
    ]
