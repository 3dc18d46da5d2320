"""Forms of a dataset's upload: its files, then its name."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict

from evenhand.formats import DATASET_FORMATS
from evenhand.units import format_limit
from judging.models import Dataset, User, Visibility
from judging.services.datasets.sharing import NOBODY_NAMED, other_researchers
from judging.web.form_fields import LinesField, shown_when

LABELS_HELP = (
    "Only for exports of Label Studio and Argilla whose labels are not clear: one a line, such as first=Response A. "
    "A meaning is first, second, tie, both-bad, cannot-judge, or none for no vote."
)
USUAL_ATTRIBUTE = "overall"
"""Proposed where the files of a dataset name no attribute."""


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
    format = forms.ChoiceField(
        label="Format",
        required=False,
        choices=[
            ("", "detect from the content"),
            *((known.name, f"{known.title} ({known.file_type})") for known in DATASET_FORMATS.values()),
        ],
        help_text="Choose a format only if the detected one is wrong, or for HANNA as one context.",
    )

    choice = LinesField(
        label="Meaning of labels",
        help_text=LABELS_HELP,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
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


class NewDatasetForm(forms.ModelForm):
    """The name of an uploaded dataset, and who may see it. It is saved only with a name."""

    attributes = LinesField(
        label="Attributes to judge",
        help_text="The files name no attribute. One per line; for coherence, judges are asked which text is more "
        "coherent.",
    )
    visibility = forms.ChoiceField(
        label="Who may see it",
        choices=[choice for choice in Visibility.choices if choice[0] != Visibility.SHARED],
        initial=Visibility.PRIVATE,
        widget=forms.RadioSelect,
        help_text="Admins see all datasets. You can change this later, and share it with people you name.",
    )

    class Meta:
        model = Dataset
        fields = ["name", "visibility"]
        help_texts = {"name": "As it appears in lists, file names of downloads and commands."}
        error_messages = {"name": {"unique": "a dataset of this name exists; choose another name"}}

    def __init__(self, data: QueryDict | None, *, name: str, has_attributes: bool) -> None:
        """name: proposed. has_attributes: the files name attributes, so that none is asked for."""
        super().__init__(data, initial={"name": name, "attributes": USUAL_ATTRIBUTE})
        self.order_fields(["name", "attributes", "visibility"])
        if has_attributes:
            del self.fields["attributes"]


class SplitForm(forms.Form):
    """The share of contexts to test on, and the seed of the draw."""

    test_share = forms.FloatField(
        label="Share of contexts to test on",
        initial=0.5,
        widget=forms.NumberInput(attrs={"step": "any", "min": "0", "max": "1"}),
    )
    seed = forms.IntegerField(required=False, help_text="Empty: a fresh one.")


class SharingForm(forms.Form):
    """Who may see a dataset. The ticked people count only if it is shared."""

    visibility = forms.ChoiceField(
        label="Who may see it",
        choices=Visibility.choices,
        widget=forms.RadioSelect,
        help_text="Admins see all datasets.",
    )
    shared_with = forms.ModelMultipleChoiceField(
        User.objects.none(),
        required=False,
        label="People",
        widget=forms.CheckboxSelectMultiple(attrs=shown_when("visibility", [Visibility.SHARED])),
        help_text="They may see the dataset while it is shared with people the owner names.",
    )

    def __init__(self, dataset: Dataset, data: QueryDict | None = None) -> None:
        super().__init__(data, initial={"visibility": dataset.visibility, "shared_with": dataset.shared_with.all()})
        self.fields["shared_with"].queryset = other_researchers(dataset.owner)  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        is_shared = data.get("visibility") == Visibility.SHARED
        people = list(data.get("shared_with", ())) if is_shared else []
        if is_shared and not people:
            self.add_error("shared_with", NOBODY_NAMED.removeprefix("shared_with: "))
        return data | {"shared_with": people}
