"""Facts about a loaded model: its vocabulary, the inputs that it takes, and how it attends."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedConfig, PreTrainedModel

# How far a log-probability of a row may move while only other rows change, where log-probabilities spread by 1.
# Measured where they spread by 0.1: attention alone 5e-7 in float32 and 0 in half precision, recurrent or convolution
# layers at least 1e-4 in float32, 4e-4 in float16 and 1e-3 in bfloat16.
LARGEST_LEAK = {torch.float32: 1e-4, torch.float16: 1e-3, torch.bfloat16: 5e-3}

# Largest mean difference of log-probabilities over the vocabulary, when a loaded model is tried in two ways.
LARGEST_DIFFERENCE = {torch.float32: 1e-3, torch.float16: 0.05, torch.bfloat16: 0.2}


def vocabulary_size(model: PreTrainedModel) -> int:
    """Count the tokens that the model has an embedding for."""
    embeddings: torch.nn.Embedding = model.get_input_embeddings()
    return embeddings.weight.shape[0]


def ordinary_tokens(model: PreTrainedModel) -> list[int]:
    """Return all tokens except those that begin, end or pad a text."""
    config = model.config.get_text_config()
    ends = getattr(config, "eos_token_id", None)
    special = {getattr(config, name, None) for name in ("pad_token_id", "bos_token_id")}
    special.update(ends if isinstance(ends, list) else [ends])
    return [token for token in range(vocabulary_size(model)) if token not in special]


def takes_input(model: PreTrainedModel, name: str) -> bool:
    """Return True if a pass of the model takes an input of this name."""
    return name in inspect.signature(model.forward).parameters


def rotation_depends_on_length(model: PreTrainedModel) -> bool:
    """Return True if the longest row of a batch changes the rotary positions of the others (Phi-3's long contexts)."""
    return any(parameters.get("rope_type") in ("longrope", "dynamic") for parameters in _rotations(model))


def longest_exact_row(model: PreTrainedModel) -> int | None:
    """Return the most tokens of a row that neither other rows nor a shared beginning can change; None for any number.

    Longer rows are rotated otherwise from their first token on (longrope), or attend to chosen tokens only (sparse
    attention), and the choice depends on padding.
    """
    config = model.config.get_text_config()
    limits = [getattr(config, "index_topk", None), *(_rotation_limit(config, one) for one in _rotations(model))]
    return min((limit for limit in limits if limit), default=None)


def _rotation_limit(config: PreTrainedConfig, parameters: Mapping[str, Any]) -> int | None:
    """Return the longest row with the usual rotation; None if rotation does not depend on the length."""
    if parameters.get("rope_type") == "dynamic":
        return int(config.max_position_embeddings)
    if parameters.get("rope_type") != "longrope":
        return None
    original: int | None = parameters.get("original_max_position_embeddings")
    return original or int(config.original_max_position_embeddings)


def _rotations(model: PreTrainedModel) -> list[Mapping[str, Any]]:
    """Return the rotary settings of the model, or of each kind of layer."""
    parameters = getattr(model.config.get_text_config(), "rope_parameters", None) or {}
    return [parameters, *(one for one in parameters.values() if isinstance(one, dict))]


@contextmanager
def attending_by(config: PreTrainedConfig, name: str) -> Iterator[None]:
    """Within, the model uses the attention function registered under a name."""
    parts = {key: part for key in config.sub_configs if (part := getattr(config, key, None)) is not None}
    usual = {key: part._attn_implementation for key, part in {"": config, **parts}.items()}
    config._attn_implementation = name
    try:
        yield
    finally:
        config._attn_implementation = usual


def largest(values: Sequence[Tensor]) -> float:
    """Return the largest of several numbers; NaN if one is NaN."""
    return float(torch.stack(tuple(values)).max())
