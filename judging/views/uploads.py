"""Upload of a dataset: files, then a preview or every problem, then a name. Only then is it saved."""

from __future__ import annotations

from pathlib import PurePath

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from evenhand.file_problems import InvalidFile
from evenhand.formats import UnknownTable, hash_files, read_dataset
from evenhand.refusals import Refused
from judging.forms.datasets import NewDatasetForm, UploadForm
from judging.services.datasets import pending_uploads
from judging.services.datasets.dataset_import import import_dataset
from judging.services.datasets.named_attributes import with_attributes
from judging.services.datasets.pending_uploads import NoSuchUpload, PendingUpload
from judging.services.datasets.table_mappings import choose_mapping
from judging.services.datasets.upload_preview import preview_dataset
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.uploaded_files import source_file


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def dataset_upload(request: SignedInRequest) -> HttpResponse:
    form = UploadForm(request.POST or None, request.FILES or None)
    if request.method != "POST" or not form.is_valid():
        return render(request, "judging/datasets/upload.html", {"form": form, "limit": settings.MAX_UPLOAD_BYTES})
    files = tuple(source_file(file) for file in form.cleaned_data["files"])
    format = form.cleaned_data["format"] or None
    try:
        mapping = choose_mapping(files, choices=form.cleaned_data["choice"])
        record = read_dataset(files, format, mapping=mapping, max_bytes=settings.MAX_UPLOAD_BYTES)
    except UnknownTable as unknown:
        upload = PendingUpload(files, format, preview=None, mapping=unknown.mapping)
        return redirect("dataset-mapping", store_for_user(request, upload))
    except InvalidFile as invalid:
        return show_problems(request, form, invalid)
    upload = PendingUpload(files, format, preview_dataset(record), mapping)
    return redirect("dataset-preview", store_for_user(request, upload))


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
    form = NewDatasetForm(request.POST or None, name=name_from_file(upload), has_attributes=has_attributes)
    if request.method == "POST" and form.is_valid():
        response = save_dataset(request, form, upload)
        if response is not None:
            pending_uploads.delete_upload(upload_name, folder=settings.MEDIA_ROOT)
            return response
    context = {
        "form": form,
        "upload": upload_name,
        "file_names": [file.name for file in upload.files],
        "preview": upload.preview,
        "is_mapped": upload.has_columns,
    }
    return render(request, "judging/datasets/preview.html", context)


def name_from_file(upload: PendingUpload) -> str:
    """Return the name of the first file without its ending, for the user to change."""
    return PurePath(upload.files[0].name).stem


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


def save_dataset(request: SignedInRequest, form: NewDatasetForm, upload: PendingUpload) -> HttpResponse | None:
    """Import the dataset and redirect to it. Returns None, with the reasons in the form, if it is refused."""
    max_bytes = settings.MAX_UPLOAD_BYTES
    try:
        record = read_dataset(upload.files, upload.format, mapping=upload.mapping, max_bytes=max_bytes)
    except FileNotFoundError as gone:  # another request saved or cancelled the upload meanwhile
        raise Http404("no such upload") from gone
    chosen = dict(form.cleaned_data)
    try:
        record = with_attributes(record, chosen.pop("attributes", ()))
    except Refused as refused:
        form.add_error("attributes", list(refused.problems))
        return None
    try:
        dataset = import_dataset(record, sha256=hash_files(upload.files), owner=request.user, **chosen)
    except Refused as refused:
        form.add_error("name", list(refused.problems))
        return None
    messages.success(request, f"Dataset {dataset.name} saved.")
    return redirect(dataset)


@require_POST
@researchers_only
def upload_discard(request: SignedInRequest, upload_name: str) -> HttpResponse:
    """Delete the uploaded files without saving the dataset."""
    upload_or_404(request, upload_name)
    pending_uploads.delete_upload(upload_name, folder=settings.MEDIA_ROOT)
    messages.info(request, "Upload cancelled. Nothing was saved.")
    return redirect("dataset-upload")
