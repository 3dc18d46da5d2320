"""Choose the library that multiplies float32 matrices on a CPU.

torch uses MKL, which is slow on processors that Intel did not make. oneDNN is twice as fast there. Its switch in torch
allows rounding to bfloat16, which happens on processors with AMX units. So oneDNN is used only if products of the
model's own weights are equal and faster.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import linear
from transformers import PreTrainedModel

from judging.engine.local.model_traits import vocabulary_size
from judging.engine.settings import MEASURED, ONEDNN, TORCH

_MKLDNN: Any = torch.backends.mkldnn

LARGEST_ERROR = 1e-5  # of a product, relative to its largest number; rounding to bfloat16 gives a hundred times more
LARGEST_TIME_SHARE = 0.8  # of the time of MKL, to prefer oneDNN
SMALLEST_WEIGHT = 1 << 16  # numbers; for smaller weights the call costs more than the product
ROWS = (64, 7)
REPEATS = 3
_BY_ITSELF: Any = getattr(getattr(_MKLDNN, "matmul", None), "fp32_precision", None)


@contextmanager
def multiplying_by(products: str) -> Iterator[None]:
    """Within, the given library multiplies float32 matrices."""
    if products != ONEDNN:
        yield
        return
    switch = _MKLDNN.matmul
    before = switch.fp32_precision
    switch.fp32_precision = "bf16"
    try:
        yield
    finally:
        switch.fp32_precision = before


@contextmanager
def multiplying_small() -> Iterator[None]:
    """Within, torch uses its default library: oneDNN is slower on the many small products of attention."""
    if not _has_switch():
        yield
        return
    switch = _MKLDNN.matmul
    before = switch.fp32_precision
    switch.fp32_precision = _BY_ITSELF
    try:
        yield
    finally:
        switch.fp32_precision = before


def choose_products(model: PreTrainedModel, wanted: str = MEASURED) -> str:
    """Return TORCH or ONEDNN. ONEDNN is refused if its products differ, even if it is asked for."""
    weights = _weights(model)
    if wanted == TORCH or not weights or not _has_switch():
        return TORCH
    if wanted == MEASURED and _seconds(weights[-1], ONEDNN) > LARGEST_TIME_SHARE * _seconds(weights[-1], TORCH):
        return TORCH
    exact = all(_error(weight, rows) <= LARGEST_ERROR for weight in weights for rows in ROWS)
    return ONEDNN if exact else TORCH


def _has_switch() -> bool:
    return bool(_MKLDNN.is_available()) and hasattr(getattr(_MKLDNN, "matmul", None), "fp32_precision")


def _weights(model: PreTrainedModel) -> list[Tensor]:
    """Return one float32 weight of each shape, the largest last, without those as long as the vocabulary.

    Empty unless the model is on a CPU.
    """
    if model.device.type != "cpu" or model.dtype != torch.float32:
        return []
    vocabulary = vocabulary_size(model)
    matrices = [one for one in model.parameters() if one.dim() == 2 and vocabulary not in one.shape]
    shapes = {matrix.shape: matrix for matrix in matrices if matrix.numel() >= SMALLEST_WEIGHT}
    return sorted(shapes.values(), key=torch.numel)


@torch.inference_mode()
def _seconds(weight: Tensor, products: str) -> float:
    """Return the least processor seconds of several products."""
    states = torch.ones(ROWS[0], weight.shape[1])
    found = []
    with multiplying_by(products):
        for _ in range(REPEATS + 1):  # the first run is a warm-up
            started = time.process_time()
            linear(states, weight)
            found.append(time.process_time() - started)
    return min(found[1:])


@torch.inference_mode()
def _error(weight: Tensor, rows: int) -> float:
    """Return the largest difference of the two libraries, relative to the largest number; infinite if one is NaN."""
    states = torch.randn(rows, weight.shape[1], generator=torch.Generator().manual_seed(0))
    expected = linear(states, weight)
    with multiplying_by(ONEDNN):
        found = linear(states, weight)
    error = float((found - expected).abs().max() / expected.abs().max().clamp(min=torch.finfo(torch.float32).tiny))
    return error if error == error else float("inf")
