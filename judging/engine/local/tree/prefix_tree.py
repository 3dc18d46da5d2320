"""Rows of tokens that begin alike, as a tree in which every shared token stands once. Numbers only: no torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from judging.engine.local.batching import Indices, OutOfMemory, TokenBudget
from judging.engine.questions.label_tokens import Ids, common_beginning

SHORTEST_SHARED = 8  # a shorter beginning is computed again by each that has it: that is cheaper than a node of its own


@dataclass(frozen=True, slots=True)
class Node:
    """Tokens that follow one another in every row through this node.

    start: tokens before them, so the position of the first. parent: number of the node before; None for a root.
    end: the number after the last node below this one.
    """

    ids: Ids
    start: int
    parent: int | None
    end: int


@dataclass(frozen=True, slots=True)
class PrefixTree:
    """Nodes numbered so that those below a node follow it without a gap.

    last: the node that each row ends in. known: nodes that were computed before, from a root down.
    """

    nodes: tuple[Node, ...]
    last: tuple[int, ...]
    known: frozenset[int] = frozenset()

    @property
    def tokens(self) -> int:
        """How many are to be computed."""
        return sum(self.length(number) for number in range(len(self.nodes)))

    def length(self, number: int) -> int:
        """Tokens of a node that are to be computed."""
        return 0 if number in self.known else len(self.nodes[number].ids)

    def tokens_to(self, number: int) -> int:
        """Tokens from a root down to the end of a node."""
        return self.nodes[number].start + len(self.nodes[number].ids)

    def node_at(self, row: int, position: int) -> int:
        """The node that holds the token at a position of a row."""
        number = self.last[row]
        while self.nodes[number].start > position:
            number = self._parent(number)
        return number

    def path(self, number: int) -> list[int]:
        """The nodes from a root down to a node."""
        found = []
        node: int | None = number
        while node is not None:
            found.append(node)
            node = self.nodes[node].parent
        return found[::-1]

    def _parent(self, number: int) -> int:
        parent = self.nodes[number].parent
        if parent is None:
            raise IndexError(f"node {number} has no parent")
        return parent


@dataclass(frozen=True, slots=True)
class _Group:
    """Sorted rows `low` to `high` - 1, which share `depth` tokens that are in nodes already, down to `parent`."""

    low: int
    high: int
    depth: int
    parent: int | None


def prefix_tree(rows: Sequence[Ids], *, known: Ids = (), shortest: int = SHORTEST_SHARED) -> PrefixTree:
    """The tree of some rows, none of them empty. Of beginnings shorter than `shortest` each row keeps its own.

    known: tokens that some rows may begin with, and that need not be computed.
    """
    distinct = sorted({*rows, known} if known else set(rows))
    shared = [0, *(common_beginning(one, other) for one, other in pairwise(distinct))]
    nodes: list[Node] = []
    ends_in: dict[Ids, int] = {}
    waiting = [_Group(low, high, 0, None) for low, high in reversed(_parted(shared, 0, len(distinct), 0))]
    while waiting:
        group = waiting.pop()
        row, parent = distinct[group.low], group.parent
        common = min(shared[group.low + 1 : group.high], default=len(row))
        alone = group.high - group.low == 1
        depth = group.depth
        if (alone and common > depth) or common - depth >= shortest:
            nodes.append(Node(row[depth:common], depth, parent, 0))
            parent, depth = len(nodes) - 1, common
        if alone:
            ends_in[row] = _number(parent)
        else:
            parts = _parted(shared, group.low, group.high, common)
            waiting += [_Group(low, high, depth, parent) for low, high in reversed(parts)]
    tree = PrefixTree(_with_ends(nodes), tuple(ends_in[row] for row in rows))
    return replace(tree, known=frozenset(tree.path(ends_in[known]))) if known else tree


def known_beginning(before: Ids, rows: Sequence[tuple[Ids, int]]) -> Ids:
    """The longest beginning of a row computed before that some rows share.

    rows: each with the number of its first tokens after which nothing is predicted; only these can be left out.
    """
    longest = 0
    most = len(before)
    for ids, silent in rows:
        common = common_beginning(before, ids)
        longest = max(longest, common)
        if common > silent:
            most = min(most, silent)
    return before[: min(longest, most)]


def _parted(shared: Sequence[int], low: int, high: int, common: int) -> list[tuple[int, int]]:
    """Sorted rows cut wherever neighbours share no more than `common` tokens."""
    cuts = [low, *(place for place in range(low + 1, high) if shared[place] <= common), high]
    return list(pairwise(cuts)) if high > low else []


def _number(node: int | None) -> int:
    if node is None:
        raise ValueError("a row is empty; there is nothing to compute")
    return node


def _with_ends(nodes: Sequence[Node]) -> tuple[Node, ...]:
    ends = [number + 1 for number in range(len(nodes))]
    for number in range(len(nodes) - 1, -1, -1):
        parent = nodes[number].parent
        if parent is not None:
            ends[parent] = max(ends[parent], ends[number])
    return tuple(Node(node.ids, node.start, node.parent, end) for node, end in zip(nodes, ends, strict=True))


@dataclass(frozen=True, slots=True)
class Sight:
    """Tokens `low` to `high` - 1 of a pack see all tokens of the node `seen`, which is above theirs."""

    seen: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Pack:
    """Nodes `begin` to `end` - 1 in one row, to run through the model together; known ones have no tokens there.

    offsets: where each of them begins in the row, and at last the row's length. sights: who sees which node above.
    """

    begin: int
    end: int
    offsets: tuple[int, ...]
    sights: tuple[Sight, ...]

    @property
    def tokens(self) -> int:
        return self.offsets[-1]

    @property
    def lengths(self) -> tuple[int, ...]:
        """Tokens of each node."""
        return tuple(after - before for before, after in pairwise(self.offsets))

    def place_of(self, node: int) -> slice:
        """Where the tokens of a node are in the row."""
        return slice(self.offsets[node - self.begin], self.offsets[node - self.begin + 1])


def next_pack(tree: PrefixTree, begin: int, *, budget: int) -> Pack:
    """The nodes from `begin` on that fit into a budget of tokens; at least one that is to be computed."""
    offsets = [0]
    end = begin
    while end < len(tree.nodes) and (offsets[-1] == 0 or offsets[-1] + tree.length(end) <= budget):
        offsets.append(offsets[-1] + tree.length(end))
        end += 1
    sights = []
    for seen in [*tree.path(begin)[:-1], *range(begin, end)]:
        low = offsets[seen - begin + 1] if seen >= begin else 0
        high = offsets[min(tree.nodes[seen].end, end) - begin]
        if high > low:
            sights.append(Sight(seen, low, high))
    return Pack(begin, end, tuple(offsets), tuple(sights))


def like_lengths(lengths: Sequence[int]) -> list[Indices]:
    """Indices of all lengths but 0, grouped so that the longest of a group is at most a quarter, or 8, longer than its
    shortest.
    """
    groups: list[list[int]] = []
    for index in sorted((index for index, length in enumerate(lengths) if length), key=lambda i: lengths[i]):
        shortest = lengths[groups[-1][0]] if groups else 0
        if groups and lengths[index] <= max(shortest * 1.25, shortest + 8):
            groups[-1].append(index)
        else:
            groups.append([index])
    return [tuple(group) for group in groups]


def walk(tree: PrefixTree, work: Callable[[Pack], None], *, budget: TokenBudget) -> frozenset[int]:
    """Give `work` pack after pack, in order; the nodes that could not be run, because one does not fit even alone.

    Where a pack runs out of memory the budget falls to half of what it held, and the rest is packed anew.
    """
    lost: set[int] = set()
    begin = 0
    while begin < len(tree.nodes):
        pack = next_pack(tree, begin, budget=budget.tokens)
        nodes = [node for node in range(begin, pack.end) if tree.length(node)]
        try:
            if nodes:
                work(pack)
        except OutOfMemory:
            if len(nodes) > 1:
                budget.tokens = max(1, pack.tokens // 2)
            else:
                begin = tree.nodes[nodes[0]].end
                lost.update(range(nodes[0], begin))
        else:
            begin = pack.end
    return frozenset(lost)
