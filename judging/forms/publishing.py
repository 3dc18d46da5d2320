"""The form that writes a package to publish."""

from django import forms

from judging.models import Run
from judging.models.runs import RunQuerySet
from judging.services.publishing.croissant import Publication


class RunsField(forms.ModelMultipleChoiceField):
    def label_from_instance(self, run: Run) -> str:
        return f"run {run.pk}: {run.judge.name}, {run.prompt_name}, {run.attribute.name}"


class PublishForm(forms.Form):
    """The runs of a package, and the facts that only the publisher knows."""

    run = RunsField(
        Run.objects.none(),
        label="Runs",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Their judgments are part of the package. Runs that have not ended are not listed.",
    )
    creators = forms.CharField(
        label="Creators",
        required=False,
        max_length=2_000,
        help_text="Who made the dataset: names, separated by semicolons. Croissant metadata requires them.",
    )
    url = forms.URLField(
        label="Page of the dataset",
        required=False,
        assume_scheme="https",
        help_text="Its address on the web, if it has one already. Croissant metadata requires it.",
    )

    def __init__(self, *args: object, runs: RunQuerySet, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        field = self.fields["run"]
        field.queryset = runs  # type: ignore[attr-defined]  # a field of models
        field.initial = [run.pk for run in runs]

    @property
    def publication(self) -> Publication:
        names = (name.strip() for name in self.cleaned_data["creators"].split(";"))
        return Publication(tuple(name for name in names if name), self.cleaned_data["url"])
