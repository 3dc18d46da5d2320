"""Estimate the memory of one token, and read how much memory is free. Needs no torch to import."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedConfig

logger = logging.getLogger(__name__)

TOKENS_PER_PREDICTION = 64  # tokens of a batch for each position that predicts something
SHARE_OF_FREE_MEMORY = 0.4  # computed tokens and cached tokens get this share each; the rest stays free


@dataclass(frozen=True, slots=True)
class TokenMemory:
    """Bytes that one token takes.

    cached: its keys and values in all layers. computed: its states in the largest layer, and its share of the logits.
    """

    cached: int
    computed: int


def token_memory(config: PreTrainedConfig, *, width: int) -> TokenMemory | None:
    """Return the bytes that a token takes, an upper bound where layers differ in size.

    width: bytes of a number. None where the configuration does not give the sizes of its layers; a warning is logged
    if the configuration cannot be read. Too large a batch halves later, so this never stops a load.
    """
    try:
        return _token_memory(config.get_text_config(), width)
    except Exception as error:  # configurations of new architectures may raise anything
        logger.warning("memory of a token is not estimated for %s: %s", type(config).__name__, error)
        return None


def _token_memory(config: PreTrainedConfig, width: int) -> TokenMemory | None:
    """Apply the sizes of the largest layer to all layers.

    A layer holds its input twice, and the larger of two: three times the width of its feed-forward part, or queries,
    keys and values in three forms (plain, rotated, laid out for attention) with the result of attention.
    """
    layers, heads = _largest_size(config, "num_hidden_layers"), _largest_size(config, "num_attention_heads")
    hidden = _largest_size(config, "hidden_size")
    if not layers or not heads or not hidden:
        return None
    head_size = _largest_size(config, "head_dim", "d_kv") or hidden // heads
    queries, keys = heads * head_size, (_largest_size(config, "num_key_value_heads") or heads) * head_size
    widened = _largest_size(config, *_FEED_FORWARD_SIZES) or 4 * hidden
    layer = 2 * hidden + max(3 * widened + hidden, 5 * queries + 5 * keys)
    vocabulary = _largest_size(config, "vocab_size") or 0
    predicted = vocabulary * (width + 8) // TOKENS_PER_PREDICTION  # logits, and twice in float32
    return TokenMemory(cached=2 * layers * keys * width, computed=layer * width + predicted)


_FEED_FORWARD_SIZES = ("intermediate_size", "d_ff", "encoder_ffn_dim", "n_inner", "ffn_dim")


def _largest_size(config: PreTrainedConfig, *names: str) -> int | None:
    """Return the first of some sizes that is given and not 0, the largest of all layers; None if there is none.

    Layers that differ either give a list (Gemma 3n) or a configuration for each layer (Gemma 4).
    """
    for name in names:
        sizes = [getattr(one, name, None) for one in _configs_with(config, name)]
        numbers = [
            int(number) for size in sizes if size for number in (size if isinstance(size, list | tuple) else [size])
        ]
        if largest := max(numbers, default=0):
            return largest
    return None


def _configs_with(config: PreTrainedConfig, name: str) -> Sequence[PreTrainedConfig]:
    """Return the configuration of each layer if layers differ in this size, else the one of the model."""
    if name in (getattr(config, "per_layer_attributes", None) or ()):
        return list(config.per_layer_config)
    return [config]


def affordable_tokens(free: int | None, per_token: int | None, *, most: int) -> int:
    """Return how many tokens to run at once: `most`, or as many as fit into the free memory; at least one."""
    if free is None or per_token is None:
        return most
    return max(1, min(most, int(SHARE_OF_FREE_MEMORY * free) // per_token))


MEMINFO, CGROUP = Path("/proc/meminfo"), Path("/sys/fs/cgroup")


def free_host_bytes(*, system: Path = MEMINFO, group: Path = CGROUP) -> int | None:
    """Return the free memory of the machine, or of the container if that is less; None if neither is known."""
    known = [_meminfo_bytes(system, "MemAvailable:"), _left_bytes(group / "memory.max", group / "memory.current")]
    known.append(_left_bytes(group / "memory/memory.limit_in_bytes", group / "memory/memory.usage_in_bytes"))
    return min((number for number in known if number is not None), default=None)


def _meminfo_bytes(system: Path, name: str) -> int | None:
    if not system.is_file():
        return None
    for line in system.read_text(encoding="ascii").splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    return None


def _limit_bytes(limit: Path) -> int | None:
    most = limit.read_text(encoding="ascii").strip() if limit.is_file() else ""
    return int(most) if most.isdigit() else None


def _left_bytes(limit: Path, used: Path) -> int | None:
    most = _limit_bytes(limit)
    if most is None or not used.is_file():
        return None
    return max(0, most - int(used.read_text(encoding="ascii")))
