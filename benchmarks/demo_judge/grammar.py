"""A grammar that writes short texts about invented events, and flaws that spoil them.

A story is a set of facts. Its notes are the context. A candidate retells the facts in two or three sentences and may
have flaws of known kinds. Fewer flaws are better: the demo judge learns this order, and the simulated raters of the
sample dataset see it with noise.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.demo_judge.vocabulary import Domain

_CHARACTERS = ("young", "old", "careful", "local", "tired", "quiet", "brave", "new", "cheerful", "retired")
_PROPERTIES = ("small", "large", "broken", "heavy", "old", "expensive", "simple", "strange", "important", "bright")
_TIMES = ("on Monday", "last week", "in the morning", "two days ago", "before dawn", "yesterday", "at noon")
_MANNERS = ("quickly", "slowly", "carefully", "quietly", "finally", "suddenly")
_LINKS = ("Later,", "As a result,", "After that,", "In the end,", "Meanwhile,", "Soon,")
_SAYINGS = ("said", "explained", "admitted", "added")
_FUNCTION_WORDS = frozenset(
    ("the", "a", "of", "in", "on", "at", "that", "and", "because", "was", "were", "to", "had", "by")
)


@dataclass(frozen=True, slots=True)
class Story:
    """The facts that notes and candidates share: one agent, three deeds, a place, a time and two reasons.

    deeds: pairs of a verb and its object.
    """

    domain: Domain
    agent: str
    pronoun: str
    character: str
    deeds: tuple[tuple[str, str], ...]
    place: str
    time: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DemoCandidate:
    """A generated candidate.

    flaws: the names of its flaws.
    spoiled_spans: start and end of each spoiled word in the text.
    """

    text: str
    flaws: tuple[str, ...]
    spoiled_spans: tuple[tuple[int, int], ...]

    def severity(self, attribute: str) -> int:
        """Return the summed weight of the flaws that harm the attribute; 0 is flawless."""
        return sum(FLAWS[flaw].weight for flaw in self.flaws if attribute in FLAWS[flaw].attributes)


def invent_story(rng: random.Random, domain: Domain) -> Story:
    """Draw the facts of a story."""
    verbs, objects = rng.sample(domain.verbs, 3), rng.sample(domain.objects, 3)
    return Story(
        domain=domain,
        agent=rng.choice(domain.agents),
        pronoun=rng.choice(("he", "she")),
        character=rng.choice(_CHARACTERS),
        deeds=tuple(zip(verbs, objects, strict=True)),
        place=rng.choice(domain.places),
        time=rng.choice(_TIMES),
        reasons=tuple(rng.sample(domain.reasons, 2)),
    )


def write_notes(story: Story) -> str:
    """Write the facts as notes, which are the context."""
    deeds = ", ".join(f"{verb} the {thing}" for verb, thing in story.deeds)
    return f"{story.character} {story.agent}; {deeds}; {story.place}; {story.time}; {'; '.join(story.reasons)}"


def retell_story(rng: random.Random, story: Story) -> tuple[str, ...]:
    """Write the story in two or three flawless sentences."""
    deeds, reasons = rng.sample(story.deeds, 3), rng.sample(story.reasons, 2)
    opening = rng.choice(_OPENINGS)(rng, story, deeds[0], reasons[0])
    following = [
        build(rng, story, deed, reasons[1]) for build, deed in zip(rng.sample(_LATER, 2), deeds[1:], strict=True)
    ]
    return (opening, *following[: rng.choice((1, 1, 2))])


def _with_a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


_Deed = tuple[str, str]
_Sentence = Callable[[random.Random, Story, _Deed, str], str]

_OPENINGS: tuple[_Sentence, ...] = (
    lambda rng, s, d, r: f"The {s.character} {s.agent} {d[0]} the {d[1]} {s.place}.",
    lambda rng, s, d, r: (
        f"{s.time[0].upper()}{s.time[1:]}, {_with_a(s.character)} {s.agent} {d[0]} the {d[1]} {s.place}."
    ),
    lambda rng, s, d, r: f"{_with_a(s.character).capitalize()} {s.agent} {d[0]} the {d[1]} {s.time} because {r}.",
    lambda rng, s, d, r: f"The {s.agent} {rng.choice(_MANNERS)} {d[0]} the {rng.choice(_PROPERTIES)} {d[1]} {s.time}.",
)
_LATER: tuple[_Sentence, ...] = (
    lambda rng, s, d, r: f"{s.pronoun.capitalize()} also {d[0]} the {d[1]} because {r}.",
    lambda rng, s, d, r: f"{rng.choice(_LINKS)} {s.pronoun} {d[0]} the {d[1]} {s.place}.",
    lambda rng, s, d, r: f"{rng.choice(_LINKS)} the {s.agent} {rng.choice(_SAYINGS)} that {r}.",
    lambda rng, s, d, r: f"When {r}, {s.pronoun} {rng.choice(_MANNERS)} {d[0]} the {d[1]}.",
    lambda rng, s, d, r: f"The {s.agent} {rng.choice(_SAYINGS)} that {s.pronoun} {d[0]} the {d[1]} {s.time}.",
)


@dataclass(frozen=True, slots=True)
class Flaw:
    """A way to spoil a text.

    spoil: changes the sentences of a candidate. Its last argument is another story, for foreign sentences.
    attributes: the attributes that the flaw harms.
    remark: the sentence about it in an analysis of the candidate.
    weight: its share in the severity.
    """

    spoil: Callable[[random.Random, tuple[str, ...], Story], tuple[str, ...]]
    attributes: frozenset[str]
    remark: str
    weight: int = 1


def _shuffle_words(rng: random.Random, words: list[str]) -> list[str]:
    return rng.sample(words, len(words))


def _swap_words(rng: random.Random, words: list[str]) -> list[str]:
    swapped = list(words)
    for _ in range(max(2, len(words) // 4)):
        i = rng.randrange(len(words) - 1)
        swapped[i], swapped[i + 1] = swapped[i + 1], swapped[i]
    return swapped


def _double_words(rng: random.Random, words: list[str]) -> list[str]:
    return [copy for word in words for copy in ([word, word] if rng.random() < 0.35 else [word])]


def _drop_function_words(rng: random.Random, words: list[str]) -> list[str]:
    return [word for word in words if word.lower() not in _FUNCTION_WORDS or rng.random() < 0.2]


def _cut_words(rng: random.Random, words: list[str]) -> list[str]:
    return words[: max(3, len(words) // 2)]


def _spoil_sentence(change: Callable[[random.Random, list[str]], list[str]]) -> Callable[..., tuple[str, ...]]:
    def spoil(rng: random.Random, sentences: tuple[str, ...], story: Story) -> tuple[str, ...]:
        chosen = rng.randrange(len(sentences))
        changed = " ".join(change(rng, sentences[chosen].split()))
        return (*sentences[:chosen], changed, *sentences[chosen + 1 :])

    return spoil


def _repeat_sentence(rng: random.Random, sentences: tuple[str, ...], story: Story) -> tuple[str, ...]:
    at = rng.randrange(len(sentences) + 1)
    return (*sentences[:at], rng.choice(sentences), *sentences[at:])


def _stray_once(rng: random.Random, sentences: tuple[str, ...], other: Story) -> tuple[str, ...]:
    """Replace one sentence by one about the other story."""
    chosen = rng.randrange(len(sentences))
    return (*sentences[:chosen], rng.choice(retell_story(rng, other)), *sentences[chosen + 1 :])


def _stray_everywhere(rng: random.Random, sentences: tuple[str, ...], other: Story) -> tuple[str, ...]:
    """Replace all sentences by fluent ones about the other story."""
    return retell_story(rng, other)


_WORD_ATTRIBUTES = frozenset({"coherence", "fluency"})
_CONTENT_ATTRIBUTES = frozenset({"coherence", "relevance"})
FLAWS: dict[str, Flaw] = {  # by name, in the order in which they are applied
    "off-topic": Flaw(
        _stray_everywhere, _CONTENT_ATTRIBUTES, "It tells another story than the one asked for.", weight=3
    ),
    "stray": Flaw(_stray_once, _CONTENT_ATTRIBUTES, "One sentence belongs to another story."),
    "repetitive": Flaw(_repeat_sentence, frozenset({"coherence"}), "A sentence is repeated."),
    "shuffled": Flaw(
        _spoil_sentence(_shuffle_words), _WORD_ATTRIBUTES, "The words of a sentence are in no order.", weight=2
    ),
    "swapped": Flaw(_spoil_sentence(_swap_words), _WORD_ATTRIBUTES, "Some words have changed places."),
    "stuttering": Flaw(_spoil_sentence(_double_words), _WORD_ATTRIBUTES, "Some words are said twice."),
    "telegraphic": Flaw(_spoil_sentence(_drop_function_words), _WORD_ATTRIBUTES, "Small words are missing."),
    "cut": Flaw(_spoil_sentence(_cut_words), _WORD_ATTRIBUTES, "A sentence breaks off."),
}
PRAISE_REMARK = "It keeps to the story and reads well."


def write_analysis(flaws: Sequence[str]) -> str:
    """Write the analysis of one candidate with these flaws, as in the first stage of PRePair."""
    return " ".join(FLAWS[name].remark for name in FLAWS if name in flaws) or PRAISE_REMARK


def write_candidate(
    rng: random.Random, story: Story, flaws: Sequence[str], *, other_domains: Sequence[Domain]
) -> DemoCandidate:
    """Write a candidate for a story and apply each of these flaws once.

    other_domains: domains for the sentences of the flaws "stray" and "off-topic". The story's own is skipped.
    """
    clean = retell_story(rng, story)
    sentences = clean
    foreign = [domain for domain in other_domains if domain is not story.domain]
    for name in (known for known in FLAWS if known in flaws):
        sentences = _apply_flaw(rng, sentences, name, invent_story(rng, rng.choice(foreign)))
    text = " ".join(sentences)
    return DemoCandidate(text, tuple(flaws), _find_spoiled_words(text, " ".join(clean)))


def _apply_flaw(rng: random.Random, sentences: tuple[str, ...], flaw: str, other: Story) -> tuple[str, ...]:
    for _ in range(20):
        changed = FLAWS[flaw].spoil(rng, sentences, other)
        if changed != sentences:
            return changed
    raise ValueError(f'the flaw "{flaw}" left the text as it was: {" ".join(sentences)}')


def _find_spoiled_words(text: str, clean: str) -> tuple[tuple[int, int], ...]:
    """Return start and end of each word whose left neighbour differs from the clean text."""
    clean_words = clean.split()
    clean_pairs = Counter(zip(["", *clean_words], clean_words, strict=False))
    spans: list[tuple[int, int]] = []
    position, previous = 0, ""
    for word in text.split():
        start = text.index(word, position)
        position = start + len(word)
        if clean_pairs[previous, word] > 0:
            clean_pairs[previous, word] -= 1
        else:
            spans.append((start, position))
        previous = word
    return tuple(spans)
