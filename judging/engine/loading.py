"""Finds a model and its tokenizer, and says clearly why that failed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
import transformers
from huggingface_hub.errors import HfHubHTTPError
from safetensors import SafetensorError
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.models.auto import modeling_auto

from judging.engine.causal import CausalModel
from judging.engine.exceptions import LoadFailed
from judging.engine.local import LocalEngine
from judging.engine.products import choose_products
from judging.engine.rendering import PromptRenderer
from judging.engine.seq2seq import Seq2SeqModel
from judging.engine.settings import DEMO_FOLDER, DEMO_MODEL, EngineDescription, EngineSettings
from judging.engine.tensors import free_cached_memory

_T5_KINDS = frozenset({"t5", "mt5", "umt5", "longt5", "switch_transformers"})
_TOKENIZER_FILES = ("tokenizer.json", "*.model", "vocab.*", "*.tiktoken")
_FINGERPRINTED = frozenset({".json", ".safetensors", ".bin", ".model", ".txt", ".jinja", ".tiktoken"})
_NO_LIMIT = 1_000_000  # tokenizers without a limit of their own say 10^30


def load_local_engine(settings: EngineSettings) -> LocalEngine:
    """Load weights and tokenizer. Raises LoadFailed."""
    config = load_config(settings)
    _require_a_judge(settings, config)
    device = find_device(settings.device)
    renderer = _renderer(settings, config)
    weights = _load_weights(settings, config, device)
    products = choose_products(weights, settings.products)
    model = (
        Seq2SeqModel(weights, products=products)
        if config.is_encoder_decoder
        else CausalModel(weights, products=products)
    )
    description = EngineDescription(
        backend=settings.backend,
        family="encoder-decoder" if config.is_encoder_decoder else "decoder-only",
        architecture=type(weights).__name__,
        model=settings.model,
        revision=resolved_revision(settings, config),
        dtype=settings.dtype,
        device=str(device),
        max_prompt_tokens=renderer.max_prompt_tokens,
        chat_template=renderer.has_chat_template,
        tokenizer=renderer.fingerprint(),
        batching=model.batching,
        products=products,
        torch=str(torch.__version__),
        transformers=transformers.__version__,
        threads=torch.get_num_threads(),
    )
    return LocalEngine(renderer, model, description, on_close=free_cached_memory)


def load_local_renderer(settings: EngineSettings) -> PromptRenderer:
    """Load the tokenizer and the configuration alone. Raises LoadFailed."""
    config = load_config(settings)
    _require_a_judge(settings, config)
    return _renderer(settings, config)


def source_of(settings: EngineSettings) -> str:
    """The folder or hub id to load from."""
    if settings.model == DEMO_MODEL:
        return str(DEMO_FOLDER)
    folder = Path(settings.model).expanduser()
    return str(folder) if folder.is_dir() else settings.model


def load_config(settings: EngineSettings) -> PreTrainedConfig:
    source = source_of(settings)
    if Path(source).is_dir():
        _require_complete(Path(source), settings)
    elif source.startswith(("/", ".", "~")):
        raise LoadFailed(f'the folder "{settings.model}" does not exist')
    with explaining(settings):
        config: PreTrainedConfig = AutoConfig.from_pretrained(
            source, revision=settings.revision or None, trust_remote_code=False
        )
    return config


def _require_complete(folder: Path, settings: EngineSettings) -> None:
    if settings.revision:
        raise LoadFailed(f'"{settings.model}" is a folder, and a folder has no revisions; leave the revision out')
    if not (folder / "config.json").is_file():
        raise LoadFailed(f'the folder "{settings.model}" has no config.json; it holds no model')
    if not any(path for pattern in _TOKENIZER_FILES for path in folder.glob(pattern)):
        raise LoadFailed(f'the folder "{settings.model}" has no tokenizer (such as tokenizer.json); save it there too')


@contextmanager
def explaining(settings: EngineSettings) -> Iterator[None]:
    """Turns what the libraries raise about a model into LoadFailed, with the first line of their reason."""
    try:
        yield
    except (OSError, ValueError, KeyError, ImportError, RuntimeError, HfHubHTTPError, SafetensorError) as error:
        reason = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
        revision = f" at revision {settings.revision}" if settings.revision else ""
        raise LoadFailed(f'the model "{settings.model}"{revision} cannot be loaded: {reason.strip()}') from error


def _require_a_judge(settings: EngineSettings, config: PreTrainedConfig) -> None:
    """Raises LoadFailed for models that write no text, and for arithmetic that is known to fail."""
    names = (
        modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES
        if config.is_encoder_decoder
        else modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    )
    known = {name for value in names.values() for name in ([value] if isinstance(value, str) else value)}
    for architecture in config.architectures or []:
        if architecture not in known:
            raise LoadFailed(
                f'the model "{settings.model}" is a {architecture}, which writes no text; '
                "a judge is a decoder-only or an encoder-decoder language model"
            )
    if settings.dtype == "float16" and config.model_type in _T5_KINDS:
        raise LoadFailed(
            f'the model "{settings.model}" is of the T5 family, whose numbers overflow in float16; '
            "use bfloat16 or float32"
        )


def _renderer(settings: EngineSettings, config: PreTrainedConfig) -> PromptRenderer:
    with explaining(settings):
        tokenizer = AutoTokenizer.from_pretrained(
            source_of(settings), revision=settings.revision or None, trust_remote_code=False
        )
    return PromptRenderer(
        tokenizer,
        is_encoder_decoder=config.is_encoder_decoder,
        decoder_start_id=_decoder_start_id(settings, config) if config.is_encoder_decoder else None,
        max_prompt_tokens=longest_window(config, tokenizer),
    )


def _decoder_start_id(settings: EngineSettings, config: PreTrainedConfig) -> int:
    for candidate in (getattr(config, "decoder_start_token_id", None), getattr(config, "bos_token_id", None)):
        if candidate is not None:
            return int(candidate)
    raise LoadFailed(f'the model "{settings.model}" does not say which token its decoder starts with')


def longest_window(config: PreTrainedConfig, tokenizer: PreTrainedTokenizerBase) -> int | None:
    """The most tokens that the model takes; None where positions are relative and nothing ends them (T5)."""
    text_config = config.get_text_config()
    if hasattr(text_config, "relative_attention_num_buckets"):
        return None
    positions = getattr(text_config, "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        return positions
    return tokenizer.model_max_length if tokenizer.model_max_length < _NO_LIMIT else None


def find_device(name: str) -> torch.device:
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    kind, _, number = name.partition(":")
    if kind not in ("cpu", "cuda") or (number and not (kind == "cuda" and number.isdigit())):
        raise LoadFailed(f'device "{name}" is unknown; use "cpu", "cuda", "cuda:1" or "auto"')
    if kind == "cuda" and int(number or 0) >= torch.cuda.device_count():
        raise LoadFailed(
            f'device "{name}" is not there: this machine shows {torch.cuda.device_count()} CUDA devices; use "cpu"'
        )
    return torch.device(name)


def _load_weights(settings: EngineSettings, config: PreTrainedConfig, device: torch.device) -> PreTrainedModel:
    kind = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
    with explaining(settings):
        model, info = kind.from_pretrained(
            source_of(settings),
            revision=settings.revision or None,
            dtype=getattr(torch, settings.dtype),
            trust_remote_code=False,
            output_loading_info=True,
        )
    if info["missing_keys"]:
        missing = sorted(info["missing_keys"])
        raise LoadFailed(
            f'the model "{settings.model}" lacks {len(missing)} of its weights (such as {missing[0]}); '
            "they would be random numbers"
        )
    with explaining(settings):
        return model.to(device).eval()


def resolved_revision(settings: EngineSettings, config: PreTrainedConfig) -> str:
    folder = Path(source_of(settings))
    if folder.is_dir():
        return f"sha256:{_fingerprint(folder)}"
    return getattr(config, "_commit_hash", None) or settings.revision


def _fingerprint(folder: Path) -> str:
    """One hash over the names and contents of everything in a folder that makes a model what it is."""
    whole = hashlib.sha256()
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        if path.is_file() and path.suffix in _FINGERPRINTED:
            with path.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
            whole.update(f"{path.name} {content}\n".encode())
    return whole.hexdigest()
