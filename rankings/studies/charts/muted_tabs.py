"""`muted_tabs`: the tabs on which a study has nothing to draw, and why."""

from collections.abc import Sequence

from judging.models import Candidate, Comparison, Dataset, HumanScore, Run
from rankings.record_states import states_of
from rankings.report_cache import cached, cached_together

CHOICES_ALONE = "These runs recorded choices, not probabilities."
SCORES_ALONE = "These runs score candidates one by one, so they give no probabilities."
NEITHER = "These runs recorded choices or scores, not probabilities."
NO_NAMED_SYSTEMS = "The texts of these datasets name no systems, or only one."
OR_NAME_A_CONTEXT = "Name a context to compare its candidates."
UNSCORED_TEXTS = "People gave these texts no scores."
NOT_PROBABILITIES = (0.0, 0.5, 1.0)


def muted_tabs(runs: Sequence[Run]) -> dict[str, str]:
    """Return tab -> why it is empty for all of some runs, as a sentence. Other tabs are missing."""
    if not runs:
        return {}
    muted: dict[str, str] = {}
    if reason := _why_no_probabilities(runs):
        muted |= {"coverage": reason, "calibration": reason}
    if not HumanScore.objects.filter(attribute__in={run.attribute_id for run in runs}).exists():
        muted["score-gap"] = UNSCORED_TEXTS
    if not any(map(_names_systems, {run.dataset for run in runs})):
        muted |= {"systems": NO_NAMED_SYSTEMS, "matrix": f"{NO_NAMED_SYSTEMS} {OR_NAME_A_CONTEXT}"}
    if all(run.is_scoring for run in runs):
        muted["matrix"] = SCORES_ALONE
    return muted


def _why_no_probabilities(runs: Sequence[Run]) -> str:
    """Return why no run has a probability; "" if one has, or may get one."""
    comparing = [run for run in runs if not run.is_scoring]
    if not comparing:
        return SCORES_ALONE
    if any(run.status != Run.Status.DONE for run in comparing):
        return ""
    states = states_of(comparing)
    have = cached_together({run: ("has-probability", states[run.pk]) for run in comparing}, _have_probabilities)
    if any(have.values()):
        return ""
    return CHOICES_ALONE if len(comparing) == len(runs) else NEITHER


def _have_probabilities(runs: Sequence[Run]) -> dict[Run, bool]:
    """Return run -> whether an answer is a probability other than 0, 1/2 and 1. Takes one query."""
    answers = Comparison.objects.filter(run__in=runs, p_first__isnull=False).exclude(p_first__in=NOT_PROBABILITIES)
    having = set(answers.order_by().values_list("run", flat=True).distinct())
    return {run: run.pk in having for run in runs}


def _names_systems(dataset: Dataset) -> bool:
    """Return True if the texts of a dataset, which does not change, are of two systems at least."""
    return cached(("names-systems", dataset.pk, dataset.created_at), lambda: _counted_systems(dataset) > 1)


def _counted_systems(dataset: Dataset) -> int:
    named = Candidate.objects.filter(context__dataset=dataset).exclude(system="")
    return len(named.order_by().values_list("system", flat=True).distinct()[:2])
