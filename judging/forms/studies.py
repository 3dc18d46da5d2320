"""The form of a study: its name, description, groups and part."""

from django import forms
from django.http import QueryDict

from judging.models import Study, User
from judging.models.datasets import DEVELOPMENT, TEST
from judging.services.studies.study_changes import LONGEST_NAME
from judging.web.form_fields import LinesField


class StudyForm(forms.Form):
    """The name, description, groups and part of a study."""

    name = forms.CharField(max_length=LONGEST_NAME)
    description = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 3}))
    groups = LinesField(
        label="Groups of subsets",
        help_text="One a line: NAME=SUBSET,SUBSET. The study's table shows each as a further subset, for example "
        "Adversarial=GPTInst,GPTOut,Manual,Neighbor.",
    )
    part = forms.ChoiceField(
        label="Reports on",
        required=False,
        choices=[("", "all contexts"), (DEVELOPMENT, "the development part"), (TEST, "the test part")],
    )
    chosen_in = forms.ModelChoiceField(
        Study.objects.none(),
        label="Chosen in",
        required=False,
        empty_label="no study",
        help_text="The study in which its prompts and judges were chosen. It may not report on the same contexts.",
    )

    def __init__(self, data: QueryDict | None, *, study: Study, user: User) -> None:
        """Show the study's values until others are posted."""
        values = {"name": study.name, "description": study.description, "groups": "\n".join(study.groups)}
        super().__init__(data, initial=values | {"part": study.part, "chosen_in": study.chosen_in})
        others = Study.objects.visible_to(user).exclude(pk=study.pk)
        self.fields["chosen_in"].queryset = others  # type: ignore[attr-defined]
