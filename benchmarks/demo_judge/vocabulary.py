"""The content words of the grammar, by domain. They are in vocabulary.csv."""

from __future__ import annotations

import csv
import random
from dataclasses import dataclass, fields
from pathlib import Path

_TABLE = Path(__file__).resolve().parent / "vocabulary.csv"


@dataclass(frozen=True, slots=True)
class Domain:
    """The content words of one subject area. verbs: in the past tense. reasons: whole clauses."""

    agents: tuple[str, ...]
    verbs: tuple[str, ...]
    objects: tuple[str, ...]
    places: tuple[str, ...]
    reasons: tuple[str, ...]


def _read_domains(subset: str) -> tuple[Domain, ...]:
    """Read the domains of a subset, one a row; words are separated by semicolons."""
    with _TABLE.open(encoding="utf-8", newline="") as table:
        rows = [row for row in csv.DictReader(table) if row["subset"] == subset]
    return tuple(Domain(*(tuple(row[field.name].split("; ")) for field in fields(Domain))) for row in rows)


FAMILIAR_DOMAINS = _read_domains("familiar")

# The judge is not trained on these words. They occur only in the sample dataset.
UNFAMILIAR_DOMAINS = _read_domains("unfamiliar")

# fmt: off
_ONSETS = ("b", "br", "d", "dr", "f", "g", "gl", "h", "k", "l", "m",
           "n", "p", "pl", "r", "s", "st", "t", "tr", "v", "w")
_RIMES = ("a", "ack", "an", "ar", "ay", "e", "ell", "en", "er", "i",
          "ick", "in", "o", "ock", "on", "ow", "u", "um", "ust")
# fmt: on


def invent_domain(rng: random.Random) -> Domain:
    """Draw a domain of invented words. A judge trained on them learns to look words up in the notes."""
    return Domain(
        agents=tuple(_word(rng) for _ in range(4)),
        verbs=tuple(f"{_word(rng)}ed" for _ in range(4)),
        objects=tuple(_word(rng) for _ in range(4)),
        places=tuple(f"{preposition} the {_word(rng)}" for preposition in ("in", "at", "behind")),
        reasons=tuple(f"the {_word(rng)} {verb} {_word(rng)}" for verb in ("was", "were", "had")),
    )


def _word(rng: random.Random) -> str:
    return "".join(rng.choice(_ONSETS) + rng.choice(_RIMES) for _ in range(rng.choice((1, 2, 2, 3))))
