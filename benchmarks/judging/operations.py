"""The number of operations that a judge needs, and the rate at which a device multiplies matrices."""

import time
from collections.abc import Callable, Sequence

import torch
from transformers import PreTrainedModel

from evenhand.engine.local.tree.prefix_tree import PrefixTree, prefix_tree
from evenhand.engine.questions.label_tokens import LabelledPrompt


def tree_of(prompts: Sequence[LabelledPrompt]) -> PrefixTree:
    return prefix_tree([row.ids for prompt in prompts for row in prompt.rows()])


def useful_operations(model: PreTrainedModel, tree: PrefixTree, *, predicted: int) -> int:
    """Multiplications and additions of matrices, each counted as one, of a Llama over a prefix tree.

    Every token of the tree once by the weights of all layers; its query by the keys that it sees, and its shares by
    their values; and by the vocabulary at the positions that are predicted.
    """
    config = model.config
    weights = sum(one.numel() for one in model.model.layers.parameters() if one.dim() == 2)
    width = config.num_attention_heads * config.head_dim
    seen = 4 * config.num_hidden_layers * width * keys_seen(tree)
    return 2 * weights * tree.tokens + seen + 2 * config.vocab_size * config.hidden_size * predicted


def keys_seen(tree: PrefixTree) -> int:
    """Count the tokens that each token of a tree attends to: itself and all before it."""
    lengths = [(node.start, len(node.ids)) for node in tree.nodes]
    return sum(length * start + length * (length + 1) // 2 for start, length in lengths)


@torch.inference_mode()
def matrix_rate(device: torch.device, dtype: torch.dtype, *, size: int, seconds: float) -> float:
    """Return the operations a second of products of square matrices, sustained for some seconds."""
    one, other = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))
    product = one @ other
    repeats = max(1, round(seconds / timed(lambda: torch.mm(one, other, out=product), device)))

    def multiply() -> None:
        for _ in range(repeats):
            torch.mm(one, other, out=product)

    return repeats * 2 * size**3 / timed(multiply, device)


def timed(work: Callable[[], object], device: torch.device) -> float:
    """Return the wall-clock seconds until a device has finished."""
    finish(device)
    started = time.perf_counter()
    work()
    finish(device)
    return time.perf_counter() - started


def finish(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
