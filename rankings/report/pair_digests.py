"""Digests of the pairs and contexts on which a row rests: equal digests are of the same ones."""

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics import Comparisons
from evenhand.numerics.accuracy import both_orders
from rankings.loading import CandidateTable
from rankings.report.figures.figure_basis import Basis


@dataclass(frozen=True)
class Asked:
    """Digests of what a row rests on; equal ones are of the same: pairs in any order, contexts, and pairs as shown."""

    pairs: str
    contexts: str
    shown: str = ""


def asked_of(basis: Basis, table: CandidateTable, unanswered: Comparisons) -> Asked:
    """Compute the digests of a row: sums over pairs, so that nothing is sorted and equal pairs are computed once."""
    answered = basis.comparisons
    keys, first = np.unique(unanswered.pair_keys, return_index=True)
    only_unanswered = first[~np.isin(keys, answered.pair_keys)] if len(first) else first

    def sum_of_pairs() -> int:
        mixed = _mixed(table, answered)
        twice = np.zeros(0, dtype=np.intp) if basis.debiasing is None else both_orders(answered)[1]
        return int(mixed.sum()) - int(mixed[twice].sum())

    pairs = answered.of_pairs("asked", sum_of_pairs) + int(_mixed(table, unanswered)[only_unanswered].sum())
    shown = answered.of_pairs("shown", lambda: int(_mixed(table, answered, as_shown=True).sum()))
    shown += int(_mixed(table, unanswered, as_shown=True).sum())
    contexts = blake2b(table.ids[table.starts[basis.recorded]].tobytes(), digest_size=8).hexdigest()
    return Asked(f"{pairs % 2**64:x}", contexts, f"{shown % 2**64:x}")


def _mixed(table: CandidateTable, comparisons: Comparisons, *, as_shown: bool = False) -> NDArray[np.uint64]:
    """Mix the two ids of each pair, in any order or as shown, into 64 bits, as SplitMix64 does."""
    first, second = (table.ids[one].astype(np.uint64) for one in (comparisons.first, comparisons.second))
    if not as_shown:
        first, second = np.minimum(first, second), np.maximum(first, second)
    mixed = first << np.uint64(32) | second
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))
