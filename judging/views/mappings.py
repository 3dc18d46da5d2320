"""The mapping step of an upload: the columns of a table get their fields, with a preview of the first lines."""

import shlex
from dataclasses import replace

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from evenhand.file_problems import InvalidFile
from evenhand.formats import (
    DATASET_LAYOUTS,
    ColumnValues,
    TableMapping,
    find_unreadable_lines,
    guess_dataset_mapping,
    preview_dataset_rows,
    read_dataset,
    sample_dataset_columns,
)
from judging.forms.mappings import field_title, make_mapping_form, read_posted_mapping
from judging.models import Dataset
from judging.services.datasets import pending_uploads
from judging.services.datasets.pending_uploads import PendingUpload
from judging.services.datasets.table_mappings import saved_mapping
from judging.services.datasets.upload_preview import preview_dataset
from judging.views.uploads import upload_or_404
from judging.web.role_checks import SignedInRequest, researchers_only


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def dataset_mapping(request: SignedInRequest, upload_name: str) -> HttpResponse:
    """Show the mapping with a preview. Checked, all lines are read, and the preview of the dataset follows."""
    upload = upload_or_404(request, upload_name)
    columns = sample_dataset_columns(upload.files, max_bytes=settings.MAX_UPLOAD_BYTES)
    mapping, problems = mapping_to_show(request, upload, columns)
    invalid = None
    if request.method == "POST" and "check" in request.POST and problems:
        invalid = find_unreadable_lines(upload.files, max_bytes=settings.MAX_UPLOAD_BYTES)
    elif request.method == "POST" and "check" in request.POST:
        try:
            record = read_dataset(upload.files, mapping=mapping, max_bytes=settings.MAX_UPLOAD_BYTES)
        except InvalidFile as found:
            invalid = found
        else:
            upload = replace(upload, mapping=mapping, preview=preview_dataset(record))
            pending_uploads.update_upload(upload_name, upload, user=request.user, folder=settings.MEDIA_ROOT)
            return redirect("dataset-preview", upload_name)
    context = {
        "upload": upload_name,
        "file_names": [file.name for file in upload.files],
        "mapping": mapping,
        "mapping_form": make_mapping_form(mapping, columns),
        "saved": datasets_with_mapping(request, columns),
        "rows": preview_dataset_rows(upload.files, mapping, max_bytes=settings.MAX_UPLOAD_BYTES),
        "headers": [(field_title(field, mapping.layout), column) for field, column in mapping.columns.items()],
        "ignored": mapping.ignored([column.name for column in columns]),
        "command": import_command(upload, mapping),
        "mapping_problems": problems if request.method == "POST" else [],
        "problems": invalid.problems if invalid else (),
        "problem_count": invalid.count if invalid else 0,
    }
    page = "_mapping.html" if "HX-Request" in request.headers else "mapping.html"
    status = 422 if invalid or ("check" in request.POST and problems) else 200
    return render(request, f"judging/datasets/{page}", context, status=status)


def mapping_to_show(
    request: SignedInRequest, upload: PendingUpload, columns: list[ColumnValues]
) -> tuple[TableMapping, list[str]]:
    """Return the mapping to show, and what is wrong with it: posted, of an earlier dataset, or guessed."""
    data = request.POST
    if data.get("saved", "").isdigit():
        chosen = [dataset for dataset in datasets_with_mapping(request, columns) if str(dataset.pk) == data["saved"]]
        if chosen:
            return saved_mapping(chosen[0]), []
    is_first = request.method != "POST"
    if is_first and upload.mapping:
        return upload.mapping, []
    layout = "" if is_first else data.get("layout", "")
    is_other = layout in DATASET_LAYOUTS and layout != data.get("shown-layout")
    if is_first or (is_other and "check" not in data):
        return guess_dataset_mapping(upload.files, layout, max_bytes=settings.MAX_UPLOAD_BYTES), []
    return read_posted_mapping(data, columns)


def datasets_with_mapping(request: SignedInRequest, columns: list[ColumnValues]) -> list[Dataset]:
    """Return the datasets whose mapping fits these columns."""
    names = {column.name for column in columns}
    datasets = Dataset.objects.visible_to(request.user).filter(mapping__isnull=False)
    return [dataset for dataset in datasets if set(saved_mapping(dataset).columns.values()) <= names]


def import_command(upload: PendingUpload, mapping: TableMapping) -> str:
    """Return the command that imports the same files by the same mapping."""
    files = shlex.join(file.name for file in upload.files)
    return f"evenhand import_dataset {files} --name NAME {mapping.options()}"
