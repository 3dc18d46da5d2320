"""The form of the page of ranking curves. Its choices are query parameters."""

from __future__ import annotations

from django import forms
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from evenhand.numerics import CURVE_SELECTIONS, CURVE_TITLES, RANKINGS
from judging.models import Dataset
from rankings.curves.curve_choice import AVERAGED, BIASES, DEBIASED, RAW, CurveChoice
from rankings.report.forms import OrderForm

USUAL_RANKINGS = [name for name, ranking in RANKINGS.items() if ranking.in_usual_curves]
USUAL_CURVES = {"ranking": USUAL_RANKINGS, "selection": ["random"], "bias": [RAW]}
MEASURE_TITLES = {"spearman": "Spearman’s correlation per context", "accuracy": "accuracy of the ranking"}


class CurveForm(OrderForm):
    """The curves to draw. Human votes are offered only where the attribute has votes."""

    ranking = forms.MultipleChoiceField(
        label="Rankings", required=False, choices=list(CURVE_TITLES.items()), widget=forms.CheckboxSelectMultiple
    )
    selection = forms.MultipleChoiceField(
        label="Selections",
        required=False,
        choices=[(name, name) for name in CURVE_SELECTIONS],
        widget=forms.CheckboxSelectMultiple,
    )
    bias = forms.MultipleChoiceField(
        label="Position bias",
        required=False,
        choices=[(RAW, "raw"), (DEBIASED, "debiased"), (AVERAGED, "both orders averaged")],
        widget=forms.CheckboxSelectMultiple,
    )
    measure = forms.ChoiceField(label="Measured by", required=False, choices=list(MEASURE_TITLES.items()))
    people = forms.BooleanField(label="Show human votes", required=False)

    def __init__(self, data: QueryDict, *, dataset: Dataset, has_votes: bool, has_scores: bool) -> None:
        """Tick the default boxes of each group in which the address chooses nothing.

        has_votes, has_scores: the attribute has votes, or human scores. Votes alone are measured by accuracy.
        """
        self.usual_measure = "accuracy" if has_votes and not has_scores else "spearman"
        usual_boxes = USUAL_CURVES | {"measure": [self.usual_measure]}
        usual = {name: chosen for name, chosen in usual_boxes.items() if name not in data}
        chosen = {name: data.getlist(name) for name in data} | usual
        super().__init__(MultiValueDict(chosen), dataset=dataset)
        if not has_votes:
            del self.fields["people"]

    def choice(self) -> CurveChoice:
        """Return the chosen curves; the default of each group that the address leaves out or does not know."""
        self.is_valid()
        chosen = self.cleaned_data
        of_group = {name: tuple(chosen.get(name) or usual) for name, usual in USUAL_CURVES.items()}
        return CurveChoice(
            rankings=of_group["ranking"],
            selections=of_group["selection"],
            biases=tuple(bias for bias in BIASES if bias in of_group["bias"]),
            people=chosen.get("people", False),
            measure=chosen.get("measure") or self.usual_measure,
            order=self.chosen_order,
            exclusion=self.exclusion,
        )
