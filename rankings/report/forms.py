"""What the results pages let one choose. The choices stand in the address."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from rankings.curves.curve_report import AVERAGED, BIASES, DEBIASED, RAW, CurveChoice
from rankings.numerics import CURVE_RANKINGS, CURVE_SELECTIONS, DEFAULT_RANKING, PAIRS_SORT, RANKINGS

RANKING_TITLES = {DEFAULT_RANKING: RANKINGS[DEFAULT_RANKING].title} | {
    name: ranking.title for name, ranking in RANKINGS.items()
}
"""name -> title, the default first."""
CURVE_TITLES = {name: title for name, title in RANKING_TITLES.items() if name in CURVE_RANKINGS} | {PAIRS_SORT: "PairS"}
USUAL_RANKINGS = [name for name, ranking in RANKINGS.items() if ranking.in_usual_curves]
USUAL_CURVES = {"ranking": USUAL_RANKINGS, "selection": ["random"], "bias": [RAW]}
CURVE_MEASURES = {"spearman": "Spearman’s correlation per context", "accuracy": "accuracy on pairs that people decided"}


class RankingForm(forms.Form):
    """One ranking, raw, debiased or of the mean of both orders."""

    ranking = forms.ChoiceField(required=False, choices=list(RANKING_TITLES.items()))
    debias = forms.BooleanField(label="debiased", required=False)
    average_orders = forms.BooleanField(label="orders averaged", required=False)

    def __init__(self, *args: Any, is_scoring: bool, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        if is_scoring:
            self.fields["ranking"].choices = [("score", "score")]  # type: ignore[attr-defined]
            del self.fields["debias"], self.fields["average_orders"]

    def chosen(self) -> dict[str, Any]:
        """What `scores_of` takes: the first ranking where the address names none, or one that is not there.

        Averaged orders have no bias left to take out, so they go before `debias`.
        """
        self.is_valid()
        first = self.fields["ranking"].choices[0][0]  # type: ignore[attr-defined]
        return {
            "ranking": self.cleaned_data.get("ranking") or first,
            "debias": self.cleaned_data.get("debias", False) and not self.cleaned_data.get("average_orders"),
            "average_orders": self.cleaned_data.get("average_orders", False),
        }


class CurveForm(forms.Form):
    """What is drawn on the page of ranking curves: everything that can be, and people only where there are votes."""

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
        choices=[(RAW, "as it is"), (DEBIASED, "taken out"), (AVERAGED, "both orders averaged")],
        widget=forms.CheckboxSelectMultiple,
    )
    measure = forms.ChoiceField(label="Measured by", required=False, choices=list(CURVE_MEASURES.items()))
    people = forms.BooleanField(label="beside curves of people’s votes", required=False)

    def __init__(self, data: QueryDict, *, has_votes: bool, has_scores: bool) -> None:
        """Of each group of boxes in which the address chooses nothing, the usual ones are ticked.

        has_votes, has_scores: what there is of people for the attribute; votes alone are measured by accuracy.
        """
        self.usual_measure = "accuracy" if has_votes and not has_scores else "spearman"
        usual_boxes = USUAL_CURVES | {"measure": [self.usual_measure]}
        usual = {name: chosen for name, chosen in usual_boxes.items() if name not in data}
        super().__init__(MultiValueDict({name: data.getlist(name) for name in data} | usual))
        if not has_votes:
            del self.fields["people"]

    def choice(self) -> CurveChoice:
        """What the address asks for; the usual in place of what it leaves out or what there is not."""
        self.is_valid()
        chosen = self.cleaned_data
        of_group = {name: tuple(chosen.get(name) or usual) for name, usual in USUAL_CURVES.items()}
        return CurveChoice(
            rankings=of_group["ranking"],
            selections=of_group["selection"],
            biases=tuple(bias for bias in BIASES if bias in of_group["bias"]),
            people=chosen.get("people", False),
            measure=chosen.get("measure") or self.usual_measure,
        )


class ComparisonOfRunsForm(forms.Form):
    """Which runs of a dataset stand side by side, and by which ranking their correlations are shown."""

    attribute = forms.ChoiceField(required=False)
    ranking = forms.ChoiceField(required=False, choices=list(RANKING_TITLES.items()))

    def __init__(self, *args: Any, attributes: list[str], **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        self.fields["attribute"].choices = [("", "all"), *((name, name) for name in attributes)]  # type: ignore[attr-defined]

    def chosen(self) -> dict[str, Any]:
        self.is_valid()
        return {
            "attribute": self.cleaned_data.get("attribute", ""),
            "ranking": self.cleaned_data.get("ranking") or DEFAULT_RANKING,
        }
