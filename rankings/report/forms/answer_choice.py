"""Forms that choose the answers of a page: what is left out, the order of candidates and subsets."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.forms import BoundField
from django.http import Http404, QueryDict
from django.utils.datastructures import MultiValueDict

from evenhand.refusals import Refused
from judging.models import NOTHING_LEFT_OUT, Attribute, Dataset, Exclusion
from judging.models.exclusions import exclusion_problems
from judging.web.form_fields import LinesField, add_problems_to_fields
from rankings.report.report_choice import (
    ORDERS,
    SUBSET,
    UNPARSED,
    USUAL_CHOICE,
    Order,
    ReportChoice,
    SubsetGroup,
    group_problems,
)

LEFT_OUT_FIELDS = ("without_system", "without_context")
FOLDED_FIELDS = (*LEFT_OUT_FIELDS, "group", "raters")


class AttributeForm(forms.Form):
    """One attribute of the dataset."""

    attribute = forms.ChoiceField(required=False)

    def __init__(self, *args: Any, attributes: Sequence[Attribute], **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        self.attributes = {attribute.name: attribute for attribute in attributes}
        self.fields["attribute"].choices = [(name, name) for name in self.attributes]  # type: ignore[attr-defined]

    def chosen(self) -> Attribute | None:
        """Return the chosen attribute. Default: the first; None if the dataset has none."""
        self.is_valid()
        name = self.cleaned_data.get("attribute") or next(iter(self.attributes), "")
        return self.attributes.get(name)


class LeftOutForm(forms.Form):
    """The systems and contexts that figures leave out. Unknown names are errors of their field."""

    without_system = LinesField(label="Systems left out", help_text="One a line, as if the dataset lacked them.")
    without_context = LinesField(label="Contexts left out", help_text="Identifiers, one a line.")

    def __init__(self, data: MultiValueDict[str, Any] | None, *args: Any, dataset: Dataset, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        """Several names in an address are lines of one field."""
        complete = MultiValueDict[str, Any]() if data is None else data.copy()
        for name in LEFT_OUT_FIELDS:
            complete[name] = "\n".join(complete.getlist(name))
        super().__init__(None if data is None else complete, *args, **kwargs)
        self.dataset = dataset

    def clean(self) -> None:
        exclusion = Exclusion.of(
            systems=self.cleaned_data.get("without_system", ()), contexts=self.cleaned_data.get("without_context", ())
        )
        add_problems_to_fields(self, (one.replace("-", "_", 1) for one in exclusion_problems(self.dataset, exclusion)))

    @property
    def name_problems(self) -> list[str]:
        """Return the problems of the names to leave out."""
        return [str(error) for name in (*LEFT_OUT_FIELDS, NON_FIELD_ERRORS) for error in self.errors.get(name, ())]

    @property
    def has_unknown_names(self) -> bool:
        return bool(self.name_problems)

    @property
    def exclusion(self) -> Exclusion:
        """Return the exclusion; nothing is left out if the form is empty or has unknown names."""
        if not self.is_bound or self.has_unknown_names:
            return NOTHING_LEFT_OUT
        return Exclusion.of(systems=self.cleaned_data["without_system"], contexts=self.cleaned_data["without_context"])

    def require_known_names(self) -> None:
        """Raise Http404 with the problems of names, for downloads, which cannot show them."""
        if self.name_problems:
            raise Http404("; ".join(self.name_problems))

    @property
    def left_out_fields(self) -> list[BoundField]:
        return [self[name] for name in LEFT_OUT_FIELDS]

    @property
    def line_fields(self) -> list[BoundField]:
        """Return the short fields, which stand in the line of controls. A list of one choice is left out."""
        return [field for field in self._short_fields if len(getattr(field.field, "choices", "ab")) > 1]

    @property
    def menu_fields(self) -> list[BoundField]:
        """Return the long fields, each in a menu of its own."""
        names = (*LEFT_OUT_FIELDS, *(field.name for field in self._short_fields))
        return [field for field in self if field.name not in names]

    @property
    def _short_fields(self) -> list[BoundField]:
        return [field for field in self if field.name not in FOLDED_FIELDS and not field.use_fieldset]


class OrderForm(LeftOutForm):
    """The order of candidates of the comparisons that are read, and what is left out."""

    order = forms.ChoiceField(label="Order of candidates", required=False, choices=list(ORDERS.items()))

    @property
    def chosen_order(self) -> Order:
        """Return the order. A value that the page does not offer is ignored."""
        chosen: Order = self.cleaned_data.get("order") or USUAL_CHOICE.order if self.is_bound else USUAL_CHOICE.order
        return chosen

    @property
    def report_choice(self) -> ReportChoice:
        """Return the choice of answers. A value that the page does not offer is ignored."""
        self.is_valid()
        return ReportChoice(order=self.chosen_order, exclusion=self.exclusion)


class ChoiceForm(OrderForm):
    """The answers from which figures are computed."""

    unparsed = forms.ChoiceField(label="Unparsed and errors", required=False, choices=list(UNPARSED.items()))

    subsets_by = forms.ChoiceField(label="Subsets by", required=False)
    group = forms.CharField(
        label="Groups of subsets",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "placeholder": "Hard=Manual,Neighbor"}),
        help_text="One a line: NAME=SUBSET,SUBSET. Each is a further row.",
    )

    def __init__(self, data: QueryDict, *, dataset: Dataset, fields: Sequence[str], subsets: Sequence[str]) -> None:
        """Several groups in an address are lines of one field.

        fields: the further fields of the dataset's contexts. subsets: the values of the chosen one.
        """
        complete = data.copy()
        complete["group"] = "\n".join(data.getlist("group"))
        super().__init__(complete, dataset=dataset)
        self.subsets = subsets
        self.fields["subsets_by"].choices = [(name, name) for name in (SUBSET, *fields)]  # type: ignore[attr-defined]
        if not fields:
            del self.fields["subsets_by"]
        if len(subsets) < 2:
            del self.fields["group"]

    def clean_group(self) -> tuple[SubsetGroup, ...]:
        try:
            groups = tuple(SubsetGroup.parse(line) for line in self.cleaned_data["group"].splitlines() if line.strip())
        except Refused as refused:
            raise ValidationError(list(refused.problems)) from refused
        if problems := group_problems(groups, self.subsets):
            raise ValidationError(problems)
        return groups

    @property
    def report_choice(self) -> ReportChoice:
        """Return the choice. A value that the page does not offer is ignored; wrong groups get an error too."""
        self.is_valid()
        return ReportChoice(
            order=self.chosen_order,
            unparsed=self.cleaned_data.get("unparsed") or USUAL_CHOICE.unparsed,
            groups=self.cleaned_data.get("group") or (),
            subsets_by=self.cleaned_data.get("subsets_by") or SUBSET,
            exclusion=self.exclusion,
        )


def chosen_field(data: QueryDict, fields: Sequence[str]) -> str:
    """Return the field by which the address splits contexts. One that they lack counts as none."""
    name = data.get("subsets_by", SUBSET)
    return name if name in fields else SUBSET
