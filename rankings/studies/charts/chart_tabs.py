"""`CHART_TABS`: the tabs of a study with charts, each made from the choices of an address."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from judging.models import Run, Study
from rankings.studies.charts.accuracy.accuracy_tabs import calibration_tab, coverage_tab, length_tab, score_gap_tab
from rankings.studies.charts.agreement.agreement_tab import agreement_tab
from rankings.studies.charts.bias.bias_tab import bias_tab
from rankings.studies.charts.bias.order_tab import order_tab
from rankings.studies.charts.chart_tab import ChartTab
from rankings.studies.charts.curves.curves_tab import curves_form, curves_tab
from rankings.studies.charts.question_form import QuestionForm
from rankings.studies.charts.report_form import AgreementTabForm, CoverageForm, MatrixForm, ReportTabForm, SystemsForm
from rankings.studies.charts.systems.matrix_tab import matrix_tab
from rankings.studies.charts.systems.systems_tab import systems_tab

Address = Mapping[str, Any]
"""The parameters of a page."""


@dataclass(frozen=True, slots=True)
class TabMaker:
    """A tab. form: reads the choices of an address. content: of the chosen runs, at least one."""

    title: str
    form: Callable[[Address, Study, Sequence[Run]], QuestionForm]
    content: Callable[[Any], ChartTab]


def _report_form(form: type[ReportTabForm]) -> Callable[[Address, Study, Sequence[Run]], QuestionForm]:
    return lambda address, study, runs: form(address, study=study, runs=runs)


CHART_TABS: Mapping[str, TabMaker] = MappingProxyType(
    {
        "curves": TabMaker("Curves", curves_form, curves_tab),
        "bias": TabMaker("Position bias", _report_form(ReportTabForm), bias_tab),
        "order": TabMaker("By order", _report_form(CoverageForm), order_tab),
        "coverage": TabMaker("Coverage", _report_form(CoverageForm), coverage_tab),
        "agreement": TabMaker("Agreement", _report_form(AgreementTabForm), agreement_tab),
        "calibration": TabMaker("Calibration", _report_form(CoverageForm), calibration_tab),
        "length": TabMaker("Length", _report_form(ReportTabForm), length_tab),
        "score-gap": TabMaker("Score gap", _report_form(CoverageForm), score_gap_tab),
        "systems": TabMaker("Systems", _report_form(SystemsForm), systems_tab),
        "matrix": TabMaker("Matrix", _report_form(MatrixForm), matrix_tab),
    }
)
"""name -> tab, in the order of pages."""
