"""Find the files of a model and their revision, and explain why they cannot be read."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path

import httpx
from huggingface_hub import constants, try_to_load_from_cache
from transformers.utils.hub import cached_file, extract_commit_hash

from evenhand.engine.exceptions import LoadFailed
from evenhand.engine.gguf_files import GGUF, names_gguf
from evenhand.engine.local.model.gguf_conversion import convert
from evenhand.engine.model_folders import model_folder
from evenhand.engine.quantised_models import path_problem
from evenhand.engine.settings import DEMO_MODEL, EngineSettings

_TOKENIZER_FILES = ("tokenizer.json", "*.model", "vocab.*", "*.tiktoken")
_FINGERPRINTED = frozenset({".json", ".safetensors", ".bin", ".model", ".txt", ".jinja", ".tiktoken"})
PROCESSOR_TEMPLATE = "chat_template.json"
_LARGEST_POINTER = 1024  # bytes
_LONGEST_REASON = 400
HUB_SECONDS = 5.0
_NO_SAFETENSORS = "named model.safetensors"
"""In the library's reason for files without safetensors."""


def pickles_refused(model: str) -> str:
    return (
        f'the weights of the model "{model}" are pickles, which may run code of their author; save them as '
        "safetensors, or let an admin add the judge with pickled_weights"
    )


def file_options(settings: EngineSettings) -> dict[str, object]:
    """Return what every reader of weights is told: which revision, no code of the model, and no pickles."""
    return {
        "revision": settings.revision or None,
        "trust_remote_code": False,
        "use_safetensors": None if settings.pickled_weights else True,
    }


def source_of(settings: EngineSettings) -> str:
    """Return the folder or hub id to load from. A GGUF file has the folder of its converted weights."""
    path = Path(settings.model).expanduser()
    has_folder = settings.model == DEMO_MODEL or path.is_dir() or names_gguf(path)
    return str(model_folder(settings.model, settings.revision)) if has_folder else settings.model


def at_commit(settings: EngineSettings) -> EngineSettings:
    """Replace the revision of a hub model by its current commit, so that all files come from this commit.

    A GGUF file is converted, if it was not before. Raises LoadFailed if the model cannot be found or converted.
    """
    source = source_of(settings)
    if names_gguf(file := Path(settings.model).expanduser()) and not Path(source).is_dir():
        with explaining(settings):
            convert(file, Path(source))
    require_folder(source, settings)
    if Path(source).is_dir():
        return settings
    with explaining(settings):
        _require_hub(source, settings.revision)
        config_file = cached_file(source, "config.json", revision=settings.revision or None)
    return replace(settings, revision=extract_commit_hash(config_file, None) or settings.revision)


def _require_hub(source: str, revision: str) -> None:
    """Raise ConnectionError if a model is not in the cache and the hub does not answer.

    The library would try again for half a minute.
    """
    if isinstance(try_to_load_from_cache(source, "config.json", revision=revision or None), str):
        return
    try:
        if not constants.HF_HUB_OFFLINE:
            httpx.head(constants.ENDPOINT, timeout=HUB_SECONDS)
            return
    except httpx.HTTPError:
        pass
    raise ConnectionError(
        f"the hub ({constants.ENDPOINT}) cannot be reached, and this model is not in the cache; "
        "check the network, or give a folder with the model"
    )


def resolved_revision(settings: EngineSettings) -> str:
    """Return the hash of a GGUF file or of a folder's files, or the commit of a hub model.

    settings: the result of at_commit.
    """
    path, folder = Path(settings.model).expanduser(), Path(source_of(settings))
    if names_gguf(path):
        return f"sha256:{_digest(path)}"
    return f"sha256:{_fingerprint(folder)}" if folder.is_dir() else settings.revision


def _fingerprint(folder: Path) -> str:
    """Hash the names and contents of all files in a folder that change a model's answers."""
    whole = hashlib.sha256()
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        if path.is_file() and path.suffix in _FINGERPRINTED:
            whole.update(f"{path.name} {_digest(path)}\n".encode())
    return whole.hexdigest()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def processor_template(settings: EngineSettings) -> str | None:
    """Return the chat template that a multimodal model keeps with its processor; None if it has none."""
    path = cached_file(
        source_of(settings),
        PROCESSOR_TEMPLATE,
        revision=settings.revision or None,
        _raise_exceptions_for_missing_entries=False,
        _raise_exceptions_for_connection_errors=False,
    )
    if path is None:
        return None
    template = json.loads(Path(path).read_text(encoding="utf-8")).get("chat_template")
    return template if isinstance(template, str) else None


def require_folder(source: str, settings: EngineSettings) -> None:
    """Raise LoadFailed if a path does not exist, or if a folder holds no complete model."""
    if problem := path_problem(Path(source)):
        raise LoadFailed(problem)
    if Path(source).is_dir():
        _require_complete(Path(source), settings)
    elif source.startswith(("/", ".", "~")):
        kind = "file" if source.lower().endswith(GGUF) else "folder"
        raise LoadFailed(f'the {kind} "{settings.model}" does not exist')


def _require_complete(folder: Path, settings: EngineSettings) -> None:
    if settings.revision:
        raise LoadFailed(f'"{settings.model}" is a folder, and a folder has no revisions; leave the revision out')
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError as error:
        raise LoadFailed(f'the folder "{settings.model}" cannot be read: {error}') from error
    if "config.json" not in names:
        raise LoadFailed(f'the folder "{settings.model}" has no config.json; it holds no model')
    if not any(fnmatch(name, pattern) for pattern in _TOKENIZER_FILES for name in names):
        raise LoadFailed(f'the folder "{settings.model}" has no tokenizer (such as tokenizer.json); save it there too')


@contextmanager
def explaining(settings: EngineSettings, part: str = "") -> Iterator[None]:
    """Turn any error of the libraries about a model, or a part of it, into LoadFailed with their reason.

    They raise nearly every type, down to a plain Exception for a tokenizer that they cannot read.
    """
    try:
        yield
    except LoadFailed:
        raise
    except Exception as error:
        revision = f" at revision {settings.revision}" if settings.revision else ""
        folder = Path(source_of(settings))
        if _NO_SAFETENSORS in str(error) and (not folder.is_dir() or any(folder.glob("pytorch_model.bin*"))):
            raise LoadFailed(pickles_refused(settings.model)) from error
        where = f"its {part}: " if part else ""
        reason = f"{where}{_reason(error)}{_hint(folder)}"
        raise LoadFailed(f'the model "{settings.model}"{revision} cannot be loaded: {reason}') from error


def _reason(error: Exception) -> str:
    """Return the message on one line, cut if long. A KeyError names only the key, so its type is added."""
    text = " ".join(str(error).split())
    if "trust_remote_code" in text:
        return "it needs code of its own, which is never run here; choose a model that transformers knows without it"
    if isinstance(error, KeyError) or not text:
        text = f"{type(error).__name__} {text}".strip()
    return text if len(text) <= _LONGEST_REASON else f"{text[:_LONGEST_REASON]}…"


def _hint(folder: Path) -> str:
    """Return a hint if git left a pointer in place of a large file, as it does without git-lfs."""
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    pointer = next((path.name for path in files if path.suffix in _FINGERPRINTED and _is_pointer(path)), "")
    return f'; {pointer} is only a pointer to the file: fetch it with "git lfs pull"' if pointer else ""


def _is_pointer(path: Path) -> bool:
    if not path.is_file() or path.stat().st_size > _LARGEST_POINTER:
        return False
    return path.read_bytes().startswith(b"version https://git-lfs")
