"""`CurvesForm`: the ranking curves of a study that a page draws, and the budget at which it reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.forms import BoundField

from evenhand.numerics import CURVE_RANKINGS, CURVE_SELECTIONS, DEFAULT_RANKING
from judging.models import Run, Study
from rankings.curves.curve_choice import DEBIASED, RAW, CurveChoice
from rankings.report.number_text import ranking_title
from rankings.studies.charts.report_form import ReportTabForm
from rankings.studies.pivots.best_cells import members_of

LARGEST_BUDGET = 1_000_000


class RangeInput(forms.NumberInput):
    """A slider."""

    input_type = "range"


class CurvesForm(ReportTabForm):
    """One ranking, selection and measure for all curves of the page. The address of a budget may be any number."""

    own_fields = ("ranking", "draw", "measure", "debias", "budget", "people")
    ranking = forms.ChoiceField(required=False, choices=[(name, ranking_title(name)) for name in CURVE_RANKINGS])
    draw = forms.ChoiceField(label="Drawn by", required=False, choices=[(name, name) for name in CURVE_SELECTIONS])
    measure = forms.ChoiceField(
        required=False, choices=[("spearman", "Spearman"), ("accuracy", "accuracy of the ranking")], label="Measured by"
    )
    debias = forms.ChoiceField(label="Bias", required=False, choices=[("", "raw"), ("yes", "debiased")])
    budget = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_BUDGET, widget=RangeInput)
    people = forms.BooleanField(label="Human votes", required=False)

    def __init__(
        self, data: Mapping[str, Any], *, study: Study, runs: Sequence[Run], has_votes: bool, has_scores: bool
    ) -> None:
        """has_votes, has_scores: people voted on, or scored, an attribute of the runs."""
        super().__init__(data, study=study, runs=runs)
        if not has_votes:
            del self.fields["people"]
        usual = {
            "ranking": DEFAULT_RANKING,
            "draw": CURVE_SELECTIONS[0],
            "measure": "spearman" if has_scores else "accuracy",
        }
        self.show({name: self.value(name) or usual_value for name, usual_value in usual.items()})
        self.full_clean()

    def offer_budget(self, fewest: int, most: int, usual: int | None) -> int | None:
        """Set the ends of the slider, and return the budget: of the address, else usual; None for a wrong one."""
        chosen: int | None = self.cleaned_data.get("budget")
        if chosen is None and "budget" not in self.errors:
            chosen = usual
            self.show({"budget": "" if usual is None else str(usual)})
        field = self["budget"]
        field.field.widget.attrs |= {"min": fewest, "max": most}
        if chosen is not None:
            field.label = f"Budget: {chosen:,} of {most:,} per context"
        return chosen

    @property
    def curve_choice(self) -> CurveChoice:
        """Return the chosen curves."""
        rows = self.choice
        members = members_of(self.chosen_subset, rows)
        return CurveChoice(
            rankings=(self.value("ranking"),),
            selections=(self.value("draw"),),
            biases=(DEBIASED if self.value("debias") else RAW,),
            people=bool(self.cleaned_data.get("people")),
            measure=self.value("measure"),
            order=self.value("order"),  # type: ignore[arg-type]  # one of ORDERS
            subsets=None if members is None else tuple(sorted(members)),
            subsets_by=rows.answers.subsets_by,
        )

    @property
    def more_fields(self) -> list[BoundField]:
        """Return the folded fields."""
        return self.bound_fields(["order", *self.other_limits])
