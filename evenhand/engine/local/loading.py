"""Load a model and its tokenizer, or raise LoadFailed with a clear reason."""

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    Mxfp4Config,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from evenhand.engine.exceptions import LoadFailed
from evenhand.engine.local.cpu_matmul import choose_products
from evenhand.engine.local.decoder_only import CausalModel
from evenhand.engine.local.encoder_decoder import Seq2SeqModel
from evenhand.engine.local.local_engine import LocalEngine
from evenhand.engine.local.model.model_classes import (
    TEXT_WEIGHTS,
    classifier_architecture,
    foreign_architecture,
    has_text_class,
    keep_text_part,
    model_class,
)
from evenhand.engine.local.model.model_files import (
    at_commit,
    explaining,
    file_options,
    processor_template,
    require_folder,
    resolved_revision,
    source_of,
)
from evenhand.engine.local.model.weight_files import weight_problem, weight_shapes
from evenhand.engine.local.token_budgets import free_cached_memory
from evenhand.engine.quantised_models import MXFP4, quantisation_method, quantised_problem, scheme_of
from evenhand.engine.questions.rendering import PromptRenderer
from evenhand.engine.settings import EngineDescription, EngineSettings

_T5_KINDS = frozenset({"t5", "mt5", "umt5", "longt5", "switch_transformers"})
_NO_LIMIT = 1_000_000  # tokenizers without a limit of their own say 10^30


def load_local_engine(settings: EngineSettings) -> LocalEngine:
    """Load weights and tokenizer. Raises LoadFailed."""
    settings = at_commit(settings)
    config = load_config(settings)
    _require_a_judge(settings, config)
    device = find_device(settings.device)
    renderer = _renderer(settings, config)
    weights = _load_weights(settings, config, device)
    products = choose_products(weights, settings.products)
    kind = Seq2SeqModel if config.is_encoder_decoder else CausalModel
    with explaining(settings):  # the model is tried here, and memory may run out
        model = kind(weights, products=products)
    description = EngineDescription(
        backend=settings.backend,
        family="encoder-decoder" if config.is_encoder_decoder else "decoder-only",
        architecture=type(weights).__name__,
        model=settings.model,
        revision=resolved_revision(settings),
        dtype=settings.dtype,
        device=str(device),
        max_prompt_tokens=renderer.max_prompt_tokens,
        chat_template=renderer.has_chat_template,
        tokenizer=renderer.fingerprint(),
        thinking=renderer.thinking.on_note,
        without_thinking=renderer.thinking.off_note,
        batching=model.batching,
        batching_note=model.batching_note,
        products=products,
        torch=str(torch.__version__),
        transformers=transformers.__version__,
        threads=torch.get_num_threads(),
    )
    return LocalEngine(renderer, model, description, on_close=free_cached_memory)


def load_local_renderer(settings: EngineSettings) -> PromptRenderer:
    """Load only the tokenizer and the configuration. Raises LoadFailed."""
    settings = at_commit(settings)
    config = load_config(settings)
    if classifier_architecture(config):
        require_unquantised(settings, config)
        return _classifier_renderer(settings, config)
    _require_a_judge(settings, config)
    return _renderer(settings, config)


def require_whole_files(settings: EngineSettings, *, is_part: bool = False) -> PreTrainedConfig:
    """Return the configuration of a model whose files fit together. Looks at weights in a folder by their headers only.

    is_part: only the layers of the model are used, so that other weights may be missing.
    Raises LoadFailed for weights that are missing, cut or of another model, and for a tokenizer of another model.
    """
    settings = at_commit(settings)
    config = load_config(settings)
    _require_own_tokenizer(settings, config, load_tokenizer(settings))
    if (folder := Path(source_of(settings))).is_dir():
        shapes = weight_shapes(folder, takes_pickles=settings.pickled_weights)
        is_compared = not is_part and not quantisation_method(config.to_dict())
        with explaining(settings, "weights"):
            problem = weight_problem(settings.model, config, shapes) if is_compared else ""
        if problem:
            raise LoadFailed(problem)
    return config


def _require_own_tokenizer(
    settings: EngineSettings, config: PreTrainedConfig, tokenizer: PreTrainedTokenizerBase
) -> None:
    """Raise LoadFailed if the tokenizer gives tokens that the model does not know, or fewer than half of its tokens.

    Embeddings are often a little larger than the vocabulary, and tokens that were added later may be unused.
    """
    rows, known = getattr(config.get_text_config(), "vocab_size", None), len(tokenizer)
    if rows and (tokenizer.vocab_size > rows or 2 * known < rows):
        raise LoadFailed(
            f'the tokenizer of the model "{settings.model}" has {known:,} tokens, and its config.json says {rows:,}; '
            "the tokenizer belongs to another model"
        )


def load_config(settings: EngineSettings) -> PreTrainedConfig:
    """Load the configuration of a model. Raises LoadFailed."""
    source = source_of(settings)
    require_folder(source, settings)
    with explaining(settings, "configuration"):
        config: PreTrainedConfig = AutoConfig.from_pretrained(
            source, revision=settings.revision or None, trust_remote_code=False
        )
    return config


def load_tokenizer(settings: EngineSettings) -> PreTrainedTokenizerBase:
    """Load the tokenizer of a model. Raises LoadFailed."""
    with explaining(settings, "tokenizer"):
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(
            source_of(settings), revision=settings.revision or None, trust_remote_code=False
        )
        if not tokenizer.chat_template:
            tokenizer.chat_template = processor_template(settings)
    return tokenizer


def require_unquantised(settings: EngineSettings, config: PreTrainedConfig) -> None:
    """Raise LoadFailed for quantised weights."""
    if scheme := scheme_of(config.to_dict()):
        raise LoadFailed(quantised_problem(settings.model, scheme))


def _require_a_judge(settings: EngineSettings, config: PreTrainedConfig) -> None:
    """Raise LoadFailed for models that write no text, quantised ones, and T5 in float16, which overflows."""
    require_unquantised(settings, config)
    if architecture := foreign_architecture(config):
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
    tokenizer = load_tokenizer(settings)
    return PromptRenderer(
        tokenizer,
        is_encoder_decoder=config.is_encoder_decoder,
        decoder_start_id=_decoder_start_id(settings, config) if config.is_encoder_decoder else None,
        max_prompt_tokens=longest_window(config, tokenizer),
    )


def _classifier_renderer(settings: EngineSettings, config: PreTrainedConfig) -> PromptRenderer:
    """Return a renderer of whole closed prompts, as for an encoder. A classifier reads no label word."""
    tokenizer = load_tokenizer(settings)
    limit = longest_window(config, tokenizer)
    return PromptRenderer(tokenizer, is_encoder_decoder=True, max_prompt_tokens=limit)


def _decoder_start_id(settings: EngineSettings, config: PreTrainedConfig) -> int:
    for candidate in (getattr(config, "decoder_start_token_id", None), getattr(config, "bos_token_id", None)):
        if candidate is not None:
            return int(candidate)
    raise LoadFailed(f'the model "{settings.model}" does not say which token its decoder starts with')


def longest_window(config: PreTrainedConfig, tokenizer: PreTrainedTokenizerBase) -> int | None:
    """Return the most tokens that the model reads; None for relative positions without an end (T5)."""
    text_config = config.get_text_config()
    if hasattr(text_config, "relative_attention_num_buckets"):
        return None
    positions = getattr(text_config, "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        return positions
    return tokenizer.model_max_length if tokenizer.model_max_length < _NO_LIMIT else None


def find_device(name: str) -> torch.device:
    """Return the device of a name such as "auto" or "cuda:1". Raises LoadFailed if it is unknown or absent."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    kind, _, number = name.partition(":")
    if kind not in ("cpu", "cuda") or (number and not (kind == "cuda" and number.isdigit())):
        raise LoadFailed(f'device "{name}" is unknown; use "cpu", "cuda", "cuda:1" or "auto"')
    if kind == "cuda" and int(number or 0) >= torch.cuda.device_count():
        seen = f"this machine has {torch.cuda.device_count()} CUDA devices"
        if torch.version.cuda is None:
            seen += f" for torch {torch.__version__}, which is built without CUDA"
        raise LoadFailed(f'device "{name}" is missing: {seen}; use "cpu"')
    return torch.device(name)


def _load_weights(settings: EngineSettings, config: PreTrainedConfig, device: torch.device) -> PreTrainedModel:
    with explaining(settings, "weights"):
        try:
            model, info = _read_weights(settings, model_class(config), **_conversion(config))
        except ImportError:  # a package for images is missing
            if not has_text_class(config):
                raise
            text = {"config": config.get_text_config(), "key_mapping": TEXT_WEIGHTS}
            model, info = _read_weights(settings, AutoModelForCausalLM, **text)
    require_all_weights(settings, missing=info["missing_keys"], mismatched=info["mismatched_keys"])
    _require_all_layers(settings, model, info["unexpected_keys"])
    keep_text_part(model)
    with explaining(settings):
        return model.to(device).eval()


def _conversion(config: PreTrainedConfig) -> dict[str, object]:
    """Return the option that converts the weights of gpt-oss to the judge's precision; empty for plain weights."""
    is_mxfp4 = quantisation_method(config.to_dict()) == MXFP4
    return {"quantization_config": Mxfp4Config(dequantize=True)} if is_mxfp4 else {}


def _read_weights(
    settings: EngineSettings,
    kind: Any,  # noqa: ANN401 - the Auto classes have no common base
    **options: object,
) -> tuple[PreTrainedModel, dict[str, Any]]:
    """Return a model on the CPU and what the library says about missing and unexpected weights."""
    model, info = kind.from_pretrained(
        source_of(settings),
        dtype=getattr(torch, settings.dtype),
        output_loading_info=True,
        ignore_mismatched_sizes=True,  # otherwise the library names none of them
        **file_options(settings),
        **options,
    )
    return model, info


def _require_all_layers(settings: EngineSettings, model: PreTrainedModel, unexpected: Collection[str]) -> None:
    """Raise LoadFailed if the files hold more layers than were loaded: only a part of the model would answer.

    Weights of other kinds that a language model does not use, such as those for images, are allowed.
    """
    known = {re.sub(r"\d+", "#", name) for name in model.state_dict()}
    further = sorted(name for name in unexpected if re.sub(r"\d+", "#", name) in known)
    if further:
        raise LoadFailed(
            f'the files of the model "{settings.model}" hold more layers than its config.json says (such as '
            f"{further[0]}); the weights belong to another configuration"
        )


def require_all_weights(
    settings: EngineSettings,
    *,
    missing: Collection[str],
    mismatched: Collection[tuple[str, Sequence[int], Sequence[int]]],
) -> None:
    """Raise LoadFailed if weights are missing, or have another size than the configuration says.

    mismatched: name, size in the file and expected size of each such weight.
    """
    if mismatched:
        name, found, wanted = min(mismatched)
        raise LoadFailed(
            f'{len(mismatched)} of the weights of the model "{settings.model}" have another size than its config.json '
            f"says (such as {name}: {list(found)}, not {list(wanted)}); the weights belong to another configuration"
        )
    if missing:
        raise LoadFailed(
            f'the model "{settings.model}" lacks {len(missing)} of its weights (such as {min(missing)}); '
            "they would be random numbers"
        )
