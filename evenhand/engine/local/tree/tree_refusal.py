"""Refuse the prefix tree for a model that would give other answers over it. Such a model runs in padded batches.

The model runs over one small tree several times when it is loaded. Only attention may carry anything from token to
token. A recurrent state or a convolution carries it too, from a branch into the branch after it in the row.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from transformers import PreTrainedConfig, PreTrainedModel

from evenhand.engine.local.model.model_traits import (
    LARGEST_DIFFERENCE,
    LARGEST_LEAK,
    largest,
    longest_exact_row,
    ordinary_tokens,
    takes_input,
)
from evenhand.engine.local.token_budgets import is_out_of_memory
from evenhand.engine.local.tree.prefix_tree import Node, PrefixTree, next_pack
from evenhand.engine.local.tree.tree_attention import NodeMemory, PackedAttention
from evenhand.engine.local.tree.tree_scorer import token_positions, tree_logits

_TOKENS = 40  # more than the tree has

# Parent, number of tokens, and the number after the last node below. The watched row ends in the middle of the tree:
#
#   shared ── other
#         ├── further ── before
#         │         ├── watched
#         │         └── after
#         └── later ── its first ending
#                  └── its second ending
_SHAPE: tuple[tuple[int | None, int, int], ...] = (
    (None, 8, 9),
    (0, 4, 2),
    (0, 5, 6),
    (2, 4, 4),
    (2, 4, 5),
    (2, 3, 6),
    (0, 4, 9),
    (6, 3, 8),
    (6, 2, 9),
)
_WATCHED = 4
_SHARED = (0, 2)  # the nodes above the watched one
_OTHERS = (1, 3, 5, 6, 7, 8)


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
    if refused := _configuration_refusal(model, config):
        return TreeTrial(refused)
    try:
        seen = try_small_tree(model)
    except Exception as error:  # an unknown architecture may raise anything
        if is_out_of_memory(error):
            raise  # this says nothing about the model
        return TreeTrial(f"it cannot attend over one ({type(error).__name__}: {error})")
    if refused := _layer_refusal(seen.calls, config) or _difference_refusal(seen, model.dtype):
        return TreeTrial(refused)
    if _declares_window(config) and not seen.windows:
        return TreeTrial("its sliding window is unknown to its attention")
    return TreeTrial(slower="; ".join(sorted(seen.slower - {""})))


def _configuration_refusal(model: PreTrainedModel, config: PreTrainedConfig) -> str:
    """Return why the model or its configuration rules out a tree; empty if nothing does."""
    if not takes_input(model, "logits_to_keep"):
        return "the model cannot predict at chosen positions only"
    if not takes_input(model, "position_ids"):
        return "the model counts positions itself"
    if (longest_exact_row(model) or _TOKENS) < _TOKENS:
        return "prompts of different lengths change it"
    if getattr(config, "index_topk", None):
        return "it chooses the tokens that it attends to"
    if getattr(config, "attention_chunk_size", None):
        return "its attention goes by chunks"
    return ""


def _layer_refusal(calls: Counter[int], config: PreTrainedConfig) -> str:
    """Return why the layers rule out a tree; empty if each called attention once."""
    layers = getattr(config, "num_hidden_layers", None)
    if not isinstance(layers, int):
        return "the model does not say how many layers it has"
    missing = sum(layer not in calls for layer in range(layers))
    if missing:
        return f"{missing} of its {layers} layers do not attend over the tree"
    if calls != Counter(range(layers)):
        return "some of its layers attend more than once"
    return ""


def _difference_refusal(seen: "SmallTreeTrial", dtype: torch.dtype) -> str:
    """Return why the numbers rule out a tree; empty if no branch reaches another and the plain pass agrees."""
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


@dataclass(frozen=True, slots=True)
class SmallTreeTrial:
    """Results of several passes over the small tree. Numbers are NaN where a log-probability is NaN.

    calls: how often each layer called attention. windows, slower: as in PackedAttention.
    leak: the largest move of a log-probability of the watched row while only other branches changed.
    is_blind: the other branches did not move either, so `leak` shows nothing.
    difference: from the plain pass over the watched row, the mean over its tokens and the vocabulary.
    spread: standard deviation of log-probabilities over the vocabulary, in the plain pass.
    """

    calls: Counter[int]
    windows: set[int]
    slower: set[str]
    leak: float
    is_blind: bool
    difference: float
    spread: float


def try_small_tree(model: PreTrainedModel) -> SmallTreeTrial:
    """Run the tree with its own tokens, with other tokens in other branches, and with NaN in other branches.

    Then run it again with the shared nodes remembered: once from the first pass, once from the pass with NaN.
    """
    tree, other = _trees(model)
    plain = _plain_logprobs(model, tree)
    first = _run(model, tree)
    changed = _run(model, _with_branches_of(other, tree))
    with _nan_in_other_branches(model, first.packed):
        spoilt = _run(model, tree)
    known = replace(tree, known=frozenset(_SHARED))
    again, again_spoilt = (_run(model, known, run.packed.memory) for run in (first, spoilt))
    pairs = ((changed, first), (spoilt, first), (again_spoilt, again))
    ends = [(run.watched, plain[-len(run.watched) :]) for run in (first, again)]  # as many tokens as were computed
    return SmallTreeTrial(
        calls=Counter(first.packed.layers),
        windows=first.packed.windows,
        slower=first.packed.slower | again.packed.slower,
        leak=largest([_moves(run.watched, usual.watched).max() for run, usual in pairs]),
        is_blind=not (_moves(changed.others, first.others).ne(0).all() and spoilt.others.isnan().all()),
        difference=largest([(logprobs - alone).abs().mean() for logprobs, alone in ends]),
        spread=float(plain.std(-1).mean()),
    )


@dataclass(frozen=True, slots=True)
class _Run:
    """One pass. Log-probabilities are float32 (tokens, vocabulary).

    watched: after each computed token of the watched row. others: after the last token of each other branch.
    """

    packed: PackedAttention
    watched: Tensor
    others: Tensor


def _trees(model: PreTrainedModel) -> tuple[PrefixTree, PrefixTree]:
    """Return two trees of one shape, with different tokens at every position."""
    ordinary = ordinary_tokens(model)
    tokens = [ordinary[place * len(ordinary) // _TOKENS] for place in range(_TOKENS)]
    half = _TOKENS // 2
    return _small_tree(tokens), _small_tree(tokens[half:] + tokens[:half])


def _small_tree(tokens: Sequence[int]) -> PrefixTree:
    nodes: list[Node] = []
    used = 0
    for parent, length, end in _SHAPE:
        start = 0 if parent is None else nodes[parent].stop
        nodes.append(Node(tuple(tokens[used : used + length]), start, parent, end))
        used += length
    return PrefixTree(tuple(nodes), (_WATCHED,))


def _with_branches_of(other: PrefixTree, tree: PrefixTree) -> PrefixTree:
    """Return a tree with its own watched row and the other branches of another tree."""
    pairs = zip(tree.nodes, other.nodes, strict=True)
    nodes = [its if number in _OTHERS else own for number, (own, its) in enumerate(pairs)]
    return replace(tree, nodes=tuple(nodes))


def _run(model: PreTrainedModel, tree: PrefixTree, memory: NodeMemory | None = None) -> _Run:
    """Run one pass over all nodes that are not known."""
    pack = next_pack(tree, 0, budget=tree.tokens)
    kept = frozenset(_SHARED) - tree.known
    packed = PackedAttention(tree, pack, token_positions(tree, pack, model.device), dict(memory or {}), kept)
    slices = [pack.slice_of(node) for node in (*_SHARED, _WATCHED)]
    watched = [index for one in slices for index in range(one.start, one.stop)]
    others = [pack.slice_of(node).stop - 1 for node in _OTHERS]
    logprobs = tree_logits(model, packed, watched + others).float().log_softmax(-1)
    return _Run(packed, logprobs[: len(watched)], logprobs[len(watched) :])


@contextmanager
def _nan_in_other_branches(model: PreTrainedModel, packed: PackedAttention) -> Iterator[None]:
    """Replace the embeddings of other branches by NaN. Whatever is computed from NaN is NaN, in every precision."""

    def spoil(module: nn.Module, given: object, embedded: Tensor) -> Tensor:
        spoilt = embedded.clone()
        for node in _OTHERS:
            spoilt[:, packed.pack.slice_of(node)] = torch.nan
        return spoilt

    hook = model.get_input_embeddings().register_forward_hook(spoil)
    try:
        yield
    finally:
        hook.remove()


@torch.inference_mode()
def _plain_logprobs(model: PreTrainedModel, tree: PrefixTree) -> Tensor:
    """Return log-probabilities after every token of the watched row, from a pass over this row alone."""
    ids = [token for node in tree.path(_WATCHED) for token in tree.nodes[node].ids]
    logits: Tensor = model(input_ids=torch.tensor([ids], device=model.device), use_cache=False).logits
    return logits[0].float().log_softmax(-1)


def _moves(moved: Tensor, usual: Tensor) -> Tensor:
    """Return the largest move after each token, (tokens,)."""
    return (moved - usual).abs().amax(-1)
