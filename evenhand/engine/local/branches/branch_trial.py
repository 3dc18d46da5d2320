"""Refuse to share beginnings by a model's own cache if it then gives other answers than a plain pass.

Some caches are not exact: a later piece of a prompt gets another state than in one pass. In half precision such an
error is no larger than rounding, so the trial runs in float32. Weights become float32 and back without loss.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from transformers import PreTrainedModel

from evenhand.engine.local.batching import TokenBudget
from evenhand.engine.local.branches.branch_scorer import BranchScorer, cache_input
from evenhand.engine.local.model.model_memory import SHARE_OF_FREE_MEMORY
from evenhand.engine.local.model.model_traits import LARGEST_DIFFERENCE, ordinary_tokens
from evenhand.engine.local.padded.padded_scorer import PaddedScorer
from evenhand.engine.local.token_budgets import free_bytes, is_out_of_memory
from evenhand.engine.questions.label_tokens import Ids, TokenRow

# The trial compares log-probabilities in float32 whose standard deviation is about 1.
# Exact caches differed by 3e-6 when measured, all others by at least 7e-4.
LARGEST_CACHE_DIFFERENCE = 1e-4

_LABELS = 6
_SHARED, _MIDDLE, _LATER = 37, 19, 23  # tokens; no multiples of the blocks in which states are computed
_ENDS = (5, 11, 8)


def try_branches(model: PreTrainedModel) -> str:
    """Return why beginnings cannot be shared by the model's own cache; empty if they can."""
    if not cache_input(model):
        return "it has no cache"
    try:
        with in_float32(model):
            difference, spread = _difference(model)
        if not difference <= LARGEST_CACHE_DIFFERENCE * min(1.0, spread):
            return f"its log-probabilities would differ by {difference:.2g}"
        difference, spread = _difference(model)
    except _NoRoom as error:
        return str(error)
    except Exception as error:  # an unknown architecture may raise anything
        if is_out_of_memory(error):
            raise  # this says nothing about the model
        return f"its cache cannot be continued ({type(error).__name__}: {error})"
    if not difference <= LARGEST_DIFFERENCE[model.dtype] * max(1.0, spread):
        return f"its log-probabilities would differ by {difference:.2g}"
    return ""


class _NoRoom(Exception):
    """The trial does not fit into memory."""


@contextmanager
def in_float32(model: PreTrainedModel) -> Iterator[None]:
    """Within, all weights are float32. Afterwards they are as before, because no bit is lost. Raises _NoRoom."""
    tensors = [one for one in (*model.parameters(), *model.buffers()) if one.dtype in (torch.float16, torch.bfloat16)]
    free = free_bytes(model.device)
    if free is not None and 4 * sum(one.numel() for one in tensors) > SHARE_OF_FREE_MEMORY * free:
        raise _NoRoom("there is no room to try its cache in float32")
    before = [(one, one.dtype) for one in tensors]
    try:
        for one, _ in before:
            one.data = one.data.float()
        yield
    finally:
        for one, dtype in before:
            one.data = one.data.to(dtype)


def _difference(model: PreTrainedModel) -> tuple[float, float]:
    """Return the largest difference from rows alone, and the standard deviation of a row's log-probabilities.

    The rows are scored twice: the second time after remembered beginnings.
    """
    rows = _rows(ordinary_tokens(model))
    scorer = BranchScorer(model, TokenBudget(1_000))
    runs = [scorer.score(some).values for some in (rows, rows[::-1], rows)]
    singly = PaddedScorer(model, TokenBudget(1)).score(rows).values
    if None in singly or any(None in values for values in runs):
        raise _NoRoom("there is no room to try its cache")
    alone = torch.tensor(singly)
    found = [torch.tensor(values) for values in (runs[0], runs[1][::-1], runs[2])]
    difference = torch.stack([(one - alone).abs().max() for one in found]).max()
    return float(difference), float(alone.std(-1).mean())


def _rows(ordinary: Sequence[int]) -> list[TokenRow]:
    """Return rows of two beginnings in one context, with several endings each, and one ending right after it."""
    shared, middle, later = (_tokens(ordinary, length, salt) for salt, length in enumerate((_SHARED, _MIDDLE, _LATER)))
    ends = [_tokens(ordinary, length, 7 + number) for number, length in enumerate(_ENDS)]
    texts = [shared + branch + end for branch in (middle, later) for end in ends]
    labels = tuple((ordinary[place * len(ordinary) // _LABELS],) for place in range(_LABELS))
    return [TokenRow(ids, labels, len(ids)) for ids in [*texts, shared + ends[1]]]


def _tokens(ordinary: Sequence[int], length: int, salt: int) -> Ids:
    """Return different-looking tokens without a random generator, which would be shared with the program."""
    return tuple(ordinary[(31 * step * step + 17 * step + 101 * salt) % len(ordinary)] for step in range(length))
