"""Estimate the memory that a model needs, from its configuration alone. No weights are read."""

from __future__ import annotations

from dataclasses import dataclass

from judging.engine.local.batching import CPU_HELD_TOKENS, CPU_PACK_TOKENS, CPU_ROW_TOKENS, GPU_TOKENS
from judging.engine.local.token_memory import all_host_bytes, token_memory
from judging.engine.settings import EngineSettings


@dataclass(frozen=True, slots=True)
class Footprint:
    """Estimated memory of a model.

    parameters: number of weights. weight_bytes: their size. computed_bytes: states of the tokens that run together, at
    most batch_tokens, in the largest layer. cache_bytes: cached keys and values. Both are None if the configuration
    does not give the sizes of its layers. machine_bytes: all memory, free or not, of the machine or GPU; None if
    unknown.
    """

    parameters: int
    weight_bytes: int
    computed_bytes: int | None
    cache_bytes: int | None
    batch_tokens: int
    machine_bytes: int | None


def estimate_footprint(settings: EngineSettings, *, longest: int, writes: bool = False) -> Footprint:
    """Estimate the memory of a model. Raises LoadFailed.

    longest: tokens of the longest prompt, the least size of a batch. writes: the method has the judge write text.
    Without text, a decoder caches the keys and values of at most two prompts: the current and the previous one.
    An encoder caches none.
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
    machine = _gpu_bytes(settings.device) if on_gpu else all_host_bytes()
    return Footprint(parameters, parameters * width, computed, cached, tokens, machine)


def _gpu_bytes(device: str) -> int | None:
    """Return all memory of a GPU; None if this machine does not have it."""
    import torch

    number = int(device.partition(":")[2] or 0)
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    return torch.cuda.get_device_properties(number).total_memory if number < count else None
