"""Progress of a run: answers, speed, time and cost so far, and advice where answers cannot be read."""

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Q, Sum
from django.utils import timezone

from evenhand.engine.questions.thinking import ReadingProblem
from evenhand.engine.settings import FORCED_CHOICE
from evenhand.report_json import Unwritten
from judging.models import AnswerProblem, Candidate, Chunk, Criteria, EndpointBatch, Outcome, Reasoning, Run, RunEvent
from judging.models.comparisons import BOUNDED
from judging.models.endpoints import BATCH_PRICE_SHARE
from judging.services.judges.endpoint_limits import pause_of

NEARLY_ALL, FEWEST = 0.9, 10
"""A run with some answers gets advice from this share of unparsed ones on, and from this number of replies on."""
SHOWN_CHARACTERS = 200
OF_FREE_REPLIES = frozenset(
    {ReadingProblem.NO_VERDICT, ReadingProblem.TWO_VERDICTS, ReadingProblem.REFUSAL, ReadingProblem.UNKNOWN_PROBABILITY}
)
"""Problems that are rare where only a label word may be written."""
OTHER_FORM = "The judge does not answer in the form that the prompt asks for; choose another prompt or judge."
FORCE = (
    f"An endpoint that can force a choice writes a label word and nothing else: add the judge with --ask-by "
    f"{FORCED_CHOICE} (“Ask by” on the page, ask_by in the API). Otherwise choose a prompt whose verdict is read in a "
    "whole reply, or another judge."
)
STALE_AFTER = timedelta(seconds=60)
EVENTS_SHOWN, LATEST_EVENTS = 50, 5
PAGE_POLL_SECONDS = ((timedelta(minutes=1), 2), (timedelta(minutes=10), 5))
"""Age of a run, and seconds until its page asks again; 15 for older and stale runs."""
LONGEST_POLL_SECONDS = 15


@dataclass(frozen=True, slots=True)
class ReadingAdvice:
    """How many of the replies could not be read, one of them, and what would help."""

    unparsed: int
    replies: int
    reply: str
    advice: str

    def __str__(self) -> str:
        how_many = "all" if self.unparsed == self.replies else f"{self.unparsed:,} of {self.replies:,}"
        return f"{how_many} answers are unparsed. One of them: {self.reply!r}\n{self.advice}"


def reading_advice(run: Run, *, answered: int, unparsed: int) -> ReadingAdvice | None:
    """Return what would help; None for a run with more answers that could be read, and for answers made elsewhere."""
    replies = answered + unparsed
    few_are_read = unparsed >= NEARLY_ALL * replies and replies >= FEWEST
    if not unparsed or not run.judge.can_be_asked or (answered and not few_are_read):
        return None
    text, problem = run.answers.filter(outcome=Outcome.UNPARSED).values_list("text", "problem")[0]
    return ReadingAdvice(unparsed, replies, text[:SHOWN_CHARACTERS], _advice(run, problem))


def _advice(run: Run, problem: str) -> str:
    is_forced = run.environment.get("asked_by") == FORCED_CHOICE
    if run.judge.is_endpoint and not run.asks_one_reply and not is_forced and problem in OF_FREE_REPLIES:
        return FORCE
    return OTHER_FORM


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run, counted from its rows; also valid for a cancelled or failed run.

    asked: comparisons (or scores) with a row; the sum of answered, unparsed and errors.
    bounded: answered comparisons with a known decision and an unknown p_first.
    problems: kind -> number of answers with this problem; unparsed answers, and answers after cut or empty thinking.
    first_error: message of the first error; empty if reasonings is none.
    reading: what would help if nothing, or nearly nothing, could be read; else None.
    reasonings_done, reasonings_planned: texts that the judge writes before its answers; 0 if it writes none.
    reasonings_cut: those among them that their limit of tokens cut off.
    per_second: comparisons per second over all workers. seconds_left: remaining time at that speed. Both None while no
        worker judges the run, or before its first slice is stored.
    cost: upper bound of the endpoint's charges so far; None if the judge has no prices.
    paused: why an active run waits until tomorrow, as a sentence; empty if it does not.
    stale: an active run that no worker has judged for a minute; it lacks a worker or needs `resume`.
    poll_seconds: time until the page should ask again. events: the run's log, latest first.
    """

    status: Unwritten[str]
    planned: int
    asked: int
    answered: int
    unparsed: int
    errors: int
    bounded: int
    problems: dict[str, int]
    first_error: str
    reading: ReadingAdvice | None
    reasonings_done: int
    reasonings_planned: int
    reasonings_cut: int
    per_second: float | None
    seconds_left: float | None
    cost: float | None
    paused: str
    stale: bool
    poll_seconds: Unwritten[int]
    events: Unwritten[tuple[RunEvent, ...]] = ()
    batches: Unwritten[tuple[EndpointBatch, ...]] = ()

    @property
    def latest_events(self) -> tuple[RunEvent, ...]:
        """The end of the log, for a page that changes while it is read."""
        return self.events[:LATEST_EVENTS]

    @property
    def is_loading(self) -> bool:
        """True while a worker loads the model."""
        return bool(self.events) and self.events[0].kind == RunEvent.Kind.LOADING

    @property
    def named_problems(self) -> list[tuple[str, str, int]]:
        """Kind, its name for people, and number, of each kind of problem that occurs."""
        return [(kind, str(AnswerProblem(kind).label), number) for kind, number in self.problems.items()]


def progress(run: Run) -> Progress:
    """Count a run's rows and compute its progress."""
    outcomes = count_outcomes(run)
    asked = sum(outcomes.values())
    workers = Chunk.objects.filter(run=run).held().count() if run.is_active else 0
    per_second = workers * asked / run.seconds if run.seconds and asked and workers else None
    waits = timezone.now() - (run.queued_at or run.started_at or run.created_at)
    paused = pause_of(run.judge, run.owner_id) if run.is_active else ""
    stale = run.is_active and not workers and not run.in_batches and not paused and waits > STALE_AFTER
    return Progress(
        status=run.status,
        planned=run.planned,
        asked=asked,
        answered=outcomes[Outcome.ANSWERED],
        unparsed=outcomes[Outcome.UNPARSED],
        errors=outcomes[Outcome.ERROR],
        bounded=count_bounded(run),
        problems=count_problems(run),
        first_error=_first_error(run) if outcomes[Outcome.ERROR] else "",
        reading=reading_advice(run, answered=outcomes[Outcome.ANSWERED], unparsed=outcomes[Outcome.UNPARSED]),
        reasonings_done=_reasonings_done(run),
        reasonings_planned=run.reasonings_planned,
        reasonings_cut=count_cut_reasonings(run),
        per_second=per_second,
        seconds_left=(run.planned - asked) / per_second if per_second else None,
        cost=cost_at_most(run, asked),
        paused=paused,
        stale=stale,
        poll_seconds=LONGEST_POLL_SECONDS if stale or paused else _poll_seconds(waits),
        events=tuple(run.events.order_by("-pk")[:EVENTS_SHOWN]),
        batches=tuple(run.batches.filter(is_superseded=False)) if run.in_batches else (),
    )


def count_outcomes(run: Run) -> dict[str, int]:
    """Count outcome -> number of the run's comparisons (or scores); all outcomes are present."""
    # in one pass: SQLite would sort the rows of a group in memory
    return run.answers.aggregate(**{outcome: Count("pk", filter=Q(outcome=outcome)) for outcome in Outcome.values})


def count_bounded(run: Run) -> int:
    """Count the answered comparisons with a known decision and an unknown p_first."""
    return 0 if run.is_scoring else run.comparisons.filter(BOUNDED).count()


def count_problems(run: Run) -> dict[str, int]:
    """Count the run's answers by the kind of their problem; kinds without answers are left out."""
    counts = dict(run.answers.order_by().exclude(problem="").values_list("problem").annotate(n=Count("pk")))
    return {kind: counts[kind] for kind in AnswerProblem.values if kind in counts}


def has_problems(run: Run) -> bool:
    """Return True if the run has errors, unparsed answers, or answers with a problem."""
    return run.answers.filter(~Q(outcome=Outcome.ANSWERED) | ~Q(problem="")).exists()


def _first_error(run: Run) -> str:
    return run.answers.filter(outcome=Outcome.ERROR).values_list("error", flat=True).first() or ""


def _reasonings_done(run: Run) -> int:
    """Count the run's reasonings and criteria, also those of other runs that it uses."""
    if not run.reasonings_planned:
        return 0
    return min(_count_criteria(run) + _count_reasonings(run), run.reasonings_planned)


def count_cut_reasonings(run: Run) -> int:
    """Count the run's reasonings and criteria that their limit of tokens cut off."""
    if not run.reasonings_planned:
        return 0
    return _count_criteria(run, complete=False) + _count_reasonings(run, complete=False)


def _end_of_contexts(run: Run, count: int) -> int:
    """Return the position after the run's contexts. count: of them."""
    left_out = run.exclusion.matches() if run.exclusion else None
    return run.dataset.end_of_first_contexts(count, left_out=left_out)


def _count_criteria(run: Run, **only: bool) -> int:
    criteria = Criteria.objects.of_run(run).filter(**only)
    if run.contexts is not None:
        criteria = criteria.filter(context__position__lt=_end_of_contexts(run, run.contexts))
    if run.exclusion:
        candidates = Candidate.objects.exclude(run.exclusion.matches())
        criteria = criteria.filter(context__in=candidates.values("context"))
    return criteria.count()


def _count_reasonings(run: Run, **only: bool) -> int:
    reasonings, method = Reasoning.objects.of_run(run).filter(**only), run.asked_method
    if not method.reasons:
        return 0
    if method.reasons_once:
        return reasonings.filter(candidate=None).count()
    if run.contexts is not None:
        reasonings = reasonings.filter(candidate__context__position__lt=_end_of_contexts(run, run.contexts))
    if run.exclusion:
        reasonings = reasonings.exclude(run.exclusion.matches(prefix="candidate__"))
        reasonings = reasonings.exclude(run.exclusion.matches(prefix="second__"))
    if method.reasons_about_pairs and run.selection != "full":
        drawn = {(first, second) for pairs in run.chunks.values_list("pairs", flat=True) for first, second in pairs}
        return len(drawn.intersection(reasonings.values_list("candidate", "second")))
    return reasonings.count()


def cost_at_most(run: Run, asked: int) -> float | None:
    """Return an upper bound of the run's cost so far, in the currency of the prices; None without prices.

    Each answer counts with its largest length. Reasoning and criteria count even if another run paid for them. Failed
    requests without a reply are not included.
    """
    if not run.judge.has_prices:
        return None
    texts = (Reasoning.objects.of_run(run), Criteria.objects.of_run(run))
    answer_tokens = run.most_answer_tokens + (run.thinking.tokens if run.thinking else 0)
    generated = sum(rows.aggregate(tokens=Sum("generated_tokens"))["tokens"] or 0 for rows in texts)
    written = asked * answer_tokens * (run.samples or 1) + generated
    share = BATCH_PRICE_SHARE if run.in_batches else 1.0
    return share * run.judge.cost_of(asked=run.prompt_tokens, written=written)


def _poll_seconds(age: timedelta) -> int:
    return next((seconds for limit, seconds in PAGE_POLL_SECONDS if age < limit), LONGEST_POLL_SECONDS)
