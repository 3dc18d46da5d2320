"""Count tokens by the tokenizer in a model's files, without torch and transformers: a web process can do it.

The chat template is left out: it is a program by somebody else, which only workers run. It adds some tokens.
"""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from evenhand.engine.model_folders import model_folder
from evenhand.engine.questions.rendering import PromptRenderer

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


def load_file_renderer(model: str, revision: str) -> PromptRenderer | None:
    """Return a renderer that reads no chat template; None if the tokenizer on this machine cannot be read so."""
    folder = model_folder(model, revision)
    try:
        tokenizer, config = _FileTokenizer(folder / "tokenizer.json"), _config(folder)
        is_classifier = any("SequenceClassification" in name for name in config.get("architectures") or [])
        return PromptRenderer(
            cast("PreTrainedTokenizerBase", tokenizer),
            is_encoder_decoder=bool(config.get("is_encoder_decoder")) or is_classifier,
        )
    except Exception:  # tokenizers raises plain ones; loading the model says what is wrong
        return None


def window_in_files(model: str, revision: str) -> int | None:
    """Return the most tokens that a model takes; None if it has no limit, or if its files here do not give one."""
    try:
        config = _config(model_folder(model, revision))
    except (OSError, ValueError):
        return None
    text = config.get("text_config", config)
    window = text.get("max_position_embeddings", text.get("n_positions"))
    is_relative = "relative_attention_num_buckets" in text
    return window if isinstance(window, int) and window > 0 and not is_relative else None


def _config(folder: Path) -> dict[str, Any]:
    config: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return config


class _FileTokenizer:
    """The part of a transformers tokenizer that a renderer needs."""

    chat_template = None

    def __init__(self, path: Path) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def __call__(self, text: str | list[str], *, add_special_tokens: bool = True) -> SimpleNamespace:
        """Return the tokens of a text, or of each text of a list, as `input_ids`."""
        if isinstance(text, str):
            return SimpleNamespace(input_ids=self._tokenizer.encode(text, add_special_tokens=add_special_tokens).ids)
        encoded = self._tokenizer.encode_batch(text, add_special_tokens=add_special_tokens)
        return SimpleNamespace(input_ids=[one.ids for one in encoded])
