"""The explanations of wrong verdicts, people's marks on them, and the share that identifies the flaw.

[Jeong2024, section 3.2] read a hundred random ones; 64 named the flaw of the text that the judge preferred.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated

import numpy as np

from evenhand.numerics import Comparisons, RatingTable, decide, human_preferences, krippendorff_alpha, percent_agreement
from evenhand.numerics.arrays import BoolArray, IntArray, sums
from evenhand.numerics.figure import IntervalFigure
from evenhand.numerics.intervals import share_figure
from evenhand.prompting.methods import METHODS
from evenhand.refusals import Refused
from evenhand.report_json import Flat, Help, IfAny, as_json
from judging.models import NOTHING_LEFT_OUT, AuditMark, Candidate, Exclusion, Outcome, Reasoning, Run, User
from rankings.loading import ANSWER
from rankings.record_states import states_of
from rankings.report.left_out import LeftOutParts, with_left_out
from rankings.report.long_lines import figure_lines, names_of, without
from rankings.report.report_choice import ReportChoice
from rankings.report.report_rows import Sources
from rankings.report.run_names import RunName
from rankings.report_cache import cached
from rankings.tables.long_form import LongForm

SAMPLE_SIZE = 100
"""The largest number of wrong verdicts that people mark."""
NO_MARKS = "nobody marked an explanation as identifying or missing the flaw"
AUDIT_MARKS = tuple(AuditMark.Mark.values)
DECISIVE = {AuditMark.Mark.MISSED.value: 0, AuditMark.Mark.NAMED.value: 1}


@dataclass(frozen=True)
class Marks:
    """How often a person gave each mark."""

    rater: str
    named: int
    missed: int
    unsure: int


@dataclass(frozen=True)
class AuditReport:
    """Explanations of wrong verdicts, and the share that identifies the flaw (docs/reference/explanations.md)."""

    name: Flat[RunName]
    explained: Annotated[int, Help("Verdicts against people that have an explanation.")]
    asked: Annotated[int, Help("How many of them people mark.")]
    marked: Annotated[int, Help("How many of them have a mark.")]
    named: IntervalFigure
    agreement: IntervalFigure
    krippendorff_alpha: IntervalFigure
    raters: list[Marks]
    without: Annotated[IfAny[LeftOutParts], Help("What is left out, by the report or by the run.")] = None


def audit_long_form(report: AuditReport) -> LongForm:
    """Return every figure of an audit. variant: of marks, the person and the mark."""
    document = without(as_json(report), [*as_json(report.name), "without"])
    return with_left_out(LongForm(lambda: figure_lines(document, names_of(report.name))), report.without)


@dataclass(frozen=True, slots=True)
class WrongVerdict:
    """A comparison that the judge decided against human preference.

    preferred: `first` or `second`, by people. explanations: one of the pair, or one of each text.
    """

    comparison: int
    first: int
    second: int
    preferred: str
    explanations: tuple[str, ...]


def is_explained(run: Run) -> bool:
    """Return True if answers can have explanations: reasoning about texts, whole replies, or imported ones."""
    if run.asks_one_reply:
        return True
    method = METHODS.get(run.method)
    if method is not None and method.reasons_about_texts and run.prompt_id is not None:
        return True
    return run.judge.is_recorded and _has_texts(run)


def _has_texts(run: Run) -> bool:
    """Return True if an answer came with a text. Without one, the database looks at every answer."""
    return cached(("texts", states_of([run])[run.pk]), lambda: run.comparisons.exclude(text="").exists())


def wrong_verdicts(run: Run) -> list[WrongVerdict]:
    """Return the wrong verdicts with an explanation, in a fixed random order.

    A tie is no wrong verdict. Human preference is defined as for accuracy.
    """
    if run.is_scoring or not is_explained(run):
        return []
    answered = run.comparisons.filter(outcome=Outcome.ANSWERED).order_by("pk")
    rows = list(answered.values_list("pk", "first", "second", ANSWER))
    wrong = _is_wrong(run, rows, Sources(run.dataset))
    wrong_rows = [row for row, is_wrong in zip(rows, wrong.tolist(), strict=True) if is_wrong]
    explanations = _explanations(run, [(first, second) for _, first, second, _ in wrong_rows])
    verdicts = [
        WrongVerdict(pk, first, second, "second" if answer > 0.5 else "first", explanations[first, second])
        for pk, first, second, answer in wrong_rows
        if explanations[first, second]
    ]
    return sorted(verdicts, key=lambda one: sha256(f"{run.pk} {one.comparison}".encode()).digest())


def audit_sample(run: Run) -> list[WrongVerdict]:
    """Return the wrong verdicts that people mark."""
    return wrong_verdicts(run)[:SAMPLE_SIZE]


def remaining_verdicts(
    run: Run, verdicts: Sequence[WrongVerdict], exclusion: Exclusion = NOTHING_LEFT_OUT
) -> list[WrongVerdict]:
    """Return the verdicts without those that concern what the run or the exclusion leaves out."""
    joined = exclusion | run.exclusion
    if not joined:
        return list(verdicts)
    candidates = Candidate.objects.filter(context__dataset=run.dataset_id).filter(joined.matches())
    left_out = set(candidates.values_list("pk", flat=True))
    return [one for one in verdicts if one.first not in left_out and one.second not in left_out]


def audit_report(run: Run, *, exclusion: Exclusion = NOTHING_LEFT_OUT) -> AuditReport:
    """Return the number of wrong verdicts with an explanation, their marks, and the share that identifies the flaw.

    `named`: mean over explanations of the share of `named` marks among `named` and `missed`.
    exclusion: systems and contexts that are left out. The sample that people mark does not depend on it.
    Raises Refused for an exclusion of unknown names.
    """
    sources = Sources.of_run(run, ReportChoice(exclusion=exclusion))
    every_verdict = wrong_verdicts(run)
    verdicts = remaining_verdicts(run, every_verdict, exclusion)
    marks = _marks([one.comparison for one in verdicts])
    units = {one.comparison: unit for unit, one in enumerate(verdicts)}
    contexts = sources.table.contexts[sources.table.numbers([one.first for one in verdicts])]
    table = RatingTable(_codes(marks, units), np.array([0.0, 1.0]), contexts)
    counts = table.unit_counts  # (n_units, 2): missed, named
    marked = counts.sum(axis=1)
    shares = counts[:, 1] / np.maximum(marked, 1)
    n_contexts = sources.table.n_contexts
    named = share_figure(
        sums(contexts, shares, n_contexts), sums(contexts, (marked > 0).astype(float), n_contexts), if_empty=NO_MARKS
    )
    return AuditReport(
        name=RunName.of(run),
        explained=len(verdicts),
        asked=len(remaining_verdicts(run, every_verdict[:SAMPLE_SIZE], exclusion)),
        marked=len({comparison for one in marks.values() for comparison in one}),
        named=named,
        agreement=percent_agreement(table),
        krippendorff_alpha=krippendorff_alpha(table),
        raters=[
            Marks(rater, **{mark: list(of_rater.values()).count(mark) for mark in AUDIT_MARKS})
            for rater, of_rater in marks.items()
        ],
        without=sources.left_out,
    )


def _is_wrong(run: Run, rows: Sequence[tuple[int, int, int, float]], sources: Sources) -> BoolArray:
    """Return True for each answer that decides against human preference, (n,)."""
    if not rows:
        return np.zeros(0, dtype=bool)
    _, first, second, answers = zip(*rows, strict=True)
    table, people = sources.table, sources.people(run.attribute)
    pair = (table.numbers(first), table.numbers(second))
    comparisons = Comparisons(len(table), *pair, np.array(answers, dtype=np.float64), table.starts)
    right = human_preferences(comparisons, people.human.scores, people.votes)
    return decide(comparisons.p_first) == 1 - right  # never of a tie, nor where people prefer neither


def _explanations(run: Run, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], tuple[str, ...]]:
    """Return pair -> its explanation, or one of each text if the method reasons about each alone."""
    if not run.judge.can_be_asked or run.asks_one_reply:
        rows = run.comparisons.values_list("first", "second", "thinking", "text")
        return {(first, second): _joined(thinking, text) for first, second, thinking, text in rows}
    firsts = {candidate for pair in pairs for candidate in pair}
    reasonings = Reasoning.objects.of_run(run).filter(candidate__in=firsts, error="")
    text_about = {reasoning.candidate_ids: reasoning.text.strip() for reasoning in reasonings}
    about_pairs = METHODS[run.method].reasons_about_pairs
    explanations = {}
    for first, second in pairs:
        subjects: list[tuple[int, ...]] = [(first, second)] if about_pairs else [(first,), (second,)]
        texts = tuple(text_about.get(subject, "") for subject in subjects)
        explanations[first, second] = texts if all(texts) else ()
    return explanations


def _joined(thinking: str, text: str) -> tuple[str, ...]:
    """Return what the judge wrote as one explanation; none if it wrote nothing."""
    whole = "\n\n".join(part.strip() for part in (thinking, text) if part.strip())
    return (whole,) if whole else ()


def _marks(comparisons: Sequence[int]) -> dict[str, dict[int, str]]:
    """Return rater -> comparison -> mark."""
    marks: dict[str, dict[int, str]] = {}
    for one in AuditMark.objects.filter(comparison__in=comparisons).select_related("user"):
        marks.setdefault(one.user.rater_name, {})[one.comparison_id] = one.mark
    return marks


def _codes(marks: Mapping[str, Mapping[int, str]], units: Mapping[int, int]) -> IntArray:
    codes = np.full((len(marks), len(units)), -1)
    for row, of_rater in enumerate(marks.values()):
        for comparison, mark in of_rater.items():
            codes[row, units[comparison]] = DECISIVE.get(mark, -1)
    return codes


def marks_of(user: User, sample: Sequence[WrongVerdict]) -> dict[int, str]:
    """Return comparison -> the mark of this person."""
    rows = AuditMark.objects.filter(user=user, comparison__in=[one.comparison for one in sample])
    return dict(rows.values_list("comparison", "mark"))


def set_mark(user: User, run: Run, sample: Sequence[WrongVerdict], *, comparison: int, mark: str) -> None:
    """Store or change a person's mark. Raises Refused for a comparison that is not in the sample."""
    _require_in_sample(sample, comparison)
    row = run.comparisons.get(pk=comparison)
    AuditMark.objects.update_or_create(comparison=row, user=user, defaults={"mark": mark})


def _require_in_sample(sample: Sequence[WrongVerdict], comparison: int) -> None:
    if comparison not in {one.comparison for one in sample}:
        raise Refused(f"comparison: {comparison} is not among the {len(sample)} wrong verdicts that people mark")
