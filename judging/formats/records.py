"""What a file says, as plain values: no place in a table, no identifier but the file's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Choice = Literal["first", "second", "tie"]
RecordedChoice = Literal["first", "second", "tie", "unparsed", "error", ""]


@dataclass(frozen=True, slots=True)
class AttributeRecord:
    """The quality judged.

    adjective, definition: empty where the file gives none.
    minimum, maximum: the lowest and highest human score; None where none is declared.
    """

    name: str
    adjective: str = ""
    definition: str = ""
    minimum: float | None = None
    maximum: float | None = None


@dataclass(frozen=True, slots=True)
class VoteRecord:
    """An ordered pair of candidates (their keys) as a person saw it, and the answer."""

    attribute: str
    first: str
    second: str
    choice: Choice
    rater: str


@dataclass(frozen=True, slots=True)
class CandidateRecord:
    """One text that responds to a context; an empty text is an empty output.

    key: unique within its context.
    scores: attribute -> the human score the file states. A mean of ratings is not among them.
    ratings: attribute -> rater -> number.
    """

    key: str
    text: str
    system: str = ""
    scores: Mapping[str, float] = field(default_factory=dict)
    ratings: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ContextRecord:
    """What candidates respond to, with them and the votes on their pairs, in the order of the file.

    key: unique within the dataset.
    """

    key: str
    text: str
    subset: str = ""
    reference: str = ""
    candidates: tuple[CandidateRecord, ...] = ()
    votes: tuple[VoteRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class DatasetRecord:
    """A whole dataset. Empty nouns: the file says nothing and the caller's defaults apply.

    format: the name of the format it was read from (a key of FORMATS).
    """

    description: str = ""
    licence: str = ""
    context_noun: str = ""
    candidate_noun: str = ""
    attributes: tuple[AttributeRecord, ...] = ()
    contexts: tuple[ContextRecord, ...] = ()
    format: str = "evenhand"


@dataclass(frozen=True, slots=True)
class ComparisonRecord:
    """An ordered pair shown to a judge elsewhere, and its recorded answer.

    file, line: where it stands, for problems found later (a context the dataset does not have).
    p_first: probability in [0, 1] that `first` is better; None where the file gives none.
    choice: empty where the file gives none. At least one of p_first and choice is there; p_first counts where both are.
    raw_first, raw_second, raw_tie: log-probabilities of the labels, in nats; None where the file gives none.
    """

    file: str
    line: int
    context: str
    attribute: str
    first: str
    second: str
    p_first: float | None = None
    choice: RecordedChoice = ""
    prompt: str = "recorded"
    method: str = "comparative"
    text: str = ""
    raw_first: float | None = None
    raw_second: float | None = None
    raw_tie: float | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class ScoreRecord:
    """A number that a metric or a judge gave one candidate elsewhere.

    file, line: where it stands, for problems found later.
    score: None where the answer could not be parsed (or, with `error`, where there was none).
    """

    file: str
    line: int
    context: str
    attribute: str
    candidate: str
    score: float | None = None
    prompt: str = "recorded"
    method: str = "scoring"
    text: str = ""
    error: str = ""
