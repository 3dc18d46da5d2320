"""How much memory a model needs, from its configuration alone: nothing of its weights is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from judging.engine.settings import DEMO_FOLDER, DEMO_MODEL, EngineSettings

if TYPE_CHECKING:
    from transformers import PreTrainedConfig


@dataclass(frozen=True, slots=True)
class Footprint:
    """An estimate, without activations.

    parameters: of the model. weight_bytes: of all of them. cache_bytes: keys and values of the tokens of the largest
    batch, batch_tokens; None where the configuration does not say how large they are.
    """

    parameters: int
    weight_bytes: int
    cache_bytes: int | None
    batch_tokens: int


def estimate_footprint(settings: EngineSettings, *, longest: int) -> Footprint:
    """For a model that can be loaded here; longest: tokens of its longest prompt, which is a batch if nothing else."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM

    from judging.engine.tensors import CPU_TOKENS, GPU_TOKENS  # noqa: PLC0415 - it needs torch

    source = str(DEMO_FOLDER) if settings.model == DEMO_MODEL else settings.model
    config = AutoConfig.from_pretrained(source, revision=settings.revision or None, trust_remote_code=False)
    kind = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
    with torch.device("meta"):
        model = kind.from_config(config)
    parameters = sum(one.numel() for one in model.parameters())
    width = getattr(torch, settings.dtype).itemsize
    on_gpu = settings.device.startswith("cuda") or (settings.device == "auto" and torch.cuda.is_available())
    batch_tokens = max(longest, GPU_TOKENS if on_gpu else CPU_TOKENS)
    values = _values_per_token(config)
    cache_bytes = None if values is None else values * width * batch_tokens
    return Footprint(parameters, parameters * width, cache_bytes, batch_tokens)


def _values_per_token(config: PreTrainedConfig) -> int | None:
    """Numbers in the keys and values of one token, over all layers."""
    text = config.get_text_config()
    layers, heads = getattr(text, "num_hidden_layers", None), getattr(text, "num_attention_heads", None)
    if not layers or not heads:
        return None
    head_size = getattr(text, "head_dim", None) or text.hidden_size // heads
    return int(2 * layers * (getattr(text, "num_key_value_heads", None) or heads) * head_size)
