"""Load the models that turn a text into states, for BERTScore."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
import transformers
from transformers import AutoModel, AutoTokenizer, PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

from judging.engine.exceptions import LoadFailed
from judging.engine.local import loading, model_files
from judging.engine.metrics.metric_names import BERTSCORE_LAYERS, MetricName
from judging.engine.settings import EngineDescription, EngineSettings

_SPACED = ("RobertaTokenizer", "GPT2Tokenizer")
_OFFSET_POSITIONS = frozenset({"roberta", "xlm-roberta", "camembert"})


@dataclass(frozen=True, slots=True)
class Encoder:
    """A model cut off after a layer, and its tokenizer.

    limit: the most tokens of a text; None for no limit.
    """

    tokenizer: PreTrainedTokenizerBase
    model: PreTrainedModel
    limit: int | None
    description: EngineDescription

    def ids(self, text: str) -> list[int]:
        """Return the tokens of a text like bert-score 0.3.13: stripped, with a space before it for some tokenizers."""
        stripped = text.strip()
        spaced = type(self.tokenizer).__name__.removesuffix("Fast") in _SPACED
        ids: list[int] = self.tokenizer(f" {stripped}" if spaced else stripped, verbose=False).input_ids
        return ids


def load_encoder(settings: EngineSettings, name: MetricName) -> Encoder:
    """Load tokenizer and weights up to the layer. Raises LoadFailed."""
    inner = model_files.at_commit(replace(settings, backend="transformers", model=name.model))
    config = loading.load_config(inner)
    layer = _layer(name, config)
    device = loading.find_device(inner.device)
    with model_files.explaining(inner, "tokenizer"):
        tokenizer = AutoTokenizer.from_pretrained(
            model_files.source_of(inner), revision=inner.revision or None, trust_remote_code=False
        )
    revision = model_files.resolved_revision(inner)
    config.num_hidden_layers = layer
    model = _load_weights(inner, config, device)
    description = EngineDescription(
        backend=settings.backend,
        family="metric",
        gives_probabilities=False,
        architecture=type(model).__name__,
        model=settings.model,
        revision=revision,
        dtype=settings.dtype,
        device=str(device),
        max_prompt_tokens=_limit(config, tokenizer),
        torch=str(torch.__version__),
        transformers=transformers.__version__,
        threads=torch.get_num_threads(),
        signature=f"BERTScore F1|model:{name.model}|layer:{layer}|idf:no|rescaled:no",
    )
    return Encoder(tokenizer, model, description.max_prompt_tokens, description)


def _layer(name: MetricName, config: PreTrainedConfig) -> int:
    if name.layer is None:
        known = ", ".join(
            f"{layer} of {model}" for model, layer in BERTSCORE_LAYERS.items() if model in ("roberta-large",)
        )
        raise LoadFailed(
            f'which layer of "{name.model}" is compared is not known; say it, as in bertscore:MODEL#17 '
            f"(bert-score takes {known})"
        )
    if not 1 <= name.layer <= config.num_hidden_layers:
        raise LoadFailed(f'"{name.model}" has layers 1 to {config.num_hidden_layers}; {name.layer} is none of them')
    return name.layer


def _load_weights(settings: EngineSettings, config: PreTrainedConfig, device: torch.device) -> PreTrainedModel:
    with model_files.explaining(settings, "weights"):
        model, info = AutoModel.from_pretrained(
            model_files.source_of(settings),
            config=config,
            revision=settings.revision or None,
            dtype=getattr(torch, settings.dtype),
            trust_remote_code=False,
            output_loading_info=True,
            ignore_mismatched_sizes=True,
        )
    missing = [name for name in info["missing_keys"] if "pooler." not in name]  # no pooled state is read
    loading.require_all_weights(settings, missing=missing, mismatched=info["mismatched_keys"])
    encoder = model.get_encoder() if config.is_encoder_decoder else model
    with model_files.explaining(settings):
        return encoder.to(device).eval()


def _limit(config: PreTrainedConfig, tokenizer: PreTrainedTokenizerBase) -> int | None:
    """Return the most tokens of a text. RoBERTa numbers positions from the one after its padding token."""
    window = loading.longest_window(config, tokenizer)
    if window is None:
        return None
    offset = config.pad_token_id + 1 if config.model_type in _OFFSET_POSITIONS else 0
    return min(window - offset, tokenizer.model_max_length)
