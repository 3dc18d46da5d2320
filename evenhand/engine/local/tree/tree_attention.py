"""Exact attention over a prefix tree: attention to a token's own node and to each node above, combined.

A softmax over all keys is the average of softmaxes over parts, weighted by their normalisers. So no key is copied for
every prompt or computed twice, and there is no mask over the whole row.
"""

from dataclasses import dataclass, field, replace
from typing import Protocol

import torch
from torch import Tensor, nn
from transformers import AttentionInterface

from evenhand.engine.local.tensors import send
from evenhand.engine.local.tree.attention_kernels import attend_part, causal_part, slower_kernels
from evenhand.engine.local.tree.attention_parts import (
    AttentionPart,
    KeysValues,
    Scoring,
    join,
    with_sinks,
    within_window,
)
from evenhand.engine.local.tree.level_attention import LevelAttention
from evenhand.engine.local.tree.prefix_tree import Pack, PrefixTree, like_lengths
from evenhand.engine.local.tree.sequence_kernels import sequence_choice

TREE_ATTENTION = "evenhand_prefix_tree"

NodeMemory = dict[int, dict[int, KeysValues]]  # by node, then by layer


class NotSupported(Exception):
    """The model's attention has an option that is not supported; the message names it."""


class RowAttention(Protocol):
    """Attention of the tokens of one row. positions: int64, (tokens,). Position of each token in its text."""

    positions: Tensor

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, scoring: Scoring) -> Tensor: ...


@dataclass(frozen=True, slots=True)
class _Alike:
    """Nodes of similar length.

    source: (nodes, longest), indices in the row, padded with the last token of a node. real: node and step of each
    token that is no padding. indices: of these tokens in the row, in the same order.
    """

    source: Tensor
    real: tuple[Tensor, Tensor]
    indices: Tensor


@dataclass(slots=True)
class PackedAttention:
    """Attention of one pack in all layers.

    positions: int64 (tokens,). memory: keys and values by node and layer. kept: the nodes that this pack adds to it.
    layers: the layers that called attention, in order. windows: their sliding windows.
    slower: refused kernels with the reasons.
    """

    tree: PrefixTree
    pack: Pack
    positions: Tensor
    memory: NodeMemory
    kept: frozenset[int] = frozenset()
    layers: list[int] = field(default_factory=list)
    windows: set[int] = field(default_factory=set)
    slower: set[str] = field(default_factory=set)
    _alike: list[_Alike] | None = field(default=None, init=False)
    _levels: LevelAttention | None = field(default=None, init=False)
    _reach: int = field(init=False)

    def __post_init__(self) -> None:
        nodes = self.tree.nodes[self.pack.begin : self.pack.end]
        self._reach = max(node.stop for node in nodes)

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, scoring: Scoring) -> Tensor:
        """Return the attention of one layer. All (1, heads, tokens, width), the result with the width of the values."""
        self.layers.append(layer)
        if scoring.window is not None:
            self.windows.add(scoring.window)
            if self._reach <= scoring.window:
                scoring = replace(scoring, window=None)
        whole = scoring.window is None and scoring.softcap is None
        choice = sequence_choice(query, key, value)
        self.slower.add(f"attention node by node: {choice.refused}" if choice.refused else "")
        if choice.kernel and whole:
            self._levels = self._levels or LevelAttention(self.tree, self.pack, self.positions.device)
            attended = self._levels.attend(
                choice.kernel, (query, key, value), scoring.scale, lambda node: self.memory[node][layer]
            )
        else:
            self.slower.add(slower_kernels(query, key, value))
            attended = self._by_node(layer, query, key, value, scoring)
        self._keep(layer, key, value)
        return with_sinks(attended, None if scoring.sinks is None else scoring.sinks[:, None])

    def _by_node(self, layer: int, query: Tensor, key: Tensor, value: Tensor, scoring: Scoring) -> AttentionPart:
        self._alike = self._alike or _alike_nodes(self.pack, self.positions.device)
        _, heads, tokens, _ = query.shape
        out = query.new_empty(1, tokens, heads, value.shape[-1]).transpose(1, 2)
        weight = query.new_empty(1, heads, tokens, dtype=torch.float32)
        for alike in self._alike:
            own = [states[0][:, alike.source].transpose(0, 1) for states in (query, key, value)]
            within = causal_part(own[0], own[1], own[2], scoring)
            out[0, :, alike.indices] = within.out.transpose(0, 1)[:, *alike.real]
            weight[0, :, alike.indices] = within.weight.transpose(0, 1)[:, *alike.real]
        for sight in self.pack.sights:
            place = slice(sight.low, sight.high)
            keys, values = self._seen(sight.seen, layer, key, value)
            node = self.tree.nodes[sight.seen]
            allowed = within_window(self.positions[place], node.start, node.stop, scoring.window)
            above = attend_part(query[:, :, place], keys, values, scoring, allowed=allowed)
            join(AttentionPart(out[:, :, place], weight[:, :, place]), above)
        return AttentionPart(out, weight)

    def _seen(self, node: int, layer: int, key: Tensor, value: Tensor) -> KeysValues:
        if node < self.pack.begin or node in self.tree.known:
            return self.memory[node][layer]
        place = self.pack.slice_of(node)
        return key[:, :, place], value[:, :, place]

    def _keep(self, layer: int, key: Tensor, value: Tensor) -> None:
        for node in self.kept:
            place = self.pack.slice_of(node)
            self.memory.setdefault(node, {})[layer] = (key[:, :, place].clone(), value[:, :, place].clone())


def _alike_nodes(pack: Pack, device: torch.device) -> list[_Alike]:
    lengths = pack.lengths
    groups = []
    for nodes in like_lengths(lengths):
        begins = torch.tensor([pack.offsets[node] for node in nodes])[:, None]
        sizes = torch.tensor([lengths[node] for node in nodes])[:, None]
        steps = torch.arange(int(sizes.max()))[None]
        source = begins + torch.minimum(steps, sizes - 1)
        node, step = (steps < sizes).nonzero(as_tuple=True)
        indices = source[node, step]
        groups.append(_Alike(send(source, device), (send(node, device), send(step, device)), send(indices, device)))
    return groups


_KNOWN = frozenset({"position_ids", "use_cache", "output_attentions", "output_hidden_states", "return_dict"})


def attend_over_tree(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *,
    packed: RowAttention | None = None,
    scaling: float | None = None,
    dropout: float = 0.0,
    softcap: float | None = None,
    sliding_window: int | None = None,
    is_causal: bool | None = None,
    s_aux: Tensor | None = None,
    **more: object,
) -> tuple[Tensor, None]:
    """Attend over the tree; transformers calls this in every layer. Raises NotSupported for unknown options.

    s_aux: attention sinks, the score of an extra key for each head, (heads,).
    """
    unknown = sorted(name for name in more.keys() - _KNOWN if more[name] is not None and more[name] is not False)
    if packed is None or attention_mask is not None or dropout or unknown:
        raise NotSupported(f"its attention asks for {', '.join(unknown) or 'a mask'}")
    if not (getattr(module, "is_causal", True) if is_causal is None else is_causal):
        raise NotSupported("its attention sees later tokens")
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    scoring = Scoring(scale, softcap, sliding_window, s_aux)
    layer: int = module.layer_idx  # type: ignore[assignment]
    return packed.attend(layer, query, key, value, scoring).transpose(1, 2), None


AttentionInterface.register(TREE_ATTENTION, attend_over_tree)
