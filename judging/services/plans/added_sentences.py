"""Robustness runs: a sentence is added to one candidate of each pair, and everything else stays equal."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Annotated, Any

import numpy as np

from evenhand.numerics.selection.sentence_sides import SentenceSides, draw_sentence_sides
from evenhand.options import Option, require_values
from evenhand.prompting.steering_sentences import (
    MOST_SENTENCE_CHARACTERS,
    OWN_SENTENCE,
    STEERING_SENTENCES,
    sentence_of_name,
)
from evenhand.refusals import Refused
from judging.models import Candidate, Dataset

DATASETS_KEPT = 4
LARGEST_SIDES_SEED = 2**31
DEFAULT_NOUN = "response"


@dataclass(frozen=True, slots=True)
class AddedSentence:
    """A sentence that a run adds. name: of a built-in sentence, or `own-text`. seed: draws the sides."""

    name: str
    text: str
    seed: int = 0

    def spec(self) -> dict[str, Any]:
        """Return the part of a run's spec."""
        return {"steering": asdict(self)}


def sentence_in(spec: Mapping[str, Any]) -> AddedSentence | None:
    """Read the added sentence from a run's spec; None for an ordinary run."""
    return AddedSentence(**spec["steering"]) if "steering" in spec else None


def choose_sentence(
    dataset: Dataset,
    *,
    sentence: Annotated[
        str | None, Option("A built-in sentence.", "Sentence", choices={name: name for name in STEERING_SENTENCES})
    ] = None,
    text: Annotated[
        str, Option("A sentence of your own instead.", "Or your own", longest=MOST_SENTENCE_CHARACTERS)
    ] = "",
    sides_seed: Annotated[
        int, Option("Draws which candidate gets it.", "Seed of the sides", low=0, high=LARGEST_SIDES_SEED - 1)
    ] = 0,
) -> AddedSentence:
    """Return a built-in sentence by its name, or one's own text. Raises Refused unless exactly one is given."""
    require_values(choose_sentence, text=text, sides_seed=sides_seed, **{"sentence": sentence} if sentence else {})
    if bool(own := text.strip()) == bool(sentence):
        named = ", ".join(STEERING_SENTENCES)
        raise Refused(f"sentence: give either the name of a sentence or a text of your own; names: {named}")
    if sentence:
        noun = dataset.candidate_noun or DEFAULT_NOUN
        return AddedSentence(sentence, sentence_of_name(sentence, noun), sides_seed)
    return AddedSentence(OWN_SENTENCE, own, sides_seed)


@dataclass(frozen=True, slots=True)
class SentenceHolders:
    """The texts of a robustness run. numbers: candidate id -> its number in the drawn sides."""

    sentence: AddedSentence
    sides: SentenceSides
    numbers: Mapping[int, int]

    def text(self, candidate: int, pair: tuple[int, int], text: str) -> str:
        """Return the text as the judge sees it in this pair."""
        return f"{text} {self.sentence.text}" if self.holder(pair) == candidate else text

    def holder(self, pair: tuple[int, int]) -> int:
        """Return the candidate of the pair that gets the sentence."""
        first, second = (np.array([self.numbers[candidate]]) for candidate in pair)
        return pair[0] if self.sides.first_gets_it(first, second)[0] else pair[1]


def sentence_holders(dataset: Dataset, spec: Mapping[str, Any]) -> SentenceHolders | None:
    """Return who gets the added sentence in each pair of a run; None for an ordinary run."""
    sentence = sentence_in(spec)
    if sentence is None:
        return None
    sides, numbers = _drawn_sides(_Key(dataset.pk, str(dataset.created_at)), sentence.seed)
    return SentenceHolders(sentence, sides, numbers)


@dataclass(frozen=True, slots=True)
class _Key:
    """Names a dataset, which never changes. Two databases may have the same number."""

    dataset: int
    created_at: str


@lru_cache(DATASETS_KEPT)
def _drawn_sides(key: _Key, seed: int) -> tuple[SentenceSides, Mapping[int, int]]:
    candidates = Candidate.objects.filter(context__dataset=key.dataset).order_by("context__position", "position")
    rows = list(candidates.values_list("context__position", "pk", "system"))
    systems = [[system for *_, system in group] for _, group in groupby(rows, key=itemgetter(0))]
    return draw_sentence_sides(systems, seed=seed), {pk: number for number, (_, pk, _) in enumerate(rows)}
