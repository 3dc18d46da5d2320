"""Short texts about invented events, and ways to spoil them.

A story is a set of facts. Its notes are the context; a candidate retells the facts in two or three sentences, and may
be spoiled by flaws of a known kind. The fewer flaws, the better: this is the truth that the demo judge learns and that
the simulated raters of the sample dataset see through noise.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from judging.demo.vocabulary import Domain

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
    """The facts that notes and candidates share: one agent, three deeds, where, when and why."""

    domain: Domain
    agent: str
    pronoun: str
    character: str
    deeds: tuple[tuple[str, str], ...]
    place: str
    time: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text, the kinds of flaw put into it, and the words (start and end in the text) that the flaws spoiled."""

    text: str
    flaws: tuple[str, ...]
    spoiled: tuple[tuple[int, int], ...]

    def severity(self, attribute: str) -> int:
        """How much is wrong as far as the attribute is concerned; 0 is flawless."""
        return sum(FLAWS[flaw].weight for flaw in self.flaws if attribute in FLAWS[flaw].attributes)


def tell(rng: random.Random, domain: Domain) -> Story:
    """Invent the facts of a story."""
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


def notes(story: Story) -> str:
    """The context: the facts as somebody jotted them down."""
    deeds = ", ".join(f"{verb} the {thing}" for verb, thing in story.deeds)
    return f"{story.character} {story.agent}; {deeds}; {story.place}; {story.time}; {'; '.join(story.reasons)}"


def retell(rng: random.Random, story: Story) -> tuple[str, ...]:
    """The story in two or three flawless sentences."""
    deeds, reasons = rng.sample(story.deeds, 3), rng.sample(story.reasons, 2)
    opening = rng.choice(_OPENINGS)(rng, story, deeds[0], reasons[0])
    following = [
        build(rng, story, deed, reasons[1]) for build, deed in zip(rng.sample(_LATER, 2), deeds[1:], strict=True)
    ]
    return (opening, *following[: rng.choice((1, 1, 2))])


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


_Deed = tuple[str, str]
_Sentence = Callable[[random.Random, Story, _Deed, str], str]

_OPENINGS: tuple[_Sentence, ...] = (
    lambda rng, s, d, r: f"The {s.character} {s.agent} {d[0]} the {d[1]} {s.place}.",
    lambda rng, s, d, r: f"{s.time[0].upper()}{s.time[1:]}, {_a(s.character)} {s.agent} {d[0]} the {d[1]} {s.place}.",
    lambda rng, s, d, r: f"{_a(s.character).capitalize()} {s.agent} {d[0]} the {d[1]} {s.time} because {r}.",
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
    """A way to spoil a text. attributes: those it harms. remark: what a reader says. weight: how much it harms."""

    spoil: Callable[[random.Random, tuple[str, ...], Story], tuple[str, ...]]
    attributes: frozenset[str]
    remark: str
    weight: int = 1


def _shuffle(rng: random.Random, words: list[str]) -> list[str]:
    return rng.sample(words, len(words))


def _swap(rng: random.Random, words: list[str]) -> list[str]:
    swapped = list(words)
    for _ in range(max(2, len(words) // 4)):
        i = rng.randrange(len(words) - 1)
        swapped[i], swapped[i + 1] = swapped[i + 1], swapped[i]
    return swapped


def _stutter(rng: random.Random, words: list[str]) -> list[str]:
    return [said for word in words for said in ([word, word] if rng.random() < 0.35 else [word])]


def _drop(rng: random.Random, words: list[str]) -> list[str]:
    return [word for word in words if word.lower() not in _FUNCTION_WORDS or rng.random() < 0.2]


def _cut(rng: random.Random, words: list[str]) -> list[str]:
    return words[: max(3, len(words) // 2)]


def _on_words(change: Callable[[random.Random, list[str]], list[str]]) -> Callable[..., tuple[str, ...]]:
    def spoil(rng: random.Random, sentences: tuple[str, ...], story: Story) -> tuple[str, ...]:
        chosen = rng.randrange(len(sentences))
        changed = " ".join(change(rng, sentences[chosen].split()))
        return (*sentences[:chosen], changed, *sentences[chosen + 1 :])

    return spoil


def _repeat(rng: random.Random, sentences: tuple[str, ...], story: Story) -> tuple[str, ...]:
    at = rng.randrange(len(sentences) + 1)
    return (*sentences[:at], rng.choice(sentences), *sentences[at:])


def _stray(rng: random.Random, sentences: tuple[str, ...], story: Story) -> tuple[str, ...]:
    """One sentence is about something else."""
    chosen = rng.randrange(len(sentences))
    return (*sentences[:chosen], rng.choice(retell(rng, story)), *sentences[chosen + 1 :])


def _wander(rng: random.Random, sentences: tuple[str, ...], story: Story) -> tuple[str, ...]:
    """Every sentence is about something else, and fluently so."""
    return retell(rng, story)


_WORDS = frozenset({"coherence", "fluency"})
_SENSE = frozenset({"coherence", "relevance"})
FLAWS: dict[str, Flaw] = {  # in the order in which they are put in
    "off-topic": Flaw(_wander, _SENSE, "It tells another story than the one asked for.", weight=3),
    "stray": Flaw(_stray, _SENSE, "One sentence belongs to another story."),
    "repetitive": Flaw(_repeat, frozenset({"coherence"}), "A sentence is repeated."),
    "shuffled": Flaw(_on_words(_shuffle), _WORDS, "The words of a sentence are in no order.", weight=2),
    "swapped": Flaw(_on_words(_swap), _WORDS, "Some words have changed places."),
    "stuttering": Flaw(_on_words(_stutter), _WORDS, "Some words are said twice."),
    "telegraphic": Flaw(_on_words(_drop), _WORDS, "Small words are missing."),
    "cut": Flaw(_on_words(_cut), _WORDS, "A sentence breaks off."),
}
PRAISE = "It keeps to the story and reads well."


def analysis(flaws: Sequence[str]) -> str:
    """What a careful reader says about a candidate with these flaws, alone."""
    return " ".join(FLAWS[name].remark for name in FLAWS if name in flaws) or PRAISE


def write(rng: random.Random, story: Story, flaws: Sequence[str], *, elsewhere: Sequence[Domain]) -> Candidate:
    """A candidate for a story, with these flaws put in, each kind once.

    elsewhere: the domains that stray and off-topic sentences are taken from.
    """
    clean = retell(rng, story)
    sentences = clean
    for name in (known for known in FLAWS if known in flaws):
        sentences = _spoiled(rng, sentences, name, tell(rng, rng.choice(_others(elsewhere, story.domain))))
    text = " ".join(sentences)
    return Candidate(text, tuple(flaws), _spoiled_words(text, " ".join(clean)))


def _others(domains: Sequence[Domain], domain: Domain) -> list[Domain]:
    return [other for other in domains if other is not domain]


def _spoiled(rng: random.Random, sentences: tuple[str, ...], flaw: str, other: Story) -> tuple[str, ...]:
    for _ in range(20):
        changed = FLAWS[flaw].spoil(rng, sentences, other)
        if changed != sentences:
            return changed
    raise ValueError(f'the flaw "{flaw}" left the text as it was: {" ".join(sentences)}')


def _spoiled_words(text: str, clean: str) -> tuple[tuple[int, int], ...]:
    """The words whose left neighbour is not the one they have in the clean text, by start and end."""
    clean_words = clean.split()
    left = Counter(zip(["", *clean_words], clean_words, strict=False))
    spans: list[tuple[int, int]] = []
    position, previous = 0, ""
    for word in text.split():
        start = text.index(word, position)
        position = start + len(word)
        if left[previous, word] > 0:
            left[previous, word] -= 1
        else:
            spans.append((start, position))
        previous = word
    return tuple(spans)
