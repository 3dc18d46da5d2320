"""Each judge's answers on one context: comparisons as a matrix of its candidates, and scores of each alone."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef
from django.urls import reverse

from judging.models import Attribute, Candidate, Comparison, Context, Outcome, Run, Score
from judging.models.runs import RunQuerySet
from rankings.loading import ANSWER, OUTCOMES
from rankings.report.printed_numbers import coefficient

NOT_ASKED = "not asked"
MOST_CANDIDATES = 40
"""Candidates of a matrix: a page of more than 1,600 cells is slow."""
SHADES = 8
"""Classes of equal width of the mean probability. static/css/datasets.css gives each a shade."""
StoredAnswers = Mapping[tuple[int, int], float]
"""(first, second) -> p_first, or minus the index in OUTCOMES of a comparison without an answer."""


@dataclass(frozen=True, slots=True)
class OrderedAnswer:
    """The answer in one order. p: P(the row is better); None without an answer, for the reason in `missing`."""

    p: float | None
    missing: str = ""

    def __str__(self) -> str:
        return self.missing if self.p is None else coefficient(self.p, 2)

    @property
    def shade(self) -> int | None:
        return _shade(self.p)


@dataclass(frozen=True, slots=True)
class PairCell:
    """The answers about two candidates. row_first: with the row's candidate shown first.

    row, column: their identifiers. href: of the page of both answers; "" if neither order was asked.
    """

    row: str
    column: str
    row_first: OrderedAnswer
    row_second: OrderedAnswer
    href: str

    @property
    def mean_p(self) -> float | None:
        """Return the mean of both orders, or the one that was answered."""
        answered = [answer.p for answer in (self.row_first, self.row_second) if answer.p is not None]
        return fmean(answered) if answered else None

    @property
    def shade(self) -> int | None:
        return _shade(self.mean_p)

    @property
    def label(self) -> str:
        """Write both answers for readers who do not see the table."""
        orders = f"{self.row_first} with {self.row} first, {self.row_second} with {self.column} first"
        return f"{self.row} against {self.column}: {orders}"


@dataclass(frozen=True, slots=True)
class ScoredCandidate:
    """A candidate and its human score; None without one."""

    candidate: Candidate
    score: float | None


@dataclass(frozen=True, slots=True)
class CandidateLine:
    """The row of one candidate. score: its human score. cells: one for each candidate, None for itself."""

    candidate: Candidate
    score: float | None
    cells: tuple[PairCell | None, ...]

    @property
    def mean_p(self) -> float | None:
        """Return the mean over the other candidates with an answer."""
        means = [cell.mean_p for cell in self.cells if cell is not None and cell.mean_p is not None]
        return fmean(means) if means else None


@dataclass(frozen=True, slots=True)
class JudgeMatrix:
    """The answers of one run on a context. Its lines and the cells of each line are in the same order."""

    run: Run
    lines: tuple[CandidateLine, ...]

    @property
    def has_scores(self) -> bool:
        return any(line.score is not None for line in self.lines)

    @property
    def first_pair(self) -> PairCell | None:
        """Return the answers about the first two candidates; None for fewer."""
        return self.lines[0].cells[1] if len(self.lines) > 1 else None


def runs_with_answers(runs: RunQuerySet, context: Context, attribute: Attribute) -> RunQuerySet:
    """Return the runs that compared candidates of a context on an attribute, in the order of their numbers."""
    asked = Comparison.objects.filter(run=OuterRef("pk"), context=context)
    return runs.filter(Exists(asked), attribute=attribute).order_by("pk")


def candidates_of_matrices(context: Context, attribute: Attribute) -> list[ScoredCandidate]:
    """Return the candidates of a context with their human scores, in two queries. The best come first."""
    candidates = context.candidates.defer("text").prefetch_related("human_scores")
    scored = [ScoredCandidate(one, one.scores_by_attribute().get(attribute.pk)) for one in candidates]
    return sorted(scored, key=lambda one: (one.score is None, -(one.score or 0.0)))


def judge_matrices(runs: Sequence[Run], context: Context, candidates: Sequence[ScoredCandidate]) -> list[JudgeMatrix]:
    """Return the matrix of each run, in one query. What a run leaves out is missing from its matrix."""
    answers = _answers(runs, [one.candidate.pk for one in candidates])
    return [_matrix(run, context, candidates, answers[run.pk]) for run in runs]


def _answers(runs: Sequence[Run], candidates: Sequence[int]) -> defaultdict[int, dict[tuple[int, int], float]]:
    """Return run -> its answers about these candidates of one context."""
    rows = Comparison.objects.filter(run__in=[run.pk for run in runs], first__in=candidates, second__in=candidates)
    answers: defaultdict[int, dict[tuple[int, int], float]] = defaultdict(dict)
    for run, first, second, answer in rows.order_by().values_list("run", "first", "second", ANSWER):
        answers[run][first, second] = answer
    return answers


def _matrix(run: Run, context: Context, candidates: Sequence[ScoredCandidate], answers: StoredAnswers) -> JudgeMatrix:
    left_out = run.exclusion
    is_left_out = context.key in left_out.contexts
    chosen = [one for one in candidates if not is_left_out and one.candidate.system not in left_out.systems]
    return JudgeMatrix(
        run,
        tuple(
            CandidateLine(
                one.candidate,
                one.score,
                tuple(_cell(run, context, one.candidate, other.candidate, answers) for other in chosen),
            )
            for one in chosen
        ),
    )


def _cell(run: Run, context: Context, row: Candidate, column: Candidate, answers: StoredAnswers) -> PairCell | None:
    if row.pk == column.pk:
        return None
    was_asked = (row.pk, column.pk) in answers or (column.pk, row.pk) in answers
    query = urlencode({"context": context.key, "candidate": row.key, "other": column.key})
    return PairCell(
        row=row.key,
        column=column.key,
        row_first=_answer(answers.get((row.pk, column.pk))),
        row_second=_for_the_second(_answer(answers.get((column.pk, row.pk)))),
        href=f"{reverse('run-answers', args=[run.pk])}?{query}" if was_asked else "",
    )


def _answer(stored: float | None) -> OrderedAnswer:
    """Read a stored answer for the first candidate."""
    if stored is None:
        return OrderedAnswer(None, NOT_ASKED)
    return OrderedAnswer(stored) if stored >= 0 else OrderedAnswer(None, OUTCOMES[int(-stored)].label.lower())


def _for_the_second(answer: OrderedAnswer) -> OrderedAnswer:
    return answer if answer.p is None else OrderedAnswer(1 - answer.p)


def _shade(p: float | None) -> int | None:
    """Return the class of a probability, from 0 (the column is better) to 7; None without an answer."""
    return None if p is None else min(SHADES - 1, int(p * SHADES))


@dataclass(frozen=True, slots=True)
class JudgeScore:
    """The score of one candidate. value: None without an answer, for the reason in `missing`."""

    value: float | None
    missing: str = ""


@dataclass(frozen=True, slots=True)
class JudgeScores:
    """The scores of one run, in the order of the candidates."""

    run: Run
    scores: tuple[JudgeScore, ...]


def runs_with_scores(runs: RunQuerySet, context: Context, attribute: Attribute) -> RunQuerySet:
    """Return the runs that scored candidates of a context on an attribute, in the order of their numbers."""
    asked = Score.objects.filter(run=OuterRef("pk"), context=context)
    return runs.filter(Exists(asked), attribute=attribute).order_by("pk")


def judge_scores(runs: Sequence[Run], context: Context, candidates: Sequence[ScoredCandidate]) -> list[JudgeScores]:
    """Return the scores of each run, in one query. What a run leaves out counts as not asked."""
    chosen = [one.candidate for one in candidates]
    stored = {
        (run, candidate): JudgeScore(value, "" if outcome == Outcome.ANSWERED else Outcome(outcome).label.lower())
        for run, candidate, outcome, value in Score.objects.filter(
            run__in=[run.pk for run in runs], candidate__in=[one.pk for one in chosen]
        ).values_list("run", "candidate", "outcome", "value")
    }
    not_asked = JudgeScore(None, NOT_ASKED)
    return [
        JudgeScores(
            run,
            tuple(
                not_asked if _is_left_out(run, context, one) else stored.get((run.pk, one.pk), not_asked)
                for one in chosen
            ),
        )
        for run in runs
    ]


def _is_left_out(run: Run, context: Context, candidate: Candidate) -> bool:
    left_out = run.exclusion
    return context.key in left_out.contexts or candidate.system in left_out.systems
