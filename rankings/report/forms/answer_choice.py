"""Forms that choose the answers of a page: one attribute, what is left out, their order, subsets and groups."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.forms import BoundField
from django.http import Http404, QueryDict

from evenhand.refusals import Refused
from judging.forms.option_form import OptionFilters
from judging.models import NOTHING_LEFT_OUT, Attribute, Dataset
from judging.models.exclusions import exclusion_problems
from judging.web.form_fields import add_problems_to_fields
from rankings.report.answer_options import ANSWERS, LEFT_OUT, chosen_answers
from rankings.report.report_choice import SUBSET, ReportChoice, SubsetGroup, group_problems


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


class AnswersForm(OptionFilters):
    """Which answers count, by options of ANSWERS. A value that does not fit is ignored, and its field says why."""

    def __init__(
        self, data: QueryDict, *, dataset: Dataset, names: Collection[str] = LEFT_OUT, subsets: Sequence[str] = ()
    ) -> None:
        """names: of the options. subsets: those that a group may have. Several texts are the lines of one field."""
        complete = data.copy()
        for name in (*LEFT_OUT, "group"):
            complete[name] = "\n".join(data.getlist(name))
        missing = {"subsets_by": not dataset.context_fields, "group": len(subsets) < 2}
        splits = {"subsets_by": {name: name for name in (SUBSET, *dataset.context_fields)}}
        offered = [ANSWERS[name] for name in names if not missing.get(name)]
        super().__init__(complete, [replace(one, choices=splits.get(one.name, one.choices)) for one in offered])
        self.report_choice = self._report_choice(dataset, subsets)

    def _report_choice(self, dataset: Dataset, subsets: Sequence[str]) -> ReportChoice:
        """Return the choice, without groups that are wrong, and without an exclusion that is not possible."""
        choice, groups = chosen_answers(**self.chosen | {"group": ()}), tuple[SubsetGroup, ...]()
        try:
            groups = tuple(map(SubsetGroup.parse, self.chosen.get("group", ())))
            if problems := group_problems(groups, subsets):
                raise Refused(*problems)
        except Refused as refused:
            add_problems_to_fields(self, refused.problems)
            groups = ()
        problems = exclusion_problems(dataset, choice.exclusion)
        add_problems_to_fields(self, (one.replace("-", "_", 1) for one in problems))
        return replace(choice, groups=groups, exclusion=NOTHING_LEFT_OUT if problems else choice.exclusion)

    @property
    def has_unknown_names(self) -> bool:
        return bool(self._name_problems)

    def require_known_names(self) -> None:
        """Raise Http404 with the problems of names, for downloads, which cannot show them."""
        if self._name_problems:
            raise Http404("; ".join(self._name_problems))

    @property
    def _name_problems(self) -> list[str]:
        """Return the problems of the names to leave out."""
        return [str(error) for name in (*LEFT_OUT, NON_FIELD_ERRORS) for error in self.errors.get(name, ())]

    @property
    def left_out_fields(self) -> list[BoundField]:
        return [self[name] for name in LEFT_OUT]


def chosen_field(data: QueryDict, fields: Sequence[str]) -> str:
    """Return the field by which the address splits contexts. One that they lack counts as none."""
    name = data.get("subsets_by", SUBSET)
    return name if name in fields else SUBSET
