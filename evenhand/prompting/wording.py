"""Words of a dataset and an attribute that fill the `{…}` placeholders of prompts."""

from collections.abc import Mapping
from dataclasses import dataclass

# Adjectives of [Liusie2024] first; then those of other public data. The lookup ignores case.
_ADJECTIVES: Mapping[str, str] = {
    "coherence": "coherent",
    "coherency": "coherent",
    "consistency": "consistent",
    "continuity": "good a continuation",
    "engagingness": "engaging",
    "fluency": "fluent",
    "grammar": "grammatically correct",
    "naturalness": "natural",
    "overall": "good",
    "relevance": "relevant",
    "accuracy": "accurate",
    "clarity": "clear",
    "complexity": "complex",
    "conciseness": "concise",
    "correctness": "correct",
    "difficulty": "difficult",
    "empathy": "empathetic",
    "engagement": "engaging",
    "factuality": "factual",
    "groundedness": "grounded",
    "harmlessness": "harmless",
    "helpfulness": "helpful",
    "informativeness": "informative",
    "overall quality": "good",
    "quality": "good",
    "readability": "readable",
    "surprise": "surprising",
    "understandability": "understandable",
}


# Nouns for attributes whose name is not a noun, also from [Liusie2024].
_NOUNS: Mapping[str, str] = {"overall": "overall quality"}


def default_adjective(attribute: str) -> str:
    """Return the adjective in "which is more …" for an attribute whose dataset gives none."""
    return _ADJECTIVES.get(attribute.casefold(), f"good in terms of {attribute}")


def comparative_of(adjective: str) -> str:
    """Return the comparative: "more coherent"; for "good…", "better" or "a better continuation"."""
    if adjective.startswith("good a "):
        return f"a better {adjective.removeprefix('good a ')}"
    if adjective == "good" or adjective.startswith("good "):
        return f"better{adjective.removeprefix('good')}"
    return f"more {adjective}"


@dataclass(frozen=True, slots=True)
class Wording:
    """Words of a dataset and an attribute. An empty adjective means the attribute's default."""

    attribute: str
    adjective: str = ""
    definition: str = ""
    context_noun: str = "context"
    candidate_noun: str = "response"

    def values(self) -> dict[str, str]:
        """Return the word of each placeholder."""
        return {
            "{attribute}": _NOUNS.get(self.attribute.casefold(), self.attribute),
            "{adjective}": self.adjective or default_adjective(self.attribute),
            "{definition}": self.definition,
            "{candidate_noun}": self.candidate_noun,
            "{Candidate_noun}": _capitalised(self.candidate_noun),
            "{context_noun}": self.context_noun,
            "{Context_noun}": _capitalised(self.context_noun),
        }


def _capitalised(noun: str) -> str:
    return noun[:1].upper() + noun[1:]
