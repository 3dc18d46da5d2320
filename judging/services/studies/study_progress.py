"""Progress of a study: the state of every run, in a grid of the study's dimensions."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count

from evenhand.numerics.selection.until_sure import DEFAULT_BOUND
from evenhand.report_json import Unwritten, Written
from judging.models import Chunk, Run
from judging.services.names import labels
from judging.services.studies.answer_counts import AnswerCounts, count_answers_of

COLUMN_DIMENSIONS = ("prompt", "judge", "attribute", "dataset", "selection", "seed")
"""Dimensions that may be the columns of the grid, in this order of preference."""
MOST_COLUMNS = 12
STOPPED = (Run.Status.FAILED, Run.Status.CANCELLED)


class CellKey(NamedTuple):
    """The values of a run in each dimension. selection: its name, with its bound and comparisons per context."""

    dataset: str
    attribute: str
    judge: str
    prompt: str
    selection: str
    seed: int


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
class GridRow:
    """One row of the grid. names: values of the dimensions that vary between rows. columns: those of its cells."""

    names: Sequence[str]
    cells: Sequence[Sequence[RunState]]
    columns: Sequence[str]

    @property
    def labelled_cells(self) -> list[tuple[str, Sequence[RunState]]]:
        """The name of its column, and the runs of the cell."""
        return list(zip(self.columns, self.cells, strict=True))


@dataclass(frozen=True, slots=True)
class StudyGrid:
    """The runs of a study by two sides. row_names, column_name: dimensions. fixed: values that all runs share."""

    row_names: Sequence[str]
    column_name: str
    columns: Sequence[str]
    rows: Sequence[GridRow]
    fixed: Sequence[str]


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


def study_grid(states: Sequence[RunState]) -> StudyGrid:
    """Arrange runs by the dimensions that vary."""
    runs = [state.run for state in states]
    datasets, judges = labels(run.dataset for run in runs), labels(run.judge for run in runs)
    methods: dict[str, set[str]] = defaultdict(set)
    for run in runs:
        methods[run.prompt_name].add(run.method)
    by_key: dict[CellKey, list[RunState]] = defaultdict(list)
    for state in states:
        run = state.run
        # Recorded runs of several methods may have the same name for their prompts.
        prompt = f"{run.method}, {run.prompt_name}" if len(methods[run.prompt_name]) > 1 else run.prompt_name
        dataset, judge = datasets[run.dataset_id], judges[run.judge_id]
        by_key[CellKey(dataset, run.attribute.name, judge, prompt, _selection_of(run), run.seed)].append(state)
    return _arranged(by_key)


def _selection_of(run: Run) -> str:
    bound = "" if run.bound in (None, DEFAULT_BOUND) else f":{run.bound:g}"
    comparisons = "" if run.comparisons_per_context is None else f":{run.comparisons_per_context}"
    return f"{run.selection_name}{bound}{comparisons}"


def _arranged(by_key: Mapping[CellKey, Sequence[RunState]]) -> StudyGrid:
    values = {name: list(dict.fromkeys(getattr(key, name) for key in by_key)) for name in CellKey._fields}
    varying = [name for name in CellKey._fields if len(values[name]) > 1]
    column = next((name for name in COLUMN_DIMENSIONS if 1 < len(values[name]) <= MOST_COLUMNS), COLUMN_DIMENSIONS[0])
    row_names = [name for name in varying if name != column] or ["judge" if column != "judge" else "dataset"]
    rows: dict[tuple[str, ...], dict[str, Sequence[RunState]]] = defaultdict(dict)
    for key, states in by_key.items():
        rows[tuple(str(getattr(key, name)) for name in row_names)][str(getattr(key, column))] = states
    columns = [str(value) for value in values[column]]
    return StudyGrid(
        row_names=row_names,
        column_name=column,
        columns=columns,
        rows=[GridRow(names, [cells.get(name, ()) for name in columns], columns) for names, cells in rows.items()],
        fixed=[
            str(values[name][0])
            for name in CellKey._fields
            if len(values[name]) == 1 and name not in (*row_names, column, "seed")
        ],
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
