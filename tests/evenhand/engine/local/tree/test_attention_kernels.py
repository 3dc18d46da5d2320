import math
from dataclasses import replace

import pytest
import torch
from torch.nn.functional import pad

from evenhand.engine.local.tree.attention_kernels import (
    AttentionKernel,
    HeadShape,
    KernelChoice,
    attend_part,
    choose_kernel,
    kernels,
)
from evenhand.engine.local.tree.attention_parts import AttentionPart, Scoring, causal_mask, plain_attention_part

HEADS = HeadShape(torch.device("cpu"), torch.float32, queries=4, keys=2, width=16)


def plain(query, key, value, scale, causal, mask):
    allowed = causal_mask(query.shape[2], window=None, device=query.device) if causal else None
    return plain_attention_part(query, key, value, Scoring(scale), allowed=allowed)


def sees_what_comes_later(query, key, value, scale, causal, mask):
    return plain(query, key, value, scale, False, mask)


def overlooks_the_last_key(query, key, value, scale, causal, mask):
    seen = key.shape[2] if causal else key.shape[2] - 1
    return plain(query, key[:, :, :seen], value[:, :, :seen], scale, causal, mask)


def forgets_normalisers(query, key, value, scale, causal, mask):
    whole = plain(query, key, value, scale, causal, mask)
    return AttentionPart(whole.out, torch.zeros_like(whole.weight))


def gives_no_number(query, key, value, scale, causal, mask):
    whole = plain(query, key, value, scale, causal, mask)
    return AttentionPart(whole.out * float("nan"), whole.weight)


def takes_logarithms_to_the_base_of_two(query, key, value, scale, causal, mask):
    whole = plain(query, key, value, scale, causal, mask)
    return AttentionPart(whole.out, whole.weight / math.log(2))


def pads_its_normalisers(query, key, value, scale, causal, mask):
    whole = plain(query, key, value, scale, causal, mask)
    return AttentionPart(whole.out, pad(whole.weight, (0, -whole.weight.shape[-1] % 32)))


def gives_heads_last(query, key, value, scale, causal, mask):
    whole = plain(query, key, value, scale, causal, mask)
    return AttentionPart(whole.out, whole.weight.mT)


def is_not_there(query, key, value, scale, causal, mask):
    raise NotImplementedError("no such operation\non this device")


GOOD = AttentionKernel("good", plain)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_choose_takes_the_kernel_of_the_cpu(dtype):
    heads = replace(HEADS, dtype=dtype)

    (offered,) = kernels(heads)

    assert choose_kernel(heads, [offered]) == KernelChoice(offered)


@pytest.mark.parametrize(
    "wrong",
    [
        sees_what_comes_later,
        overlooks_the_last_key,
        forgets_normalisers,
        takes_logarithms_to_the_base_of_two,
        gives_no_number,
    ],
)
def test_choose_refuses_a_kernel_that_computes_otherwise(wrong):
    choice = choose_kernel(HEADS, [AttentionKernel("wrong", wrong)])

    assert choice.kernel is None
    assert choice.refused.startswith("wrong: results differ by ")


@pytest.mark.parametrize("wrong", [pads_its_normalisers, gives_heads_last])
def test_choose_refuses_a_kernel_that_lays_its_results_out_otherwise(wrong):
    choice = choose_kernel(HEADS, [AttentionKernel("wrong", wrong)])

    assert choice.kernel is None
    assert choice.refused.startswith("wrong: gives (")


def test_choose_takes_the_next_kernel_where_one_cannot_run():
    assert choose_kernel(HEADS, [AttentionKernel("fast", is_not_there), GOOD]) == KernelChoice(
        GOOD, "fast: no such operation"
    )


@pytest.mark.parametrize(
    "error", [torch.OutOfMemoryError("CUDA out of memory"), RuntimeError("CUDA error: out of memory")]
)
def test_choose_kernel_passes_out_of_memory_errors_on(error):
    def too_large(*_):
        raise error

    with pytest.raises(type(error), match="out of memory"):
        choose_kernel(HEADS, [AttentionKernel("large", too_large), GOOD])


def test_masked_parts_are_plain_where_the_kernel_takes_no_mask(monkeypatch):
    monkeypatch.setattr(
        "evenhand.engine.local.tree.attention_kernels._chosen",
        lambda _: KernelChoice(AttentionKernel("any", is_not_there)),
    )
    query, key, value = (
        torch.randn(2, 2, tokens, 8, generator=torch.Generator().manual_seed(3)) for tokens in (1, 5, 5)
    )
    allowed = torch.arange(5) >= torch.tensor([0, 2])[:, None, None, None]

    found = attend_part(query, key, value, Scoring(0.5), allowed=allowed)

    assert torch.equal(found.out, plain_attention_part(query, key, value, Scoring(0.5), allowed=allowed).out)


@pytest.mark.parametrize("width", [64, 20])
@pytest.mark.parametrize(("dtype", "number"), [(torch.bfloat16, 0), (torch.bfloat16, 1), (torch.float32, 0)])
def test_kernels_of_a_gpu_give_what_is_asked_in_its_shape(dtype, number, width):
    kernel = kernels(HeadShape(torch.device("cuda:0"), dtype, queries=4, keys=2, width=width))[number]
    query, key = (
        torch.empty(1, heads, tokens, width, dtype=dtype, device="meta") for heads, tokens in ((4, 7), (2, 9))
    )

    found = kernel.run(query, key, key, 0.5, False, None)

    assert (found.out.shape, found.out.dtype) == ((1, 4, 7, width), dtype)
    assert (found.weight.shape, found.weight.dtype) == ((1, 4, 7), torch.float32)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("keys", [8, 2])
@pytest.mark.parametrize("width", [128, 64, 20])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_every_kernel_of_a_gpu_computes_what_plain_operations_do(dtype, width, keys):
    heads = HeadShape(torch.device("cuda:0"), dtype, queries=8, keys=keys, width=width)

    choices = [choose_kernel(heads, [kernel]) for kernel in kernels(heads)]

    assert choices == [KernelChoice(kernel) for kernel in kernels(heads)]
