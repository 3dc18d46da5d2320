"""Progress of a study: the state of every run, and of all together."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count

from evenhand.report_json import Unwritten, Written
from judging.models import Chunk, Run
from judging.services.studies.answer_counts import AnswerCounts, count_answers_of

STOPPED = (Run.Status.FAILED, Run.Status.CANCELLED)


@dataclass(frozen=True, slots=True)
class RunState:
    """A run and its progress. seconds_left: at its own speed; None while no worker judges it.

    workers: workers that judge it now.
    """

    run: Run
    counts: AnswerCounts
    workers: int

    @property
    def left(self) -> int:
        """Questions that an active run has not asked yet; 0 for an ended run."""
        return max(self.run.planned - self.counts.asked, 0) if self.run.is_active else 0

    @property
    def per_second(self) -> float | None:
        """Questions per second over all workers."""
        if not (self.workers and self.counts.asked and self.run.seconds):
            return None
        return self.workers * self.counts.asked / self.run.seconds

    @property
    def seconds_left(self) -> float | None:
        return self.left / self.per_second if self.per_second and self.run.is_active else None

    @property
    def can_ask_again(self) -> bool:
        """False for a recorded run, whose judge cannot be asked."""
        return self.run.prompt_id is not None and self.run.judge.can_be_asked

    @property
    def writes_reasoning(self) -> bool:
        """True while workers write the texts that come before the first answer."""
        return bool(self.workers and self.run.reasonings_planned and not self.counts.asked)

    @property
    def share(self) -> float:
        """Share of its questions that were asked, from 0 to 1."""
        return min(self.counts.asked / self.run.planned, 1.0) if self.run.planned else 1.0

    @property
    def percent(self) -> int:
        """The share in percent, rounded down: 100 only when everything was asked."""
        return int(100 * self.share)

    @property
    def is_partial(self) -> bool:
        """True if its figures are of a part of its questions only."""
        return self.share < 1


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """All runs of a study together.

    planned, asked: questions of all runs. states: number of runs by status.
    seconds_left: of the slowest judge, if its running runs keep their speed; None if no worker judges, or nothing is
        left.
    """

    planned: int
    asked: int
    unparsed: int
    errors: int
    states: Unwritten[Mapping[str, int]]
    seconds_left: float | None
    runs: Unwritten[Sequence[RunState]]

    @property
    def active(self) -> Written[int]:
        """Number of runs that are queued or running."""
        return self.states.get(Run.Status.PENDING, 0) + self.states.get(Run.Status.RUNNING, 0)

    @property
    def stopped(self) -> Written[int]:
        """Number of runs that failed or were cancelled."""
        return sum(self.states.get(status, 0) for status in STOPPED)

    @property
    def can_resume(self) -> bool:
        """True if a run that failed or was cancelled can be resumed."""
        return any(one.can_ask_again and one.run.status in STOPPED for one in self.runs)

    @property
    def can_retry_errors(self) -> bool:
        """True if nothing is active, and a run has errors that can be asked again."""
        return not self.active and any(one.can_ask_again and one.counts.errors for one in self.runs)

    @property
    def can_ask_unparsed(self) -> bool:
        """True if nothing is active, and a run has unparsed answers that can be asked again."""
        return not self.active and any(one.can_ask_again and one.counts.unparsed for one in self.runs)

    @property
    def percent(self) -> int:
        return int(100 * min(self.asked / self.planned, 1.0)) if self.planned else 100


def study_progress(runs: Sequence[Run]) -> StudyProgress:
    """Count the answers of a study's runs. runs: with their dataset, attribute and judge."""
    counts = count_answers_of(runs)
    active = [run.pk for run in runs if run.is_active]
    held = Chunk.objects.held().filter(run__in=active).order_by().values_list("run").annotate(Count("pk"))
    workers = dict(held)
    states = [RunState(run, counts[run.pk], workers.get(run.pk, 0)) for run in runs]
    return StudyProgress(
        planned=sum(run.planned for run in runs),
        asked=sum(min(one.counts.asked, one.run.planned) for one in states),
        unparsed=sum(one.counts.unparsed for one in states),
        errors=sum(one.counts.errors for one in states),
        states=Counter(str(run.status) for run in runs),
        seconds_left=_seconds_left(states),
        runs=states,
    )


def _seconds_left(states: Sequence[RunState]) -> float | None:
    """Return the time of the slowest judge. Its queued runs go on at the speed of its running ones."""
    left: dict[int, int] = defaultdict(int)
    speed: dict[int, float] = defaultdict(float)
    for one in states:
        left[one.run.judge_id] += one.left
        speed[one.run.judge_id] += one.per_second or 0
    judges = [judge for judge, number in left.items() if number]
    if not judges or not all(speed[judge] for judge in judges):
        return None
    return max(left[judge] / speed[judge] for judge in judges)
