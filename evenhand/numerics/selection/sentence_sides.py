"""Which candidate of each pair gets an added sentence: drawn at random, each candidate and position equally often."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import BoolArray, IntArray


@dataclass(frozen=True, slots=True)
class SentenceSides:
    """The drawn sides of all pairs of a dataset.

    places: int, (n_candidates,). Place of each candidate in the drawn circle of its context, from 0.
    sizes: int, (n_candidates,). Number of candidates in its context. mirrored: bool, (n_candidates,).
    """

    places: IntArray
    sizes: IntArray
    mirrored: BoolArray

    def first_gets_it(self, first: IntArray, second: IntArray) -> BoolArray:
        """Return True where the first candidate of a pair gets the sentence, (n,). The order of a pair has no effect.

        A candidate gets it against the half of the circle that follows it, or, if mirrored, that precedes it.
        """
        size = self.sizes[first]
        steps = 2 * ((self.places[second] - self.places[first]) % size)
        opposite = self.places[first] < self.places[second]
        gets_it = np.where(steps == size, opposite, steps < size)
        return np.asarray(gets_it ^ self.mirrored[first])


def draw_sentence_sides(systems: Sequence[Sequence[str]], *, seed: int) -> SentenceSides:
    """Draw the sides. systems: of the candidates of each context, in the dataset's order; "" for none.

    Contexts with the same systems form random couples: the second gets the mirrored sides of the first. So each
    candidate gets the sentence in half of its pairs, and of two systems each gets it equally often.
    """
    rng = np.random.default_rng([seed, 2])
    of_contexts = [names for names in systems if names]
    alike: dict[tuple[str, ...], list[int]] = {}
    for context, names in enumerate(of_contexts):
        alike.setdefault(tuple(sorted(names)), []).append(context)
    places: list[IntArray] = [np.zeros(0, dtype=np.intp)] * len(of_contexts)
    mirrored = np.zeros(len(of_contexts), dtype=bool)
    circle = places[0] if places else np.zeros(0, dtype=np.intp)
    for names, contexts in alike.items():
        for at, context in enumerate(rng.permutation(contexts).tolist()):
            mirrored[context] = at % 2
            circle = circle if at % 2 else rng.permutation(len(names))
            places[context] = circle[_ranks_of_names(of_contexts[context])]
    sizes = np.array([len(names) for names in of_contexts], dtype=np.intp)
    return SentenceSides(
        np.concatenate([*places, np.zeros(0, dtype=np.intp)]), np.repeat(sizes, sizes), np.repeat(mirrored, sizes)
    )


def _ranks_of_names(names: Sequence[str]) -> IntArray:
    """Return the place of each name in alphabetical order, (n,). Equal names keep their order."""
    order = sorted(range(len(names)), key=lambda at: names[at])
    ranks = np.empty(len(names), dtype=np.intp)
    ranks[order] = np.arange(len(names))
    return ranks
