"""Choose how many tokens run at once, from the free memory, and recognise errors of too little memory."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from transformers import PreTrainedModel

from evenhand.engine.local.batching import CPU_TOKENS, GPU_TOKENS, OutOfMemory, TokenBudget
from evenhand.engine.local.model.model_memory import affordable_tokens, free_host_bytes, token_memory
from evenhand.engine.local.model.model_traits import vocabulary_size

MOST_LOGITS = 1 << 28  # logits held at once when whole texts are scored: 1 GiB in float32


def token_budget(
    model: PreTrainedModel, *, on_cpu: int = CPU_TOKENS, computed: bool = True, held: bool = False
) -> TokenBudget:
    """Return how many tokens to run at once, by the free memory. The budget halves when memory runs out.

    computed: the tokens run through the model together. held: their keys and values in all layers are cached.
    """
    is_cpu = model.device.type == "cpu"
    free = free_bytes(model.device)
    memory = token_memory(model.config, width=model.dtype.itemsize)
    each = None if memory is None else computed * memory.computed + held * memory.cached
    return TokenBudget(affordable_tokens(free, each, most=on_cpu if is_cpu else GPU_TOKENS))


def free_bytes(device: torch.device) -> int | None:
    """Return the free memory of a device; None if it is unknown."""
    return free_host_bytes() if device.type == "cpu" else int(torch.cuda.mem_get_info(device)[0])


def text_budget(model: PreTrainedModel, budget: TokenBudget) -> TokenBudget:
    """Return the budget for whole texts: each of their tokens needs logits over the whole vocabulary."""
    return TokenBudget(max(1, min(budget.tokens, MOST_LOGITS // vocabulary_size(model))))


@contextmanager
def reporting_out_of_memory() -> Iterator[None]:
    """Turn the various out-of-memory errors of torch into OutOfMemory."""
    try:
        yield
    except RuntimeError as error:
        if not is_out_of_memory(error):
            raise
        free_cached_memory()
        raise OutOfMemory from None


def is_out_of_memory(error: Exception) -> bool:
    """Recognise out-of-memory errors of torch, of the GPU driver and of its libraries."""
    words = ("can't allocate memory", "CUDA error: out of memory", "CUBLAS_STATUS_ALLOC_FAILED")
    return isinstance(error, torch.OutOfMemoryError) or any(part in str(error) for part in words)


def free_cached_memory() -> None:
    """Free the GPU memory that torch caches for later tensors. On a CPU it caches none."""
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
