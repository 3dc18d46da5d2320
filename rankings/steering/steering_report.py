"""The steering check of a dataset or of the texts that a run compared. docs/reference/steering.md defines it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from evenhand.options import Option
from evenhand.refusals import Refused, unknown_choice
from evenhand.report_json import Help, IfAny
from judging.models import Candidate, Dataset, Run
from rankings.steering_patterns.pattern_list import STEERING_KIND_TITLES, STEERING_PATTERNS
from rankings.steering_patterns.steering_matches import OWN_LABEL, SteeringMatch, own_labels, steering_texts

AROUND = 60
"""Characters of a text that are shown before and after a match."""
OWN_LABEL_REASON = "The first or last line is nothing but a label word of the run."
PATTERNS = {"": "all"} | {name: name for name in (*STEERING_PATTERNS, OWN_LABEL)}


@dataclass(frozen=True)
class PatternCount:
    """How many texts match one pattern."""

    pattern: str
    kind: Annotated[str, Help("label, verdict or instruction.")]
    texts: int
    reason: str

    @property
    def kind_title(self) -> str:
        """Return the kind in words."""
        return STEERING_KIND_TITLES[self.kind]  # type: ignore[index]  # a kind of the patterns


@dataclass(frozen=True)
class SystemCount:
    """How many texts of one system match a pattern."""

    system: str
    texts: int
    matched: int
    patterns: Annotated[Mapping[str, int], Help("Matched texts by pattern.")]


@dataclass(frozen=True)
class SteeringText:
    """One match in a text. start, end: in characters from 0, end excluded."""

    context: str
    candidate: str
    system: str
    pattern: str
    start: int
    end: int
    matched: str
    before: Annotated[str, Help(f"Up to {AROUND} characters before the match.")]
    after: Annotated[str, Help(f"Up to {AROUND} characters after the match.")]


@dataclass(frozen=True)
class SteeringReport:
    """The steering check. run: only the texts that it asked about, and its own label words."""

    dataset: str
    texts: Annotated[int, Help("Texts that were searched.")]
    matched: Annotated[int, Help("Texts that match at least one pattern.")]
    patterns: list[PatternCount]
    systems: list[SystemCount]
    matches: list[SteeringText]
    run: IfAny[int] = None
    labels: Annotated[IfAny[Sequence[str]], Help("Label words of the run.")] = None


def steering_report(
    dataset: Dataset,
    *,
    run: Annotated[
        Run | None, Option("Only texts that this run asked about, and its own label words.", "Texts of", row="run")
    ] = None,
    pattern: Annotated[str, Option("List only matches of this pattern.", choices=PATTERNS)] = "",
    system: Annotated[str, Option("List only matches in texts of this system.")] = "",
) -> SteeringReport:
    """Return texts with label words, verdicts or instructions to a judge, with their counts by pattern and system.

    Counts are of all texts; `matches` only of this pattern and system. Raises Refused for an unknown system.
    """
    labels = own_labels(run) if run else ()
    compared = _compared(run) if run else None
    matches = _chosen(steering_texts(dataset, labels), compared)
    systems = _texts_of_systems(dataset, compared)
    if system and system not in systems:
        raise Refused(unknown_choice("system", system, list(systems)))
    rows = Candidate.objects.select_related("context").in_bulk(list(matches))
    return SteeringReport(
        dataset=dataset.name,
        texts=sum(systems.values()),
        matched=len(matches),
        patterns=_pattern_counts(matches, has_labels=bool(labels)),
        systems=_system_counts(matches, rows, systems),
        matches=[
            _text(rows[pk], match)
            for pk, of_text in matches.items()
            for match in of_text
            if pattern in ("", match.pattern) and system in ("", rows[pk].system)
        ],
        run=run.pk if run else None,
        labels=list(labels) or None,
    )


def _compared(run: Run) -> set[int]:
    """Return the candidates that a run asked about, without those that it leaves out."""
    rows = run.answers.order_by().values_list(*run.candidate_fields).distinct()
    asked = {candidate for row in rows.iterator() for candidate in row}
    if not run.exclusion:
        return asked
    left_out = Candidate.objects.filter(context__dataset=run.dataset_id).filter(run.exclusion.matches())
    return asked - set(left_out.values_list("pk", flat=True))


def _chosen(matches: Mapping[int, list[SteeringMatch]], compared: set[int] | None) -> Mapping[int, list[SteeringMatch]]:
    return matches if compared is None else {pk: of_text for pk, of_text in matches.items() if pk in compared}


def _texts_of_systems(dataset: Dataset, compared: set[int] | None) -> Counter[str]:
    """Count the texts by system, in order of appearance; "" for texts without a system."""
    candidates = Candidate.objects.filter(context__dataset=dataset).order_by("context__position", "position")
    rows = candidates.values_list("pk", "system").iterator()
    return Counter(system for pk, system in rows if compared is None or pk in compared)


def _pattern_counts(matches: Mapping[int, list[SteeringMatch]], *, has_labels: bool) -> list[PatternCount]:
    texts = Counter(name for of_text in matches.values() for name in {match.pattern for match in of_text})
    counts = [PatternCount(one.name, one.kind, texts[one.name], one.reason) for one in STEERING_PATTERNS.values()]
    own = PatternCount(OWN_LABEL, "label", texts[OWN_LABEL], OWN_LABEL_REASON)
    return [*counts, own] if has_labels else counts


def _system_counts(
    matches: Mapping[int, list[SteeringMatch]], rows: Mapping[int, Candidate], systems: Mapping[str, int]
) -> list[SystemCount]:
    of_system: dict[str, list[set[str]]] = {name: [] for name in systems}
    for pk, of_text in matches.items():
        of_system[rows[pk].system].append({match.pattern for match in of_text})
    return [
        SystemCount(
            name, texts, len(of_system[name]), dict(Counter(pattern for one in of_system[name] for pattern in one))
        )
        for name, texts in systems.items()
    ]


def _text(candidate: Candidate, match: SteeringMatch) -> SteeringText:
    return SteeringText(
        context=candidate.context.key,
        candidate=candidate.key,
        system=candidate.system,
        pattern=match.pattern,
        start=match.start,
        end=match.end,
        matched=match.matched,
        before=candidate.text[max(0, match.start - AROUND) : match.start],
        after=candidate.text[match.end : match.end + AROUND],
    )
