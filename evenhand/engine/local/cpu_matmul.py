"""Choose the library that multiplies float32 matrices on a CPU.

torch uses MKL, which is slow on processors that Intel did not make. oneDNN is twice as fast there. Its switch in torch
allows rounding to bfloat16, which happens on processors with AMX units. So oneDNN is used only if products of the
model's own weights are equal and faster.
"""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import linear
from transformers import PreTrainedModel

from evenhand.engine.local.model.model_traits import vocabulary_size
from evenhand.engine.settings import MEASURED, ONEDNN, TORCH

_MKLDNN: Any = torch.backends.mkldnn

LARGEST_ERROR = 1e-5  # of a product, relative to its largest number; rounding to bfloat16 gives a hundred times more
LARGEST_TIME_SHARE = 0.8  # of the time of MKL, to prefer oneDNN
SMALLEST_WEIGHT = 1 << 16  # numbers; for smaller weights the call costs more than the product
ROWS = (64, 7)
REPEATS = 3
_BY_ITSELF: Any = getattr(getattr(_MKLDNN, "matmul", None), "fp32_precision", None)


def multiplying_by(products: str) -> AbstractContextManager[None]:
    """Within, the given library multiplies float32 matrices."""
    return _at_precision("bf16") if products == ONEDNN else nullcontext()


def multiplying_small() -> AbstractContextManager[None]:
    """Within, torch uses its default library: oneDNN is slower on the many small products of attention."""
    return _at_precision(_BY_ITSELF) if _has_switch() else nullcontext()


@contextmanager
def _at_precision(precision: str) -> Iterator[None]:
    switch = _MKLDNN.matmul
    before = switch.fp32_precision
    switch.fp32_precision = precision
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
    seconds = []
    with multiplying_by(products):
        for _ in range(REPEATS + 1):  # the first run is a warm-up
            started = time.process_time()
            linear(states, weight)
            seconds.append(time.process_time() - started)
    return min(seconds[1:])


@torch.inference_mode()
def _error(weight: Tensor, rows: int) -> float:
    """Return the largest difference of the two libraries, relative to the largest number; NaN if one is NaN."""
    states = torch.randn(rows, weight.shape[1], generator=torch.Generator().manual_seed(0))
    expected = linear(states, weight)
    with multiplying_by(ONEDNN):
        computed = linear(states, weight)
    return float((computed - expected).abs().max() / expected.abs().max().clamp(min=torch.finfo(torch.float32).tiny))
