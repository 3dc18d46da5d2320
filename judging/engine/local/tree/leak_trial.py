"""Runs a model over one small prefix tree several times, to see if anything leaks from one branch into another.

Only attention may carry anything from token to token. A recurrent state or a convolution carries it too, from a branch
into the branch after it in the row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from judging.engine.local.tensors import ordinary_tokens
from judging.engine.local.tree.prefix_tree import Node, PrefixTree, next_pack
from judging.engine.local.tree.tree_attention import Memory, PackedAttention
from judging.engine.local.tree.tree_scorer import token_positions, tree_logits

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
    again, again_spoilt = (_run_again(model, tree, run.packed.memory) for run in (first, spoilt))
    pairs = ((changed, first), (spoilt, first), (again_spoilt, again))
    differences = (_difference(run.watched, plain) for run in (first, again))
    return SmallTreeTrial(
        calls=Counter(first.packed.layers),
        windows=first.packed.windows,
        slower=first.packed.slower | again.packed.slower,
        leak=_largest(_moves(run.watched, usual.watched).max() for run, usual in pairs),
        is_blind=not (_moves(changed.others, first.others).ne(0).all() and spoilt.others.isnan().all()),
        difference=_largest(differences),
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
    """Two trees of one shape, with different tokens at every place."""
    ordinary = ordinary_tokens(model)
    tokens = [ordinary[place * len(ordinary) // _TOKENS] for place in range(_TOKENS)]
    half = _TOKENS // 2
    return _small_tree(tokens), _small_tree(tokens[half:] + tokens[:half])


def _small_tree(tokens: Sequence[int]) -> PrefixTree:
    nodes: list[Node] = []
    used = 0
    for parent, length, end in _SHAPE:
        start = 0 if parent is None else nodes[parent].start + len(nodes[parent].ids)
        nodes.append(Node(tuple(tokens[used : used + length]), start, parent, end))
        used += length
    return PrefixTree(tuple(nodes), (_WATCHED,))


def _with_branches_of(other: PrefixTree, tree: PrefixTree) -> PrefixTree:
    """The watched row of a tree, and every other branch of another tree."""
    pairs = zip(tree.nodes, other.nodes, strict=True)
    nodes = [its if number in _OTHERS else own for number, (own, its) in enumerate(pairs)]
    return replace(tree, nodes=tuple(nodes))


def _run(model: PreTrainedModel, tree: PrefixTree, memory: Memory | None = None) -> _Run:
    """One pass over all nodes that are not known."""
    pack = next_pack(tree, 0, budget=tree.tokens)
    kept = frozenset(_SHARED) - tree.known
    packed = PackedAttention(tree, pack, token_positions(tree, pack, model.device), dict(memory or {}), kept)
    places = [pack.place_of(node) for node in (*_SHARED, _WATCHED)]
    watched = [place for node in places for place in range(node.start, node.stop)]
    others = [pack.place_of(node).stop - 1 for node in _OTHERS]
    logprobs = tree_logits(model, packed, watched + others).float().log_softmax(-1)
    return _Run(packed, logprobs[: len(watched)], logprobs[len(watched) :])


def _run_again(model: PreTrainedModel, tree: PrefixTree, memory: Memory) -> _Run:
    """A pass that remembers the shared nodes."""
    return _run(model, replace(tree, known=frozenset(_SHARED)), memory)


@contextmanager
def _nan_in_other_branches(model: PreTrainedModel, packed: PackedAttention) -> Iterator[None]:
    """Replace the embeddings of other branches by NaN. Whatever is computed from NaN is NaN, in every precision."""

    def spoil(module: nn.Module, given: object, embedded: Tensor) -> Tensor:
        spoilt = embedded.clone()
        for node in _OTHERS:
            spoilt[:, packed.pack.place_of(node)] = torch.nan
        return spoilt

    hook = model.get_input_embeddings().register_forward_hook(spoil)
    try:
        yield
    finally:
        hook.remove()


@torch.inference_mode()
def _plain_logprobs(model: PreTrainedModel, tree: PrefixTree) -> Tensor:
    """After every token of the watched row, by a pass over this row alone."""
    ids = [token for node in tree.path(_WATCHED) for token in tree.nodes[node].ids]
    logits: Tensor = model(input_ids=torch.tensor([ids], device=model.device), use_cache=False).logits
    return logits[0].float().log_softmax(-1)


def _moves(found: Tensor, usual: Tensor) -> Tensor:
    """The largest move after each token, (tokens,)."""
    return (found - usual).abs().amax(-1)


def _difference(found: Tensor, plain: Tensor) -> Tensor:
    """Of the last tokens of the watched row, as many as were found."""
    return (found - plain[-len(found) :]).abs().mean()


def _largest(values: Iterable[Tensor]) -> float:
    """NaN if one of them is NaN."""
    return float(torch.stack(list(values)).max())
