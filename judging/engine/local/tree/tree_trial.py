"""Whether a model can be run over a prefix tree: tried on a small one, as it is loaded."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor
from transformers import PreTrainedConfig, PreTrainedModel

from judging.engine.local.batching import TokenBudget
from judging.engine.local.tensors import (
    LARGEST_DIFFERENCE,
    is_out_of_memory,
    ordinary_tokens,
    rotation_depends_on_length,
    takes_logits_to_keep,
)
from judging.engine.local.tree.prefix_tree import Pack, prefix_tree, walk
from judging.engine.local.tree.tree_attention import Memory, PackedAttention
from judging.engine.local.tree.tree_scorer import needed_after, place_in_pack, token_positions, tree_logits
from judging.engine.questions.label_tokens import Ids


@dataclass(frozen=True, slots=True)
class TreeTrial:
    """refused: why a model cannot be run over a prefix tree; empty if it can. slower: which of torch's kernels it then
    does without, and why; empty if it uses the fastest, or there is none.
    """

    refused: str = ""
    slower: str = ""


@dataclass(slots=True)
class _Seen:
    """difference: of log-probabilities over a tree from those row by row, on average over the vocabulary, at most; not
    a number where one of them is none. windows, slower: as in PackedAttention.
    """

    difference: float = 0.0
    windows: set[int] = field(default_factory=set)
    slower: set[str] = field(default_factory=set)


def try_tree(model: PreTrainedModel) -> TreeTrial:
    """A model on a small tree, beside row by row. What that is too small to show is looked up in the configuration."""
    config = model.config.get_text_config()
    if not takes_logits_to_keep(model):
        return TreeTrial("the model cannot predict at chosen positions only")
    if rotation_depends_on_length(model):
        return TreeTrial("its positions depend on the length of the prompt")
    if getattr(config, "attention_chunk_size", None):
        return TreeTrial("its attention goes by chunks")
    try:
        seen = _try_small_tree(model)
    except Exception as error:  # whatever an unknown architecture makes of it: it is not asked again
        if is_out_of_memory(error):
            raise  # which says nothing about the model
        return TreeTrial(f"it cannot attend over one ({type(error).__name__}: {error})")
    if _declares_window(config) and not seen.windows:
        return TreeTrial("its sliding window is unknown to its attention")
    if not seen.difference <= LARGEST_DIFFERENCE[model.dtype]:
        return TreeTrial(f"its log-probabilities would differ by {seen.difference:.2g}")
    return TreeTrial(slower="; ".join(sorted(seen.slower - {""})))


def _try_small_tree(model: PreTrainedModel) -> _Seen:
    """A tree of three rows. Two packs, so that keys and values are also remembered."""
    ordinary = ordinary_tokens(model)
    tokens = tuple(ordinary[place * len(ordinary) // 40] for place in range(40))
    shared, further = tokens[:12], tokens[12:20]
    rows = [shared + further + tokens[20:25], shared + further + tokens[25:31], shared + tokens[31:37]]
    tree = prefix_tree(rows, shortest=4)
    memory: Memory = {}
    seen = _Seen()
    differences: list[float] = []

    def work(pack: Pack) -> None:
        ends = [(row, ids) for row, ids in enumerate(rows) if pack.begin <= tree.last[row] < pack.end]
        places = [place_in_pack(tree, pack, row, len(ids) - 1) for row, ids in ends]
        packed = PackedAttention(
            tree, pack, token_positions(tree, pack, model.device), memory, needed_after(tree, pack)
        )
        for (_, ids), predicted in zip(ends, tree_logits(model, packed, places), strict=True):
            difference = _last_logprobs(model, ids) - predicted.float().log_softmax(-1)
            differences.append(float(difference.abs().mean()))
        seen.windows |= packed.windows
        seen.slower |= packed.slower

    walk(tree, work, budget=TokenBudget(20))
    seen.difference = float(torch.tensor(differences).max())
    return seen


@torch.inference_mode()
def _last_logprobs(model: PreTrainedModel, ids: Ids) -> Tensor:
    return (
        model(input_ids=torch.tensor([ids], device=model.device), use_cache=False).logits[0, -1].float().log_softmax(-1)
    )


def _declares_window(config: PreTrainedConfig) -> bool:
    """Whether some layer sees only the tokens next before it."""
    kinds = getattr(config, "layer_types", None)
    return bool(getattr(config, "sliding_window", None)) and (kinds is None or "sliding_attention" in kinds)
