"""Self-generated metrics: what a judge is asked to write about a context alone, and where a question shows it.

Put in front of a method as LLMBar does [Zeng2024]: the judge first proposes what to look at for this context, once, and
is then asked as ever with that at hand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from judging.prompting.methods import CRITERIA
from judging.prompting.placeholders import METRICS, Part, fill, filled, parts_of
from judging.prompting.templates import PromptText, Wording, require_words


@dataclass(frozen=True, slots=True)
class MetricsPrompt:
    """A named, versioned prompt by which a judge writes its own metrics.

    request: what it reads to write them; shows `<context>` and no candidate. max_new_tokens: where it is cut off.
    block: the part of a question that shows what it wrote, as `<metrics>`.
    """

    name: str
    version: int
    request: str
    block: str
    max_new_tokens: int
    system: str = ""
    source: str = ""

    def text(self, wording: Wording, *, context: str) -> str:
        """What the judge reads to write metrics for a context."""
        return filled(self.parts(wording), {"<context>": context})

    def parts(self, wording: Wording) -> tuple[Part, ...]:
        """The same without the context."""
        return parts_of(self.request, wording.values())

    def require_words(self, wording: Wording) -> None:
        """Raises PromptError where it asks for a word that is not there."""
        require_words(self.name, (self.request, self.block, self.system), wording)

    def system_text(self, wording: Wording) -> str:
        return fill(self.system, wording, {})


def with_metrics(prompt: PromptText, metrics: MetricsPrompt) -> PromptText:
    """A prompt that shows the metrics in every step: where its template has `<metrics>`, else before its last
    paragraph, which is the question.
    """
    return replace(
        prompt,
        template=_shown(prompt.template, metrics.block),
        reasoning_template=_shown(prompt.reasoning_template, metrics.block),
    )


def without_metrics(prompt: PromptText) -> PromptText:
    """The prompt with nothing where its template has a place for metrics."""
    return replace(prompt, template=_bare(prompt.template), reasoning_template=_bare(prompt.reasoning_template))


def _shown(template: str, block: str) -> str:
    if not template:
        return ""
    if METRICS in template:
        return template.replace(METRICS, block)
    before, blank_line, question = template.rpartition("\n\n")
    return f"{before}{blank_line}{block}\n\n{question}"


def _bare(template: str) -> str:
    return template.replace(f"\n\n{METRICS}", "").replace(METRICS, "")


def metrics_prompt(prompt: PromptText) -> MetricsPrompt:
    """A prompt of method metrics: its first step is the request, its template the block."""
    return MetricsPrompt(
        name=prompt.name,
        version=prompt.version,
        request=prompt.reasoning_template,
        block=prompt.template,
        max_new_tokens=CRITERIA.reasoning_tokens,
        system=prompt.system,
        source=prompt.source,
    )
