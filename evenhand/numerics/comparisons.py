"""`Comparisons`: the input type of every ranking and figure."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, counts
from evenhand.numerics.exceptions import InvalidComparisons

T = TypeVar("T")
Fixed = TypeVar("Fixed", bound=NDArray[Any])


@dataclass(frozen=True, slots=True, eq=False)
class Comparisons:
    """Answered comparisons of one or more contexts, over candidates numbered 0 to n_candidates - 1.

    Candidates are numbered across all contexts: context c has candidates starts[c] to starts[c + 1] - 1.

    n_candidates: number of candidates, compared or not.
    first, second: int, (n,). Candidates of each pair, in the order shown to the judge; both from one context.
    p_first: float, (n,). Probability in [0, 1] that `first` is better; hard answers are 0, 1/2 (a tie) and 1.
    starts: int, (n_contexts,). First candidate of each context. Default: one context with all candidates.
    bounded: bool, (n,). True where only the decision is known, and p_first is 1 or 0; None if this is nowhere so.

    Raises InvalidComparisons if the arrays break these rules. The arrays are copied and read-only.
    """

    n_candidates: int
    first: IntArray
    second: IntArray
    p_first: FloatArray
    starts: IntArray = field(default_factory=lambda: np.zeros(1, dtype=np.intp))
    bounded: BoolArray | None = None
    _of_pairs: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("first", "second", "starts"):
            object.__setattr__(self, name, _integers(name, getattr(self, name)))
        object.__setattr__(self, "p_first", _probabilities(self.p_first))
        _check_starts(self.starts, self.n_candidates)
        _check_lengths(self)
        _check_pairs(self)

    def __len__(self) -> int:
        return len(self.first)

    @property
    def n_contexts(self) -> int:
        return len(self.starts)

    @property
    def candidate_contexts(self) -> IntArray:
        """Context of each candidate, (n_candidates,)."""
        return self.of_pairs("candidate_contexts", self._candidate_contexts)

    def _candidate_contexts(self) -> IntArray:
        return _fixed(np.repeat(np.arange(self.n_contexts), np.diff(self.starts, append=self.n_candidates)))

    @property
    def contexts(self) -> IntArray:
        """Context of each comparison, (n,)."""
        return self.of_pairs("contexts", lambda: _fixed(self.candidate_contexts[self.first]))

    @property
    def played(self) -> IntArray:
        """Number of comparisons of each candidate, (n_candidates,)."""
        n = self.n_candidates
        return self.of_pairs("played", lambda: _fixed(counts(self.first, n) + counts(self.second, n)))

    @property
    def compared(self) -> BoolArray:
        """True for candidates in at least one comparison, (n_candidates,)."""
        return self.of_pairs("compared", lambda: _fixed(self.played > 0))

    @property
    def pair_keys(self) -> IntArray:
        """Number of each comparison's unordered pair, (n,); both orders of a pair have the same number."""
        return self.of_pairs("pair_keys", self._pair_keys)

    def _pair_keys(self) -> IntArray:
        low, high = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        return _fixed(low * np.intp(self.n_candidates) + high)

    @property
    def unordered_pairs(self) -> tuple[IntArray, IntArray]:
        """Return the `pair_keys` that occur, rising, (n_pairs,), and the place among them of each comparison, (n,)."""
        return self.of_pairs("unordered_pairs", self._unordered_pairs)

    def _unordered_pairs(self) -> tuple[IntArray, IntArray]:
        keys, pair = np.unique(self.pair_keys, return_inverse=True)
        return _fixed(keys), _fixed(pair)

    def of_pairs(self, what: Hashable, compute: Callable[[], T]) -> T:
        """Return a value that depends only on the pairs, not on the answers.

        It is computed once and shared with comparisons made by `with_p_first`. Callers must not modify it.
        what: its key.
        """
        if what not in self._of_pairs:
            self._of_pairs[what] = compute()
        value: T = self._of_pairs[what]
        return value

    def same_pairs(self, other: Self) -> bool:
        """Return True if both have the same candidates and the same pairs in the same sequence."""
        same_candidates = self.n_candidates == other.n_candidates and np.array_equal(self.starts, other.starts)
        return same_candidates and np.array_equal(self.first, other.first) and np.array_equal(self.second, other.second)

    def select(self, chosen: BoolArray | IntArray) -> Self:
        """Select comparisons by mask or index; candidates and contexts keep their numbers."""
        names = ("first", "second", "p_first", *(["bounded"] if self.bounded is not None else []))
        arrays = {name: _fixed(getattr(self, name)[chosen]) for name in names}
        return self._with(**arrays, _of_pairs=_of_candidates(self._of_pairs))

    def known(self) -> Self:
        """Select the comparisons whose p_first is known, for figures of probabilities."""
        return self if self.bounded is None or not self.bounded.any() else self.select(~self.bounded)

    @property
    def n_bounded(self) -> int:
        """Number of comparisons whose p_first is not known."""
        return 0 if self.bounded is None else int(self.bounded.sum())

    def of_contexts(self, chosen: BoolArray) -> Self:
        """Select the comparisons of contexts by mask, (n_contexts,); candidates and contexts keep their numbers.

        Comparisons of the same pairs share what depends only on the pairs of these contexts.
        """
        if chosen.all():
            return self
        members, pairs = self.of_pairs(("of_contexts", chosen.tobytes()), lambda: self._pairs_of_contexts(chosen))
        return pairs._with(p_first=_fixed(self.p_first[members]))

    def _pairs_of_contexts(self, chosen: BoolArray) -> tuple[IntArray, Self]:
        members = np.flatnonzero(chosen[self.contexts])
        return members, self.select(members)

    def followed_by(self, other: Self) -> Self:
        """Return these comparisons and then others, of the same candidates and none of them bounded."""
        first, second = np.append(self.first, other.first), np.append(self.second, other.second)
        bounded = None if self.bounded is None else np.append(self.bounded, np.zeros(len(other), dtype=bool))
        p_first = np.append(self.p_first, other.p_first)
        return replace(self, first=first, second=second, p_first=p_first, bounded=bounded)

    def with_p_first(self, p_first: FloatArray) -> Self:
        """Return the same pairs with other answers."""
        changed = self._with(p_first=_probabilities(p_first))
        _check_lengths(changed)
        return changed

    def _with(self, **values: NDArray[Any] | dict[Hashable, Any]) -> Self:
        """Return a copy with other values, which are not checked."""
        changed = object.__new__(type(self))
        for one in fields(self):
            object.__setattr__(changed, one.name, values.get(one.name, getattr(self, one.name)))
        return changed


def _of_candidates(values: Mapping[Hashable, Any]) -> dict[Hashable, Any]:
    """Return the values that depend on the candidates alone, not on the pairs."""
    return {what: values[what] for what in ("candidate_contexts",) if what in values}


def _integers(name: str, values: ArrayLike) -> IntArray:
    array = np.asarray(values)
    if array.ndim != 1:
        raise InvalidComparisons(f"{name} has {array.ndim} dimensions; give one")
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise InvalidComparisons(f"{name} is of type {array.dtype}; give integers")
    return _fixed(array.astype(np.intp))


def _fixed(array: Fixed) -> Fixed:
    """Make the array read-only and return it."""
    array.flags.writeable = False
    return array


def _probabilities(values: ArrayLike) -> FloatArray:
    array = np.array(values, dtype=np.float64)
    if array.ndim != 1:
        raise InvalidComparisons(f"p_first has {array.ndim} dimensions; give one")
    wrong = ~((array >= 0) & (array <= 1))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise InvalidComparisons(f"p_first[{at}] is {array[at]}; give a probability from 0 to 1")
    return _fixed(array)


def _check_starts(starts: IntArray, n_candidates: int) -> None:
    if n_candidates < 0:
        raise InvalidComparisons(f"n_candidates is {n_candidates}; give 0 or more")
    if not len(starts):
        if n_candidates:
            raise InvalidComparisons(f"starts is empty although there are {n_candidates} candidates")
        return
    if starts[0] != 0 or (np.diff(starts) < 0).any() or starts[-1] > n_candidates:
        raise InvalidComparisons(f"starts must rise from 0 to at most n_candidates = {n_candidates}")


def _check_lengths(comparisons: Comparisons) -> None:
    lengths = [len(array) for array in (comparisons.first, comparisons.second, comparisons.p_first)]
    if len(set(lengths)) > 1:
        listed = "{}, {} and {}".format(*lengths)
        raise InvalidComparisons(f"first, second and p_first have lengths {listed}; give equal lengths")


def _check_pairs(comparisons: Comparisons) -> None:
    first, second, n = comparisons.first, comparisons.second, comparisons.n_candidates
    for name, numbers in (("first", first), ("second", second)):
        outside = (numbers < 0) | (numbers >= n)
        if outside.any():
            at = int(np.argmax(outside))
            raise InvalidComparisons(f"{name}[{at}] is {numbers[at]}; give a candidate from 0 to {n - 1}")
    contexts = comparisons.candidate_contexts
    for what, wrong in (
        ("is compared with itself", first == second),
        ("is compared with a candidate of another context", contexts[first] != contexts[second]),
    ):
        if wrong.any():
            at = int(np.argmax(wrong))
            raise InvalidComparisons(f"comparison {at}: candidate {first[at]} {what}")
