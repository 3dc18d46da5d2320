"""Upload of a dataset: files, then a preview or every problem, then a name. Only then is it saved."""

from pathlib import PurePath
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from evenhand.file_problems import InvalidFile
from evenhand.formats import UnknownTable, hash_files, read_dataset, total_size
from evenhand.options import read_options
from evenhand.refusals import raise_if_any
from judging.forms.datasets import PREVIEW_OPTIONS, UPLOAD_OPTIONS, NewDatasetForm, UploadForm
from judging.models import Dataset
from judging.services.datasets import pending_uploads
from judging.services.datasets.dataset_import import dataset_name_problems, import_dataset, size_problems
from judging.services.datasets.pending_uploads import NoSuchUpload, PendingUpload
from judging.services.datasets.table_mappings import choose_mapping, with_attributes
from judging.services.datasets.upload_preview import preview_dataset
from judging.web.form_fields import showing_refusals
from judging.web.operations.new_datasets import dataset_settings
from judging.web.options import values_sent
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.uploaded_files import source_file


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def dataset_upload(request: SignedInRequest) -> HttpResponse:
    form = UploadForm(request.POST or None, request.FILES or None)
    chosen = read_upload_options(request, form)
    if chosen is None:
        return render(request, "judging/datasets/upload.html", {"form": form, "limit": settings.MAX_UPLOAD_BYTES})
    files, format = tuple(source_file(file) for file in form.cleaned_data["files"]), chosen["format"] or None
    try:
        mapping = choose_mapping(files, choice=chosen["choice"])
        record = read_dataset(files, format, mapping=mapping, max_bytes=settings.MAX_UPLOAD_BYTES)
    except UnknownTable as unknown:
        upload = PendingUpload(files, format, preview=None, mapping=unknown.mapping)
        return redirect("dataset-mapping", store_for_user(request, upload))
    except InvalidFile as invalid:
        return show_problems(request, form, invalid)
    upload = PendingUpload(files, format, preview_dataset(record), mapping)
    return redirect("dataset-preview", store_for_user(request, upload))


def read_upload_options(request: SignedInRequest, form: UploadForm) -> dict[str, Any] | None:
    """Return the options of an upload; None, with the reasons in the form, if there are no files or no such options."""
    if request.method != "POST" or not form.is_valid():
        return None
    with showing_refusals(form):
        return read_options(UPLOAD_OPTIONS, values_sent(request.POST))
    return None


def store_for_user(request: SignedInRequest, upload: PendingUpload) -> str:
    return pending_uploads.store_upload(upload, user=request.user, folder=settings.MEDIA_ROOT)


def show_problems(request: HttpRequest, form: UploadForm, invalid: InvalidFile) -> HttpResponse:
    context = {
        "form": form,
        "limit": settings.MAX_UPLOAD_BYTES,
        "problems": invalid.problems,
        "problem_count": invalid.count,
    }
    return render(request, "judging/datasets/upload.html", context, status=422)


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def dataset_preview(request: SignedInRequest, upload_name: str) -> HttpResponse:
    """Show the preview made at the upload. Confirmed with a name, the files are read again and the dataset saved."""
    upload = upload_or_404(request, upload_name)
    if upload.preview is None:
        return redirect("dataset-mapping", upload_name)
    has_attributes = bool(upload.preview["attributes"])
    form = NewDatasetForm(
        request.POST if request.method == "POST" else None,
        owner=request.user,
        name=PurePath(upload.files[0].name).stem,
        has_attributes=has_attributes,
    )
    if request.method == "POST":
        with showing_refusals(form):
            dataset = save_dataset(request, form, upload)
            pending_uploads.delete_upload(upload_name, folder=settings.MEDIA_ROOT)
            messages.success(request, f"Dataset {dataset.name} saved.")
            return redirect(dataset)
    context = {
        "form": form,
        "upload": upload_name,
        "file_names": [file.name for file in upload.files],
        "preview": upload.preview,
        "is_mapped": upload.has_columns,
    }
    return render(request, "judging/datasets/preview.html", context)


def upload_or_404(request: SignedInRequest, upload_name: str) -> PendingUpload:
    """Return the files of a dataset. Raises Http404 for other files."""
    upload = pending_upload_or_404(request, upload_name)
    if upload.target is not None:
        raise Http404("no upload of a dataset")
    return upload


def pending_upload_or_404(request: SignedInRequest, upload_name: str) -> PendingUpload:
    try:
        return pending_uploads.load_upload(upload_name, user=request.user, folder=settings.MEDIA_ROOT)
    except NoSuchUpload as gone:
        raise Http404("no such upload") from gone


def save_dataset(request: SignedInRequest, form: NewDatasetForm, upload: PendingUpload) -> Dataset:
    """Import the dataset. Raises Refused with the problems of its options, before the files are read."""
    chosen = dataset_settings(form.values(), owner=request.user, user=request.user, options=PREVIEW_OPTIONS)
    name, size = chosen["name"], total_size(upload.files)
    raise_if_any([*dataset_name_problems(name, request.user), *size_problems(request.user, size)])
    max_bytes = settings.MAX_UPLOAD_BYTES
    try:
        record = read_dataset(upload.files, upload.format, mapping=upload.mapping, max_bytes=max_bytes)
    except FileNotFoundError as gone:  # another request saved or cancelled the upload meanwhile
        raise Http404("no such upload") from gone
    record = with_attributes(record, chosen.pop("attribute"))
    return import_dataset(record, hash_files(upload.files), request.user, size, **chosen)


@require_POST
@researchers_only
def upload_discard(request: SignedInRequest, upload_name: str) -> HttpResponse:
    """Delete the uploaded files without saving the dataset."""
    upload_or_404(request, upload_name)
    pending_uploads.delete_upload(upload_name, folder=settings.MEDIA_ROOT)
    messages.info(request, "Upload cancelled. Nothing was saved.")
    return redirect("dataset-upload")
