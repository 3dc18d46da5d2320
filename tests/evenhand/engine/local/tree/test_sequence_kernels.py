from dataclasses import replace

import pytest
import torch

from evenhand.engine.local.tree.attention_kernels import HeadShape, KernelChoice, choose_kernel
from evenhand.engine.local.tree.attention_parts import AttentionPart
from evenhand.engine.local.tree.sequence_kernels import (
    FLASH,
    SequenceKernel,
    plain_sequences,
    sequence_choice,
    sequence_ends,
)

HEADS = HeadShape(torch.device("cpu"), torch.float32, queries=4, keys=2, width=16)


def in_half_precision(query, key, value, *more):
    """Compute in float32 and round the result, like a GPU's kernel for half precision."""
    whole = plain_sequences(query.float(), key.float(), value.float(), *more)
    return AttentionPart(whole.out.to(query.dtype), whole.weight)


def sees_the_sequence_before(query, key, value, queries, keys, scale, causal):
    moved = keys.offsets.clone()
    moved[1:-1] -= 1
    return plain_sequences(query, key, value, queries, replace(keys, offsets=moved), scale, causal)


def sees_what_comes_later(query, key, value, queries, keys, scale, causal):
    return plain_sequences(query, key, value, queries, keys, scale, False)


def pads_its_normalisers(*asked):
    whole = plain_sequences(*asked)
    return AttentionPart(whole.out, torch.nn.functional.pad(whole.weight, (0, -whole.weight.shape[-1] % 32)))


def takes_logarithms_to_the_base_of_two(*asked):
    whole = plain_sequences(*asked)
    return AttentionPart(whole.out, whole.weight / torch.tensor(2.0).log())


def gives_heads_last(*asked):
    whole = plain_sequences(*asked)
    return AttentionPart(whole.out, whole.weight.mT)


def is_not_there(*_):
    raise NotImplementedError("no such operation\non this device")


WRONG = [
    sees_the_sequence_before,
    sees_what_comes_later,
    pads_its_normalisers,
    takes_logarithms_to_the_base_of_two,
    gives_heads_last,
    is_not_there,
]


@pytest.mark.parametrize("wrong", WRONG)
def test_a_kernel_that_computes_otherwise_is_refused(wrong):
    choice = choose_kernel(HEADS, [SequenceKernel("wrong", wrong)])

    assert choice.kernel is None
    assert choice.refused.startswith("wrong: ")


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_kernel_that_rounds_to_half_precision_is_taken(dtype):
    heads = HeadShape(torch.device("cpu"), dtype, queries=32, keys=8, width=128)
    kernel = SequenceKernel("rounding", in_half_precision)

    assert choose_kernel(heads, [kernel]) == KernelChoice(kernel)


def test_cpu_has_no_sequence_kernel():
    query = torch.zeros(1, 4, 3, 16)

    assert sequence_choice(query, query, query) == KernelChoice(None)


@pytest.mark.parametrize("width", [64, 20])
def test_flash_attention_gives_what_is_asked_in_its_shape(width):
    query, key = (
        torch.empty(tokens, heads, width, dtype=torch.bfloat16, device="meta") for tokens, heads in ((7, 4), (9, 2))
    )
    ends = sequence_ends([3, 4], torch.device("meta")), sequence_ends([1, 8], torch.device("meta"))

    found = FLASH.run(query, key, key, *ends, 0.5, False)

    assert (found.out.shape, found.out.dtype) == ((1, 4, 7, width), torch.bfloat16)
    assert (found.weight.shape, found.weight.dtype) == ((1, 4, 7), torch.float32)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("keys", [8, 2])
@pytest.mark.parametrize("width", [128, 64, 20])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_flash_attention_of_a_gpu_computes_what_plain_operations_do(dtype, width, keys):
    heads = HeadShape(torch.device("cuda:0"), dtype, queries=8, keys=keys, width=width)

    assert choose_kernel(heads, [FLASH]) == KernelChoice(FLASH)
