"""The form of a new campaign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.db.models import QuerySet

from judging.forms.campaign_attributes import AttributesField, ChosenAttributes
from judging.forms.campaign_changes import RulesForm
from judging.forms.publishing import RunsField
from judging.models import (
    Campaign,
    CampaignKind,
    CampaignState,
    Dataset,
    Run,
    TextFormat,
)
from judging.models.labelling.answer_rules import ANSWER_RULES
from judging.services.campaign_pairs.campaign_selection import ADAPTIVE, ALL, D_OPTIMAL, PAIR_RULES, UNSURE
from judging.services.campaign_pairs.rating_scales import LONGEST_LABEL, MOST_RATINGS, RatingScale
from judging.web.form_fields import shown_when

OF_PAIRS, OF_RATINGS = shown_when("kind", [CampaignKind.PAIRS]), shown_when("kind", [CampaignKind.RATINGS])
SCALE_FIELDS = ("lowest", "highest", "lowest_label", "highest_label")
RARE_CAMPAIGN_FIELDS = ("text_format", "random_share", "contexts", "seed", "allow_repeats")


class CampaignForm(RulesForm):
    """A new campaign on one dataset."""

    kind = forms.ChoiceField(
        label="What annotators do",
        required=False,
        choices=CampaignKind.choices,
        initial=CampaignKind.PAIRS,
        widget=forms.RadioSelect(attrs={"class": "lines"}),
    )
    state = forms.ChoiceField(
        label="Start as",
        required=False,
        choices=[("open", "Open: annotators can vote at once"), ("draft", "Draft: nobody votes until you open it")],
        initial="open",
        widget=forms.RadioSelect(attrs={"class": "lines"}),
    )
    name = forms.CharField(max_length=200, help_text="Annotators see it: do not reveal which systems are compared.")
    attributes = AttributesField(
        help_text="Each pair or text is asked on every chosen attribute, one after the other, in this order (empty: as "
        "in the dataset). The question stands above it (empty: “Which summary is more coherent?” or “How coherent is "
        "this summary?”). Fixed after the first answer.",
    )
    text_format = forms.ChoiceField(
        label="Texts are",
        required=False,
        choices=TextFormat.choices,
        initial=TextFormat.PLAIN,
        help_text="How annotators see contexts and candidates. It cannot be changed later.",
    )
    votes_per_pair = forms.IntegerField(
        label="Votes per pair, or ratings per text",
        min_value=1,
        max_value=1000,
        initial=3,
        help_text="Each comes from a different annotator.",
    )
    selection = forms.ChoiceField(
        label="Which pairs",
        required=False,
        choices=[(rule, f"{meaning[0].upper()}{meaning[1:]}") for rule, meaning in PAIR_RULES.items()],
        initial=D_OPTIMAL,
        widget=forms.Select(attrs=OF_PAIRS),
        help_text="Most informative: every candidate is in about the same number of pairs. Where judges disagree: "
        "pairs whose mean probability is closest to 1/2. Votes on such pairs are harder than on all pairs.",
    )
    runs = RunsField(
        Run.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple(attrs=shown_when("selection", [UNSURE])),
        help_text="Runs on the attribute whose answers choose the pairs. Annotators never see them.",
    )
    pairs_per_context = forms.IntegerField(
        required=False,
        min_value=1,
        widget=forms.NumberInput(attrs=shown_when("selection", [rule for rule in PAIR_RULES if rule != ALL])),
        help_text="Number of pairs of each context (empty: all).",
    )
    pair_limit = forms.IntegerField(
        label="Pairs in all",
        required=False,
        min_value=1,
        widget=forms.NumberInput(attrs=OF_PAIRS),
        help_text="At most this many pairs (empty: no limit).",
    )
    texts_per_context = forms.IntegerField(
        required=False,
        min_value=1,
        widget=forms.NumberInput(attrs=OF_RATINGS),
        help_text="Number of texts of each context, drawn at random (empty: all).",
    )
    text_limit = forms.IntegerField(
        label="Texts in all",
        required=False,
        min_value=1,
        widget=forms.NumberInput(attrs=OF_RATINGS),
        help_text="At most this many texts (empty: no limit). They come from all contexts in turn.",
    )
    lowest = forms.IntegerField(
        label="Lowest rating",
        required=False,
        widget=forms.NumberInput(attrs=OF_RATINGS),
        help_text="Empty: as the dataset declares its human scores, else 1.",
    )
    highest = forms.IntegerField(
        label="Highest rating",
        required=False,
        widget=forms.NumberInput(attrs=OF_RATINGS),
        help_text=f"Empty: as the dataset declares its human scores, else 5. At most {MOST_RATINGS} levels.",
    )
    lowest_label = forms.CharField(
        label="Meaning of the lowest",
        required=False,
        max_length=LONGEST_LABEL,
        widget=forms.TextInput(attrs=OF_RATINGS),
        help_text="Such as “incoherent” (empty: the number alone).",
    )
    highest_label = forms.CharField(
        label="Meaning of the highest",
        required=False,
        max_length=LONGEST_LABEL,
        widget=forms.TextInput(attrs=OF_RATINGS),
    )
    random_share = forms.FloatField(
        label="Share of random pairs",
        required=False,
        min_value=0,
        max_value=1,
        widget=forms.NumberInput(attrs={"step": "any"} | OF_PAIRS),
        help_text="Share of the pairs that are drawn at random from all pairs, from 0 to 1 (empty: 0). They are "
        "marked, so that figures can use them alone.",
    )
    contexts = forms.IntegerField(
        label="Contexts", required=False, min_value=1, help_text="Limit to the first N contexts (empty: all)."
    )
    seed = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=2**63 - 1,
        help_text="Random seed for the pairs (empty: a fresh one). The same seed gives the same pairs.",
    )
    allow_repeats = forms.BooleanField(
        label="Pairs are repeated across campaigns",
        required=False,
        widget=forms.CheckboxInput(attrs=OF_PAIRS),
        help_text="Annotators also get pairs that they saw in other campaigns on the attribute. Otherwise never.",
    )
    field_order = (
        *("kind", "name", "attributes", "guidelines", "votes_per_pair"),
        *("selection", "runs", "pairs_per_context", "pair_limit", "texts_per_context", "text_limit"),
        *("annotators", "state", "deadline", *SCALE_FIELDS, *ANSWER_RULES, *RARE_CAMPAIGN_FIELDS),
    )

    def __init__(self, dataset: Dataset, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        for name in ANSWER_RULES:
            self.fields[name].widget.attrs |= OF_PAIRS
        self.fields["attributes"].offer(dataset.attributes.select_related("dataset"))  # type: ignore[attr-defined]

    @property
    def common_fields(self) -> list[forms.BoundField]:
        """Fields that most campaigns need."""
        folded = (*SCALE_FIELDS, *ANSWER_RULES, *RARE_CAMPAIGN_FIELDS)
        return [field for field in self.visible_fields() if field.name not in folded]

    @property
    def answer_fields(self) -> list[forms.BoundField]:
        """The allowed answers: the scale of ratings, or the choices on a pair."""
        return [self[name] for name in (*SCALE_FIELDS, *ANSWER_RULES)]

    @property
    def rare_fields(self) -> list[forms.BoundField]:
        """Fields whose defaults fit most campaigns."""
        return [self[name] for name in RARE_CAMPAIGN_FIELDS]

    @property
    def opens_answer_fields(self) -> bool:
        """True if one of them was sent with another value than its default, or has an error."""
        return self._is_used([*SCALE_FIELDS, *ANSWER_RULES])

    @property
    def opens_rare_fields(self) -> bool:
        """True if one of them was sent with another value than its default, or has an error."""
        return self._is_used(RARE_CAMPAIGN_FIELDS)

    def _is_used(self, names: Sequence[str]) -> bool:
        return any(self[name].errors or (self.is_bound and name in self.changed_data) for name in names)

    def offer_runs(self, runs: QuerySet[Run]) -> None:
        """Offer the runs of these that compare pairs."""
        comparing = runs.filter(is_scoring=False).select_related("judge", "attribute")
        self.fields["runs"].queryset = comparing.order_by("pk")  # type: ignore[attr-defined]

    def campaign_values(self) -> dict[str, Any]:
        """Return the values of a valid form as `create_campaign` takes them. Fields of the other kind are left out."""
        values = dict(self.cleaned_data)
        chosen: ChosenAttributes = values["attributes"]
        texts, limit = values.pop("texts_per_context", None), values.pop("text_limit", None)
        scale = RatingScale(**{name: values.pop(name) for name in SCALE_FIELDS if name in values})
        if values["kind"] == CampaignKind.RATINGS:
            scales = dict.fromkeys((one.name for one in chosen.attributes), scale)
            rules = {name: getattr(Campaign(), name) for name in ANSWER_RULES}  # those of pairs have no meaning here
            chosen_texts = {"selection": D_OPTIMAL, "pairs_per_context": texts, "pair_limit": limit, "scales": scales}
            values |= rules | chosen_texts
            values |= {"runs": (), "random_share": 0.0, "allow_repeats": False}
        return values | {"attributes": chosen.attributes, "questions": chosen.questions}

    def clean(self) -> dict[str, Any]:
        """Ask for the numbers and runs that the chosen rule needs, at their fields."""
        values = super().clean() or {}
        if values.get("kind") == CampaignKind.RATINGS:
            return values
        for field, problem in self._missing(values).items():
            if field not in self.errors:
                self.add_error(field, problem)
        return values

    def _missing(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Return field -> what to do, for the fields that the chosen rule needs and that are empty."""
        rule, missing = values.get("selection"), {}
        if rule == ADAPTIVE and not values.get("pairs_per_context"):
            missing["pairs_per_context"] = "Give a number of pairs: without one, all pairs would be asked."
        if rule == UNSURE and not values.get("runs"):
            chosen: ChosenAttributes | None = values.get("attributes")
            names = " or ".join(one.name for one in chosen.attributes) if chosen else "the attribute"
            missing["runs"] = f"Choose at least one run on {names}: its answers decide which pairs are shown."
        if rule == UNSURE and not (values.get("pairs_per_context") or values.get("pair_limit")):
            missing["pair_limit"] = "Give a limit here, or a number of pairs of each context."
        return missing

    def clean_kind(self) -> str:
        return self.cleaned_data["kind"] or CampaignKind.PAIRS

    def clean_state(self) -> str:
        return self.cleaned_data["state"] or CampaignState.OPEN

    def clean_text_format(self) -> str:
        return self.cleaned_data["text_format"] or TextFormat.PLAIN

    def clean_selection(self) -> str:
        return self.cleaned_data["selection"] or D_OPTIMAL

    def clean_random_share(self) -> float:
        return self.cleaned_data["random_share"] or 0.0
