"""`CHART_TABS`: the kinds of charts of a study, each with a tab of its own."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from judging.models import Run
from rankings.studies.charts.chart_tab import ChartTab
from rankings.studies.charts.kinds.agreement import agreement_tab
from rankings.studies.charts.kinds.bias import bias_tab
from rankings.studies.charts.kinds.calibration import calibration_tab
from rankings.studies.charts.kinds.coverage import coverage_tab
from rankings.studies.charts.kinds.curves import curves_tab, without_meaning_for_curves
from rankings.studies.charts.kinds.gaps import length_tab, score_gap_tab
from rankings.studies.charts.kinds.matrix import matrix_tab
from rankings.studies.charts.kinds.order import order_tab
from rankings.studies.charts.kinds.systems import systems_tab


@dataclass(frozen=True, slots=True)
class ChartKind:
    """A kind of charts. draw: of the chosen runs, at least one; its keyword-only parameters are the options.

    without: names of options that mean nothing for some runs, so that there are none.
    """

    title: str
    draw: Callable[..., ChartTab]
    without: Callable[[Sequence[Run]], tuple[str, ...]] = lambda runs: ()


CHART_TABS: Mapping[str, ChartKind] = MappingProxyType(
    {
        "curves": ChartKind("Curves", curves_tab, without_meaning_for_curves),
        "bias": ChartKind("Position bias", bias_tab),
        "order": ChartKind("By order", order_tab),
        "coverage": ChartKind("Coverage", coverage_tab),
        "agreement": ChartKind("Agreement", agreement_tab, lambda runs: ("unparsed",)),
        "calibration": ChartKind("Calibration", calibration_tab),
        "length": ChartKind("Length", length_tab),
        "score-gap": ChartKind("Score gap", score_gap_tab),
        "systems": ChartKind("Systems", systems_tab),
        "matrix": ChartKind("Matrix", matrix_tab),
    }
)
"""name -> kind, in the order of pages."""
