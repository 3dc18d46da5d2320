"""`ReportChoice`: the comparisons that a report reads, how it counts those without an answer, and groups of subsets."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeVar

from evenhand.refusals import Refused, did_you_mean
from judging.models import NOTHING_LEFT_OUT, Exclusion

ALL = "all"
"""The `subset` of the row of a whole run."""
SUBSET = "subset"
"""The usual split of a dataset: each context's own subset. Other splits are by a further field of the contexts."""
GroupT = TypeVar("GroupT")
Order = Literal["both", "given"]
Unparsed = Literal["excluded", "wrong"]
ORDERS: Mapping[Order, str] = MappingProxyType({"both": "both orders", "given": "as in the dataset"})
"""order of candidates -> its title."""
UNPARSED: Mapping[Unparsed, str] = MappingProxyType({"excluded": "excluded", "wrong": "count as wrong"})
"""treatment of unparsed answers and errors -> its title."""


def parse_group(text: str, make_group: Callable[[str, tuple[str, ...]], GroupT], *, expected: str) -> GroupT:
    """Make a group from NAME=MEMBER,MEMBER. Raises Refused with `expected`, in which {} stands for the text."""
    name, _, listed = (part.strip() for part in text.partition("="))
    members = tuple(member.strip() for member in listed.split(","))
    if not name or not all(members):
        raise Refused(expected.format(f'"{text}"'))
    return make_group(name, members)


@dataclass(frozen=True, slots=True)
class SubsetGroup:
    """Several subsets of a dataset under one name, for example "Adversarial"."""

    name: str
    subsets: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "SubsetGroup":
        """Read NAME=SUBSET,SUBSET. Raises Refused for any other text."""
        return parse_group(text, cls, expected="group: {} — write NAME=SUBSET,SUBSET, for example Hard=Manual,Neighbor")


def group_problems(groups: Sequence[SubsetGroup], subsets: Collection[str]) -> list[str]:
    """Return the problems of groups of a dataset with these subsets."""
    names = [group.name for group in groups]
    listed = ", ".join(subsets) or "none"
    return [
        *(f'group: "{name}" is the name of a subset; choose another' for name in names if name in (ALL, *subsets)),
        *(f'group: "{name}" is defined twice' for name, times in Counter(names).items() if times > 1),
        *(
            f'group: "{group.name}" names the subset "{subset}" twice'
            for group in groups
            for subset, times in Counter(group.subsets).items()
            if times > 1
        ),
        *(
            f'group: there is no subset "{subset}" for "{group.name}"; there are: {listed}'
            for group in groups
            for subset in dict.fromkeys(group.subsets)
            if subset not in subsets
        ),
    ]


def require_field(name: str, fields: Sequence[str]) -> None:
    """Raise Refused if contexts cannot be split by this field. fields: the further fields of the dataset."""
    known = (SUBSET, *fields)
    if name not in known:
        raise Refused(
            f'subsets_by: contexts have no field "{name}"{did_you_mean(name, known)}; there are: {", ".join(known)}'
        )


@dataclass(frozen=True, slots=True)
class ReportChoice:
    """The answers that count in a report. Its text is part of the key of the cache.

    order: `given` reads only comparisons whose first candidate stands before the second in the dataset.
    unparsed: `wrong` counts unparsed answers and errors as wrong in every accuracy.
    groups: each gives a further row, pooled over its subsets.
    subsets_by: the field of contexts whose values are the subsets: SUBSET, or one of the dataset's further fields.
    exclusion: systems and contexts that are left out, as if the dataset lacked them.
    """

    order: Order = "both"
    unparsed: Unparsed = "excluded"
    groups: tuple[SubsetGroup, ...] = ()
    subsets_by: str = SUBSET
    exclusion: Exclusion = NOTHING_LEFT_OUT


USUAL_CHOICE = ReportChoice()
