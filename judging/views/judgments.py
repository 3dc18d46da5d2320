"""Recorded judgments of a dataset: files, then a preview with every problem. Only then are they saved."""

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from evenhand.formats import (
    ColumnValues,
    SourceFile,
    TableMapping,
    first_row_names_judge,
    guess_columns,
    sample_dataset_columns,
)
from evenhand.refusals import Refused
from evenhand.units import counted
from judging.forms.judgments import JudgmentsForm
from judging.forms.mappings import make_mapping_form, read_posted_mapping
from judging.models import Dataset, User
from judging.services.datasets import pending_uploads
from judging.services.datasets.pending_uploads import JudgmentsTarget, PendingUpload
from judging.services.datasets.recorded.judgment_files import (
    JUDGMENT_KINDS,
    JudgmentFiles,
    RecordedKind,
    check_read,
    kind_of_files,
    preview_judgments,
    read_judgments,
    store_judgments,
)
from judging.services.datasets.recorded.judgment_mappings import datasets_with_judgment_mapping, saved_judgment_mapping
from judging.services.datasets.recorded.recorded_runs import count_runs
from judging.services.datasets.recorded.recorded_votes import ImportedVotes
from judging.views.uploads import pending_upload_or_404, store_for_user
from judging.web.api_errors import MOST_PROBLEMS
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.uploaded_files import source_file
from judging.web.visible_rows import dataset_for_judgments, visible_dataset


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def judgments_new(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Show the form for files of recorded judgments. Posted, the files wait for a confirmation."""
    dataset = visible_dataset(request, dataset_id)
    form = JudgmentsForm(request.POST or None, request.FILES or None)
    if not Dataset.objects.changeable_by(request.user).filter(pk=dataset.pk).exists():
        form.offer_only_judges()
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        files, judge = tuple(source_file(file) for file in data["files"]), data["judge"]
        needs_judge = JUDGMENT_KINDS[data["kind"]].needs_judge
        target = JudgmentsTarget(dataset.pk, data["kind"], judge if needs_judge else "", data["verdict_pattern"])
        kind = kind_of_files(target.noun, target.verdict_pattern, dataset)
        mapping = guess_columns(files, kind.columns, max_bytes=settings.MAX_UPLOAD_BYTES) or data["labels"]
        if needs_judge and not judge and not may_name_judge(files, kind, mapping):
            form.add_error("judge", "Give the judge a name. The files have no column judge.")
        else:
            upload = PendingUpload(files, None, None, mapping, target)
            return redirect("judgments-review", dataset.pk, store_for_user(request, upload))
    return render(request, "judging/judgments/new.html", {"form": form, "dataset": dataset})


def may_name_judge(files: Sequence[SourceFile], kind: RecordedKind, mapping: TableMapping | None) -> bool:
    """Return True if the files name their judges, or if the next page asks which column does."""
    return mapping is not None or first_row_names_judge(files, kind.columns, max_bytes=settings.MAX_UPLOAD_BYTES)


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def judgments_review(request: SignedInRequest, dataset_id: int, upload_name: str) -> HttpResponse:
    """Show the columns, the first rows and every problem. Save the judgments if there is none."""
    upload = pending_upload_or_404(request, upload_name)
    target = upload.target
    if target is None or target.dataset != dataset_id:
        raise Http404("no judgments of this dataset")
    needs_judge = JUDGMENT_KINDS[target.noun].needs_judge
    dataset = dataset_for_judgments(request, dataset_id, of_judges=needs_judge)
    if "cancel" in request.POST:
        pending_uploads.delete_upload(upload_name, folder=settings.MEDIA_ROOT)
        messages.info(request, "Upload cancelled. Nothing was saved.")
        return redirect(dataset)
    columns = sample_dataset_columns(upload.files, max_bytes=settings.MAX_UPLOAD_BYTES) if upload.has_columns else []
    names = [column.name for column in columns]
    with_mapping = datasets_with_judgment_mapping(request.user, target.title, names) if columns else []
    upload, mapping_problems = read_posted_columns(request, upload, columns, with_mapping)
    pending_uploads.update_upload(upload_name, upload, user=request.user, folder=settings.MEDIA_ROOT)
    read = None if mapping_problems else read_upload(upload, target, dataset)
    is_saving = "save" in request.POST and not request.POST.get("saved")  # chosen columns are shown before they count
    if read and is_saving:
        response = save_judgments(request, dataset, target.judge, read)
        if response is not None:
            pending_uploads.delete_upload(upload_name, folder=settings.MEDIA_ROOT)
            return response
    context = review_context(dataset, upload, target, read, request.user) | {
        "upload": upload_name,
        "mapping_form": make_mapping_form(upload.mapping, columns) if upload.mapping and upload.has_columns else None,
        "mapping_problems": mapping_problems,
        "saved": with_mapping,
    }
    status = 422 if is_saving else 200
    return render(request, "judging/judgments/review.html", context, status=status)


def read_posted_columns(
    request: SignedInRequest, upload: PendingUpload, columns: list[ColumnValues], with_mapping: Sequence[Dataset]
) -> tuple[PendingUpload, list[str]]:
    """Return the upload with the mapping that was posted, or of a chosen dataset, and what is wrong with it."""
    if upload.mapping is None or not upload.has_columns or upload.target is None:
        return upload, []
    chosen = [dataset for dataset in with_mapping if str(dataset.pk) == request.POST.get("saved")]
    if chosen:
        return replace(upload, mapping=saved_judgment_mapping(chosen[0], upload.target.title)), []
    data = request.POST if "choice-columns" in request.POST else posted_form(upload.mapping, columns)
    mapping, problems = read_posted_mapping(data, columns, layout=upload.mapping.layout)
    return replace(upload, mapping=mapping), problems


def posted_form(mapping: TableMapping, columns: list[ColumnValues]) -> dict[str, str]:
    """Return what the form of a mapping would post unchanged."""
    form = make_mapping_form(mapping, columns)
    values = {name: str(field.initial or "") for name, field in form.form.fields.items()}
    return values | {"choice-columns": ", ".join(form.choice_columns)}


def read_upload(upload: PendingUpload, target: JudgmentsTarget, dataset: Dataset) -> JudgmentFiles:
    kind = kind_of_files(target.noun, target.verdict_pattern, dataset)
    judge, max_bytes = target.judge, settings.MAX_UPLOAD_BYTES
    return read_judgments(kind, upload.files, dataset=dataset, mapping=upload.mapping, judge=judge, max_bytes=max_bytes)


def save_judgments(request: SignedInRequest, dataset: Dataset, judge: str, read: JudgmentFiles) -> HttpResponse | None:
    """Store the judgments. Redirect to the results of new runs, or to the dataset with votes and ratings of people.

    Returns None if they are refused; the page then says why.
    """
    try:
        stored = store_judgments(read, dataset=dataset, judge_name=judge, owner=request.user)
    except Refused:
        return None
    if isinstance(stored, list):
        names = sorted({run.judge.name for run in stored})
        of_judges = names[0] if len(names) == 1 else counted(len(names), "judge")
        messages.success(request, f"{counted(len(stored), 'run')} of {of_judges} saved.")
        return redirect("dataset-results", dataset.pk)
    count = stored.votes if isinstance(stored, ImportedVotes) else stored.ratings
    repeated = f" {stored.repeated:,} of the file were already stored." if stored.repeated else ""
    messages.success(request, f"{counted(count, read.kind.noun.removesuffix('s'))} saved.{repeated}")
    return redirect(dataset)


def review_context(
    dataset: Dataset, upload: PendingUpload, target: JudgmentsTarget, read: JudgmentFiles | None, owner: User
) -> dict[str, object]:
    """Return the content of the page that does not belong to the columns."""
    problems, count = list_problems(dataset, target, read, owner) if read else ([], 0)
    headers, rows = preview_judgments(read) if read else ([], [])
    runs = count_runs(read.records, target.judge) if read and read.kind.needs_judge else Counter[str]()
    return {
        "dataset": dataset,
        "target": target,
        "file_names": [file.name for file in upload.files],
        "count": len(read.records) if read else 0,
        "becomes": f"{counted(runs.total(), 'run')} of {counted(len(runs), 'judge')}" if runs else "",
        "judges": [f"{judge} ({counted(number, 'run')})" for judge, number in runs.most_common()]
        if len(runs) > 1
        else [],
        "notes": read.notes if read else [],
        "problems": problems[:MOST_PROBLEMS],
        "problem_count": count,
        "headers": headers,
        "rows": rows,
        "command": judgments_command(dataset, upload, target),
    }


def list_problems(dataset: Dataset, target: JudgmentsTarget, read: JudgmentFiles, owner: User) -> tuple[list[str], int]:
    """Return the listed problems, and the number of all problems."""
    try:
        check_read(read, dataset=dataset, judge_name=target.judge, owner=owner)
    except Refused as refused:
        return list(refused.problems), len(refused.problems) + refused.more
    return [], 0


def judgments_command(dataset: Dataset, upload: PendingUpload, target: JudgmentsTarget) -> str:
    """Return the command that imports the same files."""
    words = ["evenhand", f"import_{target.noun}", *(file.name for file in upload.files), "--dataset", dataset.name]
    words += ["--judge", target.judge] if target.judge else []
    words += ["--verdict-pattern", target.verdict_pattern] if target.verdict_pattern else []
    return f"{shlex.join(words)} {upload.mapping.options() if upload.mapping else ''}".rstrip()
