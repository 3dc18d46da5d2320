"""Decides, when a model is loaded, if it can run over a prefix tree."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import torch
from transformers import PreTrainedConfig, PreTrainedModel

from judging.engine.local.tensors import (
    LARGEST_DIFFERENCE,
    is_out_of_memory,
    rotation_depends_on_length,
    takes_logits_to_keep,
    takes_positions,
)
from judging.engine.local.tree.leak_trial import SmallTreeTrial, try_small_tree

# How far a log-probability of a row may move while only other branches change, where log-probabilities spread by 1.
# Measured where they spread by 0.1: attention alone 5e-7 in float32 and 0 in half precision, recurrent or convolution
# layers at least 1e-4 in float32, 4e-4 in float16 and 1e-3 in bfloat16.
LARGEST_LEAK = {torch.float32: 1e-4, torch.float16: 1e-3, torch.bfloat16: 5e-3}


@dataclass(frozen=True, slots=True)
class TreeTrial:
    """refused: the reason why a model cannot run over a prefix tree; empty if it can.

    slower: the faster kernels of torch that it cannot use, with the reason; empty if there are none.
    """

    refused: str = ""
    slower: str = ""


def try_tree(model: PreTrainedModel) -> TreeTrial:
    """Run the model over a small tree. The configuration answers what a small tree cannot show."""
    config = model.config.get_text_config()
    if refused := _why_not_by_its_description(model, config):
        return TreeTrial(refused)
    try:
        seen = try_small_tree(model)
    except Exception as error:  # an unknown architecture may raise anything
        if is_out_of_memory(error):
            raise  # this says nothing about the model
        return TreeTrial(f"it cannot attend over one ({type(error).__name__}: {error})")
    if refused := _why_not_by_its_layers(seen.calls, config) or _why_not_by_its_numbers(seen, model.dtype):
        return TreeTrial(refused)
    if _declares_window(config) and not seen.windows:
        return TreeTrial("its sliding window is unknown to its attention")
    return TreeTrial(slower="; ".join(sorted(seen.slower - {""})))


def _why_not_by_its_description(model: PreTrainedModel, config: PreTrainedConfig) -> str:
    """Empty if nothing is against it."""
    if not takes_logits_to_keep(model):
        return "the model cannot predict at chosen positions only"
    if not takes_positions(model):
        return "the model counts positions itself"
    if rotation_depends_on_length(model):
        return "its positions depend on the length of the prompt"
    if getattr(config, "attention_chunk_size", None):
        return "its attention goes by chunks"
    return ""


def _why_not_by_its_layers(calls: Counter[int], config: PreTrainedConfig) -> str:
    """Empty if each layer called attention once."""
    layers = getattr(config, "num_hidden_layers", None)
    if not isinstance(layers, int):
        return "the model does not say how many layers it has"
    missing = sum(layer not in calls for layer in range(layers))
    if missing:
        return f"{missing} of its {layers} layers do not attend over the tree"
    if calls != Counter(range(layers)):
        return "some of its layers attend more than once"
    return ""


def _why_not_by_its_numbers(seen: SmallTreeTrial, dtype: torch.dtype) -> str:
    """Empty if no branch reaches another, and the tree agrees with the plain pass."""
    if seen.is_blind:
        return "a changed prompt does not change its answers"
    scale = min(1.0, seen.spread)  # small weights make small numbers, which would hide any difference
    if not seen.leak <= LARGEST_LEAK[dtype] * scale:
        return "its answers would depend on what else is asked"
    if not seen.difference <= LARGEST_DIFFERENCE[dtype] * scale:
        return f"its log-probabilities would differ by {seen.difference:.2g}"
    return ""


def _declares_window(config: PreTrainedConfig) -> bool:
    """True if some layer sees only a number of tokens before each token."""
    kinds = getattr(config, "layer_types", None)
    return bool(getattr(config, "sliding_window", None)) and (kinds is None or "sliding_attention" in kinds)
