"""Criteria that a judge writes for itself about each context, before it answers. LLMBar calls them metrics [Zeng2024].

The judge writes the criteria once for a context. Each question about the context then shows them.
"""

from dataclasses import dataclass, replace

from evenhand.prompting.methods import CRITERIA
from evenhand.prompting.placeholders import (
    CRITERIA_PLACEHOLDER,
    TemplatePart,
    fill_template,
    join_parts,
    split_template,
)
from evenhand.prompting.templates import PromptText, require_words
from evenhand.prompting.wording import Wording


@dataclass(frozen=True, slots=True)
class CriteriaPrompt:
    """A named, versioned prompt for criteria.

    request: template of the request for criteria; contains `<context>` and no candidate.
    block: template of the part of a question that shows the criteria, as `<metrics>`.
    max_new_tokens: limit of the criteria.
    """

    name: str
    version: int
    request: str
    block: str
    max_new_tokens: int
    system: str = ""
    source: str = ""

    def text(self, wording: Wording, *, context: str) -> str:
        """Return the request for criteria about a context."""
        return join_parts(self.parts(wording), {"<context>": context})

    def parts(self, wording: Wording) -> tuple[TemplatePart, ...]:
        """Return the split request, with its words and without the context."""
        return split_template(self.request, wording.values())

    def require_words(self, wording: Wording) -> None:
        """Raise PromptError if the prompt needs a word that the dataset does not give."""
        require_words(self.name, (self.request, self.block, self.system), wording)

    def system_text(self, wording: Wording) -> str:
        return fill_template(self.system, wording, {})


def with_criteria(prompt: PromptText, criteria: CriteriaPrompt) -> PromptText:
    """Return the prompt with the criteria in its template and in its reasoning template.

    They replace `<metrics>`; without that placeholder they come before the last paragraph, which is the question.
    """
    template, reasoning = (_insert_block(text, criteria.block) for text in (prompt.template, prompt.reasoning_template))
    return replace(prompt, template=template, reasoning_template=reasoning)


def without_criteria(prompt: PromptText) -> PromptText:
    """Return the prompt without the placeholder for criteria."""
    template, reasoning = (
        text.replace(f"\n\n{CRITERIA_PLACEHOLDER}", "").replace(CRITERIA_PLACEHOLDER, "")
        for text in (prompt.template, prompt.reasoning_template)
    )
    return replace(prompt, template=template, reasoning_template=reasoning)


def _insert_block(template: str, block: str) -> str:
    if not template:
        return ""
    if CRITERIA_PLACEHOLDER in template:
        return template.replace(CRITERIA_PLACEHOLDER, block)
    before, blank_line, question = template.rpartition("\n\n")
    return f"{before}{blank_line}{block}\n\n{question}"


def criteria_prompt(prompt: PromptText) -> CriteriaPrompt:
    """Return a prompt of method "metrics" as a CriteriaPrompt: its reasoning template is the request."""
    return CriteriaPrompt(
        name=prompt.name,
        version=prompt.version,
        request=prompt.reasoning_template,
        block=prompt.template,
        max_new_tokens=CRITERIA.reasoning_tokens,
        system=prompt.system,
        source=prompt.source,
    )
