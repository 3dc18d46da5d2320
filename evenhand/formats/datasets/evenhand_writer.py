"""Write a dataset as JSON Lines in our own format. `read_evenhand` reads the same dataset back."""

import json
from collections.abc import Iterator, Mapping

from evenhand.formats.records import AttributeRecord, CandidateRecord, ContextRecord, DatasetRecord, VoteRecord

# Some programs end a line at these characters, so they are escaped. In JSON they occur only inside texts.
_LINE_ENDS = {character: f"\\u{ord(character):04x}" for character in "\x85\u2028\u2029"}
_MAX_EXACT_INTEGER = 2.0**53


def write_dataset(record: DatasetRecord) -> Iterator[str]:
    """Yield the header, then one line per context, each ending in a newline. Empty values are left out."""
    yield _line({"dataset": _header(record)})
    for context in record.contexts:
        yield _line(make_context_line(context))


def _line(value: Mapping[str, object]) -> str:
    line = json.dumps(value, ensure_ascii=False, allow_nan=False)
    for character, escape in _LINE_ENDS.items():
        line = line.replace(character, escape)
    return line + "\n"


def _header(record: DatasetRecord) -> dict[str, object]:
    return _drop_empty(
        description=record.description,
        licence=record.licence,
        context_noun=record.context_noun,
        candidate_noun=record.candidate_noun,
        attributes=[_attribute(attribute) for attribute in record.attributes],
    )


def _attribute(record: AttributeRecord) -> dict[str, object]:
    bounds = {"minimum": record.minimum, "maximum": record.maximum}
    return {
        "name": record.name,
        **_drop_empty(adjective=record.adjective, definition=record.definition),
        **{key: _number(bound) for key, bound in bounds.items() if bound is not None},
    }


def make_context_line(record: ContextRecord) -> dict[str, object]:
    """Return the JSON object of a context."""
    return {
        "context": record.key,
        "text": record.text,
        **_drop_empty(subset=record.subset, reference=record.reference, fields=dict(record.fields)),
        "candidates": [_candidate(candidate) for candidate in record.candidates],
        **_drop_empty(votes=[_vote(vote) for vote in record.votes]),
    }


def _candidate(record: CandidateRecord) -> dict[str, object]:
    return {
        "candidate": record.key,
        **_drop_empty(system=record.system),
        "text": record.text,
        **_drop_empty(
            scores=_numbers(record.scores),
            ratings={name: _numbers(by_rater) for name, by_rater in record.ratings.items()},
        ),
    }


def _vote(record: VoteRecord) -> dict[str, object]:
    return {
        "attribute": record.attribute,
        "first": record.first,
        "second": record.second,
        "choice": record.choice,
        "rater": record.rater,
        **_vote_details(record),
    }


def _vote_details(record: VoteRecord) -> dict[str, object]:
    numbers = {"strength": record.strength, "confidence": record.confidence, "seconds": record.seconds}
    return {
        **{name: _number(number) for name, number in numbers.items() if number is not None},
        **_drop_empty(comment=record.comment, campaign=record.campaign, guidelines=record.guidelines),
        **_drop_empty(excluded=record.excluded, purpose="" if record.purpose == "ordinary" else record.purpose),
        **_drop_empty(reading_aids=record.reading_aids, gold_answer=record.gold_answer, voted_at=record.voted_at),
        **_drop_empty(exclude_reason=record.exclude_reason),
    }


def _numbers(numbers: Mapping[str, float]) -> dict[str, float]:
    return {name: _number(number) for name, number in numbers.items()}


def _number(number: float) -> float:
    """Turn 4.0 into 4. Minus zero stays -0.0, because no integer keeps its sign."""
    is_whole = float(number).is_integer() and abs(number) < _MAX_EXACT_INTEGER and str(number) != "-0.0"
    return int(number) if is_whole else number


def _drop_empty(**values: object) -> dict[str, object]:
    return {key: value for key, value in values.items() if value}
