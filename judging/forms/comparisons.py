"""The form that filters the comparisons of a run."""

from __future__ import annotations

from typing import Any

from django import forms

from judging.models import Choice, Outcome

AT_RANDOM, BY_ANSWERS = "at random", "by answers"


class ComparisonFilterForm(forms.Form):
    """Filters of a run's comparisons or scores."""

    outcome = forms.ChoiceField(required=False, choices=[("", "all"), *Outcome.choices])
    decision = forms.ChoiceField(required=False, choices=[("", "all"), *Choice.choices])
    context = forms.CharField(required=False, max_length=500, label="Identifier of the context")
    drawn = forms.ChoiceField(
        required=False,
        label="Pairs drawn",
        choices=[("", "all"), (AT_RANDOM, "at random, held out"), (BY_ANSWERS, "by the answers so far")],
    )

    def __init__(self, *args: Any, is_adaptive: bool, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        if not is_adaptive:
            del self.fields["drawn"]

    def active_filters(self) -> dict[str, Any]:
        """Return the filters with a value. An invalid filter is left out, and its field shows the error."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}
