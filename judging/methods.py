"""The ways to ask a judge, and what the prompts of each must and may contain. docs/methods.md has them in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

PAIR = frozenset({"<A>", "<B>"})
ONE = frozenset({"<A>"})


@dataclass(frozen=True, slots=True)
class Method:
    """One way to ask.

    template: the placeholders that its template must contain, beside words, which every template may; `optional` more
        that it may.
    reasoning: those of its first step, in which the judge writes about a text alone (`<A>`) or about the pair as shown;
        None without one. reasoning_tokens: where what it writes there is cut off.
    is_scoring: whether it asks for a score of each candidate alone, not for the better of two.
    """

    template: frozenset[str]
    reasoning: frozenset[str] | None = None
    reasoning_tokens: int = 0
    is_scoring: bool = False
    optional: frozenset[str] = frozenset({"<context>"})

    @property
    def reasons_about_pairs(self) -> bool:
        """Whether the first step shows both texts; else, if there is one, each alone."""
        return self.reasoning == PAIR


METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "comparative": Method(PAIR),
        "pairwise": Method(PAIR),
        "cot": Method(PAIR | {"<reasoning>"}, reasoning=PAIR, reasoning_tokens=256),
        "prepair": Method(PAIR | {"<analysis A>", "<analysis B>"}, reasoning=ONE, reasoning_tokens=256),
        "prepair-star": Method(PAIR | {"<reasoning>"}, reasoning=PAIR, reasoning_tokens=512),
        "scoring": Method(ONE, is_scoring=True),
        "pointwise": Method(ONE, is_scoring=True),
    }
)
