"""`PairChoice`: the pairs that a page of answers shows, and their order."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Literal

import numpy as np

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from evenhand.options import Option
from judging.models import Run
from judging.models.datasets import DEVELOPMENT, TEST
from judging.services.activity import note_looks
from rankings.pair_answers.answered_pairs import UNCERTAIN, AnsweredPairs

KindOfPair = Literal["wrong", "right", "flipped", "uncertain", "longer", "unanswered", "steering"]


@dataclass(frozen=True, slots=True)
class PairKind:
    """A kind of pairs. title: on pages. meaning: the rule in words."""

    title: str
    meaning: str
    chosen: Callable[[AnsweredPairs], BoolArray]


KINDS: Mapping[KindOfPair, PairKind] = MappingProxyType(
    {
        "wrong": PairKind("wrong", "Against people in at least one order.", lambda pairs: pairs.is_wrong),
        "right": PairKind("right", "As people in every order that was answered.", lambda pairs: pairs.is_right),
        "flipped": PairKind(
            "orders disagree", "The two orders lead to different decisions.", lambda p: p.orders_disagree
        ),
        "uncertain": PairKind(
            "uncertain",
            f"Mean P of both orders within {UNCERTAIN:g} of 1/2.",
            lambda pairs: np.asarray(np.abs(pairs.mean_p - 0.5) < UNCERTAIN),
        ),
        "longer": PairKind(
            "longer preferred", "The judge prefers the longer text.", lambda pairs: pairs.prefers_longer
        ),
        "unanswered": PairKind(
            "without an answer", "Unparsed or failed in at least one order.", lambda pairs: pairs.lacks_answer
        ),
        "steering": PairKind(
            "steering text",
            "A text has a label word, a verdict or an instruction to a judge.",
            lambda pairs: pairs.steering,
        ),
    }
)
"""name in addresses -> kind, in the order of pages."""
PART_TITLES = {DEVELOPMENT: "development", TEST: "test"}
PairSort = Literal["dataset", "error", "uncertain", "order_effect", "score_gap"]
PAIR_SORTS: Mapping[PairSort, str] = MappingProxyType(
    {
        "dataset": "order of the dataset",
        "error": "most confident errors",
        "uncertain": "least certain",
        "order_effect": "largest effect of the order",
        "score_gap": "largest gap of human scores",
    }
)
"""name in addresses -> title."""


_LENGTHS = "Difference of the lengths, as a share of the longer text."


@dataclass(frozen=True, slots=True, kw_only=True)
class PairChoice:
    """Pairs of all chosen kinds, of one context or part, with one system, of some candidates, with gaps in a range."""

    kind: Annotated[
        tuple[KindOfPair, ...],
        Option("Only pairs of all these kinds, for example wrong and flipped.", "Only pairs that are"),
    ] = ()
    context: Annotated[str, Option("Identifier of a context.", longest=500)] = ""
    part: Annotated[
        str, Option("Only contexts of this part of a split dataset.", choices={"": "both", **PART_TITLES})
    ] = ""
    system: Annotated[str, Option("Only pairs with a text of this system.")] = ""
    candidate: Annotated[str, Option("Only pairs with a text of this identifier.", longest=500)] = ""
    other: Annotated[str, Option("Identifier of the other text of the pair.", "Other candidate", longest=500)] = ""
    score_gap_from: Annotated[float | None, Option("Difference of the human scores.", "Score gap from", low=0)] = None
    score_gap_to: Annotated[float | None, Option("", "to", low=0)] = None
    length_gap_from: Annotated[float | None, Option(_LENGTHS, "Length gap from", low=0, high=1)] = None
    length_gap_to: Annotated[float | None, Option(_LENGTHS, "to (share of the longer text)", low=0, high=1)] = None
    sort: Annotated[PairSort, Option("Order of the pairs.", choices=PAIR_SORTS)] = "dataset"

    def indices(self, pairs: AnsweredPairs) -> IntArray:
        """Return the indices of the chosen pairs, in the chosen order. Pairs without the sorted value come last."""
        chosen = np.flatnonzero(self._in_range(pairs) & self._of_kinds(pairs))
        keys = _sort_keys(pairs, self.sort)
        return chosen if keys is None else chosen[np.argsort(keys[chosen], kind="stable")]

    def counts(self, pairs: AnsweredPairs) -> dict[KindOfPair, int]:
        """Count the pairs of each kind among those that the other choices leave."""
        chosen = self._in_range(pairs)
        return {name: int((kind.chosen(pairs) & chosen).sum()) for name, kind in KINDS.items()}

    def _of_kinds(self, pairs: AnsweredPairs) -> BoolArray:
        chosen = np.ones(len(pairs), dtype=bool)
        for kind in self.kind:
            chosen &= KINDS[kind].chosen(pairs)
        return chosen

    def _in_range(self, pairs: AnsweredPairs) -> BoolArray:
        chosen = np.ones(len(pairs), dtype=bool)
        if self.context:
            chosen &= pairs.contexts == _index(pairs.context_keys, self.context)
        if self.part:
            chosen &= np.array(pairs.parts)[pairs.contexts] == self.part
        if self.system:
            chosen &= (pairs.systems == _index(pairs.system_names, self.system)).any(axis=1)
        for key in filter(None, (self.candidate, self.other)):
            chosen &= (pairs.candidates == _index(pairs.candidate_keys, key)).any(axis=1)
        for values, low, high in (
            (pairs.score_gap, self.score_gap_from, self.score_gap_to),
            (np.abs(pairs.length_gap), self.length_gap_from, self.length_gap_to),
        ):
            if low is not None:
                chosen &= values >= low
            if high is not None:
                chosen &= values <= high
        return chosen


def _sort_keys(pairs: AnsweredPairs, sort: PairSort) -> FloatArray | None:
    """Return the keys to sort by, lowest first, (n,); None for the order of the dataset."""
    keys = {
        "error": lambda: -pairs.error,
        "uncertain": lambda: np.abs(pairs.mean_p - 0.5),
        "order_effect": lambda: -pairs.order_effect,
        "score_gap": lambda: -pairs.score_gap,
    }
    return None if sort == "dataset" else keys[sort]()


def _index(names: Sequence[str], name: str) -> int:
    """Return the index of a name; -2, which nothing has, for an unknown one."""
    return names.index(name) if name in names else -2


def note_part(run: Run, choice: PairChoice) -> None:
    """Note a look where only the test part is shown."""
    note_looks([run], figures="answers", on_test=choice.part == TEST)
