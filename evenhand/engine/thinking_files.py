"""Recognise models that cannot think before they answer, from the chat template in their files. Needs no torch."""

import json
from collections.abc import Iterator
from pathlib import Path

from evenhand.engine.model_folders import model_folder
from evenhand.engine.questions.thinking_styles import CHANNEL, THINKING_MARKS

_MARKS = (CHANNEL, *(mark for pair in THINKING_MARKS for mark in pair))
_TOKENIZER = "tokenizer_config.json"


def lacks_thinking(model: str, revision: str) -> bool:
    """Return True if the files of a model are on this machine and its chat template has no marks of thinking."""
    folder = model_folder(model, revision)
    if not (folder / _TOKENIZER).is_file():
        return False
    try:
        return not any(mark in template for template in _templates(folder) for mark in _MARKS)
    except (OSError, ValueError, AttributeError):
        return False  # loading explains it


def _templates(folder: Path) -> Iterator[str]:
    """Yield the chat templates of a model. JSON may escape the marks, so it is read; a list holds several."""
    for path in folder.glob("*.jinja"):
        yield path.read_text(encoding="utf-8")
    for path in (folder / _TOKENIZER, folder / "chat_template.json"):
        if path.is_file():
            yield json.dumps(json.loads(path.read_text(encoding="utf-8")).get("chat_template"), ensure_ascii=False)
