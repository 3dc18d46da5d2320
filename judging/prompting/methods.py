"""The ways to ask a judge, and what the prompts of each must and may contain. docs/methods.md has them in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

PAIR = frozenset({"<A>", "<B>"})
ONE = frozenset({"<A>"})
NOTHING: frozenset[str] = frozenset()
WITH_METRICS = frozenset({"<context>", "<metrics>"})


class Reading(Enum):
    """What is read off a judge: the share of the first of two label words, the mean of a scale of numbers, or how
    likely the candidate's own text is after the prompt. A metric is asked nothing in words; it measures the text. Where
    a judge writes metrics of its own, nothing is read off at all: others are shown what it wrote.
    """

    WORDS = "words"
    SCALE = "scale"
    LIKELIHOOD = "likelihood"
    METRIC = "metric"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Method:
    """One way to ask.

    template: the placeholders that its template must contain, beside words, which every template may; `optional` more
        that it may.
    reasoning: those of its first step, in which the judge writes about a text alone (`<A>`), about the pair as shown,
        or before it is shown anything; None without one. reasoning_tokens: where what it writes there is cut off.
    is_scoring: whether it asks for a score of each candidate alone, not for the better of two.
    reading: what is read off the judge.
    """

    template: frozenset[str]
    reasoning: frozenset[str] | None = None
    reasoning_tokens: int = 0
    is_scoring: bool = False
    reading: Reading = Reading.WORDS
    optional: frozenset[str] = frozenset({"<context>"})

    @property
    def takes_metrics(self) -> bool:
        """Whether metrics that the judge wrote itself may be put in front."""
        return "<metrics>" in self.optional

    @property
    def reasons_about_pairs(self) -> bool:
        """Whether the first step shows both texts."""
        return self.reasoning == PAIR

    @property
    def reasons_once(self) -> bool:
        """Whether the first step shows nothing, so that what is written there serves all texts."""
        return self.reasoning == NOTHING

    def known(self, *, reasoning: bool) -> frozenset[str]:
        """The placeholders for texts that its template may contain, or the template of its first step."""
        if not reasoning:
            return self.template | self.optional
        return self.reasoning | self.optional if self.reasoning else NOTHING


METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "comparative": Method(PAIR, optional=WITH_METRICS),
        "pairwise": Method(PAIR, optional=WITH_METRICS),
        "cot": Method(PAIR | {"<reasoning>"}, reasoning=PAIR, reasoning_tokens=256, optional=WITH_METRICS),
        "prepair": Method(
            PAIR | {"<analysis A>", "<analysis B>"}, reasoning=ONE, reasoning_tokens=256, optional=WITH_METRICS
        ),
        "prepair-star": Method(PAIR | {"<reasoning>"}, reasoning=PAIR, reasoning_tokens=512, optional=WITH_METRICS),
        "scoring": Method(ONE, is_scoring=True, reading=Reading.SCALE, optional=WITH_METRICS),
        "pointwise": Method(ONE, is_scoring=True, reading=Reading.SCALE, optional=WITH_METRICS),
        "geval": Method(
            ONE | {"<reasoning>"}, reasoning=NOTHING, reasoning_tokens=512, is_scoring=True, reading=Reading.SCALE
        ),
        "unieval": Method(ONE, is_scoring=True),
        "gptscore": Method(NOTHING, is_scoring=True, reading=Reading.LIKELIHOOD),
        "metric": Method(
            ONE, is_scoring=True, reading=Reading.METRIC, optional=frozenset({"<context>", "<reference>"})
        ),
    }
)

METRICS = "metrics"
"""Of prompts by which a judge writes metrics of its own: no way to ask for an answer, but put in front of one."""

PROMPTED: Mapping[str, Method] = MappingProxyType(
    {
        **METHODS,
        METRICS: Method(
            frozenset({"<metrics>"}),
            reasoning=frozenset({"<context>"}),
            reasoning_tokens=150,
            reading=Reading.NOTHING,
            optional=NOTHING,
        ),
    }
)
"""Everything that has prompts."""

IN_WORDS = {
    "comparative": "which of two texts is better",
    "pairwise": "which is better, by general rules",
    "cot": "explains first, then decides",
    "prepair": "analyses each text alone first",
    "prepair-star": "analyses both in one text first",
    "scoring": "scores each text, 1 to 10",
    "pointwise": "scores each text by rules, 1 to 5",
    "geval": "writes steps, scores each text, 1 to 5",
    "unieval": "asks of each text, yes or no",
    "gptscore": "how likely each text is",
    "metric": "what a metric measures",
}
"""What each method asks of the judge."""
