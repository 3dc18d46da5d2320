"""The form that filters a run's answers. Its choices are query parameters."""

from __future__ import annotations

from dataclasses import replace

from django.forms import BoundField
from django.http import QueryDict

from evenhand.options import options_of
from judging.forms.option_form import OptionFilters
from rankings.pair_answers.answered_pairs import AnsweredPairs
from rankings.pair_answers.pair_choice import KINDS, PairChoice

GAPS = ("score_gap_from", "score_gap_to", "length_gap_from", "length_gap_to")
MORE = ("context", "candidate", "other", *GAPS)


class PairsForm(OptionFilters):
    """Filters of the pairs of a run, and their order."""

    def __init__(self, data: QueryDict, *, pairs: AnsweredPairs) -> None:
        systems = {"": "all", **{name: name for name in pairs.system_names}}
        options = options_of(PairChoice)
        super().__init__(data, [replace(one, choices=systems) if one.name == "system" else one for one in options])
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
        return any(self.sent.get(name) or name in self.errors for name in MORE)

    def choice(self) -> PairChoice:
        """Return the chosen pairs."""
        return PairChoice(**self.chosen)
