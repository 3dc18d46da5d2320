"""The page that writes a package to publish."""

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.forms.publishing import PublishForm
from judging.models import Dataset, Vote
from judging.services.publishing.package import Package, zip_parts
from judging.services.publishing.published_runs import publishable_runs, published_runs
from judging.web.downloads import attachment
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_dataset, visible_runs

DOWNLOAD = "download"


@require_safe
@researchers_only
def dataset_publish(request: SignedInRequest, dataset_id: int) -> HttpResponseBase:
    """Show the form. With `download` in the address, send the package as a ZIP file."""
    dataset = visible_dataset(request, dataset_id)
    runs = visible_runs(request).filter(dataset=dataset)
    form = PublishForm(request.GET if DOWNLOAD in request.GET else None, runs=publishable_runs(runs))
    if not form.is_valid():
        return publish_page(request, dataset, form)
    chosen = published_runs(runs, [run.pk for run in form.cleaned_data["run"]])
    package = Package(dataset, chosen, form.publication)
    return attachment(zip_parts(package, folder=dataset.name), name=f"{dataset.name}.zip")


def publish_page(request: SignedInRequest, dataset: Dataset, form: PublishForm) -> HttpResponse:
    votes = Vote.objects.filter(attribute__dataset=dataset)
    context = {
        "dataset": dataset,
        "form": form,
        "votes": votes.count(),
        "raters": votes.values("rater").distinct().count(),
    }
    return render(request, "judging/publishing/publish.html", context, status=400 if form.is_bound else 200)
