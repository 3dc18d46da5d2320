"""The text of a cell: plain texts and numbers, and conversations in the forms that public datasets use.

A conversation is a list of messages or a transcript of "Human:" and "Assistant:"; in a column of conversations also a
list of texts, the turns of one speaker. Lists may be written as JSON. Its prompt is all that the user says; its answer
is the last message.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

MISSING_SCORES = {"na", "n/a", "nan", "null", "-"}  # in any case
_TRANSCRIPT_TURN = re.compile(r"(?:^|\n\n)(Human|Assistant): ?")
_TRANSCRIPT_ROLES = {"Human": "user", "Assistant": "assistant"}
_STRUCTURE = re.compile(r"""\s*(\[\s*(["'\[{\]0-9-]|null|None)|\{\s*["'}]|(Human|Assistant):)""")


@dataclass(frozen=True, slots=True)
class Conversation:
    """The texts of a conversation. answer: None if the last message is the user's. nulls: messages without a text.

    has_both: True if both the user and somebody else speak.
    """

    prompt: str
    answer: str | None
    nulls: int = 0
    has_both: bool = False


def read_conversation(value: object, *, is_declared: bool = False) -> Conversation | None:
    """Return the conversation in a cell; None if there is none. is_declared: a list of texts is one too."""
    if isinstance(value, str):
        return _read_transcript(value) if not value.startswith("[") else _read_list(_parse(value), is_declared)
    return _read_list(value, is_declared)


def prompt_of(value: object) -> str | None:
    """Return what the user says in a list of messages, or a plain text; None for other values."""
    found = None if isinstance(value, str) else read_conversation(value)
    return found.prompt if found else plain_text(value)


def looks_structured(text: str) -> bool:
    """Return True for a text that begins like a list, an object or a transcript."""
    return _STRUCTURE.match(text) is not None


def plain_text(value: object) -> str | None:
    """Return the text of a cell that is no conversation; None if the value is no text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else str(value)
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return value[0]
    return None


def is_missing_score(value: object) -> bool:
    """Return True for a value that people write where there is no score."""
    is_nan = isinstance(value, float) and value != value
    return is_nan or (isinstance(value, str) and value.strip().lower() in MISSING_SCORES)


def _read_list(value: object, is_declared: bool) -> Conversation | None:
    if not isinstance(value, list):
        return None
    if is_declared and all(text is None or isinstance(text, str) for text in value):
        texts = [text or "" for text in value] or [""]
        return Conversation(_join(texts), texts[-1], nulls=value.count(None) + (not value))
    turns = [_turn_of(message) for message in value]
    known = [turn for turn in turns if turn]
    return _of_turns(known) if known and len(known) == len(turns) else None


def _of_turns(turns: Sequence[tuple[str, str | None]]) -> Conversation:
    """Return the conversation of roles and texts."""
    role, last = turns[-1]
    return Conversation(
        prompt=_join([text or "" for role, text in turns if role == "user"]),
        answer=None if role == "user" else last or "",
        nulls=sum(text is None for _, text in turns),
        has_both=len({role for role, _ in turns}) > 1,
    )


def _turn_of(message: object) -> tuple[str, str | None] | None:
    if not isinstance(message, dict) or "content" not in message:
        return None
    role, content = message.get("role"), message["content"]
    if isinstance(content, list) and all(isinstance(part, dict) for part in content):
        content = "\n".join(str(part["text"]) for part in content if part.get("text"))
    return (role, content) if isinstance(role, str) and (content is None or isinstance(content, str)) else None


def _read_transcript(text: str) -> Conversation | None:
    if not text.startswith(("\n\nHuman:", "Human:")):
        return None
    parts = _TRANSCRIPT_TURN.split(text)[1:]
    turns = zip(parts[::2], parts[1::2], strict=True)
    conversation = _of_turns([(_TRANSCRIPT_ROLES[role], said.strip()) for role, said in turns])
    return conversation if conversation.has_both else None


def _parse(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _join(texts: Sequence[str]) -> str:
    return "\n\n".join(text for text in texts if text)
