"""How repeatable judges are. docs/reference/repeatability.md defines each number."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from django.db.models import prefetch_related_objects

from evenhand.numerics import DEFAULT_RANKING
from evenhand.numerics.agreement.kappa import fleiss_kappa, percent_agreement
from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.figure import Figure, IntervalFigure, PlainFigure
from evenhand.numerics.reliability.repeat_noise import RepeatNoise, noise_floor
from evenhand.options import Option
from evenhand.refusals import Refused
from evenhand.report_json import Flat, Help, IfAny
from judging.models import Dataset, Run
from rankings.record_states import states_of
from rankings.repeats.noise_of_differences import NoiseOfRepeats
from rankings.repeats.repeated_answers import RepeatedAnswers, answers_of_repeats, answers_of_samples
from rankings.repeats.repeated_runs import repeat_groups, require_repeats
from rankings.report.report_rows import Sources
from rankings.report.run_names import RunName
from rankings.report_cache import cached


@dataclass(frozen=True)
class NoiseOfFigure:
    """The noise of one figure between repeats. ranking: None for accuracy."""

    figure: str
    ranking: str | None
    values: Annotated[list[float], Help("The figure of each repeat.")]
    mean: float | None
    standard_deviation: Annotated[PlainFigure, Help("Of the figure between repeats, from the spread of each context.")]
    noise_floor: Annotated[PlainFigure, Help("Two repeats differ by more than this in 5 % of cases.")]


@dataclass(frozen=True)
class RepeatabilityRow:
    """Repeats of the same questions. The names are those of the first run."""

    name: Flat[RunName]
    runs: Annotated[list[int], Help("The runs that repeat each other; one run if its samples are the repeats.")]
    repeats: int
    between: Annotated[str, Help("runs, or samples: of one run's answers.")]
    comparisons: Annotated[int, Help("Ordered pairs that every repeat answered.")]
    partly_answered: Annotated[int, Help("Ordered pairs that only some repeats answered; they are left out.")]
    flip_rate: Annotated[IntervalFigure, Help("Share of couples of repeats of a pair whose decisions differ.")]
    kappa: Annotated[IntervalFigure, Help("Fleiss' kappa of the repeats' decisions.")]
    figures: list[NoiseOfFigure]


@dataclass(frozen=True)
class LeftOutRepeats:
    """Repeats without a common answer."""

    runs: list[int]
    why: str


@dataclass(frozen=True)
class RepeatabilityReport:
    """The repeatability of the judges of a dataset."""

    dataset: str
    rows: list[RepeatabilityRow]
    left_out: Annotated[IfAny[list[LeftOutRepeats]], Help("Repeats that share no answer.")] = None


def repeatability_report(
    dataset: Dataset,
    runs: Iterable[Run],
    *,
    run: Annotated[
        tuple[Run, ...],
        Option("Number of a run, in place of all that repeat each other.", "Runs", row="run"),
    ] = (),
) -> RepeatabilityReport:
    """Print how repeatable judges are: flips and kappa between repeats of the same questions, and the noise floor of
    accuracy and correlation.

    A row for each group of runs that repeat each other, and for each run with several samples per answer.
    Raises Refused if the named runs do not repeat each other.
    """
    if run:
        return _report_of(run)
    chosen = sorted((run for run in runs if not run.is_scoring), key=lambda run: run.pk)
    prefetch_related_objects(chosen, "judge", "attribute")
    groups = repeat_groups(chosen) + [[run] for run in chosen if (run.samples or 0) > 1]
    states = states_of([run for group in groups for run in group])
    sources, rows, left_out = Sources(dataset), [], []
    for group in groups:
        try:
            rows.append(cached(("repeats", *(states[run.pk] for run in group)), partial(_row, sources, group)))
        except Refused as refused:
            left_out.append(LeftOutRepeats([run.pk for run in group], str(refused).removeprefix("run: ")))
    return RepeatabilityReport(dataset.name, rows, left_out or None)


def _report_of(runs: Sequence[Run]) -> RepeatabilityReport:
    """Return the row of runs that are said to repeat each other."""
    require_repeats(runs)
    if scoring := [run for run in runs if run.is_scoring]:
        raise Refused(f"run: {scoring[0].pk} gives scores; flips are counted between runs that compare pairs")
    dataset = runs[0].dataset
    return RepeatabilityReport(dataset.name, [_row(Sources(dataset), sorted(set(runs), key=lambda run: run.pk))])


def _row(sources: Sources, runs: Sequence[Run]) -> RepeatabilityRow:
    """Return the row of a group of runs, or of the samples of one run."""
    own = sources.without(runs[0].exclusion)
    answers = answers_of_repeats(sources, runs) if len(runs) > 1 else answers_of_samples(own.table, runs[0])
    return RepeatabilityRow(
        name=RunName.of(runs[0]),
        runs=[run.pk for run in runs],
        repeats=len(answers),
        between="runs" if len(runs) > 1 else "samples",
        comparisons=len(answers.pairs),
        partly_answered=answers.partly_answered,
        flip_rate=percent_agreement(answers.decisions).complement(),
        kappa=fleiss_kappa(answers.decisions),
        figures=_noise_of_figures(answers, sources, runs),
    )


def _noise_of_figures(answers: RepeatedAnswers, sources: Sources, runs: Sequence[Run]) -> list[NoiseOfFigure]:
    exclusion = runs[0].exclusion
    for run in runs:
        exclusion |= run.exclusion
    noise = NoiseOfRepeats(answers.repeats, sources.without(exclusion).people(runs[0].attribute))
    return [
        _noise_of("accuracy", None, noise.accuracy),
        _noise_of("spearman", DEFAULT_RANKING, lambda: noise.spearman(DEFAULT_RANKING)),
    ]


def _noise_of(
    figure: str, ranking: str | None, measured: Callable[[], tuple[FloatArray, RepeatNoise]]
) -> NoiseOfFigure:
    try:
        values, noise = measured()
    except Undefined as undefined:
        missing = Figure.missing(undefined.reason)
        return NoiseOfFigure(figure, ranking, [], None, missing, missing)
    spread = Figure(noise.standard_deviation)
    return NoiseOfFigure(figure, ranking, values.tolist(), float(values.mean()), spread, noise_floor(noise))
