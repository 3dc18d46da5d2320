"""D-optimal order of pairs for the Gaussian expert, greedily [Liusie2024b].

After a chain through all candidates, the next pair always has the largest effective resistance A_ii + A_jj - 2 A_ij,
where A is the inverse of the anchored Laplacian of the pairs so far. Answers are not used, so all contexts with equally
many candidates share one sequence, and each budget is a prefix of it.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rankings.numerics.arrays import IntArray
from rankings.numerics.selection.greedy_search import GreedySearch


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """Unordered pairs, best to ask first: first < second, int, (n,). No pair occurs more than twice."""

    first: IntArray
    second: IntArray


def design_sequence(n_candidates: int, length: int) -> Design:
    """Return the first `length` pairs of the greedy order, at most n_candidates (n_candidates - 1)."""
    whole = _sequence(n_candidates, _rounded_up(length, n_candidates))
    return Design(whole.first[:length], whole.second[:length])


def _rounded_up(length: int, n_candidates: int) -> int:
    """Round a length up to a multiple of n_candidates, so that similar lengths share a cached sequence."""
    return min(-(-length // n_candidates) * n_candidates, n_candidates * (n_candidates - 1))


@lru_cache(maxsize=64)
def _sequence(n_candidates: int, length: int) -> Design:
    numbers = np.arange(1, n_candidates + 1, dtype=np.float64)
    search = GreedySearch(np.minimum(numbers[:, None], numbers), np.eye(n_candidates, dtype=bool))  # after the chain
    times = np.zeros((n_candidates, n_candidates), dtype=np.int8)
    pairs = [(at, at + 1) for at in range(min(length, n_candidates - 1))]
    for pair in pairs:
        times[pair] += 1
    while len(pairs) < length:
        pair = search.best()
        search.add(*pair)
        pairs.append(pair)
        times[pair] += 1
        if times[pair] == 2:
            search.close(*pair)
    chosen = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    return Design(chosen[:, 0], chosen[:, 1])
