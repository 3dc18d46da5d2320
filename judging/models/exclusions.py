"""`Exclusion`: the systems and contexts of a dataset that a run or a report leaves out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from django.db.models import Q

from evenhand.refusals import Refused, did_you_mean, raise_if_any
from judging.models.datasets import Candidate, Dataset

MOST_LISTED = 20


@dataclass(frozen=True, slots=True)
class Exclusion:
    """The systems and contexts that are left out, as sorted names without repetition."""

    systems: tuple[str, ...] = ()
    contexts: tuple[str, ...] = ()

    @classmethod
    def of(cls, *, systems: Iterable[str] = (), contexts: Iterable[str] = ()) -> Self:
        """Return the exclusion of these names, given in any order."""
        return cls(tuple(sorted(set(systems))), tuple(sorted(set(contexts))))

    @classmethod
    def in_spec(cls, spec: Mapping[str, Any]) -> Self:
        """Read the exclusion from a run's spec."""
        return cls(**{name: tuple(names) for name, names in spec.get("without", {}).items()})

    def __bool__(self) -> bool:
        return bool(self.systems or self.contexts)

    def __or__(self, other: "Exclusion") -> "Exclusion":
        """Return the exclusion of everything that either of the two leaves out."""
        return Exclusion.of(systems=self.systems + other.systems, contexts=self.contexts + other.contexts)

    def __and__(self, other: "Exclusion") -> "Exclusion":
        """Return the exclusion of the names that both leave out."""
        systems, contexts = {*self.systems} & {*other.systems}, {*self.contexts} & {*other.contexts}
        return Exclusion.of(systems=systems, contexts=contexts)

    def __str__(self) -> str:
        """Write "without systems M1, M2 and context c3"; empty if nothing is left out."""
        named = {"system": self.systems, "context": self.contexts}
        parts = [f"{noun}{'s' if len(names) > 1 else ''} {_listed(names)}" for noun, names in named.items() if names]
        return f"without {' and '.join(parts)}" if parts else ""

    def spec(self) -> dict[str, Any]:
        """Return the part of a run's spec; empty if nothing is left out."""
        return {"without": {"systems": list(self.systems), "contexts": list(self.contexts)}} if self else {}

    def matches(self, *, prefix: str = "") -> Q:
        """Return the filter for the candidates that are left out. prefix: of their fields, such as `first__`."""
        return Q(**{f"{prefix}system__in": self.systems}) | Q(**{f"{prefix}context__key__in": self.contexts})


NOTHING_LEFT_OUT = Exclusion()


def exclusion_problems(dataset: Dataset, exclusion: Exclusion) -> list[str]:
    """Return the problems of an exclusion: names that the dataset lacks, or no candidate left."""
    if not exclusion:
        return []
    candidates = Candidate.objects.filter(context__dataset=dataset)
    contexts = dataset.contexts.order_by("position").values_list("key", flat=True)
    problems = [
        *_unknown_names("without-system", "system", exclusion.systems, system_names(dataset), dataset),
        *_unknown_names("without-context", "context", exclusion.contexts, list(contexts), dataset),
    ]
    if not problems and not candidates.exclude(exclusion.matches()).exists():
        problems.append(f'without: "{dataset.name}" has no candidate {exclusion}; leave out fewer')
    return problems


def all_but(dataset: Dataset, only: str) -> Exclusion:
    """Return the exclusion of all contexts but those with a value. only: FIELD=VALUE; empty for all contexts.

    Raises Refused for a field or a value that no context of the dataset has.
    """
    if not only:
        return NOTHING_LEFT_OUT
    field, _, value = only.partition("=")
    if field not in (fields := ["subset", *dataset.context_fields]):
        there = f'"{dataset.name}" has the fields {", ".join(fields)}'
        raise Refused(f'only: "{only}" — write FIELD=VALUE{did_you_mean(field, fields)}; {there}')
    rows = dataset.contexts.values_list("key", "subset", "fields")
    values = {key: subset if field == "subset" else fields.get(field) for key, subset, fields in rows}
    if value not in values.values():
        names = sorted({str(one) for one in values.values() if one})
        there = f"there are: {_listed(names) or 'none'}"
        raise Refused(f'only: no context has the {field} "{value}"{did_you_mean(value, names)}; {there}')
    return Exclusion.of(contexts=(key for key, one in values.items() if one != value))


def anchor_problems(dataset: Dataset, anchor: str) -> list[str]:
    """Return the problem of a system with which all candidates are to be compared. anchor: its name, or empty."""
    return _unknown_names("anchor", "system", [anchor], system_names(dataset), dataset) if anchor else []


def system_names(dataset: Dataset) -> list[str]:
    """Return the names of the systems of a dataset, sorted."""
    candidates = Candidate.objects.filter(context__dataset=dataset).exclude(system="")
    return list(candidates.order_by("system").values_list("system", flat=True).distinct())


def require_possible(dataset: Dataset, exclusion: Exclusion) -> None:
    """Raise Refused with every problem of an exclusion."""
    raise_if_any(exclusion_problems(dataset, exclusion))


def _listed(names: Sequence[str]) -> str:
    """Write the first names, and the number of further ones."""
    further = len(names) - MOST_LISTED
    return f"{', '.join(names[:MOST_LISTED])}{f' and {further:,} more' if further > 0 else ''}"


def _unknown_names(field: str, noun: str, names: Sequence[str], known: Sequence[str], dataset: Dataset) -> list[str]:
    listed = _listed(known) or "none"
    return [
        f'{field}: "{dataset.name}" has no {noun} "{name}"{did_you_mean(name, known)}; there are: {listed}'
        for name in sorted(set(names) - set(known))
    ]
