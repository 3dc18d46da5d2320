"""The part of the contexts on which a study reports, and whether something was chosen on the same contexts."""

from collections.abc import Iterator, Sequence

from django.db.models import Exists, OuterRef, Q, QuerySet

from evenhand.units import counted
from judging.models.comparisons import Comparison, Score
from judging.models.datasets import DEVELOPMENT, PART_FIELD, TEST, Context
from judging.models.runs import Run
from judging.models.studies import Study


def part_warnings(study: Study, runs: Sequence[Run]) -> list[str]:
    """Return warnings about figures of a study on contexts on which something was chosen. runs: of the study."""
    return [*_of_split(study, runs), *_of_juries(study, runs), *_of_development(study)]


def shared_contexts(study: Study, other: Study) -> int:
    """Count the contexts on which both studies report."""
    return _contexts_of(study).filter(pk__in=_contexts_of(other).order_by().values("pk")).count()


def reads_part(study: Study, runs: Sequence[Run]) -> bool:
    """Return True if the study reports on one part, and the datasets of all its runs are split."""
    return bool(study.part) and bool(runs) and all(run.dataset.split for run in runs)


def part_of_runs(study: Study, runs: Sequence[Run]) -> str:
    """Return the part on which the study reports; "" for all contexts, also where a dataset is not split."""
    return study.part if reads_part(study, runs) else ""


def _of_split(study: Study, runs: Sequence[Run]) -> Iterator[str]:
    unsplit = dict.fromkeys(run.dataset.name for run in runs if not run.dataset.split)
    if study.part and unsplit:
        yield (
            f"This study reports on the {study.part} part, but {', '.join(unsplit)} "
            f"{'is' if len(unsplit) == 1 else 'are'} not split: figures cover all contexts"
        )
    if study.part == DEVELOPMENT:
        yield "This study reports on the development part: choose here, and report in a study of the test part"


def _of_juries(study: Study, runs: Sequence[Run]) -> Iterator[str]:
    if reads_part(study, runs) and study.part == TEST:
        return
    for run in runs:
        if run.chosen_on:
            yield (
                f"The weights of {run.judge.name} (run {run.pk}) were learned on the {run.chosen_on} part, which these "
                "figures include: let the study report on the test part"
            )


def _of_development(study: Study) -> Iterator[str]:
    if study.chosen_in and (number := shared_contexts(study, study.chosen_in)):
        yield (
            f"{counted(number, 'context')} of these figures {'is' if number == 1 else 'are'} also in study "
            f"{study.chosen_in_id}, in which its prompts and judges were chosen"
        )


def _contexts_of(study: Study) -> QuerySet[Context]:
    """Return the contexts with a record of the study's runs, in its part where the dataset is split."""
    runs = Run.objects.filter(memberships__study=study).order_by().values("pk")
    compared, scored = (kind.objects.filter(context=OuterRef("pk"), run__in=runs) for kind in (Comparison, Score))
    contexts = Context.objects.filter(Exists(compared) | Exists(scored))
    if not study.part:
        return contexts
    return contexts.filter(Q(dataset__split={}) | Q(**{f"fields__{PART_FIELD}": study.part}))
