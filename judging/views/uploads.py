"""Uploading a dataset: files, then a preview or every problem, then a name. Nothing is stored before that."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from judging.exceptions import Refused
from judging.formats import (
    CandidateRecord,
    ContextRecord,
    DatasetRecord,
    InvalidFile,
    SourceFile,
    read_dataset,
)
from judging.forms.runs import ConfirmForm, UploadForm
from judging.services.datasets import pending_uploads
from judging.services.datasets.dataset_import import import_dataset, import_warnings
from judging.services.datasets.pending_uploads import NoSuchUpload, Upload
from judging.web.access import SignedInRequest, admins_only

PREVIEW_ROWS = 20
PROBLEMS_SHOWN = 1000


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """One candidate as it would be stored. scores: the human score by attribute, None where there is none."""

    context: ContextRecord
    candidate: CandidateRecord
    scores: dict[str, float | None]


@require_http_methods(["GET", "HEAD", "POST"])
@admins_only
def dataset_upload(request: SignedInRequest) -> HttpResponse:
    form = UploadForm(request.POST or None, request.FILES or None)
    if request.method != "POST" or not form.is_valid():
        return render(request, "judging/datasets/upload.html", {"form": form, "limit": settings.MAX_UPLOAD_BYTES})
    files = [SourceFile(file.name or "file", file.read()) for file in form.cleaned_data["files"]]
    upload = Upload(tuple(files), form.cleaned_data["format"] or None)
    try:
        read_dataset(upload.files, upload.format, max_bytes=settings.MAX_UPLOAD_BYTES)
    except InvalidFile as invalid:
        return problems(request, form, invalid)
    name = pending_uploads.keep(upload.files, format=upload.format, user=request.user, folder=settings.MEDIA_ROOT)
    return redirect("dataset-preview", name)


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
    """What was found in the files; confirmed with a name, it is stored."""
    try:
        upload = pending_uploads.kept(upload_name, user=request.user, folder=settings.MEDIA_ROOT)
    except NoSuchUpload as gone:
        raise Http404("no such upload") from gone
    record = read_dataset(upload.files, upload.format, max_bytes=settings.MAX_UPLOAD_BYTES)
    form = ConfirmForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        stored = store(request, form, record, upload)
        if stored is not None:
            pending_uploads.discard(upload_name, folder=settings.MEDIA_ROOT)
            return stored
    found = preview(record, upload) | {"form": form, "upload": upload_name}
    return render(request, "judging/datasets/preview.html", found)


def store(request: SignedInRequest, form: ConfirmForm, record: DatasetRecord, upload: Upload) -> HttpResponse | None:
    """Import the dataset and show it; None, with the reasons in the form, where it is refused."""
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


def preview(record: DatasetRecord, upload: Upload) -> dict[str, object]:
    """What the preview page shows of a dataset that is not stored yet."""
    candidates = [candidate for context in record.contexts for candidate in context.candidates]
    votes = Counter(vote.attribute for context in record.contexts for vote in context.votes)
    return {
        "record": record,
        "file_names": [file.name for file in upload.files],
        "candidate_count": len(candidates),
        "vote_count": votes.total(),
        "attributes": [
            {
                "record": attribute,
                "scored": sum(attribute.name in c.scores or attribute.name in c.ratings for c in candidates),
                "votes": votes[attribute.name],
            }
            for attribute in record.attributes
        ],
        "rows": list(islice(preview_rows(record), PREVIEW_ROWS)),
        "warnings": list(warnings(record, votes)),
    }


def preview_rows(record: DatasetRecord) -> Iterator[PreviewRow]:
    for context in record.contexts:
        for candidate in context.candidates:
            scores = {attribute.name: human_score(candidate, attribute.name) for attribute in record.attributes}
            yield PreviewRow(context, candidate, scores)


def human_score(candidate: CandidateRecord, attribute: str) -> float | None:
    ratings = candidate.ratings.get(attribute)
    if attribute in candidate.scores or not ratings:
        return candidate.scores.get(attribute)
    return sum(ratings.values()) / len(ratings)


def warnings(record: DatasetRecord, votes: Counter[str]) -> Iterator[str]:
    """What is allowed, and perhaps not meant."""
    yield from import_warnings(record)
    if untold := [context.key for context in record.contexts if not context.text]:
        yield f"{counted(untold, 'context')} without a text: {some(untold)}"
    empty = [f"{c.key}/{candidate.key}" for c in record.contexts for candidate in c.candidates if not candidate.text]
    if empty:
        yield f"{counted(empty, 'candidate')} with an empty text: {some(empty)}"
    candidates = [candidate for context in record.contexts for candidate in context.candidates]
    for name in (attribute.name for attribute in record.attributes):
        if not votes[name] and not any(name in c.scores or name in c.ratings for c in candidates):
            yield f"nobody scored or voted on {name}: no judge can be compared with people on it"


def counted(keys: list[str], noun: str) -> str:
    return f"{len(keys)} {noun}{'s' if len(keys) > 1 else ''}"


def some(keys: list[str], shown: int = 5) -> str:
    return ", ".join(keys[:shown]) + (f" and {len(keys) - shown} more" if len(keys) > shown else "")
