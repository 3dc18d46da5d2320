"""Read pairs of a campaign: gold pairs and training pairs with a known answer, and pairs to ask about."""

from dataclasses import dataclass, replace
from operator import attrgetter

from evenhand.file_problems import InvalidFile, Problem, describe_value
from evenhand.formats.checked_rows import MAX_KEY_LENGTH, CheckedRow
from evenhand.formats.mappings.table_layouts import RecordedColumns
from evenhand.formats.recorded.recorded_table import RecordReader, pair_again, read_sides
from evenhand.formats.recorded.spooled_records import RecordForm
from evenhand.formats.source_files import SourceFile

MOST_KNOWN_PAIRS = 10_000
MOST_KNOWN_PAIR_BYTES = 16 * 2**20
KNOWN_ANSWERS = ("first", "second", "tie")
LONGEST_EXPLANATION = 2_000


@dataclass(frozen=True, slots=True)
class KnownPair:
    """A pair, given by the keys of its context and candidates, with its answer.

    answer: "first", "second" or "tie"; empty for a pair to ask about.
    explanation: shown to annotators after a training pair. attribute: empty for the only one of the campaign.
    file, line: where it was read; empty and 0 for a pair that was not read from a file.
    """

    context: str
    first: str
    second: str
    answer: str = ""
    explanation: str = ""
    attribute: str = ""
    file: str = ""
    line: int = 0


def read_known_pairs(file: SourceFile) -> list[KnownPair]:
    """Read the pairs of a table or of JSON Lines. Raises InvalidFile with every problem."""
    return _read(_KNOWN, file)


def read_asked_pairs(file: SourceFile) -> list[KnownPair]:
    """Read pairs without answers, as `read_known_pairs` reads others."""
    return _read(_ASKED, file)


def _read(reader: RecordReader[KnownPair], file: SourceFile) -> list[KnownPair]:
    pairs = list(reader.read([file], max_bytes=MOST_KNOWN_PAIR_BYTES))
    if not pairs:
        raise InvalidFile([Problem(file.name, None, "", "no line", "at least one pair")])
    if len(pairs) > MOST_KNOWN_PAIRS:
        raise InvalidFile([Problem(file.name, None, "", f"{len(pairs):,} pairs", f"at most {MOST_KNOWN_PAIRS:,}")])
    return pairs


def _asked_pair(row: CheckedRow) -> KnownPair:
    context = row.text("context", max_length=MAX_KEY_LENGTH)
    attribute = row.optional_text("attribute", max_length=MAX_KEY_LENGTH)
    return KnownPair(context, *read_sides(row), attribute=attribute, file=row.file, line=row.line)


def _known_pair(row: CheckedRow) -> KnownPair:
    pair = _asked_pair(row)
    answer = row.choice("answer", {one: one for one in KNOWN_ANSWERS})
    explanation = row.optional_text("explanation")
    if len(explanation) > LONGEST_EXPLANATION:
        row.add_problem("explanation", describe_value(explanation), f"at most {LONGEST_EXPLANATION} characters")
    return replace(pair, answer=answer, explanation=explanation)


_ASKED = RecordReader(
    RecordedColumns("pairs", ("context", "first", "second"), ("attribute",)),
    make_record=_asked_pair,
    form=RecordForm(attrgetter(*KnownPair.__slots__), lambda values: KnownPair(*values)),
    key_of=lambda pair: (pair.attribute, pair.context, *sorted((pair.first, pair.second))),
    repetition=lambda earlier, one: pair_again(one.first, one.second),
    once="each pair once",
)
_KNOWN = replace(
    _ASKED,
    columns=RecordedColumns("known pairs", ("context", "first", "second", "answer"), ("attribute", "explanation")),
    make_record=_known_pair,
)
