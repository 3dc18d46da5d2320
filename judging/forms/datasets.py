"""Forms of datasets: upload of files, the name, who may see it, and a package to publish."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict

from evenhand.formats import DATASET_FORMATS
from evenhand.options import Option
from evenhand.units import format_limit
from judging.models import Run, User, Visibility
from judging.models.runs import RunQuerySet
from judging.services.datasets.dataset_changes import other_researchers
from judging.services.publishing.croissant import Publication
from judging.web.form_fields import RowsField, shown_when
from judging.web.operations.new_datasets import DATASET_OPTIONS, SHARING_OPTIONS
from judging.web.options import OfferedChoices, option_fields, values_sent

LABELS_HELP = (
    "Only for exports of Label Studio and Argilla whose labels are not clear: one a line, such as first=Response A. "
    "A meaning is first, second, tie, both-bad, cannot-judge, or none for no vote."
)
ATTRIBUTES_HELP = (
    "The files name no attribute. One a line; for coherence, judges are asked which text is more coherent."
)
USUAL_ATTRIBUTE = "overall"
"""Proposed where the files of a dataset name no attribute."""
UPLOAD_OPTIONS = [one for one in DATASET_OPTIONS if one.name in ("format", "choice")]
PREVIEW_OPTIONS = [one for one in DATASET_OPTIONS if one.name in ("name", "attribute", "visibility", "shared_with")]


class RunsField(RowsField):
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


class ManyFilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class ManyFilesField(forms.FileField):
    """One or more files. Cleans to a list."""

    def clean(self, data: object, initial: object = None) -> Any:  # noqa: ANN401 - Django's signature
        files = data if isinstance(data, list | tuple) else [data]
        return [super(ManyFilesField, self).clean(file, initial) for file in files or [None]]


class UploadForm(forms.Form):
    """The files of one dataset."""

    files = ManyFilesField(  # type: ignore[assignment]  # the form's own `files` is not a class attribute
        label="File, or files of one dataset",
        widget=ManyFilesInput(attrs={"data-limit": settings.MAX_UPLOAD_BYTES}),
        allow_empty_file=True,  # the reader reports an empty file, with every other problem
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        self.fields |= option_fields(UPLOAD_OPTIONS, with_help=True)
        self.fields["choice"].help_text = LABELS_HELP
        self.order_fields(["files", "format", "choice"])
        limit = format_limit(settings.MAX_UPLOAD_BYTES)
        self.fields["files"].help_text = f"At most {limit} in total. CSV, JSON, JSON Lines, Parquet, XLSX or ZIP."

    @property
    def public_format_titles(self) -> list[str]:
        public = [known for known in DATASET_FORMATS.values() if known.name not in ("evenhand", "csv")]
        return [known.title for known in public if known.is_detected]

    def clean_files(self) -> list[UploadedFile]:
        files: list[UploadedFile] = self.cleaned_data["files"]
        size, limit = sum(file.size or 0 for file in files), settings.MAX_UPLOAD_BYTES
        if size > limit:
            raise forms.ValidationError(
                f"the files have {format_limit(size)} together; at most {format_limit(limit)} are accepted"
            )
        return files


class SharingForm(forms.Form):
    """Who may see a dataset. The ticked people count only if it is shared."""

    options: Iterable[Option] = SHARING_OPTIONS

    def __init__(self, data: QueryDict | None, *, owner: User | None, initial: dict[str, Any]) -> None:
        super().__init__(data, initial=initial)
        self.sent = values_sent(data or QueryDict())
        self.fields |= option_fields(self.options, with_help=True)
        visibility = self.fields["visibility"]
        people = [(person.username, str(person)) for person in other_researchers(owner)]
        offered = [choice for choice in Visibility.choices if people or choice[0] != Visibility.SHARED]
        visibility.widget = forms.RadioSelect(choices=offered)
        boxes = forms.CheckboxSelectMultiple(attrs=shown_when("visibility", [Visibility.SHARED]))
        usual, shared_with = self.fields["shared_with"], OfferedChoices(required=False, choices=people, widget=boxes)
        shared_with.label, shared_with.help_text = usual.label, usual.help_text
        self.fields["shared_with"] = shared_with
        if not people:
            del self.fields["shared_with"]

    def values(self) -> dict[str, Any]:
        """Return the options as the page sent them."""
        is_shared = self.sent.get("visibility") == Visibility.SHARED
        return self.sent if is_shared else self.sent | {"shared_with": ()}


class NewDatasetForm(SharingForm):
    """The name of an uploaded dataset, and who may see it. It is saved only with a name."""

    options = PREVIEW_OPTIONS

    def __init__(self, data: QueryDict | None, *, owner: User, name: str, has_attributes: bool) -> None:
        """name: proposed. has_attributes: the files name attributes, so that none is asked for."""
        initial = {"name": name, "attribute": USUAL_ATTRIBUTE, "visibility": Visibility.PRIVATE}
        super().__init__(data, owner=owner, initial=initial)
        self.order_fields(["name", "attribute", "visibility", "shared_with"])
        self.fields["attribute"].help_text = ATTRIBUTES_HELP
        self.fields["visibility"].help_text = "Admins see all datasets. You can change this later."
        if has_attributes:
            del self.fields["attribute"]
