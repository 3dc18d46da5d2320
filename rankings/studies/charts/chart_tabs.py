"""`CHART_TABS`: the tabs of a study with charts, each made from the choices of an address."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from rankings.studies.charts.accuracy.accuracy_tabs import calibration_tab, coverage_tab, length_tab, score_gap_tab
from rankings.studies.charts.agreement.agreement_tab import agreement_tab
from rankings.studies.charts.bias.bias_tab import bias_tab
from rankings.studies.charts.bias.order_tab import order_tab
from rankings.studies.charts.chart_tab import ChartTab
from rankings.studies.charts.curves.curves_tab import curves_form, curves_tab
from rankings.studies.charts.report_form import AgreementTabForm, CoverageForm, MatrixForm, ReportTabForm, SystemsForm
from rankings.studies.charts.systems.matrix_tab import matrix_tab
from rankings.studies.charts.systems.systems_tab import systems_tab


@dataclass(frozen=True, slots=True)
class TabMaker:
    """A tab. form: reads the choices of an address for runs of a study. content: of the chosen runs, at least one."""

    title: str
    form: Callable[..., ReportTabForm]
    content: Callable[[Any], ChartTab]


CHART_TABS: Mapping[str, TabMaker] = MappingProxyType(
    {
        "curves": TabMaker("Curves", curves_form, curves_tab),
        "bias": TabMaker("Position bias", ReportTabForm, bias_tab),
        "order": TabMaker("By order", CoverageForm, order_tab),
        "coverage": TabMaker("Coverage", CoverageForm, coverage_tab),
        "agreement": TabMaker("Agreement", AgreementTabForm, agreement_tab),
        "calibration": TabMaker("Calibration", CoverageForm, calibration_tab),
        "length": TabMaker("Length", ReportTabForm, length_tab),
        "score-gap": TabMaker("Score gap", CoverageForm, score_gap_tab),
        "systems": TabMaker("Systems", SystemsForm, systems_tab),
        "matrix": TabMaker("Matrix", MatrixForm, matrix_tab),
    }
)
"""name -> tab, in the order of pages."""
