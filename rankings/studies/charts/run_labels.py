"""Short names of runs for charts: what distinguishes the runs of one dataset and attribute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from judging.models import Run
from rankings.studies.dimensions import NAME_OF_RUN, Names, varying
from rankings.studies.pivots.pivot import SEPARATOR

QUESTION = ("dataset", "attribute")
"""The dimensions in which the runs of one chart may not differ."""
QuestionOfRuns = tuple[int, int]
"""A dataset and an attribute."""


def run_labels(runs: Sequence[Run], names: Mapping[int, Names], *, within: str = "") -> dict[int, str]:
    """Return run -> its name in the dimensions in which the runs differ. names: of each run.

    Runs of one question that would share a name get their number too. within: a dimension by which the runs are
    grouped; labels name what differs in a group.
    """
    groups: dict[str, list[Names]] = {}
    for run in runs:
        groups.setdefault(names[run.pk].get(within, ""), []).append(names[run.pk])
    differ = {name for group in groups.values() for name in varying(group)}.difference(QUESTION)
    differing = [name for name in NAME_OF_RUN if name in differ] or ["judge"]
    labels = {run.pk: SEPARATOR.join(names[run.pk][name] for name in differing) for run in runs}
    keys = {run.pk: (question_of(run), names[run.pk].get(within), labels[run.pk]) for run in runs}
    times = Counter(keys.values())
    return {run: label + f"{SEPARATOR}run {run}" * (times[keys[run]] > 1) for run, label in labels.items()}


def question_of(run: Run) -> QuestionOfRuns:
    """Return the dataset and the attribute of a run."""
    return run.dataset_id, run.attribute_id


def question_titles(runs: Sequence[Run]) -> dict[QuestionOfRuns, str]:
    """Return question -> its title, in the order of the runs. Datasets are named where there are several."""
    has_datasets = len({run.dataset_id for run in runs}) > 1
    return {question_of(run): f"{run.dataset.name}{SEPARATOR}" * has_datasets + run.attribute.name for run in runs}
