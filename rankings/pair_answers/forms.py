"""The form that filters a run's answers. Its choices are query parameters."""

from __future__ import annotations

from typing import Any

from django import forms
from django.forms import BoundField

from judging.web.form_fields import FilterForm
from rankings.pair_answers.answered_pairs import AnsweredPairs
from rankings.pair_answers.pair_choice import KINDS, PAIR_SORTS, PairChoice

GAPS = ("score_gap_from", "score_gap_to", "length_gap_from", "length_gap_to")
MORE = ("context", "candidate", "other", *GAPS)


class PairsForm(FilterForm):
    """Filters of the pairs of a run, and their order."""

    kind = forms.MultipleChoiceField(
        label="Only pairs that are", required=False, widget=forms.CheckboxSelectMultiple, choices=[]
    )
    sort = forms.ChoiceField(required=False, choices=list(PAIR_SORTS.items()))
    system = forms.ChoiceField(required=False)
    context = forms.CharField(required=False, max_length=500)
    candidate = forms.CharField(required=False, max_length=500)
    other = forms.CharField(label="Other candidate", required=False, max_length=500)
    score_gap_from = forms.FloatField(required=False, min_value=0, label="Score gap from")
    score_gap_to = forms.FloatField(required=False, min_value=0, label="to")
    length_gap_from = forms.FloatField(required=False, min_value=0, max_value=1, label="Length gap from")
    length_gap_to = forms.FloatField(required=False, min_value=0, max_value=1, label="to (share of the longer text)")

    def __init__(self, *args: Any, pairs: AnsweredPairs, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        self.pairs = pairs
        systems = [("", "all"), *((name, name) for name in pairs.system_names)]
        self.fields["system"].choices = systems  # type: ignore[attr-defined]
        self.fields["kind"].choices = [(name, kind.title) for name, kind in KINDS.items()]  # type: ignore[attr-defined]
        counts = self.choice().counts(pairs)
        self.fields["kind"].choices = [  # type: ignore[attr-defined]
            (name, f"{kind.title} ({counts[name]:,})") for name, kind in KINDS.items()
        ]

    @property
    def more_fields(self) -> list[BoundField]:
        """Return the fields that the page folds."""
        return [self[name] for name in MORE]

    @property
    def uses_more_fields(self) -> bool:
        """True if a folded field has a value or an error."""
        return any(self.cleaned_data.get(name) not in ("", None) or name in self.errors for name in MORE)

    def choice(self) -> PairChoice:
        """Return the chosen pairs. An invalid filter is left out, and its field shows the error."""
        self.is_valid()
        chosen = {name: value for name, value in self.cleaned_data.items() if value not in ("", None)}
        return PairChoice(**chosen | {"kind": tuple(chosen.get("kind", ()))})
