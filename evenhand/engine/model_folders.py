"""Find the files of a model on this machine. Needs neither torch nor the hub's library."""

from __future__ import annotations

import os
from pathlib import Path

from evenhand.engine.settings import DEMO_FOLDER, DEMO_MODEL


def model_folder(model: str, revision: str) -> Path:
    """Return the folder with the files of a model: its own, or one in the hub's cache that may not exist."""
    folder = DEMO_FOLDER if model == DEMO_MODEL else Path(model).expanduser()
    return folder if folder.is_dir() else _cached_folder(model, revision)


def _cached_folder(model: str, revision: str) -> Path:
    """Return the folder in the hub's cache, whether it exists or not."""
    home = os.environ.get("HF_HOME", "~/.cache/huggingface")
    cache = Path(os.environ.get("HF_HUB_CACHE", f"{home}/hub")).expanduser() / f"models--{model.replace('/', '--')}"
    name = cache / "refs" / (revision or "main")
    return cache / "snapshots" / (name.read_text().strip() if name.is_file() else revision or "main")
