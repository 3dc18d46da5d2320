"""Write the sample dataset: `python -m judging.demo.sample`. The same every time, and all of it invented."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judging.demo import SAMPLE_DATASET
from judging.demo.grammar import Candidate, notes, tell, write
from judging.demo.vocabulary import FAMILIAR, UNFAMILIAR, Domain

SEED = 7
CONTEXTS = {"familiar": 16, "unfamiliar": 8}
PAIRS_VOTED_ON = 6
TIE_BELOW = 0.6

DESCRIPTION = (
    "Sample dataset of Evenhand. All of it is synthetic: a small grammar wrote the notes and the summaries, flaws of "
    "known kinds were put into the summaries, and the ratings and votes are simulated (the truth plus noise). It shows "
    "how Evenhand works and says nothing about any real system, judge or person. The content words of the subset "
    "'unfamiliar' do not occur in what the demo judge was trained on."
)
HEADER = {
    "description": DESCRIPTION,
    "licence": "MIT",
    "context_noun": "notes",
    "candidate_noun": "summary",
    "attributes": [
        {
            "name": "coherence",
            "adjective": "coherent",
            "definition": "The summary tells the story of the notes, one sentence after the other, without confusion.",
            "minimum": 1,
            "maximum": 5,
        },
        {
            "name": "fluency",
            "adjective": "fluent",
            "definition": "Every sentence of the summary is whole and well formed.",
            "minimum": 1,
            "maximum": 5,
        },
    ],
}
ATTRIBUTES = ("coherence", "fluency")


@dataclass(frozen=True, slots=True)
class System:
    """A made-up writer. numbers: how many of its flaws a text of its has, drawn evenly."""

    name: str
    flaws: tuple[str, ...]
    numbers: tuple[int, ...]


SYSTEMS = (
    System("steady", ("swapped", "repetitive"), (0, 0, 0, 1)),
    System("plain", ("stuttering", "telegraphic", "repetitive"), (0, 0, 1, 1)),
    System("hasty", ("cut", "telegraphic"), (0, 1, 1, 2)),
    System("echo", ("repetitive", "stuttering", "swapped"), (1, 1, 2)),
    System("drift", ("stray", "off-topic", "cut"), (0, 1, 1, 2)),
    System("jumble", ("shuffled", "swapped", "telegraphic"), (1, 2, 3)),
)


@dataclass(frozen=True, slots=True)
class Rater:
    """A simulated person. leniency: added to every rating. noise: standard deviation, in points of the scale."""

    name: str
    leniency: float
    noise: float

    def rating(self, rng: random.Random, quality: float) -> int:
        return round(min(5.0, max(1.0, rng.gauss(quality + self.leniency, self.noise))))

    def choice(self, rng: random.Random, difference: float) -> str:
        """difference: quality of the first minus quality of the second."""
        felt = rng.gauss(difference, 1.5 * self.noise)
        if abs(felt) < TIE_BELOW:
            return "tie"
        return "first" if felt > 0 else "second"


RATERS = (Rater("rater-1", 0.2, 0.4), Rater("rater-2", -0.3, 0.6), Rater("rater-3", 0.0, 0.8))
EXTRA_VOTER = Rater("rater-4", 0.0, 1.0)


def sample_lines() -> list[str]:
    """The dataset in Evenhand's own format, one JSON document a line."""
    rng = random.Random(SEED)
    documents: list[dict[str, Any]] = [{"dataset": HEADER}]
    for subset, domains in {"familiar": FAMILIAR, "unfamiliar": UNFAMILIAR}.items():
        for number in range(CONTEXTS[subset]):
            documents.append(_context(rng, subset, number + 1, domains))
    return [json.dumps(document, ensure_ascii=False) for document in documents]


def _context(rng: random.Random, subset: str, number: int, domains: Sequence[Domain]) -> dict[str, Any]:
    story = tell(rng, domains[(number - 1) % len(domains)])
    candidates = {system.name: write(rng, story, _flaws(rng, system), elsewhere=domains) for system in SYSTEMS}
    shown = rng.sample(list(candidates), len(candidates))
    return {
        "context": f"{subset}-{number:02}",
        "text": notes(story),
        "subset": subset,
        "candidates": [
            _candidate(rng, letter, name, candidates[name]) for letter, name in zip("abcdef", shown, strict=True)
        ],
        "votes": _votes(rng, {letter: candidates[name] for letter, name in zip("abcdef", shown, strict=True)}),
    }


def _flaws(rng: random.Random, system: System) -> list[str]:
    return rng.sample(system.flaws, rng.choice(system.numbers))


def _candidate(rng: random.Random, identifier: str, system: str, candidate: Candidate) -> dict[str, Any]:
    ratings = {
        attribute: {rater.name: rater.rating(rng, _quality(candidate, attribute)) for rater in RATERS}
        for attribute in ATTRIBUTES
    }
    return {"candidate": identifier, "system": system, "text": candidate.text, "ratings": ratings}


def _votes(rng: random.Random, candidates: dict[str, Candidate]) -> list[dict[str, str]]:
    pairs = rng.sample(list(itertools.combinations(candidates, 2)), PAIRS_VOTED_ON)
    return [
        _vote(rng, rater, candidates, *rng.sample(pair, 2))
        for pair in pairs
        for rater in (*RATERS, *([EXTRA_VOTER] if rng.random() < 0.5 else []))
    ]


def _vote(
    rng: random.Random, rater: Rater, candidates: dict[str, Candidate], first: str, second: str
) -> dict[str, str]:
    difference = _quality(candidates[first], "coherence") - _quality(candidates[second], "coherence")
    return {
        "attribute": "coherence",
        "first": first,
        "second": second,
        "choice": rater.choice(rng, difference),
        "rater": rater.name,
    }


def _quality(candidate: Candidate, attribute: str) -> float:
    return max(1.0, 5.0 - candidate.severity(attribute))


def write_sample(path: Path = SAMPLE_DATASET) -> None:
    path.write_text("\n".join(sample_lines()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_sample()
