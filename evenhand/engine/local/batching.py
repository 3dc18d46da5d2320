"""Decide which prompts run together. Pure Python: no torch, no model."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from evenhand.engine.interruption import require_use

T = TypeVar("T")

# Larger batches are not faster. On a CPU the states between two layers should stay in the caches.
CPU_TOKENS = 4096  # in a padded batch
CPU_PACK_TOKENS = 1024  # in a pack of a prefix tree
CPU_ROW_TOKENS = 1536  # in a row of prompts end to end
CPU_HELD_TOKENS = 16384  # with cached keys and values during generation; texts of unequal length need many rows
GPU_TOKENS = 32768

Indices = tuple[int, ...]


class OutOfMemory(Exception):
    """A batch does not fit into memory. The `work` of `run_packed` raises it."""


@dataclass(slots=True)
class TokenBudget:
    """The most tokens in a batch, padding included. It shrinks when memory runs out, and stays small."""

    tokens: int


def pack(lengths: Sequence[int], indices: Sequence[int], *, budget: int, one_length: bool = False) -> list[Indices]:
    """Group prompts of similar length into batches, the longest first, so that too little memory shows at once.

    lengths: tokens of every prompt. indices: the prompts to pack. A batch of n prompts costs n times its longest
    prompt, at most `budget`; a longer prompt is a batch of its own.
    one_length: only prompts of equal length share a batch.
    """
    batches: list[list[int]] = []
    for index in sorted(indices, key=lambda i: (-lengths[i], i)):
        if batches:
            longest, rows = lengths[batches[-1][0]], len(batches[-1]) + 1
            if longest * rows <= budget and not (one_length and lengths[index] != longest):
                batches[-1].append(index)
                continue
        batches.append([index])
    return [tuple(batch) for batch in batches]


def run_packed(
    lengths: Sequence[int],
    work: Callable[[Indices], Sequence[T]],
    *,
    budget: TokenBudget,
    one_length: bool = False,
) -> list[T | None]:
    """Return the result of `work` for every prompt, in the order of `lengths`.

    When a batch runs out of memory, the budget falls to half its cost, and the rest is packed again. None for a
    prompt that does not fit even alone.
    """
    results: list[T | None] = [None] * len(lengths)
    pending = deque(pack(lengths, range(len(lengths)), budget=budget.tokens, one_length=one_length))
    while pending:
        require_use()
        batch = pending.popleft()
        try:
            values = work(batch)
        except OutOfMemory:
            if len(batch) > 1:
                budget.tokens = max(1, lengths[batch[0]] * len(batch) // 2)
                unfinished = [*batch, *(index for waiting in pending for index in waiting)]
                pending = deque(pack(lengths, unfinished, budget=budget.tokens, one_length=one_length))
            continue
        for index, value in zip(batch, values, strict=True):
            results[index] = value
    return results
