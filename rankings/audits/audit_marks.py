"""One person's marks on the explanations of a run's wrong verdicts."""

from collections.abc import Sequence

from evenhand.refusals import Refused
from judging.models import AuditMark, Run, User
from rankings.audits.audit_report import WrongVerdict


def marks_of(user: User, sample: Sequence[WrongVerdict]) -> dict[int, str]:
    """Return comparison -> the mark of this person."""
    rows = AuditMark.objects.filter(user=user, comparison__in=[one.comparison for one in sample])
    return dict(rows.values_list("comparison", "mark"))


def set_mark(user: User, run: Run, sample: Sequence[WrongVerdict], *, comparison: int, mark: str) -> None:
    """Store or change a person's mark. Raises Refused for a comparison that is not in the sample."""
    _require_in_sample(sample, comparison)
    row = run.comparisons.get(pk=comparison)
    AuditMark.objects.update_or_create(comparison=row, user=user, defaults={"mark": mark})


def remove_mark(user: User, sample: Sequence[WrongVerdict], *, comparison: int) -> None:
    """Remove a person's mark, if there is one. Raises Refused for a comparison that is not in the sample."""
    _require_in_sample(sample, comparison)
    AuditMark.objects.filter(comparison=comparison, user=user).delete()


def _require_in_sample(sample: Sequence[WrongVerdict], comparison: int) -> None:
    if comparison not in {one.comparison for one in sample}:
        raise Refused(f"comparison: {comparison} is not among the {len(sample)} wrong verdicts that people mark")
