"""The form of the page of stopping when sure. Its choices are query parameters."""

from __future__ import annotations

from django import forms

from rankings.report.forms import LeftOutForm
from rankings.report.report_choice import ReportChoice
from rankings.stopping.stopping_report import MOST_STOPPING_DRAWS, STOPPING_BOUNDS, STOPPING_DRAWS, StoppingChoice


class StoppingForm(LeftOutForm):
    """The replays of a run: its bounds, their number and the first seed; and what is left out."""

    bound = forms.CharField(
        label="Bounds",
        required=False,
        widget=forms.TextInput(attrs={"placeholder": ", ".join(map(str, STOPPING_BOUNDS))}),
    )
    draws = forms.IntegerField(
        label="Replays",
        required=False,
        min_value=1,
        max_value=MOST_STOPPING_DRAWS,
        widget=forms.NumberInput(attrs={"placeholder": STOPPING_DRAWS}),
    )
    seed = forms.IntegerField(required=False, min_value=0, widget=forms.NumberInput(attrs={"placeholder": 0}))
    field_order = ("bound", "draws", "seed")

    def clean_bound(self) -> tuple[float, ...]:
        """Read numbers, separated by commas."""
        try:
            return tuple(float(part) for part in self.cleaned_data["bound"].split(",") if part.strip())
        except ValueError as error:
            raise forms.ValidationError("bound: write numbers with commas between them, such as 0.1, 0.05") from error

    @property
    def choice(self) -> StoppingChoice:
        """Return the choice of the report; the usual values where the form has none."""
        self.is_valid()
        chosen = self.cleaned_data
        return StoppingChoice(
            chosen.get("bound") or STOPPING_BOUNDS,
            chosen.get("draws") or STOPPING_DRAWS,
            chosen.get("seed") or 0,
            ReportChoice(exclusion=self.exclusion),
        )
