"""How much memory a token takes on its way through a model, and how much there is. No torch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedConfig

PLACES = 64  # tokens of a batch for each place at which something is predicted
SPENT = 0.4  # of the free memory: what is computed and what is kept each get as much, and something is left


@dataclass(frozen=True, slots=True)
class TokenMemory:
    """Bytes that a token takes. cached: its keys and values in all layers. computed: what a layer makes of it, at most,
    and its part of what is predicted."""

    cached: int
    computed: int


def token_memory(config: PreTrainedConfig, *, width: int) -> TokenMemory | None:
    """width: bytes of a number. None where the configuration does not say how large its layers are.

    A layer holds at once its input twice and either three times what its feed-forward part widens it to, or queries,
    keys and values in their three forms: plain, rotated, and laid out for attention, with what they gave.
    """
    text = config.get_text_config()
    layers, heads = getattr(text, "num_hidden_layers", None), getattr(text, "num_attention_heads", None)
    hidden = getattr(text, "hidden_size", None)
    if not layers or not heads or not hidden:
        return None
    size = getattr(text, "head_dim", None) or getattr(text, "d_kv", None) or hidden // heads
    queries, keys = heads * size, (getattr(text, "num_key_value_heads", None) or heads) * size
    widened = _widened(text, hidden)
    layer = 2 * hidden + max(3 * widened + hidden, 5 * queries + 5 * keys)
    predicted = getattr(text, "vocab_size", 0) * (width + 8) // PLACES  # logits, and twice in float32
    return TokenMemory(cached=2 * layers * keys * width, computed=layer * width + predicted)


def _widened(text: PreTrainedConfig, hidden: int) -> int:
    for name in ("intermediate_size", "d_ff", "encoder_ffn_dim", "n_inner", "ffn_dim"):
        if size := getattr(text, name, None):
            return int(size)
    return 4 * hidden


def affordable_tokens(free: int | None, per_token: int | None, *, most: int) -> int:
    """How many tokens to try at once: the most that are worth while, or fewer where memory is scarce; at least one."""
    if free is None or per_token is None:
        return most
    return max(1, min(most, int(SPENT * free) // per_token))


MEMINFO, CGROUP = Path("/proc/meminfo"), Path("/sys/fs/cgroup")


def all_host_bytes(*, system: Path = MEMINFO, group: Path = CGROUP) -> int | None:
    """What the machine has in all, or the container that this process is in; None if nothing says."""
    found = [_told(system, "MemTotal:"), _limit(group / "memory.max"), _limit(group / "memory/memory.limit_in_bytes")]
    return min((number for number in found if number is not None), default=None)


def free_host_bytes(*, system: Path = MEMINFO, group: Path = CGROUP) -> int | None:
    """What processes may still take, of the machine and of the container that this one is in; None if nothing says."""
    found = [_told(system, "MemAvailable:"), _left_of(group / "memory.max", group / "memory.current")]
    found.append(_left_of(group / "memory/memory.limit_in_bytes", group / "memory/memory.usage_in_bytes"))
    return min((number for number in found if number is not None), default=None)


def _told(system: Path, name: str) -> int | None:
    if not system.is_file():
        return None
    for line in system.read_text(encoding="ascii").splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    return None


def _limit(limit: Path) -> int | None:
    most = limit.read_text(encoding="ascii").strip() if limit.is_file() else ""
    return int(most) if most.isdigit() else None


def _left_of(limit: Path, used: Path) -> int | None:
    most = _limit(limit)
    if most is None or not used.is_file():
        return None
    return max(0, most - int(used.read_text(encoding="ascii")))
