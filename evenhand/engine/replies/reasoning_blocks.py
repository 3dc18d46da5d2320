"""Reasoning and answer in the text of an endpoint that does not separate them."""

import re
from collections.abc import Sequence

from evenhand.engine.questions.thinking_styles import THINKING_MARKS

OPEN, CLOSED = ("|".join(map(re.escape, marks)) for marks in zip(*THINKING_MARKS, strict=True))
OPENED_BLOCK = re.compile(rf"\s*(?:{OPEN})(?P<reasoning>.*?)(?:(?:{CLOSED})(?P<text>.*)|\Z)", re.DOTALL)
CLOSED_BLOCK = re.compile(rf"(?P<reasoning>.*?)(?:{CLOSED})(?P<text>.*)", re.DOTALL)


def split_reasoning(content: str) -> tuple[str, str]:
    """Return the reasoning and the text after it. Without a block of reasoning, the first is empty.

    A chat template may open the block itself, so that the content has only its end. A block without an end is all
    reasoning: the token limit cut it.
    """
    match = OPENED_BLOCK.match(content) or CLOSED_BLOCK.match(content)
    return (match["reasoning"], match["text"] or "") if match else ("", content)


def read_content_parts(parts: Sequence[object]) -> tuple[str, str]:
    """Return reasoning and text of a content in parts: [{"type": "thinking", …}, {"type": "text", …}]."""
    reasoning, text = [], []
    for part in parts:
        if isinstance(part, dict) and part.get("type") == "thinking":
            reasoning.append(_part_text(part.get("thinking")))
        elif isinstance(part, dict):
            text.append(_part_text(part.get("text")))
    return "".join(reasoning).strip(), "".join(text)


def _part_text(value: object) -> str:
    """Return the text of a part, which may itself be a list of parts."""
    if isinstance(value, list):
        return "".join(_part_text(one.get("text")) for one in value if isinstance(one, dict))
    return value if isinstance(value, str) else ""


def tokens_of_text(tokens: Sequence[str], text: str) -> int:
    """Return the index of the first token of the text, which stands at the end; the number of tokens if none fits.

    A special token that ends the reply may follow the text.
    """
    wanted, joined = text.strip(), ""
    for start in range(len(tokens) - 1, -1, -1):
        joined = tokens[start] + joined
        if wanted and joined.lstrip().startswith(wanted):
            return start
        if len(joined) > 2 * len(text) + 200:
            break
    return len(tokens)
