"""Rows of tokens as a prefix tree, in which shared beginnings appear once. Pure Python: no torch."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from evenhand.engine.local.batching import Indices, OutOfMemory, TokenBudget
from evenhand.engine.questions.label_tokens import Ids, common_prefix

SHORTEST_SHARED = 8  # shorter shared beginnings are computed once per row: that is cheaper than a node


@dataclass(frozen=True, slots=True)
class Node:
    """Consecutive tokens that every row through this node contains.

    start: position of the first token. parent: number of the node before; None for a root.
    end: the number after the last node below this one.
    """

    ids: Ids
    start: int
    parent: int | None
    end: int

    @property
    def stop(self) -> int:
        """Position after the last token."""
        return self.start + len(self.ids)


@dataclass(frozen=True, slots=True)
class PrefixTree:
    """A prefix tree; the nodes below a node follow it without a gap.

    last: the last node of each row. known: nodes that were computed before, from a root down.
    """

    nodes: tuple[Node, ...]
    last: tuple[int, ...]
    known: frozenset[int] = frozenset()

    @property
    def tokens(self) -> int:
        """Number of tokens to compute."""
        return sum(self.length(number) for number in range(len(self.nodes)))

    def length(self, number: int) -> int:
        """Return the number of tokens to compute in a node."""
        return 0 if number in self.known else len(self.nodes[number].ids)

    def node_at(self, row: int, position: int) -> int:
        """Return the node with the token at a position of a row."""
        return max(number for number in self.path(self.last[row]) if self.nodes[number].start <= position)

    def path(self, number: int) -> list[int]:
        """Return the nodes from the root to a node."""
        path = []
        node: int | None = number
        while node is not None:
            path.append(node)
            node = self.nodes[node].parent
        return path[::-1]


@dataclass(frozen=True, slots=True)
class _Group:
    """Sorted rows `low` to `high` - 1. Their first `depth` tokens are in nodes already, the last of them `parent`."""

    low: int
    high: int
    depth: int
    parent: int | None


def prefix_tree(rows: Sequence[Ids], *, known: Sequence[Ids] = (), shortest: int = SHORTEST_SHARED) -> PrefixTree:
    """Build the tree of some rows. Shared beginnings shorter than `shortest` are not shared. Refuses empty rows.

    known: beginnings of rows that were computed before.
    """
    distinct = sorted({*rows, *known})
    shared = [0, *(common_prefix(one, other) for one, other in pairwise(distinct))]
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
            if parent is None:
                raise ValueError("a row is empty; there is nothing to compute")
            ends_in[row] = parent
        else:
            parts = _parted(shared, group.low, group.high, common)
            waiting += [_Group(low, high, depth, parent) for low, high in reversed(parts)]
    tree = PrefixTree(_with_ends(nodes), tuple(ends_in[row] for row in rows))
    return replace(tree, known=frozenset(node for ids in known for node in tree.path(ends_in[ids])))


def known_beginnings(earlier: Sequence[Ids], rows: Sequence[tuple[Ids, int]]) -> list[Ids]:
    """Return the beginning of each earlier row that can be skipped; see `known_beginning`."""
    ordered = sorted(rows)
    least = min((silent for _, silent in rows), default=0)
    return [known_beginning(ids, list(_alike(ids, ordered, least))) for ids in earlier]


def _alike(ids: Ids, ordered: Sequence[tuple[Ids, int]], least: int) -> Iterator[tuple[Ids, int]]:
    """Yield the sorted rows that share more than `least` tokens with a row, and the next on both sides."""
    place = bisect_left(ordered, (ids,))
    for side in (reversed(ordered[:place]), ordered[place:]):
        for row in side:
            yield row
            if common_prefix(ids, row[0]) <= least:
                break


def known_beginning(before: Ids, rows: Sequence[tuple[Ids, int]]) -> Ids:
    """Return the longest beginning of an earlier row that some rows share.

    rows: each with its number of first tokens after which nothing is predicted; only these can be skipped.
    """
    longest = 0
    most = len(before)
    for ids, silent in rows:
        common = common_prefix(before, ids)
        longest = max(longest, common)
        if common > silent:
            most = min(most, silent)
    return before[: min(longest, most)]


def _parted(shared: Sequence[int], low: int, high: int, common: int) -> list[tuple[int, int]]:
    """Cut sorted rows wherever neighbours share at most `common` tokens."""
    cuts = [low, *(place for place in range(low + 1, high) if shared[place] <= common), high]
    return list(pairwise(cuts)) if high > low else []


def _with_ends(nodes: Sequence[Node]) -> tuple[Node, ...]:
    ends = [number + 1 for number in range(len(nodes))]
    for number in range(len(nodes) - 1, -1, -1):
        parent = nodes[number].parent
        if parent is not None:
            ends[parent] = max(ends[parent], ends[number])
    return tuple(replace(node, end=end) for node, end in zip(nodes, ends, strict=True))


@dataclass(frozen=True, slots=True)
class Sight:
    """Tokens `low` to `high` - 1 of a pack see all tokens of the node `seen` above them."""

    seen: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Pack:
    """Nodes `begin` to `end` - 1 in one row that runs through the model; known nodes have no tokens in it.

    offsets: begin of each node in the row, then the row's length. sights: which tokens see which nodes above.
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
        """Number of tokens of each node."""
        return tuple(after - before for before, after in pairwise(self.offsets))

    def slice_of(self, node: int) -> slice:
        """Return the slice of the row with the tokens of a node."""
        return slice(self.offsets[node - self.begin], self.offsets[node - self.begin + 1])


def next_pack(tree: PrefixTree, begin: int, *, budget: int) -> Pack:
    """Return the nodes from `begin` on that fit into a budget of tokens, at least one node to compute."""
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
    """Group the indices of all lengths but 0.

    The longest of a group is at most a quarter, or 8, longer than its shortest.
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
    """Call `work` with pack after pack. Return the lost nodes: those too large for memory, and the nodes below them.

    When a pack runs out of memory, the budget falls to half its tokens, and the rest is packed again.
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
