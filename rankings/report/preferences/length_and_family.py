"""A judge's preference for longer texts and for texts of its own family."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

import numpy as np

from evenhand.numerics import Comparisons, Figure, Judged
from evenhand.numerics.accuracy import NO_TRUTH
from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from evenhand.numerics.preferences import (
    GAP_EDGES,
    accuracy_by_length,
    favoured_share,
    longer_first,
    own_kind_first,
)
from rankings.report.figures.simple_judges import NO_TEXTS
from rankings.report.report_row import GapAccuracy, LengthPreference, SelfPreference

FAMILIES: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        family: re.compile(rf"(?<![a-z0-9])(?:{names})", re.IGNORECASE)
        for family, names in {
            "gpt": r"(?:chatgpt|gpt[-_ ]?(?:[3-9]|oss))(?!all)|text-davinci",  # not GPT-2, GPT-J, GPT4All
            "claude": "claude",
            "gemini": r"(?:gemini|palm[-_ ]?2?)(?![a-z0-9])",
            "gemma": r"gemma(?![a-z])",
            "llama": r"llama(?![a-z])",
            "mistral": "(?:mistral|mixtral|ministral)(?![a-z])",
            "qwen": "(?:qwen|qwq)(?![a-z])",
            "vicuna": "vicuna",
            "alpaca": r"alpaca(?![a-z])",
            "t5": r"(?:flan|t5)(?![a-z0-9])",
            "deepseek": "deepseek",
            "phi": r"phi[-_ ]?\d",
        }.items()
    }
)
"""family -> pattern of the start of its models' names, at the start of a word."""


def family_of(name: str) -> str | None:
    """Return the family of a name; None for no family, or for several, as in names of distilled models.

    Only the last part of a path or hub id counts: "meta-llama/Llama-3.1-8B-Instruct" is "llama".
    """
    last_part = name.rstrip("/").rpartition("/")[2]
    families = [family for family, pattern in FAMILIES.items() if pattern.search(last_part)]
    return families[0] if len(families) == 1 else None


SAME_LENGTH = "no compared pair has texts of different lengths"
NO_MIXED_PAIR = "no compared pair has exactly one text of the judge's family"


@dataclass(frozen=True, slots=True)
class Kin:
    """The candidates that come from a judge's own family of models.

    judge: the name that shows the family. family: None if no name of the judge shows one.
    systems: the systems of the family. is_own: bool, (n_candidates,).
    """

    judge: str
    family: str | None
    systems: Sequence[str]
    is_own: BoolArray

    @classmethod
    def of(cls, names: Sequence[str], systems: Sequence[str]) -> "Kin":
        """Find the kin. names: of the judge, most specific first. systems: one per candidate, "" if unknown."""
        judge, family = next(((name, family) for name in names if (family := family_of(name))), (names[-1], None))
        known = [name for name in dict.fromkeys(systems) if family is not None and family_of(name) == family]
        chosen = set(known)
        return cls(judge, family, known, np.array([system in chosen for system in systems], dtype=bool))

    @property
    def why_none(self) -> str | None:
        """Return why the judge has no kin; None if it has."""
        if self.family is None:
            return f'the name "{self.judge}" shows no known family of models, or several'
        return None if self.systems else f"no system's name shows the judge's family, {self.family}"


@dataclass(frozen=True, slots=True)
class Traits:
    """Traits of the texts that a judge may prefer.

    lengths: int, (n_candidates,). Characters. kin: the candidates of the judge's own family.
    steering: bool, (n_candidates,). True for texts that may steer a judge.
    """

    lengths: IntArray
    kin: Kin
    steering: BoolArray


def length_preference(
    comparisons: Comparisons, right: FloatArray, judged: Judged, lengths: IntArray
) -> LengthPreference:
    """Return how often the judge and people prefer the longer text, and accuracy by length.

    right: float, (n,), from `human_preferences`. lengths: int, (n_candidates,).
    judged: the comparisons that count in accuracies.
    """
    if lengths.size and not lengths.any():
        missing = Figure.missing(NO_TEXTS, n=0)
        by_gap = [GapAccuracy(start, end, missing) for start, end in pairwise(GAP_EDGES)]
        return LengthPreference(missing, missing, missing, missing, by_gap)
    long = longer_first(comparisons, lengths)
    split = accuracy_by_length(judged.comparisons, judged.right, lengths)
    return LengthPreference(
        share=favoured_share(comparisons, long, if_empty=SAME_LENGTH),
        human=_of_people(comparisons, long, right, SAME_LENGTH),
        accuracy_longer_right=split.longer_right,
        accuracy_shorter_right=split.shorter_right,
        accuracy_by_gap=[
            GapAccuracy(start, end, share)
            for (start, end), share in zip(pairwise(GAP_EDGES), split.by_gap, strict=True)
        ],
    )


def self_preference(comparisons: Comparisons, right: FloatArray, kin: Kin) -> SelfPreference:
    """Return how often the judge and people prefer a text of the judge's own family.

    right: float, (n,), from `human_preferences`.
    """
    systems = list(kin.systems)
    if kin.why_none is not None:
        missing = Figure.missing(kin.why_none, n=0)
        return SelfPreference(missing, missing, kin.family, kin.judge, systems)
    mine = own_kind_first(comparisons, kin.is_own)
    share = favoured_share(comparisons, mine, if_empty=NO_MIXED_PAIR)
    people = _of_people(comparisons, mine, right, NO_MIXED_PAIR)
    return SelfPreference(share, people, kin.family, kin.judge, systems)


def _of_people(comparisons: Comparisons, favoured: FloatArray, right: FloatArray, if_empty: str) -> Figure:
    """Return the human preference in the same comparisons, where people prefer one candidate."""
    reason = if_empty if np.isnan(favoured).all() else NO_TRUTH
    return favoured_share(comparisons, favoured, right, if_empty=reason)
