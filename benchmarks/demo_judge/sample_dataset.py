"""Write the sample dataset: `python -m benchmarks.demo_judge.sample_dataset`. It is invented, and always the same."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.demo_judge.grammar import DemoCandidate, invent_story, write_candidate, write_notes
from benchmarks.demo_judge.vocabulary import FAMILIAR_DOMAINS, UNFAMILIAR_DOMAINS, Domain
from judging.demo import SAMPLE_DATASET

_SEED = 7
_SUBSETS = {"familiar": (16, FAMILIAR_DOMAINS), "unfamiliar": (8, UNFAMILIAR_DOMAINS)}  # contexts, and their words
_VOTED_PAIRS = 6  # per context
_TIE_THRESHOLD = 0.6  # perceived differences below it are ties

_DESCRIPTION = (
    "Sample dataset of Evenhand. All of it is synthetic: a small grammar wrote the notes and the summaries, flaws of "
    "known kinds were put into the summaries, and the ratings and votes are simulated (the truth plus noise). It shows "
    "how Evenhand works and says nothing about any real system, judge or person. The content words of the subset "
    "'unfamiliar' do not occur in what the demo judge was trained on."
)
_HEADER = {
    "description": _DESCRIPTION,
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
_ATTRIBUTE_NAMES = ("coherence", "fluency")


@dataclass(frozen=True, slots=True)
class DemoSystem:
    """A simulated system.

    flaws: the kinds of flaw that it makes.
    flaw_counts: numbers of flaws in one text, each drawn with the same probability.
    """

    name: str
    flaws: tuple[str, ...]
    flaw_counts: tuple[int, ...]

    def draw_flaws(self, rng: random.Random) -> list[str]:
        return rng.sample(self.flaws, rng.choice(self.flaw_counts))


DEMO_SYSTEMS = (
    DemoSystem("steady", ("swapped", "repetitive"), (0, 0, 0, 1)),
    DemoSystem("plain", ("stuttering", "telegraphic", "repetitive"), (0, 0, 1, 1)),
    DemoSystem("hasty", ("cut", "telegraphic"), (0, 1, 1, 2)),
    DemoSystem("echo", ("repetitive", "stuttering", "swapped"), (1, 1, 2)),
    DemoSystem("drift", ("stray", "off-topic", "cut"), (0, 1, 1, 2)),
    DemoSystem("jumble", ("shuffled", "swapped", "telegraphic"), (1, 2, 3)),
)


@dataclass(frozen=True, slots=True)
class SimulatedRater:
    """A simulated person. leniency: added to every rating. noise: standard deviation, in points of the scale."""

    name: str
    leniency: float
    noise: float

    def draw_rating(self, rng: random.Random, quality: float) -> int:
        return round(min(5.0, max(1.0, rng.gauss(quality + self.leniency, self.noise))))

    def draw_choice(self, rng: random.Random, difference: float) -> str:
        """Draw the choice on a pair. difference: quality of the first minus quality of the second."""
        perceived = rng.gauss(difference, 1.5 * self.noise)
        if abs(perceived) < _TIE_THRESHOLD:
            return "tie"
        return "first" if perceived > 0 else "second"


_RATERS = (
    SimulatedRater("rater-1", 0.2, 0.4),
    SimulatedRater("rater-2", -0.3, 0.6),
    SimulatedRater("rater-3", 0.0, 0.8),
)
_EXTRA_RATER = SimulatedRater("rater-4", 0.0, 1.0)


def generate_sample_lines() -> list[str]:
    """Generate the dataset in Evenhand's own format, one JSON document per line."""
    rng = random.Random(_SEED)
    documents: list[dict[str, Any]] = [{"dataset": _HEADER}]
    for subset, (contexts, domains) in _SUBSETS.items():
        documents += [_generate_context(rng, subset, number + 1, domains) for number in range(contexts)]
    return [json.dumps(document, ensure_ascii=False) for document in documents]


def _generate_context(rng: random.Random, subset: str, number: int, domains: Sequence[Domain]) -> dict[str, Any]:
    story = invent_story(rng, domains[(number - 1) % len(domains)])
    candidates = {
        system.name: write_candidate(rng, story, system.draw_flaws(rng), other_domains=domains)
        for system in DEMO_SYSTEMS
    }
    names = dict(zip("abcdef", rng.sample(list(candidates), len(candidates)), strict=True))  # letter -> system
    return {
        "context": f"{subset}-{number:02}",
        "text": write_notes(story),
        "subset": subset,
        "candidates": [_rate_candidate(rng, letter, name, candidates[name]) for letter, name in names.items()],
        "votes": _generate_votes(rng, {letter: candidates[name] for letter, name in names.items()}),
    }


def _rate_candidate(rng: random.Random, identifier: str, system: str, candidate: DemoCandidate) -> dict[str, Any]:
    ratings = {
        attribute: {rater.name: rater.draw_rating(rng, _quality(candidate, attribute)) for rater in _RATERS}
        for attribute in _ATTRIBUTE_NAMES
    }
    return {"candidate": identifier, "system": system, "text": candidate.text, "ratings": ratings}


def _generate_votes(rng: random.Random, candidates: dict[str, DemoCandidate]) -> list[dict[str, str]]:
    pairs = rng.sample(list(itertools.combinations(candidates, 2)), _VOTED_PAIRS)
    return [
        _generate_vote(rng, rater, candidates, *rng.sample(pair, 2))
        for pair in pairs
        for rater in (*_RATERS, *([_EXTRA_RATER] if rng.random() < 0.5 else []))
    ]


def _generate_vote(
    rng: random.Random, rater: SimulatedRater, candidates: dict[str, DemoCandidate], first: str, second: str
) -> dict[str, str]:
    difference = _quality(candidates[first], "coherence") - _quality(candidates[second], "coherence")
    return {
        "attribute": "coherence",
        "first": first,
        "second": second,
        "choice": rater.draw_choice(rng, difference),
        "rater": rater.name,
    }


def _quality(candidate: DemoCandidate, attribute: str) -> float:
    return max(1.0, 5.0 - candidate.severity(attribute))


def write_sample_dataset(path: Path = SAMPLE_DATASET) -> None:
    path.write_text("\n".join(generate_sample_lines()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_sample_dataset()
