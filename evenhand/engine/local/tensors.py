"""Rows of tokens as padded tensors, and tensors moved to a device."""

from collections.abc import Sequence

import torch
from torch import Tensor

from evenhand.engine.questions.label_tokens import Ids


def send(tensor: Tensor, device: torch.device) -> Tensor:
    """Copy a host tensor to a device. The copy to a GPU is asynchronous."""
    if device.type != "cuda":
        return tensor.to(device)
    return tensor.contiguous().pin_memory().to(device, non_blocking=True)


def right_padded(rows: Sequence[Ids], *, device: torch.device, padding: int = 0) -> tuple[Tensor, Tensor]:
    """Return token ids and their mask (1 for a real token), both int64 (rows, longest)."""
    return _padded(rows, device=device, padding=padding, left=False)


def left_padded(rows: Sequence[Ids], *, device: torch.device, padding: int = 0) -> tuple[Tensor, Tensor]:
    """Return token ids and their mask with the padding before the tokens, for generation."""
    return _padded(rows, device=device, padding=padding, left=True)


def _padded(rows: Sequence[Ids], *, device: torch.device, padding: int, left: bool) -> tuple[Tensor, Tensor]:
    ids = torch.full((len(rows), max(map(len, rows))), padding, dtype=torch.int64)
    mask = torch.zeros_like(ids)
    for row, tokens in enumerate(rows):
        place = slice(ids.shape[1] - len(tokens), None) if left else slice(len(tokens))
        ids[row, place] = torch.tensor(tokens, dtype=torch.int64)
        mask[row, place] = 1
    return send(ids, device), send(mask, device)
