"""Find the files of a model on this machine, and models that cannot think. Needs no torch and no library of the hub."""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from evenhand.engine.gguf_files import names_gguf
from evenhand.engine.questions.thinking_styles import CHANNEL, THINKING_MARKS
from evenhand.engine.settings import DEMO_FOLDER, DEMO_MODEL


def model_folder(model: str, revision: str) -> Path:
    """Return the folder with the files of a model: its own, or one in the hub's cache that may not exist."""
    folder = DEMO_FOLDER if model == DEMO_MODEL else Path(model).expanduser()
    if names_gguf(folder):
        return converted_folder(folder)
    return folder if folder.is_dir() else _cached_folder(model, revision)


def _cached_folder(model: str, revision: str) -> Path:
    """Return the folder in the hub's cache, whether it exists or not."""
    home = os.environ.get("HF_HOME", "~/.cache/huggingface")
    cache = Path(os.environ.get("HF_HUB_CACHE", f"{home}/hub")).expanduser() / f"models--{model.replace('/', '--')}"
    name = cache / "refs" / (revision or "main")
    return cache / "snapshots" / (name.read_text().strip() if name.is_file() else revision or "main")


def data_folder() -> Path:
    """Return the data folder of this installation; without one, that of the person."""
    return Path(os.environ.get("EVENHAND_DATA") or "~/.local/share/evenhand").expanduser()


def converted_folder(file: Path) -> Path:
    """Return the folder that keeps a GGUF file's weights after their conversion, whether it exists or not.

    A file is known by its name, size and time, so that nothing is read to find its folder.
    """
    stat = file.stat()
    key = hashlib.sha256(f"{file.name} {stat.st_size} {stat.st_mtime_ns}".encode()).hexdigest()[:12]
    return data_folder() / "models" / f"{file.stem}-{key}"


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
