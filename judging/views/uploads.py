"""Uploading a dataset: files, then a preview or every problem, then a name. Nothing is stored before that."""

from __future__ import annotations

import hashlib

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from judging.exceptions import Refused
from judging.formats import InvalidFile, SourceFile, read_dataset
from judging.forms.runs import ConfirmForm, UploadForm
from judging.services.datasets import pending_uploads
from judging.services.datasets.dataset_import import import_dataset
from judging.services.datasets.pending_uploads import NoSuchUpload, Upload
from judging.services.datasets.upload_preview import preview_of
from judging.web.access import SignedInRequest, admins_only

PROBLEMS_SHOWN = 1000


@require_http_methods(["GET", "HEAD", "POST"])
@admins_only
def dataset_upload(request: SignedInRequest) -> HttpResponse:
    form = UploadForm(request.POST or None, request.FILES or None)
    if request.method != "POST" or not form.is_valid():
        return render(request, "judging/datasets/upload.html", {"form": form, "limit": settings.MAX_UPLOAD_BYTES})
    files = tuple(SourceFile(file.name or "file", file.read()) for file in form.cleaned_data["files"])
    format = form.cleaned_data["format"] or None
    try:
        record = read_dataset(files, format, max_bytes=settings.MAX_UPLOAD_BYTES)
    except InvalidFile as invalid:
        return problems(request, form, invalid)
    upload = Upload(files, format, preview_of(record))
    return redirect("dataset-preview", pending_uploads.keep(upload, user=request.user, folder=settings.MEDIA_ROOT))


def problems(request: HttpRequest, form: UploadForm, invalid: InvalidFile) -> HttpResponse:
    context = {
        "form": form,
        "limit": settings.MAX_UPLOAD_BYTES,
        "problems": invalid.problems[:PROBLEMS_SHOWN],
        "problem_count": len(invalid.problems),
    }
    return render(request, "judging/datasets/upload.html", context, status=422)


@require_http_methods(["GET", "HEAD", "POST"])
@admins_only
def dataset_preview(request: SignedInRequest, upload_name: str) -> HttpResponse:
    """Show what the files hold, as found when they were uploaded. Confirmed with a name, they are read and stored."""
    try:
        upload = pending_uploads.kept(upload_name, user=request.user, folder=settings.MEDIA_ROOT)
    except NoSuchUpload as gone:
        raise Http404("no such upload") from gone
    form = ConfirmForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        stored = store(request, form, upload)
        if stored is not None:
            pending_uploads.discard(upload_name, folder=settings.MEDIA_ROOT)
            return stored
    found = {
        "form": form,
        "upload": upload_name,
        "file_names": [file.name for file in upload.files],
        "preview": upload.preview,
    }
    return render(request, "judging/datasets/preview.html", found)


def store(request: SignedInRequest, form: ConfirmForm, upload: Upload) -> HttpResponse | None:
    """Import the dataset and show it; None, with the reasons in the form, where it is refused."""
    record = read_dataset(upload.files, upload.format, max_bytes=settings.MAX_UPLOAD_BYTES)
    sha256 = hashlib.sha256(b"".join(file.content for file in upload.files)).hexdigest()
    try:
        dataset = import_dataset(record, name=form.cleaned_data["name"], sha256=sha256, user=request.user)
    except Refused as refused:
        form.add_error("name", list(refused.problems))
        return None
    messages.success(request, f"The dataset {dataset.name} is stored.")
    return redirect(dataset)


@require_POST
@admins_only
def upload_discard(request: SignedInRequest, upload_name: str) -> HttpResponse:
    """Remove the uploaded files; the dataset is not stored."""
    try:
        pending_uploads.kept(upload_name, user=request.user, folder=settings.MEDIA_ROOT)
    except NoSuchUpload as gone:
        raise Http404("no such upload") from gone
    pending_uploads.discard(upload_name, folder=settings.MEDIA_ROOT)
    messages.info(request, "The files were removed; nothing was stored.")
    return redirect("dataset-upload")
