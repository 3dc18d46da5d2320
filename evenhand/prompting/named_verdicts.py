"""Verdict patterns by name, for replies that were recorded elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass

from evenhand.engine.questions.verdict_patterns import Place, VerdictPattern


@dataclass(frozen=True, slots=True)
class NamedVerdict:
    """A known form of verdicts. description: where it is used."""

    name: str
    description: str
    pattern: VerdictPattern


_RECORDS = (
    NamedVerdict(
        "brackets",
        "[[A]], [[B]] or [[C]] for a tie, as in MT-Bench",
        VerdictPattern(("[[<verdict>]]",), "A", "B", "C"),
    ),
    NamedVerdict(
        "five-levels",
        "[[A>>B]], [[A>B]], [[A=B]], [[B>A]] or [[B>>A]], as in Arena-Hard",
        VerdictPattern(("[[<verdict>]]",), "A>B", "B>A", "A=B", further=(("A>>B", "first"), ("B>>A", "second"))),
    ),
    NamedVerdict(
        "output-letter",
        "Output (a) or Output (b) at the beginning, as in LLMBar",
        VerdictPattern(("Output (<verdict>)",), "a", "b", place=Place.START),
    ),
    NamedVerdict(
        "output-letter-is-better",
        "Output (a) is better, after an explanation, as in LLMBar's chain of thought",
        VerdictPattern(("Output (<verdict>) is better",), "a", "b", place=Place.END),
    ),
    NamedVerdict(
        "result-letter",
        "[RESULT] A or [RESULT] B, as of Prometheus 2",
        VerdictPattern(
            ("[RESULT] <verdict>", "[RESULT] (<verdict>)", "[RESULT: <verdict>]", "[RESULT] Response <verdict>"),
            *("A", "B"),
            place=Place.END,
        ),
    ),
    NamedVerdict(
        "two-scores",
        "two scores from 1 to 10 on the first line, as of JudgeLM",
        VerdictPattern(("<score A> <score B>", "<score A>, <score B>"), "1", "10", place=Place.START),
    ),
    NamedVerdict(
        "json-winner",
        'a JSON field: {"winner": "A"}, "B" or "tie"',
        VerdictPattern(('{"winner": "<verdict>"}',), "A", "B", "tie"),
    ),
    NamedVerdict(
        "rating-10",
        "Rating: [[7]], from 1 to 10, as in MT-Bench",
        VerdictPattern(("Rating: [[<score>]]",), "1", "10", place=Place.END),
    ),
    NamedVerdict(
        "result-score",
        "[RESULT] 4, from 1 to 5, as of Prometheus 2",
        VerdictPattern(("[RESULT] <score>", "[RESULT] (<score>)", "[RESULT: <score>]"), "1", "5", place=Place.END),
    ),
)

NAMED_VERDICTS: Mapping[str, NamedVerdict] = {record.name: record for record in _RECORDS}
