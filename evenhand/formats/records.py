"""Records that readers make of a file: plain values, with no identifiers other than the file's own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

VoteChoice = Literal["first", "second", "tie", "both-bad", "cannot-judge"]
RecordedChoice = Literal["first", "second", "tie", "unparsed", "error", ""]


@dataclass(frozen=True, slots=True)
class AttributeRecord:
    """The quality that is judged.

    adjective, definition: empty if the file gives none.
    minimum, maximum: the lowest and highest human score; None if the file declares none.
    """

    name: str
    adjective: str = ""
    definition: str = ""
    minimum: float | None = None
    maximum: float | None = None


@dataclass(frozen=True, slots=True)
class VoteRecord:
    """A person's answer on an ordered pair of candidates, given by their keys in the order shown.

    choice: "both-bad" and "cannot-judge" are counted, but excluded from figures.
    strength, confidence: numbers on the rater's own scale. seconds: time on the pair. None: unknown.
    guidelines: the text or the version that the rater read. excluded: True for a vote that is excluded from figures.
    reading_aids: names of aids that the rater used on the pair, separated by spaces: differences, scrolling.
    purpose: why the pair was shown; votes on "gold" pairs and "repeat" are left out of all figures of judges.
    gold_answer: the known choice of a gold pair, in the order shown; empty if unknown.
    voted_at: in ISO 8601, UTC; empty if unknown. exclude_reason: why it is excluded; empty if unknown.
    """

    attribute: str
    first: str
    second: str
    choice: VoteChoice
    rater: str
    strength: float | None = None
    confidence: float | None = None
    comment: str = ""
    seconds: float | None = None
    campaign: str = ""
    guidelines: str = ""
    excluded: bool = False
    purpose: str = "ordinary"
    reading_aids: str = ""
    gold_answer: str = ""
    voted_at: str = ""
    exclude_reason: str = ""


@dataclass(frozen=True, slots=True)
class CandidateRecord:
    """One text that responds to a context. An empty text is an empty output.

    key: unique within its context.
    scores: attribute -> the human score in the file. A mean of ratings is not included.
    ratings: attribute -> rater -> number.
    """

    key: str
    text: str
    system: str = ""
    scores: Mapping[str, float] = field(default_factory=dict)
    ratings: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ContextRecord:
    """A context with its candidates and the votes on their pairs, in the order of the file.

    key: unique within the dataset.
    fields: name -> value of what else is known of it, such as its turn or category. Reports can split by any of them.
    """

    key: str
    text: str
    subset: str = ""
    reference: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    candidates: tuple[CandidateRecord, ...] = ()
    votes: tuple[VoteRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class DatasetRecord:
    """A whole dataset. An empty noun means that the file gives none and the default applies.

    format: the name of the format it was read from, a key of DATASET_FORMATS, or "table".
    mapping: the mapping of columns in JSON, if it was read by one. ignored: the columns that were not read.
    notes: facts about the files, such as ignored ones.
    """

    description: str = ""
    licence: str = ""
    context_noun: str = ""
    candidate_noun: str = ""
    attributes: tuple[AttributeRecord, ...] = ()
    contexts: Sequence[ContextRecord] = ()
    format: str = "evenhand"
    mapping: Mapping[str, Any] | None = None
    ignored: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedVote:
    """A vote that was given elsewhere, or that a dataset holds.

    file, line: its place, for problems found later; "" and 0 for a vote of a dataset.
    occurrence: 0 for a rater's first vote on this ordered pair, 1 for the second …
    """

    file: str
    line: int
    context: str
    vote: VoteRecord
    occurrence: int = 0

    @property
    def attribute(self) -> str:
        return self.vote.attribute

    @property
    def first(self) -> str:
        return self.vote.first

    @property
    def second(self) -> str:
        return self.vote.second

    @property
    def key(self) -> tuple[str | int, ...]:
        """Everything that names the vote: its rater, attribute and ordered pair."""
        vote = self.vote
        return self.context, vote.attribute, vote.first, vote.second, vote.rater, self.occurrence


@dataclass(frozen=True, slots=True)
class ComparisonRecord:
    """An ordered pair that a judge compared elsewhere, and its recorded answer.

    file, line: its place, for problems found later, such as a context that the dataset does not have.
    p_first: probability in [0, 1] that `first` is better; None if the file gives none.
    choice: empty if the file gives none. At least one of p_first and choice is there; with both, p_first counts.
    raw_first, raw_second, raw_tie: log-probabilities of the labels, in nats; None if the file gives none.
    thinking, thinking_tokens: what the judge thought before its answer; empty and 0 if the file gives none.
    p_first_before: p_first of the same question without thinking.
    problem: the kind of an unparsed answer, or of thinking that was cut or empty; empty if the file gives none.
    judge: empty if the file does not name its judge.
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
    thinking: str = ""
    thinking_tokens: int = 0
    p_first_before: float | None = None
    problem: str = ""
    judge: str = ""


@dataclass(frozen=True, slots=True)
class RatingRecord:
    """A number that one rater gave one candidate. file, line: its place, for problems found later."""

    file: str
    line: int
    context: str
    attribute: str
    candidate: str
    rater: str
    score: float


@dataclass(frozen=True, slots=True)
class ScoreRecord:
    """A number that a metric or a judge gave one candidate elsewhere.

    file, line: its place, for problems found later.
    score: None if the answer could not be parsed, or if there was only an `error`.
    thinking, thinking_tokens, problem, judge: as in ComparisonRecord. score_before: as its p_first_before.
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
    thinking: str = ""
    thinking_tokens: int = 0
    score_before: float | None = None
    problem: str = ""
    judge: str = ""
