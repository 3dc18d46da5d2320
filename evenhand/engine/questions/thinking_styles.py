"""How a chat template marks thinking, found by rendering a trial message with it. No torch, no tokenizer."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from evenhand.engine.exceptions import QuestionRefused
from evenhand.engine.questions.thinking import Thinking

THINKING_MARKS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("◁think▷", "◁/think▷"),
)
"""Beginning and end of a block of thinking, in chat templates and replies of public models."""
TRIAL_TEXT = "Which of these two letters comes first in the alphabet?"
SWITCHES = ("enable_thinking", "thinking")
"""Names by which templates switch thinking on and off."""
EFFORT = "reasoning_effort"

CHANNEL = "<|channel|>"
ANALYSIS, ANALYSIS_END = f"{CHANNEL}analysis<|message|>", "<|end|>"
FINAL = f"{CHANNEL}final<|message|>"

RenderEnding = Callable[[Mapping[str, object]], str]
"""Renders TRIAL_TEXT with these template arguments; returns the text after it. Raises QuestionRefused."""


@dataclass(frozen=True, slots=True)
class ThinkingStyle:
    """How prompts of one chat template begin, end or leave out a block of thinking.

    off, on: template arguments without and with thinking.
    skips: text after the prompt that keeps the model from thinking; empty if the template does it.
    opens: text after the prompt that begins the thinking; empty if the template does it.
    ends: mark at which the thinking ends; empty for a template without thinking.
    gap: white space that precedes the mark.
    leads: text between the mark and the answer.
    takes_effort: the template knows an effort.
    off_note, on_note: for people, what is done without and with thinking; empty if nothing.
    """

    off: Mapping[str, object]
    on: Mapping[str, object]
    skips: str = ""
    opens: str = ""
    ends: str = ""
    gap: str = ""
    leads: str = ""
    takes_effort: bool = False
    off_note: str = ""
    on_note: str = ""

    def arguments(self, thinking: Thinking | None) -> dict[str, object]:
        """Return the template arguments of a prompt. Raises QuestionRefused if the model cannot think so."""
        if thinking is None:
            return dict(self.off)
        if not self.ends:
            raise QuestionRefused("the model's chat template has no thinking; start the run with thinking off")
        if thinking.effort and not self.takes_effort:
            raise QuestionRefused(
                f'the model\'s chat template takes no reasoning effort, such as "{thinking.effort}"; leave it out'
            )
        return dict(self.on) | ({EFFORT: thinking.effort} if thinking.effort else {})

    def addition(self, thinking: Thinking | None, thought: str | None) -> str:
        """Return the text after the rendered prompt. thought: the thinking; None before it is written."""
        if thinking is None:
            return self.skips
        return self.opens if thought is None else f"{self.opens}{thought}{self.ends}{self.leads}"


NO_THINKING = ThinkingStyle({}, {})


@dataclass(frozen=True, slots=True)
class _Block:
    """The block of thinking at the end of a rendered prompt.

    state: it is missing, open or closed. lead: white space before it. inner: after its beginning. after: its rest.
    """

    state: Literal["missing", "open", "closed"]
    lead: str = ""
    inner: str = ""
    after: str = ""


def find_thinking_style(template: str, render: RenderEnding) -> ThinkingStyle:
    """Find how a chat template thinks. A template without thinking, or one that fails, gives NO_THINKING."""
    try:
        if CHANNEL in template and "analysis" in template:
            return _harmony(template, render({}))
        marks = next((pair for pair in THINKING_MARKS if pair[0] in template or pair[1] in template), None)
        return NO_THINKING if marks is None else _marked(template, render, *marks)
    except QuestionRefused:
        return NO_THINKING


def _harmony(template: str, ending: str) -> ThinkingStyle:
    """Return the style of harmony's channels. ending: of a rendered prompt; it names the next speaker."""
    speaker = "<|start|>assistant"
    before = "" if ending.endswith(speaker) else speaker
    return ThinkingStyle(
        {},
        {},
        skips=before + FINAL,
        opens=before + ANALYSIS,
        ends=ANALYSIS_END,
        leads=speaker + FINAL,
        takes_effort=_knows(template, EFFORT),
        off_note="the final channel is opened",
        on_note="it thinks in the analysis channel, and answers in the final channel",
    )


def _marked(template: str, render: RenderEnding, begin: str, end: str) -> ThinkingStyle:
    """Return the style of a block between two marks."""
    known = [name for name in SWITCHES if _knows(template, name) and _has_effect(render, name)]
    off, off_ending = _rendered(render, dict.fromkeys(known, False))
    on, on_ending = _rendered(render, dict.fromkeys(known, True))
    without, with_block = _block(off_ending, begin, end), _block(on_ending, begin, end)
    if with_block.state == "closed":
        return ThinkingStyle(off, off, off_note=_switched(off))
    gap, leads = _spaces(without, with_block)
    return ThinkingStyle(
        off,
        on,
        skips=_skips(without, begin, end, gap, leads),
        opens=_opens(without, with_block, begin, gap, on_ending),
        ends=end,
        gap=gap,
        leads=leads,
        takes_effort=_knows(template, EFFORT),
        off_note=_off_note(off, without),
        on_note=f"it thinks until {end}",
    )


def _rendered(render: RenderEnding, arguments: dict[str, object]) -> tuple[dict[str, object], str]:
    """Render with these arguments, or without any if the template fails on them."""
    try:
        return arguments, render(arguments)
    except QuestionRefused:
        return {}, render({})


def _has_effect(render: RenderEnding, switch: str) -> bool:
    """Return True if a switch changes the prompt's end, or if the template fails on one of its values."""
    try:
        return render({switch: False}) != render({switch: True})
    except QuestionRefused:
        return True


def _block(ending: str, begin: str, end: str) -> _Block:
    """Find the last block of thinking at the end of a rendered prompt."""
    begins, ends = ending.rfind(begin), ending.rfind(end)
    if begins < 0 and ends < 0:
        return _Block("missing")
    if ends >= 0 and ends > begins:
        before, inner = (ending[:begins], ending[begins + len(begin) : ends]) if begins >= 0 else ("", "")
        return _Block("closed", _white_end(before), inner, ending[ends + len(end) :])
    return _Block("open", _white_end(ending[:begins]), ending[begins + len(begin) :])


def _spaces(without: _Block, with_block: _Block) -> tuple[str, str]:
    """Return the white space before the end mark, and the text after it.

    A closed block of the template shows both. An open block that begins with a new line ends with one, and an empty
    line follows, as in the templates of Qwen3 and DeepSeek-R1.
    """
    if without.state == "closed":
        return without.inner[len(without.inner) // 2 :], without.after
    if with_block.state == "open" and "\n" not in with_block.inner:
        return "", ""
    return "\n", "\n\n"


def _skips(without: _Block, begin: str, end: str, gap: str, leads: str) -> str:
    """Return the text that closes an open block, or adds an empty one."""
    if without.state == "closed":
        return ""
    opened = "" if without.state == "open" else begin + gap
    return f"{opened}{gap}{end}{leads}"


def _opens(without: _Block, with_block: _Block, begin: str, gap: str, on_ending: str) -> str:
    """Return the text that begins a block, with the white space around it that the template's own block has."""
    if with_block.state == "open":
        return ""
    has_lead = bool(_white_end(on_ending)) or without.state != "closed"
    lead = "" if has_lead else without.lead
    inner = without.inner[: len(without.inner) // 2] if without.state == "closed" else gap
    return f"{lead}{begin}{inner}"


def _off_note(off: Mapping[str, object], without: _Block) -> str:
    notes = [_switched(off)] if off else []
    if without.state == "open":
        notes.append("the open block of thinking is closed")
    if without.state == "missing":
        notes.append("an empty block of thinking is added")
    return ", ".join(notes)


def _switched(off: Mapping[str, object]) -> str:
    return " and ".join(f"{name}={value}" for name, value in off.items()) + " in the chat template" if off else ""


def _knows(template: str, name: str) -> bool:
    """Return True if a template uses an argument of this name."""
    return re.search(rf"(?<![\w.'\"]){name}\b", template) is not None


def _white_end(text: str) -> str:
    """Return the white space at the end of a text."""
    return text[len(text.rstrip()) :]
