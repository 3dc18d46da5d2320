"""Numbers on a GPU stay there. torch's meta device stands in for one: it holds no numbers, so reading one fails."""

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from evenhand.engine.local.batching import TokenBudget
from evenhand.engine.local.token_choice import TokenChoice
from evenhand.engine.local.tree import attention_kernels, sequence_kernels, tree_scorer
from evenhand.engine.local.tree.attention_kernels import HeadShape, KernelChoice, kernels
from evenhand.engine.local.tree.sequence_kernels import FLASH
from evenhand.engine.local.tree.tree_generation import TreeWriter
from evenhand.engine.local.tree.tree_scorer import TreeScorer
from evenhand.engine.local.written_texts import RequestPrompt
from tests.evenhand.engine.local.tree.scored_rows import VOCABULARY, rows_of_a_context
from tests.evenhand.engine.tiny_models import build_model

ROWS = rows_of_a_context()[:8]
COPIES = {"aten.to.dtype_layout", "aten._to_copy.default"}


class Crossings(TorchDispatchMode):
    """The operations that tensors of the host and of the device take part in together; numbers alone do not count."""

    def __init__(self):
        super().__init__()
        self.found = set()

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        result = operation(*args, **(kwargs or {}))
        tensors = [one for one in tree_leaves((args, kwargs, result)) if isinstance(one, torch.Tensor) and one.dim()]
        if len({one.device.type for one in tensors}) > 1:
            self.found.add(str(operation))
        return result


def on_cuda(heads):
    return HeadShape(torch.device("cuda:0"), heads.dtype, heads.queries, heads.keys, heads.width)


@pytest.fixture(params=["level by level", "node by node"])
def kernels_of_a_gpu(request, monkeypatch):
    levels = KernelChoice(FLASH if request.param == "level by level" else None)
    monkeypatch.setattr(sequence_kernels, "_chosen", lambda _: levels)
    monkeypatch.setattr(attention_kernels, "_chosen", lambda heads: KernelChoice(kernels(on_cuda(heads))[0]))


def model_on_device(kind):
    return build_model(kind, VOCABULARY).to("meta", torch.bfloat16)


@pytest.mark.parametrize("kind", ["llama", "gemma2"])
def test_all_packs_of_a_tree_are_launched_before_results_are_read(kind, kernels_of_a_gpu, monkeypatch):
    asked = []
    monkeypatch.setattr(tree_scorer, "sum_label_tokens", lambda rows, found: asked.extend(found) or [None] * len(rows))

    with Crossings() as crossings:
        TreeScorer(model_on_device(kind), TokenBudget(100)).score(ROWS)

    assert len(asked) > 1
    assert {logprobs.device.type for _, logprobs in asked} == {"meta"}
    assert crossings.found <= COPIES


def test_generation_reads_only_tokens_back(kernels_of_a_gpu, monkeypatch):
    monkeypatch.setattr(TokenChoice, "tokens", lambda self, logits, rows: [5] * len(rows))
    writer = TreeWriter(model_on_device("qwen2"), pack_budget=TokenBudget(100), budget=TokenBudget(4096))

    with Crossings() as crossings:
        texts = writer.write([RequestPrompt(row.ids, 2 + number) for number, row in enumerate(ROWS[:3])])

    assert [len(text.ids) for text in texts] == [2, 3, 4]
    assert crossings.found <= COPIES
