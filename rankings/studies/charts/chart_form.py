"""The form above the charts of a study, made from their options. They are query parameters."""

from __future__ import annotations

from django import forms
from django.forms import BoundField

from evenhand.options import options_of
from judging.web.form_fields import add_problems_to_fields
from judging.web.options import option_fields
from rankings.report.report_choice import SUBSET
from rankings.studies.charts.chart_request import ANSWER_OPTIONS, ChartRequest
from rankings.studies.charts.chart_tab import ChartTab
from rankings.studies.charts.run_labels import QUESTION


class RangeInput(forms.NumberInput):
    """A slider."""

    input_type = "range"


class ChartForm(forms.Form):
    """The values of a request, as its charts show them."""

    def __init__(self, request: ChartRequest, tab: ChartTab) -> None:
        super().__init__(request.texts(tab))
        self.fields |= option_fields(option for option in request.options if option.name not in request.fixed)
        for name, slider in tab.sliders.items():
            field = self.fields[name]
            field.widget = RangeInput({"min": slider.low, "max": slider.high, "step": 1})
            field.label = slider.label
        add_problems_to_fields(self, [one for one in request.problems if one.partition(": ")[0] in self.fields])
        self.main_fields = self._bound([*QUESTION, SUBSET, *(option.name for option in options_of(request.kind.draw))])
        self.more_fields = self._bound([*(option.name for option in ANSWER_OPTIONS), *self.fields])

    def _bound(self, names: list[str]) -> list[BoundField]:
        """Return those of some fields that the form has, each once."""
        bound: list[BoundField] = getattr(self, "main_fields", [])
        return [self[name] for name in dict.fromkeys(names) if name in self.fields and self[name] not in bound]

    @property
    def uses_more_fields(self) -> bool:
        """Return True if a folded field differs from its usual choice, or has a problem."""
        return any(field.errors or (field.value() or "") != (field.initial or "") for field in self.more_fields)
