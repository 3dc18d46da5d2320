"""How much memory a model needs, from its configuration alone: nothing of its weights is read."""

from __future__ import annotations

from dataclasses import dataclass

from judging.engine.local.batching import CPU_HELD_TOKENS, CPU_PACK_TOKENS, CPU_ROW_TOKENS, GPU_TOKENS
from judging.engine.local.token_memory import all_host_bytes, token_memory
from judging.engine.settings import EngineSettings


@dataclass(frozen=True, slots=True)
class Footprint:
    """An estimate.

    parameters: of the model. weight_bytes: of all of them. computed_bytes: what the tokens that run together, at most
    batch_tokens, need on their way through a layer. cache_bytes: keys and values that are held beside them. Both None
    where the configuration does not say how large the layers are. machine_bytes: what there is in all, free or not,
    where it was estimated; None if nothing says.
    """

    parameters: int
    weight_bytes: int
    computed_bytes: int | None
    cache_bytes: int | None
    batch_tokens: int
    machine_bytes: int | None


def estimate_footprint(settings: EngineSettings, *, longest: int, writes: bool = False) -> Footprint:
    """Raises LoadFailed. longest: tokens of its longest prompt, which is a batch if nothing else.

    writes: whether the method has the judge write first. Else a decoder holds the keys and values of two prompts at
    most, the one at hand and the one asked last; an encoder holds none.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    from judging.engine.local.loading import load_config
    from judging.engine.local.model_files import explaining

    config = load_config(settings)
    kind = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
    with explaining(settings, "weights"), torch.device("meta"):
        model = kind.from_config(config)
    parameters = sum(one.numel() for one in model.parameters())
    width = getattr(torch, settings.dtype).itemsize
    on_gpu = settings.device.startswith("cuda") or (settings.device == "auto" and torch.cuda.is_available())
    on_cpu = CPU_ROW_TOKENS if config.is_encoder_decoder else CPU_PACK_TOKENS
    tokens = max(longest, GPU_TOKENS if on_gpu else on_cpu)
    held = 0 if config.is_encoder_decoder else 2 * longest
    if writes:
        held = max(held, GPU_TOKENS if on_gpu else CPU_HELD_TOKENS)
    memory = token_memory(config, width=width)
    computed, cached = (None, None) if memory is None else (memory.computed * tokens, memory.cached * held)
    there = _gpu_bytes(settings.device) if on_gpu else all_host_bytes()
    return Footprint(parameters, parameters * width, computed, cached, tokens, there)


def _gpu_bytes(device: str) -> int | None:
    """What a GPU has in all; None where it is not in this machine."""
    import torch

    number = int(device.partition(":")[2] or 0)
    there = torch.cuda.device_count() if torch.cuda.is_available() else 0
    return torch.cuda.get_device_properties(number).total_memory if number < there else None
