"""Store and withdraw frozen reports."""

from collections.abc import Sequence

from django.utils import timezone

from judging.models import FrozenReport, Run, Study, User
from judging.models.activity import Act
from judging.services.activity import noted
from rankings.frozen.report_content import freeze
from rankings.frozen.report_file import report_html
from rankings.studies.charts.chart_queries import ChartQuery
from rankings.studies.pivots.pivot_choice import PivotChoice


def freeze_study(
    study: Study,
    runs: Sequence[Run],
    choices: Sequence[PivotChoice],
    charts: Sequence[ChartQuery] = (),
    *,
    name: str = "",
    owner: User | None = None,
) -> FrozenReport:
    """Compute and store the report of a study. Raises Refused for a study without runs, and for wrong choices."""
    freezing = freeze(study, runs, choices, charts, name=name, frozen_by=owner.username if owner else "")
    report = FrozenReport(name=freezing.content.name, study=study, owner=owner, html=report_html(freezing))
    return _stored(report, runs)


@noted(Act.CREATE, returned=True)
def _stored(report: FrozenReport, runs: Sequence[Run]) -> FrozenReport:
    report.save(force_insert=True)
    report.runs.set(runs)
    return report


@noted(Act.WITHDRAW)
def withdraw(report: FrozenReport) -> None:
    """Close the link of a report. The report stays for its owner."""
    FrozenReport.objects.open().filter(pk=report.pk).update(withdrawn_at=timezone.now())


@noted(Act.SHARE)
def reopen(report: FrozenReport) -> None:
    """Open the link of a withdrawn report again."""
    FrozenReport.objects.filter(pk=report.pk).update(withdrawn_at=None)
